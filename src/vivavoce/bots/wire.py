"""One HTTP request to a bot and its answer as JSON; every way to fail gets its own status."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.cookies import SimpleCookie
from urllib.parse import urlsplit

from vivavoce.bots.connections import Answer, Broken, Connections
from vivavoce.bots.guard import REMEDY, Addresses, AddressRefused, ascii_host
from vivavoce.bots.redaction import Redactor
from vivavoce.bots.shapes import decode_json
from vivavoce.errors import BotError, UsageError
from vivavoce.records import Status
from vivavoce.sentences import say

__all__ = ["MAX_BYTES", "Line", "Request", "Wire", "check_address", "excerpt", "shown_address"]

MAX_BYTES = 2_000_000
MOST_EXCERPT = 200
# Enough of an error page to quote from.
_ERROR_BYTES = 65_536
# Much more than is quoted, since a page begins with scripts and styles; the rest is not looked at.
_MOST_READ = 20_000
# One without its end goes on to the last letter: to look for the end again at each next one would take forever.
_TAGS = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)|<[^<>]*>", re.DOTALL | re.IGNORECASE)
_REMEDY = {
    Status.UNREACHABLE: say("check that the bot runs and that its address is right"),
    Status.CLOSED: say("look into the log of the bot"),
    Status.RATE_LIMITED: "set `limits: {per_second: ...}` or a smaller `at_once` for this bot",
    Status.SERVER_ERROR: say("look into the log of the bot"),
    Status.REFUSED: say("check the address, the headers and the body of the bot's entry"),
    Status.NOT_JSON: say("check the address: an error or login page is no bot"),
    Status.BAD_ENCODING: say("the bot must answer in UTF-8"),
    Status.TOO_LARGE: say(f"a bot may answer with at most {MAX_BYTES:,} bytes"),
}


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent. Never shown: it may hold secrets."""

    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes | None = field(default=None, repr=False)


class Wire:
    """The connections to one bot, kept open between messages and shared by its talks.

    `policy` is for servers that we started ourselves; others are reached where that is allowed.
    """

    def __init__(self, policy: Addresses | None = None) -> None:
        self._policy = policy
        self._connections: Connections | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def connections(self) -> Connections:
        """Return the connections of the running event loop."""
        loop = asyncio.get_running_loop()
        # They live in one event loop; a bot may be used in another one later.
        if self._connections is None or self._loop is not loop:
            self._connections, self._loop = Connections(self._policy), loop
        return self._connections

    async def close(self) -> None:
        """Close all connections."""
        connections, self._connections = self._connections, None
        if connections is not None and self._loop is asyncio.get_running_loop():
            connections.close()


class Line:
    """The requests of one talk: its cookies, and its secrets, which never leave it but in requests."""

    def __init__(self, wire: Wire, redactor: Redactor, *, where: str) -> None:
        self.redactor = redactor
        self._wire = wire
        self._where = where
        self._cookies: dict[str, str] = {}

    async def fetch(self, request: Request) -> object:
        """Send a request and return the JSON of the answer as it came; BotError with its status otherwise."""
        headers = request.headers
        if self._cookies:
            told = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
            headers = {**headers, "Cookie": told}
        try:
            connections = self._wire.connections()
            answer = await connections.ask(request.method, request.url, headers, request.body, most=MAX_BYTES)
        except AddressRefused as error:
            what = self.redactor.text(error.what)
            raise BotError(what, status=Status.REFUSED, where=self._where, remedy=REMEDY) from None
        except Broken as error:
            raise self._failure(error.status, error.detail) from None
        except ValueError as error:
            raise self._failure(Status.FAILED, f"the request cannot be written: {error}") from None
        return self._read(answer)

    def _read(self, answer: Answer) -> object:
        for text in answer.cookies:
            self._cookies.update({name: morsel.value for name, morsel in SimpleCookie(text).items()})
        if not answer.fine:
            raise self._refusal(answer)
        if not answer.whole:
            raise self._failure(Status.TOO_LARGE, f"more than {MAX_BYTES:,} bytes")
        return decode_json(answer.body, self._unreadable)

    def _refusal(self, answer: Answer) -> BotError:
        """Say what an answer other than 2xx means, with the beginning of what it says."""
        said = excerpt(answer.body[:_ERROR_BYTES].decode("utf-8", "replace"), self.redactor)
        what = f"{answer.code} {answer.reason}".strip()
        wait = _retry_after(answer.headers.get("retry-after"))
        remedy = "write the address that it points to" if 300 <= answer.code < 400 else ""
        return self._failure(
            _status(answer.code), f"{what}: {said}" if said else what, retry_after=wait, remedy=remedy
        )

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
    said = " ".join(_TAGS.sub(" ", redactor.text(text)[:_MOST_READ]).split())
    return said if len(said) <= MOST_EXCERPT else f"{said[: MOST_EXCERPT - 3]}..."


def check_address(url: str, *, where: str = "") -> None:
    """Refuse what is no http(s) address, a host name that cannot exist, and an address that holds a password."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise UsageError(
            "the address of the bot does not begin with http:// or https://",
            where=where,
            remedy="write the whole address, for instance https://bot.example.org/chat",
        )
    try:
        ascii_host(parts.hostname or "")
    except ValueError:
        raise UsageError(
            f"'{parts.hostname}' is not a valid host name", where=where, remedy="check the spelling of the address"
        ) from None
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
