"""Replies as server-sent events: their text assembled from its pieces."""

from __future__ import annotations

import codecs
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from vivavoce.bots.guard import Request
from vivavoce.bots.shapes import ReplyReader, decode_json, join_replies
from vivavoce.errors import BotError
from vivavoce.messages import say
from vivavoce.records import Reply, Status

if TYPE_CHECKING:
    from vivavoce.bots.client import BotSession

# Where common servers put the next piece of text, and how they end.
DELTA = "choices[0].delta.content || delta.text || delta || token || content || text || answer"
_DONE = "[DONE]"
_LAST = frozenset({"done", "end", "complete", "message_stop"})


class Event(NamedTuple):
    """An event of a stream: its name and what it holds, read as JSON where it is any."""

    name: str
    data: object


class EventParser:
    """Cuts the bytes of a stream into events, wherever the pieces of the network end."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._rest = ""
        self._name = ""
        self._data: list[str] = []

    def feed(self, piece: bytes) -> Iterator[Event]:
        """Yield the events that are complete with these bytes."""
        text = self._rest + self._decoder.decode(piece)
        # A line may end in \r\n; the second half of it may be still on its way.
        carriage = "\r" if text.endswith("\r") else ""
        lines = text.removesuffix("\r").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._rest = lines.pop() + carriage
        for line in lines:
            if not line:
                if self._data:
                    yield Event(self._name, read_loosely("\n".join(self._data)))
                self._name, self._data = "", []
            key, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if key == "event":
                self._name = value
            elif key == "data":
                self._data.append(value)


def read_loosely(text: str) -> object:
    """Return the JSON of a text; the text itself where it is none."""
    try:
        return decode_json(text.encode("utf-8", "replace"), lambda status, detail: BotError(detail, status=status))
    except BotError:
        return text


class StreamReader:
    """Reads streams: `delta` is the path to the next piece of text, `end` one that only the last event has."""

    def __init__(self, delta: Any, end: Any, reader: ReplyReader) -> None:
        self._delta, self._end, self._reader = delta, end, reader

    async def fetch(self, requests: BotSession, request: Request) -> Reply:
        """Send a request and return the reply when its stream has ended; `seconds` until its first piece."""
        stream = _Stream(self._delta, self._end)
        began = time.perf_counter()
        plain = await requests.listen(request, stream.hear)
        redact = requests.redactor.value
        if plain is not None:
            return self._reader.read(redact(plain))
        if stream.error is not None:
            what = say("the stream reports an error: {error}", error=requests.redactor.text(stream.error))
            raise BotError(what, status=Status.SERVER_ERROR, remedy=say("check the bot's log"))
        if self._end is not None and not stream.ended:
            what = say("the stream broke off before its end")
            raise BotError(what, status=Status.CLOSED, remedy=say("check the bot's log and the path reply.end"))
        events = [redact(event.data) for event in stream.events]
        parts = [self._reader.read(event, needs_texts=False) for event in events if isinstance(event, dict)]
        text = requests.redactor.text("".join(stream.texts))
        whole = join_replies(parts, None if stream.first is None else stream.first - began)
        return replace(whole, texts=(text,) if text.strip() else (), raw=events)


class _Stream:
    """What was heard of one stream so far."""

    def __init__(self, delta: Any, end: Any) -> None:
        self._delta, self._end = delta, end
        self._parser = EventParser()
        self.texts: list[str] = []
        self.events: list[Event] = []
        self.first: float | None = None
        self.ended = False
        self.error: str | None = None

    def hear(self, piece: bytes) -> bool:
        """Take in bytes; tell whether the stream has ended."""
        for event in self._parser.feed(piece):
            if event.data == _DONE:
                self.ended = True
                return True
            self.events.append(event)
            if event.name == "error":
                self.error = json.dumps(event.data, ensure_ascii=False)
                return True
            text = event.data if isinstance(event.data, str) else self._delta.search(event.data)
            if isinstance(text, str) and text:
                self.first = self.first or time.perf_counter()
                self.texts.append(text)
            self.ended = bool(self._end.search(event.data)) if self._end is not None else event.name in _LAST
            if self.ended:
                return True
        return False
