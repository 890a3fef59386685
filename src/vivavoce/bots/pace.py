"""How fast and how much bots are asked, and how late this machine is with it: its delay is not the bot's."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from vivavoce.bots.protocol import Limits


@dataclass
class Allowance:
    """How many messages may still be sent, over all bots; None: any number. `refused`: somebody had to go without."""

    left: int | None = None
    refused: bool = False

    def take(self, messages: int) -> bool:
        """Set messages aside; refused where there are not enough."""
        if self.left is None:
            return True
        if messages > self.left:
            self.refused = True
            return False
        self.left -= messages
        return True

    def give_back(self, messages: int) -> None:
        """Return what was set aside and not sent."""
        if self.left is not None:
            self.left += messages


class Pacing(Protocol):
    """What lets messages to one bot through: in this process (`Pace`), or for several processes together."""

    turned_away: float | None

    def turn(self, *, message: bool = True) -> AbstractAsyncContextManager[None]:
        """Return what is entered while a message (or an opening) is on its way; entering may wait."""
        ...

    def slow_down(self, seconds: float) -> None:
        """Ask less, because the bot said so."""
        ...

    def succeed(self) -> None:
        """Note that a message got through."""
        ...


class Pace:
    """Lets messages to one bot through. Waiting here is never part of a response time.

    `turned_away`: the seconds that the bot asked to be left alone, where that is more than anyone waits.
    """

    def __init__(self, limits: Limits) -> None:
        self._most = limits.at_once
        self._allowed = float(limits.at_once)
        self._inside = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._gap = 1 / limits.per_second if limits.per_second else 0.0
        self._next = 0.0
        self.turned_away: float | None = None

    @property
    def allowed(self) -> int:
        """How many messages may be on their way at the moment."""
        return int(self._allowed)

    @asynccontextmanager
    async def turn(self, *, message: bool = True) -> AsyncIterator[None]:
        """Wait for a place and for the next moment at which a message (not: a conversation) may begin."""
        await self.enter(self._gap if message else 0.0)
        try:
            yield
        finally:
            self.leave()

    async def enter(self, gap: float) -> None:
        """Wait for a place, then for the moment."""
        if self._inside < self.allowed and not self._waiting:
            self._inside += 1
        else:
            place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await place
            except asyncio.CancelledError:
                # A place that was given just now must not be lost with its owner.
                if place.done() and not place.cancelled():
                    self.leave()
                raise
        loop = asyncio.get_running_loop()
        try:
            # Look again after waking: another message may have been first, or the bot may have asked for a pause.
            while (wait := self._next - loop.time()) > 0:
                await asyncio.sleep(wait)
        except BaseException:
            self.leave()
            raise
        if gap:
            self._next = loop.time() + gap

    def leave(self) -> None:
        """Give the place to the next."""
        self._inside -= 1
        self._let_in()

    def _let_in(self) -> None:
        while self._waiting and self._inside < self.allowed:
            place = self._waiting.popleft()
            if not place.done():
                self._inside += 1
                place.set_result(None)

    def slow_down(self, seconds: float) -> None:
        """Ask less, because the bot said so: half as many at once, and nothing at all for a while."""
        self._allowed = max(1.0, self._allowed / 2)
        self._next = max(self._next, asyncio.get_running_loop().time() + seconds)

    def succeed(self) -> None:
        """Allow a little more again after a message that got through: one place for each round of messages."""
        if self._allowed < self._most:
            self._allowed = min(float(self._most), self._allowed + 1 / self._allowed)
            self._let_in()


TICK_SECONDS = 0.02


class LoopLag:
    """Watches the event loop: a task that wants to wake up fifty times a second and notes how late it is."""

    def __init__(self) -> None:
        self._late = 0.0
        self._due = float("inf")
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to watch the running loop; nothing happens where it is watched already."""
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._watch())

    def stop(self) -> None:
        """Watch no longer. May be called more than once."""
        if self._task is not None:
            self._task.cancel()
        self._task, self._due = None, float("inf")

    def seconds(self) -> float:
        """Return by how much the loop has been late in all, up to now: two readings give the delay between them."""
        now = asyncio.get_running_loop().time()
        return self._late + max(0.0, now - self._due)

    async def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self._due = loop.time() + TICK_SECONDS
            await asyncio.sleep(TICK_SECONDS)
            self._late += max(0.0, loop.time() - self._due)
