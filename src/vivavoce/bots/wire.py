"""One HTTP request to a bot and its answer as JSON; every way to fail gets its own status."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from vivavoce.bots.redaction import Redactor
from vivavoce.bots.shapes import decode_json
from vivavoce.errors import BotError, UsageError
from vivavoce.records import Status

if TYPE_CHECKING:
    import aiohttp

__all__ = ["MAX_BYTES", "Line", "Request", "Wire", "check_address", "excerpt", "shown_address"]

MAX_BYTES = 2_000_000
CONNECT_SECONDS = 10.0
MOST_EXCERPT = 200
# Enough of an error page to quote from.
_ERROR_BYTES = 65_536
_TAGS = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_REMEDY = {
    Status.UNREACHABLE: "check that the bot runs and that its address is right",
    Status.CLOSED: "look into the log of the bot",
    Status.RATE_LIMITED: "set `limits: {per_second: ...}` or a smaller `at_once` for this bot",
    Status.SERVER_ERROR: "look into the log of the bot",
    Status.REFUSED: "check the address, the headers and the body of the bot's entry",
    Status.NOT_JSON: "check the address: an error or login page is no bot",
    Status.BAD_ENCODING: "the bot must answer in UTF-8",
    Status.TOO_LARGE: f"a bot may answer with at most {MAX_BYTES:,} bytes",
}


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent. Never shown: it may hold secrets."""

    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes | None = field(default=None, repr=False)


class Wire:
    """The connections to one bot, kept open between messages and shared by its talks."""

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def session(self) -> aiohttp.ClientSession:
        """Return the connections of the running event loop."""
        import aiohttp

        loop = asyncio.get_running_loop()
        # They live in one event loop; a bot may be used in another one later.
        if self._session is None or self._session.closed or self._loop is not loop:
            self._loop = loop
            self._session = aiohttp.ClientSession(
                # How many talk at once is for the runner to say; a second limit here would be timed as slowness.
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
            )
        return self._session

    async def close(self) -> None:
        """Close all connections."""
        session, self._session = self._session, None
        if session is not None and self._loop is asyncio.get_running_loop():
            await session.close()


class Line:
    """The requests of one talk: its cookies, and its secrets, which never leave it but in requests."""

    def __init__(self, wire: Wire, redactor: Redactor, *, where: str) -> None:
        self.redactor = redactor
        self._wire = wire
        self._where = where
        self._cookies: dict[str, str] = {}

    async def fetch(self, request: Request) -> object:
        """Send a request and return the JSON of the answer as it came; BotError with its status otherwise."""
        import aiohttp

        try:
            body = await self._exchange(request)
        except aiohttp.ClientError as error:
            raise self._failure(*_cause(error)) from None
        except OSError as error:
            raise self._failure(Status.UNREACHABLE, error.strerror or type(error).__name__) from None
        except ValueError as error:
            raise self._failure(Status.FAILED, f"the request cannot be written: {error}") from None
        return decode_json(body, self._unreadable)

    async def _exchange(self, request: Request) -> bytes:
        from yarl import URL

        async with self._wire.session().request(
            request.method,
            URL(request.url, encoded=True),
            headers=request.headers,
            data=request.body,
            cookies=self._cookies or None,
            allow_redirects=False,
        ) as response:
            # Asking for the cookies builds a jar; most answers have none.
            if "Set-Cookie" in response.headers:
                self._cookies.update({name: morsel.value for name, morsel in response.cookies.items()})
            if 200 <= response.status < 300:
                return await self._read(response)
            raise await self._refusal(response)

    async def _read(self, response: aiohttp.ClientResponse) -> bytes:
        declared = response.content_length
        if declared is not None and declared <= MAX_BYTES:
            return await response.read()
        chunks, size = [], 0
        if declared is None:
            async for chunk in response.content.iter_any():
                chunks.append(chunk)
                size += len(chunk)
                if size > MAX_BYTES:
                    break
            else:
                return chunks[0] if len(chunks) == 1 else b"".join(chunks)
        response.close()
        raise self._failure(Status.TOO_LARGE, f"more than {MAX_BYTES:,} bytes")

    async def _refusal(self, response: aiohttp.ClientResponse) -> BotError:
        """Say what an answer other than 2xx means, with the beginning of what it says."""
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                page = await response.content.read(_ERROR_BYTES)
        except TimeoutError:
            page = b""
        said = excerpt(page.decode("utf-8", "replace"), self.redactor)
        what = f"{response.status} {response.reason or ''}".strip()
        wait = _retry_after(response.headers.get("Retry-After"))
        remedy = "write the address that it points to" if 300 <= response.status < 400 else ""
        status = _status(response.status)
        return self._failure(status, f"{what}: {said}" if said else what, retry_after=wait, remedy=remedy)

    def _unreadable(self, status: Status, detail: str) -> BotError:
        return self._failure(status, excerpt(detail, self.redactor) or "nothing at all")

    def _failure(
        self, status: Status, detail: str, *, retry_after: float | None = None, remedy: str = ""
    ) -> BotError:
        return BotError(
            self.redactor.text(f"{status.meaning}: {detail}"),
            status=status,
            retry_after=retry_after,
            where=self._where,
            remedy=remedy or _REMEDY.get(status, ""),
        )


def excerpt(text: str, redactor: Redactor) -> str:
    """Return the beginning of a text for people: without secrets, tags and line breaks, 200 characters at most."""
    # Secrets go first: half of one, cut off or torn by a tag, would not be found.
    said = " ".join(_TAGS.sub(" ", redactor.text(text)).split())
    return said if len(said) <= MOST_EXCERPT else f"{said[: MOST_EXCERPT - 3]}..."


def check_address(url: str, *, where: str = "") -> None:
    """Refuse what is no http(s) address, and one that holds a password."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise UsageError(
            "the address of the bot does not begin with http:// or https://",
            where=where,
            remedy="write the whole address, for instance https://bot.example.org/chat",
        )
    if "@" in parts.netloc:
        raise UsageError(
            "the address of the bot holds a user name or a password",
            where=where,
            remedy='leave it out and write `headers: {Authorization: "Basic ${NAME}"}` in the entry of bots.yaml',
        )


def shown_address(url: str) -> str:
    """Return an address as it may be recorded: without user, password, query and fragment."""
    return re.sub(r"(?<=://)[^/?#]*@", "", re.split(r"[?#]", url, maxsplit=1)[0])


def _status(code: int) -> Status:
    if code == 429:
        return Status.RATE_LIMITED
    return Status.SERVER_ERROR if code >= 500 else Status.REFUSED


def _cause(error: aiohttp.ClientError) -> tuple[Status, str]:
    import aiohttp

    kind = type(error).__name__
    if isinstance(error, aiohttp.ClientConnectorError):
        return Status.UNREACHABLE, error.strerror or str(error.os_error) or kind
    if isinstance(error, aiohttp.ServerTimeoutError):
        return Status.UNREACHABLE, f"no connection within {CONNECT_SECONDS:g} s"
    if isinstance(error, aiohttp.ClientConnectionError | aiohttp.ClientPayloadError):
        return Status.CLOSED, kind
    if isinstance(error, aiohttp.ClientResponseError):
        return Status.NOT_JSON, f"the answer is not HTTP: {error.message or kind}"
    return Status.FAILED, f"the request cannot be sent: {kind}"


def _retry_after(value: str | None) -> float | None:
    """Read the header: seconds, or a date; None for what is neither."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        return _until(value)
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _until(date: str) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
    except (ValueError, TypeError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
