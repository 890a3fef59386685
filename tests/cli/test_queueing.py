"""Requests are let in few at a time, and a slow one keeps nobody waiting."""

from __future__ import annotations

import asyncio

import pytest

from vivavoce.cli.serving.queueing import RequestQueue

NEVER = 3_600.0
AT_ONCE = 0.0


class Desk:
    """An application that works on what it is asked until it is told to go on."""

    def __init__(self) -> None:
        self.inside: list[str] = []
        self.most = 0
        self.go_on = asyncio.Event()

    async def __call__(self, scope, receive, send):
        self.inside.append(scope["path"])
        self.most = max(self.most, len(self.inside))
        try:
            if scope["path"] == "/broken":
                raise LookupError
            if scope["path"] != "/quick":
                await self.go_on.wait()
        finally:
            self.inside.remove(scope["path"])


async def breathe() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def asked(app: RequestQueue, *paths: str) -> list[asyncio.Task[None]]:
    return [asyncio.create_task(app({"type": "http", "path": path}, None, None)) for path in paths]


def test_no_more_are_worked_on_than_there_are_places():
    async def crowd() -> Desk:
        desk = Desk()
        waiting = asked(RequestQueue(desk, 2, NEVER), *(f"/{number}" for number in range(10)))
        await breathe()
        assert len(desk.inside) == 2
        desk.go_on.set()
        await asyncio.gather(*waiting)
        return desk

    assert asyncio.run(crowd()).most == 2


def test_a_request_that_takes_long_gives_its_place_away_and_is_answered_all_the_same():
    async def slow_ones() -> Desk:
        desk = Desk()
        app = RequestQueue(desk, 1, AT_ONCE)
        slow = asked(app, "/slow", "/slower")
        await asyncio.gather(*asked(app, "/quick"))
        assert desk.inside == ["/slow", "/slower"]
        desk.go_on.set()
        await asyncio.gather(*slow)
        return desk

    assert asyncio.run(slow_ones()).inside == []


def test_a_failure_leaves_its_place():
    async def failures() -> None:
        app = RequestQueue(Desk(), 1, NEVER)
        for _ in range(3):
            with pytest.raises(LookupError):
                await app({"type": "http", "path": "/broken"}, None, None)
        await app({"type": "http", "path": "/quick"}, None, None)

    asyncio.run(failures())


def test_whoever_left_before_there_was_a_place_takes_none():
    async def impatience() -> None:
        desk = Desk()
        app = RequestQueue(desk, 1, NEVER)
        first, second = asked(app, "/first", "/second")
        await breathe()
        second.cancel()
        await breathe()
        desk.go_on.set()
        await first
        await app({"type": "http", "path": "/quick"}, None, None)
        assert second.cancelled()

    asyncio.run(impatience())
