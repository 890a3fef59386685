"""What the connectors to platforms share: their entry and its secrets, requests, tokens, and errors with a remedy."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Unpack
from urllib.parse import urlencode, urlsplit

from vivavoce.bots.guard import Request, check_address
from vivavoce.bots.names import NameRule
from vivavoce.bots.protocol import BotFacts, Limits
from vivavoce.bots.redaction import Redactor, excerpt, open_entry
from vivavoce.errors import BotError, Details
from vivavoce.messages import change_texts, say
from vivavoce.records import Reply, Status

if TYPE_CHECKING:
    from vivavoce.bots.client import Answer, BotSession

# A token is renewed this long before it expires.
EARLY_S = 60.0


class Trouble(StrEnum):
    """Why a platform refused, as far as one can do something about it."""

    CREDENTIALS = "credentials"
    RIGHTS = "rights"
    MISSING = "missing"
    NOT_TRAINED = "not_trained"
    EXISTS = "exists"
    FAILED = "failed"
    FOREIGN = "foreign"
    OTHER = ""


class PlatformError(BotError):
    """A platform refused. `trouble` says why (a value of `Trouble`)."""

    extras = (*BotError.extras, "trouble")

    def __init__(
        self,
        what: str,
        *,
        status: str = Status.REFUSED,
        retry_after: float | None = None,
        trouble: str = Trouble.OTHER,
        **details: Unpack[Details],
    ) -> None:
        self.trouble = trouble
        super().__init__(what, status=status, retry_after=retry_after, **details)


_TROUBLES = {401: Trouble.CREDENTIALS, 403: Trouble.RIGHTS, 404: Trouble.MISSING, 409: Trouble.EXISTS}
_MEANINGS = {
    Trouble.CREDENTIALS: say("the credentials were rejected"),
    Trouble.RIGHTS: say("the account lacks a permission"),
    Trouble.MISSING: say("there is no such bot or region"),
    Trouble.NOT_TRAINED: say("the bot is not trained yet"),
    Trouble.EXISTS: say("it already exists"),
}

ANY_NAME = NameRule()
USUAL_EDITS = Limits(at_once=1, timeout_s=60.0, retries=4)


@dataclass(frozen=True, slots=True)
class Platform:
    """What is known of a platform: its words for errors, its names, and what it takes.

    `credentials`: the variables; `rights`: the smallest set; `place`: the keys that say where the bot is. `edits`:
    how hard its editing may be used. Longer examples and messages are refused by the platform. `answers`: its bots
    are created with their replies. `domain`: where the vendor's own service is; what is elsewhere is named so.
    """

    title: str
    credentials: str
    rights: str
    place: str
    names: NameRule = ANY_NAME
    edits: Limits = USUAL_EDITS
    longest_example: int = 0
    longest_message: int = 0
    answers: bool = False
    domain: str = ""

    def remedy(self, trouble: str) -> str:
        """Say what to do about a trouble."""
        match trouble:
            case Trouble.CREDENTIALS:
                return say(
                    "check {variables}: the values may be wrong, expired or from another account",
                    variables=self.credentials,
                )
            case Trouble.RIGHTS:
                return say("give the account these rights: {rights}", rights=self.rights)
            case Trouble.MISSING:
                return say("check {keys} in the bot's entry", keys=self.place)
            case Trouble.NOT_TRAINED:
                return say("train the bot, or wait until its training ends")
            case _:
                return say("see the message from {platform}", platform=self.title)


class RenewedToken:
    """A token that is fetched when it is first needed, and again shortly before it expires."""

    def __init__(self, fetch: Callable[[], Awaitable[tuple[str, float]]]) -> None:
        """Keep what returns a token and the seconds for which it holds."""
        self._fetch = fetch
        self._token, self._end = "", 0.0

    async def get(self) -> str:
        """Return a token that holds."""
        if time.monotonic() >= self._end:
            token, seconds = await self._fetch()
            # One that lives shorter than the margin is still used once.
            self._token, self._end = token, time.monotonic() + max(seconds - EARLY_S, 0.0)
        return self._token

    def forget(self) -> bool:
        """Fetch another one next time, since this one was refused; False where there was none."""
        had_one, self._end = bool(self._token), 0.0
        self._token = ""
        return had_one


class PlatformBot:
    """A bot on a platform. Secrets are read with the first request, and live nowhere but in requests.

    A connector says in `authorize` what a request needs to be let in, in `find_trouble` what an error means.
    """

    platform: ClassVar[Platform]

    def __init__(self, entry: Mapping[str, Any], facts: BotFacts) -> None:
        self._raw = entry
        self.facts = facts
        self._opened: dict[str, Any] | None = None
        self._requests: BotSession | None = None
        self._token = RenewedToken(self.fetch_token)

    @property
    def elsewhere(self) -> str:
        """The host of the bot where that is not the vendor's own: results must not be taken for the vendor's."""
        addresses = (str(self._raw.get(key) or "") for key in ("base_url", "url", "endpoint"))
        hosts = (urlsplit(address).hostname or "" for address in addresses if "://" in address)
        domain = self.platform.domain
        return next((host for host in hosts if domain and not f".{host}".endswith(domain)), "")

    @property
    def entry(self) -> dict[str, Any]:
        """The entry with its secrets. Never shown."""
        return self._open()[0]

    @property
    def requests(self) -> BotSession:
        """What sends the requests."""
        return self._open()[1]

    def _open(self) -> tuple[dict[str, Any], BotSession]:
        if self._opened is None or self._requests is None:
            from vivavoce.bots.client import BotClient

            opened, redactor = open_entry(self._raw, where=self.facts.name)
            self._client = BotClient()
            self._requests = self._client.begin(redactor, where=self.facts.name)
            self._opened = self.read_entry(opened)
        return self._opened, self._requests

    async def close(self) -> None:
        """Close the connections; they are opened again when needed."""
        if self._requests is not None:
            await self._client.close()

    # What a connector may say

    def read_entry(self, entry: dict[str, Any]) -> dict[str, Any]:
        """Return the entry with its secrets, made ready; `hide` what else is secret in it."""
        return entry

    async def fetch_token(self) -> tuple[str, float]:
        """Return a token and the seconds for which it holds, where the platform uses such."""
        raise NotImplementedError

    async def authorize(self, request: Request) -> Request:
        """Return the request with what lets it in: by default the token."""
        return request.add_headers(Authorization=f"Bearer {await self.token()}")

    def find_trouble(self, answer: Answer, payload: object) -> tuple[str, str]:
        """Return the trouble of an error and what the platform says about it."""
        detail = payload.get("error", payload) if isinstance(payload, Mapping) else payload
        if isinstance(detail, Mapping):
            detail = detail.get("message") or detail.get("Message") or json.dumps(detail)
        return _TROUBLES.get(answer.code, Trouble.OTHER), str(detail or "")

    # What a connector uses

    @property
    def language(self) -> str:
        """The language of the bot, where its entry has one."""
        return str(self.entry.get("language") or "en")

    async def exchange_key(self, url: str, form: Mapping[str, str]) -> tuple[str, float]:
        """Exchange a key for a token; return it and the seconds for which it holds."""
        check_address(url, where=self.facts.name)
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
        answer = await self.requests.exchange(Request("POST", url, headers, urlencode(form).encode()))
        if answer.code != 200:
            # A wrong key may be answered with 400.
            raise self.refusal(replace(answer, code=401) if answer.code == 400 else answer)
        payload: Any = self.requests.decode(answer.body)
        return str(payload["access_token"]), float(payload.get("expires_in", 3600))

    async def token(self) -> str:
        """Return the token, and strike it out wherever it would be shown."""
        token = await self._token.get()
        self.hide(token)
        return token

    def hide(self, *secrets: str) -> None:
        """Strike these out of everything that is shown or recorded from now on."""
        session = self._requests
        if session is not None:
            session.redactor = session.redactor.also(secret for secret in secrets if secret)

    async def call(self, method: str, url: str, body: object = None, **headers: str) -> Any:
        """Send a request and return the JSON of the answer without secrets; an empty answer is an empty object."""
        return (await self.exchange(method, url, body, **headers))[0]

    async def exchange(
        self, method: str, url: str, body: object = None, **headers: str
    ) -> tuple[Any, Mapping[str, str]]:
        """Do as `call`, and return the headers of the answer too. A token that expired is renewed once."""
        payload, answered = await self._fetch(method, url, body, **headers)
        return self.requests.redactor.value(payload), answered

    async def credential(self, method: str, url: str, body: object = None, **headers: str) -> Any:
        """Do as `call` where the answer holds a secret that is needed. `hide` it."""
        return (await self._fetch(method, url, body, **headers))[0]

    async def _fetch(
        self, method: str, url: str, body: object = None, **headers: str
    ) -> tuple[Any, Mapping[str, str]]:
        check_address(url, where=self.facts.name)
        data = None if body is None else json.dumps(body).encode()
        usual = {"Accept": "application/json"} | ({} if data is None else {"Content-Type": "application/json"})
        plain = Request(method, url, usual, data).add_headers(**headers)
        answer = await self._send(plain)
        if answer.code == 401 and self._token.forget():
            answer = await self._send(plain)
        if not 200 <= answer.code < 300:
            raise self.refusal(answer)
        return self.requests.decode(answer.body) if answer.body.strip() else {}, answer.headers

    async def _send(self, request: Request) -> Answer:
        signed = await self.authorize(request)
        try:
            return await self.requests.exchange(signed)
        except BotError as error:
            if error.status != Status.UNREACHABLE:
                raise
            # A region that does not exist is a host that does not exist.
            remedy = self.platform.remedy(Trouble.MISSING)
            raise self.failure(error.what, status=Status.UNREACHABLE, remedy=remedy) from None

    def refusal(self, answer: Answer) -> PlatformError:
        """Say what an answer other than 2xx means and what to do about it."""
        from vivavoce.bots.answers import read_retry_after

        text = answer.body.decode("utf-8", "replace")
        try:
            payload = json.loads(text)
        except (ValueError, RecursionError):
            payload = text
        trouble, detail = self.find_trouble(answer, payload)
        status = (
            Status.RATE_LIMITED
            if answer.code == 429
            else Status.SERVER_ERROR
            if answer.code >= 500
            else Status.REFUSED
        )
        meaning = _MEANINGS.get(Trouble(trouble), status.meaning)
        return self.failure(
            say("{meaning}: {detail}", meaning=meaning, detail=f"{answer.code} {excerpt(detail, self.redactor)}"),
            trouble=trouble,
            status=status,
            retry_after=read_retry_after(answer.headers.get("Retry-After")),
        )

    def failure(
        self, what: str, *, trouble: str = Trouble.OTHER, status: Status = Status.REFUSED, **more: Any
    ) -> PlatformError:
        """Return an error of this platform, without secrets, with what to do about it."""
        what = change_texts(what, self.redactor.text)
        remedy = more.pop("remedy", "") or self.platform.remedy(trouble)
        return PlatformError(what, status=status, trouble=trouble, where=self.facts.name, remedy=remedy, **more)

    @property
    def redactor(self) -> Redactor:
        """What strikes the secrets out."""
        return self._requests.redactor if self._requests is not None else Redactor()

    def setting(self, name: str, default: float) -> float:
        """Return a number under `training` of the entry."""
        part = self._raw.get("training")
        return float(part.get(name, default)) if isinstance(part, Mapping) else default


class PlatformConversation:
    """One conversation with a bot on a platform; a connector says how a message is sent and read."""

    def __init__(
        self, send: Callable[[str], Awaitable[Reply]], end: Callable[[], Awaitable[object]] | None = None
    ) -> None:
        self._send, self._end = send, end

    async def say(self, text: str) -> Reply:
        """Send a message and read the reply."""
        return await self._send(text)

    async def close(self) -> None:
        """End the conversation, once; the connections belong to the bot and stay."""
        end, self._end = self._end, None
        if end is not None:
            # One that the platform has ended itself, or cannot end, ends all the same.
            with suppress(BotError):
                await end()
