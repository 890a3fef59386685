"""A bot behind HTTP that misbehaves on purpose, to see what becomes of it.

    async with misbehaving_server("429", times=2) as server:
        bot = from_option(server.url, BotContext("fake"))

Behaviours: `ok` (says what it was told), `slow` (after `seconds`), `hang` (never answers), `html` (a page), `429`
(`times` times for each session with Retry-After, then ok), `500`, `404`, `redirect`, `close` (ends the connection
without an answer), `huge` (5 MB), `endless` (a body without an end), `invalid_utf8`, `not_json`, `empty` (an empty
list), `unexpected` (JSON without a reply), `echo_secret` (everything that it was sent, headers too, in its answer),
`echo_error` (the same with status 401). An address that ends in the name of a behaviour shows that one, whatever the
server's own is.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

HUGE_BYTES = 5_000_000
_REASONS = {200: "OK", 302: "Found", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests", 500: "Oops"}


@dataclass(frozen=True)
class Received:
    """A request as the server saw it."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON; an empty object where it is none."""
        try:
            return json.loads(self.body)
        except ValueError:
            return {}

    @property
    def session(self) -> str:
        """The session that the request names."""
        return str(self.json.get("session", "")) if isinstance(self.json, dict) else ""


@dataclass
class FakeServer:
    """A running server; `behaviour` may be changed between requests."""

    behaviour: str = "ok"
    times: int = 1
    seconds: float = 0.2
    retry_after: str = "0"
    reply: Any = None
    url: str = ""
    requests: list[Received] = field(default_factory=list)
    connections: int = 0
    open_now: int = 0
    most_at_once: int = 0
    _seen: Counter[str] = field(default_factory=Counter)

    def texts(self) -> list[str]:
        """Return the messages that were received, in order."""
        return [str(request.json.get("text", "")) for request in self.requests if isinstance(request.json, dict)]


Write = Callable[[bytes], Awaitable[None]]
Behaviour = Callable[[FakeServer, Received, Write], Awaitable[None]]


@asynccontextmanager
async def misbehaving_server(
    behaviour: str = "ok", *, times: int = 1, seconds: float = 0.2, retry_after: str = "0", reply: Any = None
) -> AsyncIterator[FakeServer]:
    """Run a server on a free port of this machine for as long as the block lasts.

    `reply`: the JSON that `ok` answers with, instead of what it was told.
    """
    if behaviour not in BEHAVIOURS:
        raise ValueError(f"unknown behaviour '{behaviour}'; choose one of {', '.join(BEHAVIOURS)}")
    fake = FakeServer(behaviour, times, seconds, retry_after, reply)
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None, "a server runs its handlers in tasks"  # noqa: S101
        tasks.add(task)
        try:
            await _serve(fake, reader, writer)
        finally:
            writer.close()
            tasks.discard(task)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    fake.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield fake
    finally:
        server.close()
        for task in tuple(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()


async def _serve(fake: FakeServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    fake.connections += 1

    async def write(data: bytes) -> None:
        writer.write(data)
        await writer.drain()

    # A client that goes away in the middle is part of the game.
    with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            method, path, _ = head[0].split(" ", 2)
            fields = [line.partition(":") for line in head[1:]]
            headers = {name.lower(): value.strip() for name, _, value in fields if name}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            request = Received(method, path, headers, body)
            fake.requests.append(request)
            fake.open_now += 1
            fake.most_at_once = max(fake.most_at_once, fake.open_now)
            last = path.split("?")[0].rstrip("/").rpartition("/")[2]
            try:
                await BEHAVIOURS[last if last in BEHAVIOURS else fake.behaviour](fake, request, write)
            finally:
                fake.open_now -= 1


async def _send(write: Write, body: bytes, status: int = 200, kind: str = "application/json", **more: str) -> None:
    lines = [f"HTTP/1.1 {status} {_REASONS[status]}", f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in more.items()]
    await write("\r\n".join([*lines, "", ""]).encode() + body)


async def _ok(fake: FakeServer, request: Received, write: Write) -> None:
    message = request.json if isinstance(request.json, dict) else {}
    answer = {"reply": f"You said: {message.get('text', '')}", "session": message.get("session")}
    await _send(write, json.dumps(answer if fake.reply is None else fake.reply).encode())


async def _slow(fake: FakeServer, request: Received, write: Write) -> None:
    await asyncio.sleep(fake.seconds)
    await _ok(fake, request, write)


async def _hang(fake: FakeServer, request: Received, write: Write) -> None:
    await asyncio.Event().wait()


async def _limit_rate(fake: FakeServer, request: Received, write: Write) -> None:
    fake._seen[request.session] += 1
    if fake._seen[request.session] > fake.times:
        await _ok(fake, request, write)
        return
    await _send(write, b'{"error": "too many requests"}', 429, Retry_After=fake.retry_after)


async def _close(fake: FakeServer, request: Received, write: Write) -> None:
    raise ConnectionResetError


async def _endless(fake: FakeServer, request: Received, write: Write) -> None:
    await write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        await write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")


def _echo(status: int) -> Behaviour:
    async def behave(fake: FakeServer, request: Received, write: Write) -> None:
        text = f"{request.method} {request.path} {dict(request.headers)} {request.body.decode()}"
        answer = {"reply": text, "headers": dict(request.headers), text: "as a key", "path": request.path}
        await _send(write, json.dumps(answer).encode(), status)

    return behave


def _send_always(body: bytes, status: int = 200, kind: str = "application/json", **more: str) -> Behaviour:
    async def behave(fake: FakeServer, request: Received, write: Write) -> None:
        await _send(write, body, status, kind, **more)

    return behave


_PAGE = b"<!doctype html><html><head><title>Sign in</title></head><body><h1>Please sign in</h1></body></html>"

BEHAVIOURS: Mapping[str, Behaviour] = {
    "ok": _ok,
    "slow": _slow,
    "hang": _hang,
    "html": _send_always(_PAGE, kind="text/html"),
    "429": _limit_rate,
    "500": _send_always(_PAGE.replace(b"sign in", b"wait"), 500, "text/html"),
    "404": _send_always(b'{"error": "no such bot"}', 404),
    "redirect": _send_always(b"", 302, Location="http://127.0.0.1:1/"),
    "close": _close,
    "huge": _send_always(b'{"reply": "' + b"x" * HUGE_BYTES + b'"}'),
    "endless": _endless,
    "invalid_utf8": _send_always(b'{"reply": "caf\xe9"}'),
    "not_json": _send_always(b"reply: hello"),
    "empty": _send_always(b"[]"),
    "unexpected": _send_always(b'{"status": "fine"}'),
    "echo_secret": _echo(200),
    "echo_error": _echo(401),
}
