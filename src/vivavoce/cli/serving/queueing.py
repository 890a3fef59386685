"""Few requests at a time: threads of one process cannot compute in parallel, they only slow each other down."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from vivavoce.web.health import HEALTH

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

# One computes while another one reads or writes.
PLACES = 2
# A request that waits for a bot or a lock, or builds a large file, must not block pages for longer.
PATIENCE_SECONDS = 0.25


class RequestQueue:
    """Let a few requests in at a time; one that takes long gives its place to the next and continues."""

    def __init__(self, app: ASGIApp, places: int = PLACES, patience_s: float = PATIENCE_SECONDS) -> None:
        self._app = app
        self._free = asyncio.Semaphore(places)
        self._patience_s = patience_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer when there is a place; health checks need none."""
        if scope.get("path", "").startswith(HEALTH):
            await self._app(scope, receive, send)
            return
        await self._free.acquire()
        holds_place = True

        def leave() -> None:
            nonlocal holds_place
            if holds_place:
                holds_place = False
                self._free.release()

        timer = asyncio.get_running_loop().call_later(self._patience_s, leave)
        try:
            await self._app(scope, receive, send)
        finally:
            timer.cancel()
            leave()
