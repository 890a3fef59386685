"""Few requests at a time: threads of one process do not compute side by side, they only keep each other waiting."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from vivavoce.web.health import HEALTH

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

# One computes while another one reads or writes.
PLACES = 2
# Whoever waits for a bot, a lock or a slow line, or makes a large file, must not keep pages waiting that long.
PATIENCE_SECONDS = 0.25


class FewAtATime:
    """Let requests in one after the other; one that takes long gives its place to the next and goes on."""

    def __init__(self, app: ASGIApp, places: int = PLACES, patience_s: float = PATIENCE_SECONDS) -> None:
        self._app = app
        self._free = asyncio.Semaphore(places)
        self._patience_s = patience_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer when there is a place; whoever asks whether the server is well is answered at once."""
        if scope.get("path", "").startswith(HEALTH):
            await self._app(scope, receive, send)
            return
        await self._free.acquire()
        place = _Place(self._free)
        timer = asyncio.get_running_loop().call_later(self._patience_s, place.leave)
        try:
            await self._app(scope, receive, send)
        finally:
            timer.cancel()
            place.leave()


class _Place:
    """A place that is left once, whoever leaves it first."""

    def __init__(self, free: asyncio.Semaphore) -> None:
        self._free: asyncio.Semaphore | None = free

    def leave(self) -> None:
        """Let the next one in."""
        if self._free is not None:
            self._free.release()
            self._free = None
