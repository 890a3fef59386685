"""Bots are closed one after the other; whoever is told to stop meanwhile stops."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from vivavoce.conversations.running.runner import close_bots


def bot(close: Any) -> Any:
    return SimpleNamespace(close=close)


async def cancelled_after(steps: int) -> bool:
    """Cancel the closing some steps of the loop after the first bot was let go; tell whether that was heard."""
    let_go, forever = asyncio.Event(), asyncio.Event()
    task = asyncio.create_task(close_bots([bot(let_go.wait), bot(forever.wait)]))
    await asyncio.sleep(0.01)
    let_go.set()
    for _ in range(steps):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task], timeout=0.2)
    heard = task.cancelled()
    task.cancel()
    await asyncio.wait([task])
    return heard


@pytest.mark.parametrize("steps", range(5))
def test_a_cancellation_is_heard_whenever_it_comes(steps: int) -> None:
    assert asyncio.run(cancelled_after(steps))


def test_one_that_fails_keeps_no_other_from_being_closed() -> None:
    closed: list[str] = []

    async def fail() -> None:
        raise OSError("gone already")

    async def close() -> None:
        closed.append("second")

    asyncio.run(close_bots([bot(fail), bot(close)]))
    assert closed == ["second"]
