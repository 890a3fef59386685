"""Connections to a bot over HTTP/1.1, as lean as a test of many talks at once needs them.

They do less than a general client and so cost less: no redirects, no proxies, no jar of cookies, bodies in one
piece. The answers are parsed by httptools, the parser of Node.js.
"""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from string import punctuation
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from vivavoce.bots.guard import Addresses, addresses, ascii_host, check_peer, find_addresses
from vivavoce.records import Status
from vivavoce.version import __version__

if TYPE_CHECKING:
    import ssl

    from httptools import HttpResponseParser

CONNECT_SECONDS = 10.0
# Servers close what has been idle for some five seconds; a connection that may be closed is not used.
IDLE_SECONDS = 4.0
AGENT = f"vivavoce/{__version__}"
# An answer may send this much besides its body: status, headers, chunk sizes, trailers.
MAX_HEAD_BYTES = 64 * 1024
# What an address may hold as it is; a line break or a blank would end the first line of the request.
_UNQUOTED = punctuation


class Broken(Exception):  # noqa: N818 - it is caught and told as a BotError
    """A request that got no whole answer: why, as a status, and in words."""

    def __init__(self, status: Status, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


@dataclass(slots=True)
class Answer:
    """What came back. `whole` False: the body was longer than was asked for, or took too long after an error."""

    code: int = 0
    reason: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    cookies: list[str] = field(default_factory=list)
    body: bytes = b""
    whole: bool = True

    @property
    def fine(self) -> bool:
        """Whether the bot accepted the request."""
        return 200 <= self.code < 300


@dataclass(frozen=True, slots=True)
class Place:
    """Where a request goes: host and port, whether encrypted, and what stands in the first line and in `Host`."""

    host: str
    port: int
    secure: bool
    target: str
    name: str


@lru_cache(maxsize=1024)
def place_of(url: str) -> Place:
    """Take an address apart."""
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    host = ascii_host(parts.hostname or "")
    target = quote((parts.path or "/") + (f"?{parts.query}" if parts.query else ""), safe=_UNQUOTED)
    name = f"[{host}]" if ":" in host else host
    if parts.port is not None:
        name = f"{name}:{parts.port}"
    return Place(host, parts.port or (443 if secure else 80), secure, target, name)


def written(method: str, place: Place, headers: Mapping[str, str], body: bytes | None) -> bytes:
    """Return a request as it goes over the wire; a line break in a header is refused."""
    lines = [f"{method} {place.target} HTTP/1.1", f"Host: {place.name}", f"User-Agent: {AGENT}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines.append("Accept-Encoding: identity")
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    if any("\r" in line or "\n" in line for line in lines):
        raise ValueError("a header or the address holds a line break")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + (body or b"")


class Connections:
    """The open connections to one bot; each carries one request at a time.

    They go where is allowed at the moment of a request, or where `policy` says for a server of our own.
    """

    def __init__(self, policy: Addresses | None = None) -> None:
        # What was opened under one policy is not used under another.
        self._idle: dict[tuple[str, int, bool, Addresses], list[tuple[_Connection, float]]] = {}
        self._context: ssl.SSLContext | None = None
        self._policy = policy

    async def ask(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, *, most: int
    ) -> Answer:
        """Send a request and return the answer, of whose body at most `most` bytes are read."""
        place = place_of(url)
        data = written(method, place, headers, body)
        policy = self._policy or addresses()
        connection = self._take(place, policy) or await self._connect(place, policy)
        try:
            answer = await connection.exchange(data, most)
        except BaseException:
            connection.abort()
            raise
        if connection.usable and answer.whole:
            kept = self._idle.setdefault((place.host, place.port, place.secure, policy), [])
            kept.append((connection, time.monotonic()))
        else:
            connection.abort()
        return answer

    def close(self) -> None:
        """Close all that is idle."""
        for connections in self._idle.values():
            for connection, _ in connections:
                connection.abort()
        self._idle.clear()

    def _take(self, place: Place, policy: Addresses) -> _Connection | None:
        idle = self._idle.get((place.host, place.port, place.secure, policy), [])
        while idle:
            connection, since = idle.pop()
            if connection.usable and time.monotonic() - since < IDLE_SECONDS:
                return connection
            connection.abort()
        return None

    async def _connect(self, place: Place, policy: Addresses) -> _Connection:
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                if policy.public_only:
                    return await self._connect_checked(place, policy)
                return await self._open(place, place.host)
        except TimeoutError:
            raise Broken(Status.UNREACHABLE, f"no connection within {CONNECT_SECONDS:g} s") from None
        except OSError as error:
            raise Broken(Status.UNREACHABLE, error.strerror or str(error) or type(error).__name__) from None

    async def _connect_checked(self, place: Place, policy: Addresses) -> _Connection:
        """Connect to an address that was looked at, never to the name: it may lead elsewhere the next time."""
        failure: OSError = OSError("the name of the bot leads nowhere")
        for number in await find_addresses(place.host, place.port, policy):
            try:
                connection = await self._open(place, number)
            except OSError as error:
                failure = error
                continue
            try:
                check_peer(place.host, connection.peer, policy)
            except BaseException:
                connection.abort()
                raise
            return connection
        raise failure

    async def _open(self, place: Place, host: str) -> _Connection:
        security = self._security() if place.secure else None
        # The certificate is that of the name, whichever of its addresses is used.
        name = place.host if place.secure else None
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(
            _Connection, host, place.port, ssl=security, server_hostname=name
        )
        return connection

    def _security(self) -> ssl.SSLContext:
        import ssl

        self._context = self._context or ssl.create_default_context()
        return self._context


class _Connection(asyncio.Protocol):
    """One connection: reads one answer after another."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._done: asyncio.Future[Answer] | None = None
        self._answer = Answer()
        self._most = 0
        self._size = 0
        self._beside_body = 0
        self._pieces: list[bytes] = []
        self.usable = False

    async def exchange(self, data: bytes, most: int) -> Answer:
        from httptools import HttpResponseParser

        loop = asyncio.get_running_loop()
        self._done, self._most, self._beside_body = loop.create_future(), most, 0
        self._begin(HttpResponseParser(self))
        assert self._transport is not None, "a connection is made before it is used"  # noqa: S101
        self._transport.write(data)
        answer = await self._done
        self._done = None
        return _decoded(answer, most)

    def _begin(self, parser: HttpResponseParser) -> None:
        self._parser = parser
        self._answer, self._pieces, self._size = Answer(), [], 0

    @property
    def peer(self) -> object:
        """The address at the other end, as the system tells it."""
        return self._transport.get_extra_info("peername") if self._transport is not None else None

    def abort(self) -> None:
        self.usable = False
        if self._transport is not None:
            self._transport.abort()

    # --- what the event loop calls -------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101
        self._transport, self.usable = transport, True

    def data_received(self, data: bytes) -> None:
        from httptools import HttpParserError

        if self._waits():
            self._beside_body += len(data)
            try:
                self._parser.feed_data(data)
            except HttpParserError as error:
                self._fail(Status.NOT_JSON, f"the answer is not HTTP: {error}")
            if self._beside_body > MAX_HEAD_BYTES and self._waits():
                self._fail(Status.TOO_LARGE, f"its headers are longer than {MAX_HEAD_BYTES // 1024} KB")
                self.abort()

    def connection_lost(self, error: Exception | None) -> None:
        self.usable = False
        if not self._waits():
            return
        known = {"content-length", "transfer-encoding"} & self._answer.headers.keys()
        if self._answer.code and not known:
            # Without a length the end of the connection is the end of the body.
            self._finish()
        else:
            self._fail(Status.CLOSED, str(error) if error else "before the answer was whole")

    # --- what the parser calls -----------------------------------------------------------------------------------

    def on_status(self, reason: bytes) -> None:
        self._answer.reason = reason.decode("latin-1")

    def on_header(self, name: bytes, value: bytes) -> None:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        if key == "set-cookie":
            self._answer.cookies.append(text)
        self._answer.headers[key] = text

    def on_headers_complete(self) -> None:
        code: int = self._parser.get_status_code()
        self._answer.code = code
        if not 200 <= code < 300 and code >= 200:
            # The code of an error is told even if its page never ends.
            asyncio.get_running_loop().call_later(CONNECT_SECONDS, self._cut, self._done)

    def on_body(self, piece: bytes) -> None:
        self._pieces.append(piece)
        self._size += len(piece)
        # Chunk sizes among the body are no flood: what counts is what comes without any body.
        self._beside_body = 0
        if self._size > self._most:
            self._cut(self._done)

    def on_message_complete(self) -> None:
        if 100 <= self._answer.code < 200:
            # An interim answer; the parser goes on with the real one by itself.
            self._begin(self._parser)
            return
        self.usable = self.usable and bool(self._parser.should_keep_alive())
        self._finish()

    # --- how it ends ---------------------------------------------------------------------------------------------

    def _waits(self) -> bool:
        return self._done is not None and not self._done.done()

    def _finish(self) -> None:
        if self._waits() and self._done is not None:
            self._answer.body = self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)
            self._done.set_result(self._answer)

    def _cut(self, asked: asyncio.Future[Answer] | None) -> None:
        if asked is self._done and self._waits():
            self._answer.whole = False
            self._finish()

    def _fail(self, status: Status, detail: str) -> None:
        self.usable = False
        if self._waits() and self._done is not None:
            self._done.set_exception(Broken(status, detail))


def _decoded(answer: Answer, most: int) -> Answer:
    """Undo a compression that was not asked for."""
    kind = answer.headers.get("content-encoding", "identity").strip().lower()
    if kind in ("", "identity") or not answer.whole:
        return answer
    try:
        unpacked = zlib.decompressobj(47).decompress(answer.body, most + 1)
    except zlib.error as error:
        raise Broken(Status.BAD_ENCODING, f"the answer is packed as {kind}: {error}") from None
    answer.body, answer.whole = unpacked, len(unpacked) <= most
    return answer
