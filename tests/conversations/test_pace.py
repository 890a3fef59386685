"""A bot is never asked harder than it allows, and less after it says so."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from vivavoce.bots.asking import Pace
from vivavoce.bots.protocol import Limits


async def crowd(pace: Pace, size: int, seconds: float = 0.01) -> int:
    """Send a crowd through and return how many were inside at most."""
    inside = most = 0

    async def one() -> None:
        nonlocal inside, most
        async with pace.turn():
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(seconds)
            inside -= 1

    await asyncio.gather(*(one() for _ in range(size)))
    return most


@pytest.mark.parametrize("at_once", [1, 3, 20])
def test_no_more_messages_are_on_their_way_than_allowed(at_once: int) -> None:
    assert asyncio.run(crowd(Pace(Limits(at_once=at_once)), 12)) == min(at_once, 12)


def test_after_a_complaint_half_as_many_go_at_once_and_success_brings_them_back() -> None:
    async def story() -> tuple[int, int, int]:
        pace = Pace(Limits(at_once=8))
        pace.slow_down(0)
        halved, seen = pace.allowed, await crowd(pace, 12)
        for _ in range(100):
            pace.succeed()
        return halved, seen, pace.allowed

    assert asyncio.run(story()) == (4, 4, 8)


def test_complaints_never_stop_a_bot_altogether() -> None:
    async def story() -> int:
        pace = Pace(Limits(at_once=4))
        for _ in range(10):
            pace.slow_down(0)
        return pace.allowed

    assert asyncio.run(story()) == 1


def test_messages_a_second_are_kept_apart() -> None:
    async def story() -> list[float]:
        pace = Pace(Limits(at_once=10, per_second=100))
        moments: list[float] = []

        async def one() -> None:
            async with pace.turn():
                moments.append(asyncio.get_running_loop().time())

        await asyncio.gather(*(one() for _ in range(6)))
        return sorted(moments)

    moments = asyncio.run(story())
    gaps = [later - earlier for earlier, later in pairwise(moments)]
    assert min(gaps) > 0.0095


def test_opening_a_talk_does_not_use_up_a_message() -> None:
    async def story() -> float:
        pace = Pace(Limits(at_once=1, per_second=0.001))
        for _ in range(3):
            async with pace.turn(message=False):
                pass
        async with asyncio.timeout(5), pace.turn():
            return 1.0

    assert asyncio.run(story()) == 1.0


def test_a_place_is_not_lost_with_a_message_that_is_cancelled() -> None:
    async def story() -> int:
        pace = Pace(Limits(at_once=1))
        async with pace.turn():
            waiting = [asyncio.create_task(crowd(pace, 1)) for _ in range(3)]
            await asyncio.sleep(0)
            waiting[0].cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        return await crowd(pace, 2)

    assert asyncio.run(story()) == 1
