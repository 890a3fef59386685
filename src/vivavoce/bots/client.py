"""Requests to bots over HTTP, and their answers as JSON; every way to fail has its own status.

Connections are aiohttp's. Where they may go is decided by `vivavoce.bots.guard`: before a request and before each
redirect for what an address says itself, in the resolver for every address of a name, and once more for the address
that a socket is opened for.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from string import punctuation
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from vivavoce.bots.answers import (
    CONNECT_SECONDS,
    MAX_HEAD_BYTES,
    explain_failure,
    find_target,
    read_body,
    read_retry_after,
    status_of,
)
from vivavoce.bots.guard import (
    ANYWHERE,
    REMEDY,
    Addresses,
    AddressRefused,
    Request,
    addresses,
    ascii_host,
    find_addresses,
    is_loopback,
    refused_host,
)
from vivavoce.bots.redaction import Redactor, excerpt
from vivavoce.bots.shapes import MAX_BYTES, decode_json
from vivavoce.errors import BotError
from vivavoce.messages import change_texts, say
from vivavoce.records import Status
from vivavoce.version import __version__

T = TypeVar("T")
# Servers close what has been idle for some five seconds; a connection that may be closed is not used.
IDLE_SECONDS = 4.0
MAX_REDIRECTS = 5
# Enough of an error page to quote from.
MAX_ERROR_BYTES = 65_536
# All that another server is sent after a redirect: other headers may hold the secrets of the first one.
_HARMLESS_HEADERS = frozenset({"accept", "content-type"})
_HEADERS = {"User-Agent": f"vivavoce/{__version__}", "Accept-Encoding": "gzip, deflate"}
_TIMEOUT = aiohttp.ClientTimeout(total=None, connect=CONNECT_SECONDS)
_REMEDY = {
    Status.UNREACHABLE: say("check that the bot is running and that its address is correct"),
    Status.CLOSED: say("check the bot's log"),
    Status.RATE_LIMITED: "set `limits: {per_second: ...}` or a lower `at_once` for this bot",
    Status.SERVER_ERROR: say("check the bot's log"),
    Status.REFUSED: say("check the address, headers and body in the bot's entry"),
    Status.NOT_JSON: say("check the address: it returns an error or login page"),
    Status.BAD_ENCODING: say("the bot must answer in UTF-8"),
    Status.TOO_LARGE: say("a reply may have at most {max_bytes:,} bytes", max_bytes=MAX_BYTES),
}


class BotClient:
    """The connections to one bot, kept open between messages and shared by its conversations.

    `policy` is for servers that we started ourselves; others are reached where the guard in force allows it.
    """

    def __init__(self, policy: Addresses | None = None) -> None:
        self._policy = policy
        self._loop: asyncio.AbstractEventLoop | None = None
        # What was opened under one policy is not used under another.
        self._sessions: dict[tuple[Addresses, bool], aiohttp.ClientSession] = {}
        self._proxies: dict[tuple[str, str | None], URL | None] = {}

    def begin(self, redactor: Redactor, *, where: str) -> BotSession:
        """Return what sends the requests of one conversation."""
        return BotSession(self, redactor, where=where)

    async def send(
        self, method: str, url: URL, headers: Mapping[str, str], body: bytes | None
    ) -> aiohttp.ClientResponse:
        """Send a request; AddressRefused where the guard forbids it."""
        session, proxy = await self._find_session(url)
        return await session.request(method, url, headers=headers, data=body, proxy=proxy, allow_redirects=False)

    async def connect(self, url: URL, headers: Mapping[str, str]) -> aiohttp.ClientWebSocketResponse:
        """Open a WebSocket; AddressRefused where the guard forbids it."""
        session, proxy = await self._find_session(url, websocket=True)
        return await session.ws_connect(url, headers=headers, proxy=proxy, max_msg_size=MAX_BYTES)

    async def _find_session(self, url: URL, *, websocket: bool = False) -> tuple[aiohttp.ClientSession, URL | None]:
        policy = self._policy or addresses()
        if policy.public_only and (kind := refused_host(str(url), policy)):
            raise AddressRefused(url.host or "", kind)
        key = url.scheme, url.host
        if not self._policy and key not in self._proxies:
            self._proxies[key] = find_proxy(url)
        proxy = None if self._policy else self._proxies[key]
        if proxy is not None:
            if policy.public_only:
                # Refuse a name that is known here and leads inside; what only the proxy knows is left to the proxy.
                with suppress(OSError):
                    await find_addresses(url.raw_host or "", url.port or 80, policy)
            policy = ANYWHERE  # that of the proxy itself, which the owner of this machine has chosen
        if self._loop is not asyncio.get_running_loop():
            # A session lives in one event loop; a bot may be used in another one later.
            await self.close()
            self._loop = asyncio.get_running_loop()
        return self._sessions.get((policy, websocket)) or self._open_session(policy, websocket), proxy

    async def close(self) -> None:
        """Close all connections."""
        sessions, self._sessions = self._sessions, {}
        if self._loop is not None and (self._loop is asyncio.get_running_loop() or self._loop.is_closed()):
            for session in sessions.values():
                await session.close()

    def _open_session(self, policy: Addresses, websocket: bool) -> aiohttp.ClientSession:
        # `BotSession` follows the redirects of requests; those of WebSockets are refused. Tracing slows every
        # request down, so requests have a session without it.
        tracing = aiohttp.TraceConfig()
        tracing.on_request_redirect.append(_refuse_redirect)
        self._sessions[policy, websocket] = session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=0,
                keepalive_timeout=IDLE_SECONDS,
                use_dns_cache=False,
                resolver=_GuardedResolver(policy),
                socket_factory=lambda info: _open_socket(info, policy),
            ),
            headers=_HEADERS,
            cookie_jar=aiohttp.DummyCookieJar(),
            # Unpacked here: a small packet may unpack to more than fits into memory.
            auto_decompress=False,
            timeout=_TIMEOUT,
            max_line_size=MAX_HEAD_BYTES,
            max_field_size=MAX_HEAD_BYTES,
            trace_configs=[tracing] if websocket else None,
        )
        return session


@lru_cache(maxsize=1024)
def to_url(address: str) -> URL:
    """Return an address as it is sent: what is percent-encoded stays so, names are as the network knows them."""
    parts = urlsplit(address)
    host = ascii_host(parts.hostname or "")
    host = f"[{host}]" if ":" in host else host
    place = host if parts.port is None else f"{host}:{parts.port}"
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return URL(f"{parts.scheme}://{place}{quote(target, safe=punctuation)}", encoded=True)


def find_proxy(url: URL) -> URL | None:
    """Return the proxy that the environment names for an address (HTTP_PROXY, HTTPS_PROXY, NO_PROXY).

    This machine itself is never reached through a proxy.
    """
    host = url.host or ""
    if is_loopback(host) or proxy_bypass(host):
        return None
    address = getproxies().get(url.scheme)
    if not address:
        return None
    return URL(address if "://" in address else f"http://{address}")


class _GuardedResolver(AbstractResolver):
    """Looks names up, and refuses those that lead where no connection may go."""

    def __init__(self, policy: Addresses) -> None:
        self._policy = policy

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        numbers = await find_addresses(host, port, self._policy)
        return [
            ResolveResult(
                hostname=host,
                host=number,
                port=port,
                family=socket.AF_INET6 if ":" in number else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for number in numbers
        ]

    async def close(self) -> None:
        """Nothing is held."""


async def _refuse_redirect(*_: object) -> None:
    raise aiohttp.ClientError("a WebSocket is not redirected")


def _open_socket(info: Any, policy: Addresses) -> socket.socket:
    """Open the socket of a connection: the last moment to look at where it leads, however it was named."""
    family, kind, protocol, _, place = info
    if refusal := policy.refusal(str(place[0])):
        raise AddressRefused(str(place[0]), refusal)
    return socket.socket(family=family, type=kind, proto=protocol)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of any code as it came; its headers are found in any case. Never shown: it may hold secrets."""

    code: int
    reason: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)


class BotSession:
    """The requests of one conversation: its cookies, and its secrets, which never leave it but in requests."""

    def __init__(self, client: BotClient, redactor: Redactor, *, where: str) -> None:
        self.redactor = redactor
        self._client = client
        self._where = where
        self._cookies: dict[str, str] = {}

    async def fetch(self, request: Request) -> object:
        """Send a request and return the JSON of the answer as it came; BotError with its status otherwise."""
        return await self._send(request, self._read)

    async def exchange(self, request: Request, *, skips_body: bool = False) -> Answer:
        """Send a request and return the answer, whatever its code; BotError where there is no whole answer.

        `skips_body`: what is delivered, such as a trained model, is not read where all went well.
        """

        async def take_head(response: aiohttp.ClientResponse) -> Answer:
            if not 200 <= response.status < 300:
                return await self._take(response)
            response.close()
            return Answer(response.status, response.reason or "", response.headers)

        return await self._send(request, take_head if skips_body else self._take)

    async def listen(self, request: Request, hear: Callable[[bytes], bool]) -> object:
        """Send a request and hand on the bytes of an event stream until `hear` has enough.

        Returns None, or the JSON of an answer that is no event stream.
        """

        async def read(response: aiohttp.ClientResponse) -> object:
            if not 200 <= response.status < 300 or "event-stream" not in response.headers.get("Content-Type", ""):
                return await self._read(response)
            size = 0
            async for piece in response.content.iter_any():
                size += len(piece)
                if size > MAX_BYTES:
                    raise self._failure(Status.TOO_LARGE, f"more than {MAX_BYTES:,} bytes")
                if hear(piece):
                    response.close()
                    break
            return None

        plain = {**request.headers, "Accept": "text/event-stream", "Accept-Encoding": "identity"}
        return await self._send(replace(request, headers=plain), read)

    async def connect(self, request: Request) -> aiohttp.ClientWebSocketResponse:
        """Open a WebSocket."""
        with self.explaining():
            url = to_url(request.url)
            return await self._client.connect(url, request.headers)

    async def _send(self, request: Request, read: Callable[[aiohttp.ClientResponse], Awaitable[T]]) -> T:
        with self.explaining():
            return await self._follow(request.method, to_url(request.url), request.headers, request.body, read)

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Raise a BotError with its status for what happens to a connection."""
        try:
            yield
        except AddressRefused as error:
            what = change_texts(error.what, self.redactor.text)
            raise BotError(what, status=Status.REFUSED, where=self._where, remedy=REMEDY) from None
        except (aiohttp.ClientError, OSError) as error:
            raise self._failure(*explain_failure(error)) from None
        except ValueError as error:
            raise self._failure(Status.FAILED, f"cannot build the request: {error}") from None

    async def _follow(
        self,
        method: str,
        url: URL,
        headers: Mapping[str, str],
        body: bytes | None,
        read: Callable[[aiohttp.ClientResponse], Awaitable[T]],
    ) -> T:
        """Send a request, and again where it is sent elsewhere: as it is, since a bot needs the message."""
        cookies = self._cookies
        for _ in range(MAX_REDIRECTS + 1):
            if cookies:
                headers = {**headers, "Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}
            async with await self._client.send(method, url, headers, body) as response:
                if "Set-Cookie" in response.headers:
                    cookies.update({name: morsel.value for name, morsel in response.cookies.items()})
                target = find_target(response)
                if target is None:
                    if sum(len(name) + len(value) + 4 for name, value in response.raw_headers) > MAX_HEAD_BYTES:
                        text = f"its headers are longer than {MAX_HEAD_BYTES // 1024} KB"
                        raise self._failure(Status.TOO_LARGE, text)
                    return await read(response)
            if target.origin() != url.origin():
                headers = {name: value for name, value in headers.items() if name.lower() in _HARMLESS_HEADERS}
                cookies = {}
            if response.status == 303:
                method, body = "GET", None
            url = target
        raise self._failure(Status.REFUSED, f"more than {MAX_REDIRECTS} redirects in a row")

    async def _read(self, response: aiohttp.ClientResponse) -> object:
        if not 200 <= response.status < 300:
            raise await self._refusal(response)
        return self.decode((await self._take(response)).body)

    async def post(self, request: Request) -> object:
        """Do as `fetch`; an answer without a body is None."""

        async def read(response: aiohttp.ClientResponse) -> object:
            if not 200 <= response.status < 300:
                raise await self._refusal(response)
            body = (await self._take(response)).body
            return self.decode(body) if body.strip() else None

        return await self._send(request, read)

    async def _take(self, response: aiohttp.ClientResponse) -> Answer:
        body, whole = await read_body(response, MAX_BYTES)
        if not whole:
            raise self._failure(Status.TOO_LARGE, f"more than {MAX_BYTES:,} bytes")
        return Answer(response.status, response.reason or "", response.headers, body)

    def decode(self, body: bytes) -> object:
        """Return the JSON of a body; BotError where it is none."""
        return decode_json(
            body, lambda status, detail: self._failure(status, excerpt(detail, self.redactor) or "an empty response")
        )

    async def _refusal(self, response: aiohttp.ClientResponse) -> BotError:
        """Say what an answer other than 2xx means, with the beginning of what it says."""
        body = b""
        try:
            # The code of an error is reported even if its page never ends.
            async with asyncio.timeout(CONNECT_SECONDS):
                body, _ = await read_body(response, MAX_ERROR_BYTES)
        except (TimeoutError, aiohttp.ClientError, OSError):
            pass
        code = response.status
        what = f"{code} {response.reason or ''}".strip()
        page = excerpt(body[:MAX_ERROR_BYTES].decode("utf-8", "replace"), self.redactor)
        wait = read_retry_after(response.headers.get("Retry-After"))
        remedy = "use the address it redirects to" if 300 <= code < 400 else ""
        error = self._failure(status_of(code), f"{what}: {page}" if page else what, retry_after=wait, remedy=remedy)
        error.code = code
        return error

    def _failure(
        self, status: Status, detail: str, *, retry_after: float | None = None, remedy: str = ""
    ) -> BotError:
        return BotError(
            change_texts(say("{meaning}: {detail}", meaning=status.meaning, detail=detail), self.redactor.text),
            status=status,
            retry_after=retry_after,
            where=self._where,
            remedy=remedy or _REMEDY.get(status, ""),
        )
