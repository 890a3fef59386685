"""Any bot behind HTTP or a WebSocket: address, body and paths are given in its entry."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from vivavoce.bots.collecting import EVERY_S, SETTLE_S, Polling, Socket
from vivavoce.bots.declaration import BotOption, Connector, Reach, entry_facts
from vivavoce.bots.guard import Request, check_address, shown_address
from vivavoce.bots.http_plan import BODY, METHODS, SSE, WEBSOCKET, Call, Plan, list_addresses, read_entry, read_method
from vivavoce.bots.oauth import OPTIONS as OAUTH_OPTIONS
from vivavoce.bots.oauth import fetch_token
from vivavoce.bots.platform import RenewedToken
from vivavoce.bots.protocol import BotContext, BotFacts
from vivavoce.bots.redaction import Redactor, fill_in, is_telling, open_entry, variables_of
from vivavoce.bots.shapes import PATHS
from vivavoce.bots.templates import protect
from vivavoce.errors import BotError, UsageError
from vivavoce.messages import say
from vivavoce.plugins import declare
from vivavoce.records import Reply, Status

if TYPE_CHECKING:
    from vivavoce.bots.client import BotClient, BotSession

T = TypeVar("T")
_SENDING = say("Request")
_REPLY = say("Response")
_EXAMPLE = say("For example https://bot.example/chat")
_FORM = (
    BotOption("url", "address", _EXAMPLE, label=say("Address"), group=_SENDING, required=True),
    BotOption("method", "choice", default="POST", label=say("Method"), group=_SENDING, choices=METHODS),
    BotOption(
        "body",
        "json",
        "JSON; {text} is the message, {session} the conversation. Default: %(usual)s",
        default=json.dumps(BODY),
        label=say("Body"),
        group=_SENDING,
    ),
    BotOption(
        "headers",
        "headers",
        "One per line, such as Authorization: Bearer ${%(prefix)sTOKEN}.",
        label=say("Headers"),
        group=_SENDING,
        secret=True,
    ),
    BotOption(
        "reply.texts",
        help=say("A JMESPath such as data.reply. Leave empty to search the usual places."),
        label=say("Reply text"),
        group=_REPLY,
    ),
    BotOption(
        "reply.intent", help=say("Only if the bot reports what it understood."), label=say("Topic"), group=_REPLY
    ),
    BotOption(
        "reports_intent",
        "flag",
        say("Topics are checked only if the bot reports them; replies are always checked."),
        label=say("Does the bot report the topic it understood?"),
        group=_REPLY,
    ),
    BotOption("reply.confidence", label=say("Confidence"), group=_REPLY),
    BotOption("reply.fallback", label=say("Not-understood flag"), group=_REPLY),
)
_LATER = say("Streams and late replies")
STREAM_OPTIONS = (
    BotOption(
        "stream",
        "choice",
        say("Server-sent events: the reply arrives piece by piece."),
        label=say("Stream"),
        group=_LATER,
        choices=("", SSE),
    ),
    BotOption("reply.delta", help=say("Path to the next piece of text."), label=say("Piece of text"), group=_LATER),
    BotOption(
        "reply.end", help=say("A path that only the last event has."), label=say("End of stream"), group=_LATER
    ),
)
POLL_OPTIONS = (
    BotOption(
        "poll.url",
        "address",
        "For bots that reply later: where to ask for the reply. {watermark} is where the last answer ended.",
        label=say("Address of replies"),
        group=_LATER,
    ),
    BotOption("poll.method", "choice", default="GET", choices=METHODS),
    BotOption("poll.headers", "headers", secret=True),
    BotOption("poll.body", "json"),
    BotOption("poll.values", "json"),
    BotOption("poll.watermark", help=say("Path to the next watermark."), label=say("Watermark"), group=_LATER),
    BotOption("poll.every_s", "number", default=f"{EVERY_S:g}", low="0"),
    BotOption(
        "until",
        help=say("A path that only the last part of a reply has. Empty: a pause ends the reply."),
        label=say("End of reply"),
        group=_LATER,
    ),
    BotOption(
        "settle_s",
        "number",
        default=f"{SETTLE_S:g}",
        label=say("Pause that ends a reply, in seconds"),
        group=_LATER,
        low="0",
    ),
    BotOption(
        "greeting_s",
        "number",
        say("How long to wait for what the bot says first. Empty: it does not speak first."),
        label=say("Wait for a greeting, in seconds"),
        group=_LATER,
        low="0",
    ),
)
CONNECTOR = Connector(
    Reach.ADDRESS,
    (
        *_FORM,
        *(BotOption(f"reply.{name}") for name in PATHS if f"reply.{name}" not in [option.name for option in _FORM]),
        BotOption("open.url", "address"),
        BotOption("open.method", "choice", default="POST", choices=METHODS),
        BotOption("open.headers", "headers", secret=True),
        BotOption("open.body", "json"),
        BotOption("open.values", "json"),
        *STREAM_OPTIONS,
        *POLL_OPTIONS,
        *OAUTH_OPTIONS,
    ),
    option="url",
    title=say("Bot at a web address"),
    position=1,
)


@declare(CONNECTOR)
def from_option(option: str, context: BotContext) -> HttpBot:
    """Any bot behind HTTP with JSON replies; option: address. An entry of bots.yaml can set more."""
    entry: dict[str, Any] = dict(context.entry)
    if option:
        entry["url"] = option
    if not isinstance(entry.get("url"), str) or not entry["url"]:
        raise UsageError(
            say("the bot's address is missing"),
            where=context.name,
            remedy=say("write `url: https://...` or `http:https://...`"),
        )
    paths = entry["reply"] if isinstance(entry.get("reply"), Mapping) else {}
    about = f"{read_method(entry, context.name)} {shown_address(str(entry['url']))}"
    facts = BotFacts(context.name, about, reports_intent="intent" in paths, reports_actions="actions" in paths)
    return HttpBot(entry, entry_facts(context, facts))


class HttpBot:
    """A bot behind HTTP. Secrets are read with the first conversation, and live nowhere but in the requests."""

    def __init__(self, entry: Mapping[str, object], facts: BotFacts) -> None:
        self._entry = read_entry(entry, facts.name)
        self.facts = facts
        # Built once without secrets, to report faults before a run and not in the middle of it.
        stand_ins = dict.fromkeys(variables_of(self._entry), "x")
        for url in list_addresses(self._entry):
            if "${" not in url:
                check_address(WEBSOCKET.sub("http", url), where=facts.name)
        Plan.of({key: fill_in(value, stand_ins) for key, value in self._entry.items()}, facts.name)
        self._ready: tuple[Plan, BotClient, Redactor, RenewedToken | None] | None = None

    async def open(self, session: str) -> HttpConversation:
        """Begin a conversation; if the entry has `open`, that request is sent and its values kept."""
        plan, client, redactor, credentials = self._ready or self._prepare()
        requests, values = client.begin(redactor, where=self.facts.name), {"session": session}
        conversation = HttpConversation(plan, requests, values, credentials)
        await conversation.begin()
        return conversation

    async def close(self) -> None:
        """Close the connections."""
        if self._ready is not None:
            await self._ready[1].close()

    def _prepare(self) -> tuple[Plan, BotClient, Redactor, RenewedToken | None]:
        from vivavoce.bots.client import BotClient

        entry, redactor = open_entry(self._entry, where=self.facts.name, guard=protect)
        for url in list_addresses(entry):
            check_address(WEBSOCKET.sub("http", url), where=self.facts.name)
        client = BotClient()
        name, credentials = self.facts.name, None
        if entry.get("oauth"):
            # No template, so its secrets are filled in as they are.
            plain, _ = open_entry({"oauth": self._entry["oauth"]}, where=name)
            oauth: Any = plain["oauth"]
            credentials = RenewedToken(partial(fetch_token, oauth, client.begin(redactor, where=name)))
        self._ready = Plan.of(entry, name), client, redactor, credentials
        return self._ready


class HttpConversation:
    """One conversation: its session, its cookies, the values that the opening gave, and what the bot said first."""

    def __init__(
        self, plan: Plan, requests: BotSession, values: dict[str, str], credentials: RenewedToken | None
    ) -> None:
        self._plan, self._requests, self._values, self._credentials = plan, requests, values, credentials
        self._turn = 1
        self._polling: Polling | None = None
        self._socket: Socket | None = None
        self.greeting: Reply | None = None

    async def begin(self) -> None:
        """Send the opening, connect, and collect what the bot says first."""
        plan = self._plan
        if plan.opening is not None:
            self._learn(plan.values, await self._send(plan.opening, self._values, self._requests.fetch), "open")
        if plan.websocket:
            self._socket = await self._connect()
        elif plan.polling is not None:
            self._polling = Polling(self._poll, plan.watermark, plan.every_s)
        source = self._socket or (self._polling if plan.greets_early else None)
        if plan.greeting_s and source is not None:
            self.greeting = await plan.collecting.collect(source, self._requests.redactor.value, plan.greeting_s)

    async def say(self, text: str) -> Reply:
        """Send a message and read the reply."""
        plan, values = self._plan, {**self._values, "text": text, "turn": str(self._turn)}
        if plan.stream is not None:
            reply: Reply = await self._send(plan.saying, values, partial(plan.stream.fetch, self._requests))
        elif self._socket is not None:
            await self._socket.send(plan.saying.text(values))
            reply = await plan.collecting.collect(self._socket, self._requests.redactor.value)
        elif self._polling is not None:
            self._learn(plan.poll_values, await self._send(plan.saying, values, self._requests.post), "poll")
            reply = await plan.collecting.collect(self._polling.begin(), self._requests.redactor.value)
        else:
            payload = await self._send(plan.saying, values, self._requests.fetch)
            reply = plan.reader.read(self._requests.redactor.value(payload))
        # A message that is tried again after a failure is still the same turn.
        self._turn += 1
        return reply

    async def close(self) -> None:
        """End the conversation; the connections belong to the bot and stay."""
        if self._socket is not None:
            await self._socket.close()

    def _learn(self, paths: Mapping[str, Any], payload: object, name: str) -> None:
        more = _read_values(paths, payload, name)
        self._requests.redactor = self._requests.redactor.also(
            value for name, value in more.items() if is_telling(name)
        )
        self._values |= more

    async def _poll(self, watermark: str) -> object:
        assert self._plan.polling is not None  # noqa: S101 - only asked for where there is one
        return await self._send(self._plan.polling, {**self._values, "watermark": watermark}, self._requests.post)

    async def _connect(self) -> Socket:
        async def connect(request: Request) -> Socket:
            return Socket(self._requests, await self._requests.connect(request))

        return await self._send(self._plan.saying, {**self._values, "text": "", "turn": "0"}, connect)

    async def _send(self, call: Call, values: Mapping[str, str], send: Callable[[Request], Awaitable[T]]) -> T:
        """Send a request with the token, where there is one; once more with another if it is refused."""
        request = call.request(values)
        if self._credentials is None:
            return await send(request)
        for is_last in (False, True):
            token = await self._credentials.get()
            self._requests.redactor = self._requests.redactor.also([token])
            try:
                headers = {**request.headers, "Authorization": f"Bearer {token}"}
                return await send(replace(request, headers=headers))
            except BotError as error:
                if error.code != 401 or is_last:
                    raise
                self._credentials.forget()
        raise AssertionError("the last attempt returns or raises")


def _read_values(paths: Mapping[str, Any], payload: object, name: str) -> dict[str, str]:
    values = {name: path.search(payload) for name, path in paths.items()}
    lacking = [name for name, value in values.items() if value is None or isinstance(value, list | dict)]
    if lacking:
        raise BotError(
            say("the response has no value for {names}", names=", ".join(lacking)),
            status=Status.UNEXPECTED,
            remedy=say("fix the paths under {name}.values", name=name),
        )
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in values.items()}
