"""Replies that come later, in any number: asked for again and again, or pushed over a WebSocket."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from vivavoce.bots.shapes import MAX_BYTES, decode_json, join_replies
from vivavoce.bots.streaming import read_loosely
from vivavoce.errors import BotError
from vivavoce.messages import say
from vivavoce.records import Reply, Status

if TYPE_CHECKING:
    import aiohttp

    from vivavoce.bots.client import BotSession

SETTLE_S = 1.0
EVERY_S = 0.5


class PartReader(Protocol):
    """What reads a part of a reply."""

    def read(self, payload: object, *, needs_texts: bool = True) -> Reply:
        """Return what a payload says; an empty reply where it says nothing and needs no texts."""
        ...


class Source(Protocol):
    """Where the parts of a reply come from."""

    async def next(self, deadline: float | None) -> object:
        """Return the next payload; None where none came until the deadline."""
        ...


@dataclass(frozen=True, slots=True)
class Collecting:
    """When a reply is complete: where `until` holds of a payload, or when nothing came for `settle_s` (None: never).

    `whole`: each payload is the whole reply so far, not what is new in it.
    """

    reader: PartReader
    until: Any = None
    settle_s: float | None = SETTLE_S
    whole: bool = False

    async def collect(
        self, source: Source, redact: Callable[[object], object], patience: float | None = None
    ) -> Reply:
        """Return all that comes; with `patience`, wait at most so many seconds for the first part of it."""
        began, first = time.monotonic(), None
        parts: list[Reply] = []
        deadline = None if patience is None else began + patience
        while (payload := await source.next(deadline)) is not None:
            payload = redact(payload)
            part = self.reader.read(payload, needs_texts=False)
            now = time.monotonic()
            if part.shown:
                first = first or now - began
                if self.settle_s is not None:
                    deadline = now + self.settle_s
            if part.shown or part.intent or part.slots or part.fallback is not None:
                parts = [part] if self.whole else [*parts, part]
            if self.until is not None and self.until.search(payload):
                break
            if deadline is not None and now >= deadline:
                break
        return join_replies(parts, first)


class Polling:
    """Asks an address again and again, from where the last answer ended: `ask` takes the watermark."""

    def __init__(
        self, ask: Callable[[str], Awaitable[object]], watermark: Any = None, every_s: float = EVERY_S
    ) -> None:
        self._ask, self._path, self._every_s = ask, watermark, every_s
        self._watermark = ""
        self._waits = False

    def begin(self) -> Polling:
        """Ask at once the next time: a message was just sent."""
        self._waits = False
        return self

    async def next(self, deadline: float | None) -> object:
        """Return the next answer, after a pause; the deadline is the caller's to see."""
        if self._waits:
            await asyncio.sleep(self._every_s)
        self._waits = True
        payload = await self._ask(self._watermark)
        mark = self._path.search(payload) if self._path is not None else None
        if mark is not None:
            self._watermark = mark if isinstance(mark, str) else json.dumps(mark)
        return {} if payload is None else payload


class Socket:
    """A WebSocket whose frames are JSON or plain text."""

    def __init__(self, requests: BotSession, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._requests, self._socket = requests, socket

    async def send(self, message: str) -> None:
        """Send a message; what came too late for the one before belongs to no reply."""
        while await self._receive(0.0) is not None:
            pass
        with self._requests.explaining():
            await self._socket.send_str(message)

    async def next(self, deadline: float | None) -> object:
        """Return the next frame; None where none came until the deadline."""
        return await self._receive(None if deadline is None else max(0.0, deadline - time.monotonic()))

    async def _receive(self, seconds: float | None) -> object:
        from aiohttp import WSMsgType

        try:
            async with asyncio.timeout(seconds):
                with self._requests.explaining():
                    frame = await self._socket.receive()
        except TimeoutError:
            return None
        if frame.type is WSMsgType.TEXT:
            return read_loosely(frame.data)
        if frame.type is WSMsgType.BINARY:
            return decode_json(frame.data, _refuse_frame)
        too_large = frame.type is WSMsgType.ERROR and self._socket.close_code == 1009
        raise BotError(
            say("a frame of more than {max_bytes:,} bytes", max_bytes=MAX_BYTES)
            if too_large
            else say("the bot closed the WebSocket"),
            status=Status.TOO_LARGE if too_large else Status.CLOSED,
            remedy=say("check the bot's log"),
        )

    async def close(self) -> None:
        """Close the connection."""
        await self._socket.close()


def _refuse_frame(status: Status, detail: str) -> BotError:
    return BotError(say("the frame is not JSON"), status=status, remedy=say("the bot must send text or JSON"))
