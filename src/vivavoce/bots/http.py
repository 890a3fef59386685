"""Any bot behind HTTP that takes a message and answers in JSON: address, body and paths are given in its entry."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from vivavoce.bots.addresses import Request, check_address, shown_address
from vivavoce.bots.declaration import BotOption, Connector, Reach
from vivavoce.bots.entries import entry_facts
from vivavoce.bots.protocol import BotContext, BotFacts
from vivavoce.bots.redaction import Redactor, fill_in, is_telling, open_entry, variables_of
from vivavoce.bots.shapes import PATHS, ReplyReader
from vivavoce.bots.templates import Template, address_template, header_template, json_template, protect
from vivavoce.errors import BotError, Fault, UsageError
from vivavoce.messages import say
from vivavoce.plugins import declare
from vivavoce.records import Reply, Status

if TYPE_CHECKING:
    from vivavoce.bots.client import BotClient, BotSession

__all__ = ["HttpBot", "from_option"]

METHODS = ("POST", "GET", "PUT", "PATCH")
BODY = {"session": "{session}", "text": "{text}"}
_SENDING = say("How a message is sent")
_REPLY = say("Where the reply stands")
_FORM = (
    BotOption(
        "url",
        "address",
        say("For instance https://bot.example/chat"),
        label=say("Address"),
        group=_SENDING,
        required=True,
    ),
    BotOption("method", "choice", default="POST", label=say("Method"), group=_SENDING, choices=METHODS),
    BotOption(
        "body",
        "json",
        "JSON; {text} is the message and {session} the talk. Empty: %(usual)s",
        default=json.dumps(BODY),
        label=say("Body"),
        group=_SENDING,
    ),
    BotOption(
        "headers",
        "headers",
        "One on each line, such as Authorization: Bearer ${%(prefix)sTOKEN}",
        label=say("Headers"),
        group=_SENDING,
        secret=True,
    ),
    BotOption(
        "reply.texts",
        help=say("A path such as data.reply (JMESPath). Empty: looked for in the usual places."),
        label=say("Text of the reply"),
        group=_REPLY,
    ),
    BotOption(
        "reply.intent",
        help=say("Only where the bot tells what it understood."),
        label=say("Topic"),
        group=_REPLY,
    ),
    BotOption(
        "reports_intent",
        "flag",
        say("Topics are judged only where the bot tells them; replies are judged anyway."),
        label=say("Does the bot tell which topic it understood?"),
        group=_REPLY,
    ),
    BotOption("reply.confidence", label=say("How sure it is"), group=_REPLY),
    BotOption("reply.fallback", label=say("Whether it did not understand"), group=_REPLY),
)
_SHOWN = frozenset(option.name for option in _FORM)
CONNECTOR = Connector(
    Reach.ADDRESS,
    (
        *_FORM,
        *(BotOption(f"reply.{name}") for name in PATHS if f"reply.{name}" not in _SHOWN),
        BotOption("open.url", "address"),
        BotOption("open.method", "choice", default="POST", choices=METHODS),
        BotOption("open.headers", "headers", secret=True),
        BotOption("open.body", "json"),
        BotOption("open.values", "json"),
    ),
    option="url",
    title=say("A bot behind a web address"),
    position=1,
)
_OPENING = ("session",)
_SAYING = ("session", "text", "turn")


@declare(CONNECTOR)
def from_option(option: str, context: BotContext) -> HttpBot:
    """Any bot behind HTTP with JSON answers; the option is its address, an entry of bots.yaml can say more."""
    entry: dict[str, Any] = dict(context.entry)
    if option:
        entry["url"] = option
    if not isinstance(entry.get("url"), str) or not entry["url"]:
        raise UsageError(
            say("the address of the bot is missing"),
            where=context.name,
            remedy=say("write `url: https://...` or `http:https://...`"),
        )
    paths = entry["reply"] if isinstance(entry.get("reply"), Mapping) else {}
    about = f"{_method(entry, context.name)} {shown_address(str(entry['url']))}"
    facts = BotFacts(context.name, about, reports_intent="intent" in paths, reports_actions="actions" in paths)
    return HttpBot(entry, entry_facts(context, facts))


class HttpBot:
    """A bot behind HTTP. Secrets are read when the first talk is opened, and live nowhere but in the requests."""

    def __init__(self, entry: Mapping[str, object], facts: BotFacts) -> None:
        self._entry = _typed(entry, facts.name)
        self._facts = facts
        # Built once without secrets, so that faults are told before a run and not in the middle of it.
        if "${" not in str(self._entry["url"]):
            check_address(str(self._entry["url"]), where=facts.name)
        stand_ins = dict.fromkeys(variables_of(self._entry), "x")
        _Plan.of({key: fill_in(value, stand_ins) for key, value in self._entry.items()}, facts.name)
        self._ready: tuple[_Plan, BotClient, Redactor] | None = None

    @property
    def facts(self) -> BotFacts:
        """What is known about the bot."""
        return self._facts

    async def open(self, session: str) -> HttpTalk:
        """Begin a talk; if the entry has `open`, that request is sent and its values kept."""
        plan, client, redactor = self._ready or self._prepare()
        requests, values = client.begin(redactor, where=self._facts.name), {"session": session}
        if plan.opening is not None:
            found = _named(plan.values, await requests.fetch(plan.opening.request(values)), self._facts.name)
            requests.redactor = redactor.also(value for name, value in found.items() if is_telling(name))
            values |= found
        return HttpTalk(plan, requests, values)

    async def close(self) -> None:
        """Close the connections."""
        if self._ready is not None:
            await self._ready[1].close()

    def _prepare(self) -> tuple[_Plan, BotClient, Redactor]:
        from vivavoce.bots.client import BotClient

        entry, redactor = open_entry(self._entry, where=self._facts.name, guard=protect)
        for url in _addresses(entry):
            check_address(url, where=self._facts.name)
        plan = _Plan.of(entry, self._facts.name)
        self._ready = plan, BotClient(), redactor
        return self._ready


class HttpTalk:
    """One conversation: its session, its cookies, and the values that the opening gave."""

    def __init__(self, plan: _Plan, requests: BotSession, values: dict[str, str]) -> None:
        self._plan, self._requests, self._values = plan, requests, values
        self._turn = 1

    async def say(self, text: str) -> Reply:
        """Send a message and read the reply."""
        request = self._plan.saying.request({**self._values, "text": text, "turn": str(self._turn)})
        payload = await self._requests.fetch(request)
        # A message that is tried again after a failure is still the same turn.
        self._turn += 1
        return self._plan.reader.read(self._requests.redactor.value(payload))

    async def close(self) -> None:
        """End the conversation; the connections belong to the bot and stay."""


@dataclass(frozen=True)
class _Call:
    """One kind of request, made ready."""

    method: str
    url: Template = field(repr=False)
    headers: tuple[tuple[str, Template], ...] = field(repr=False)
    body: Template | None = field(repr=False)

    def request(self, values: Mapping[str, str]) -> Request:
        headers = {name: template.fill(values) for name, template in self.headers}
        body = self.body.fill(values).encode() if self.body else None
        return Request(self.method, self.url.fill(values), headers, body)

    def names(self) -> set[str]:
        templates = [self.url, *(template for _, template in self.headers), *([self.body] if self.body else [])]
        return {name for template in templates for name in template.names}


@dataclass(frozen=True)
class _Plan:
    """All that is needed to talk: how a talk is opened, how a message is sent, how a reply is read."""

    saying: _Call
    opening: _Call | None
    values: Mapping[str, Any]
    reader: ReplyReader

    @classmethod
    def of(cls, entry: Mapping[str, Any], where: str) -> _Plan:
        opening = entry.get("open")
        values = _compiled((opening or {}).get("values") or {}, where)
        begin = _call({"headers": entry.get("headers") or {}, **opening}, _OPENING, where) if opening else None
        saying = _call(entry, (*_SAYING, *values), where)
        if "text" not in saying.names():
            raise UsageError(
                say("the message is not sent: `{text}` stands in neither the address nor the headers nor the body"),
                where=where,
                remedy=say("put {text} where the bot expects the message"),
            )
        return cls(saying, begin, values, ReplyReader(entry.get("reply") or {}, where=where))


def _call(part: Mapping[str, Any], known: Iterable[str], where: str) -> _Call:
    names, method = tuple(known), _method(part, where)
    body = part.get("body", None if method == "GET" else {key: BODY[key] for key in BODY if key in names})
    headers = {"Accept": "application/json", **(part.get("headers") or {})}
    if body is not None and not any(name.lower() == "content-type" for name in headers):
        headers["Content-Type"] = "application/json"
    return _Call(
        method,
        address_template(part["url"], names, where=where),
        tuple((name, header_template(value, names, where=where)) for name, value in headers.items()),
        None if body is None else json_template(body, names, where=where),
    )


def _method(part: Mapping[str, Any], where: str) -> str:
    method = str(part.get("method", "POST")).upper()
    if method not in METHODS:
        raise UsageError(
            say("'{method}' is not a method that sends a message", method=method),
            where=where,
            remedy=say("use {names}", names=", ".join(METHODS)),
        )
    return method


def _typed(entry: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the entry with bodies that were written as JSON text made values; refuse parts of a wrong kind."""
    found, opening = dict(entry), entry.get("open")
    faults = [Fault(say("'{key}' must hold keys of its own", key=key)) for key in _not_mappings(entry)]
    if isinstance(opening, Mapping):
        faults += [Fault(say("'{key}' must hold keys of its own", key=key), "open") for key in _not_mappings(opening)]
        if not isinstance(opening.get("url"), str):
            faults.append(Fault(say("the address `url` is missing"), "open"))
        found["open"] = {**opening, **_body(opening, where)}
    if faults:
        raise UsageError(say("these values cannot be used"), where=where, faults=faults, remedy=say("correct them"))
    return {**found, **_body(entry, where)}


def _not_mappings(part: Mapping[str, Any]) -> list[str]:
    mappings = [key for key in ("headers", "reply", "open", "values") if key in part]
    wrong = [key for key in mappings if not isinstance(part[key], Mapping)]
    texts = [key for key in mappings if key not in wrong and key != "open"]
    return wrong + [f"{key}.{name}" for key in texts for name, v in part[key].items() if not isinstance(v, str)]


def _body(part: Mapping[str, Any], where: str) -> dict[str, Any]:
    body = part.get("body")
    if not isinstance(body, str):
        return {}
    try:
        return {"body": json.loads(body)}
    except ValueError as error:
        raise UsageError(
            say("the body is neither a mapping nor JSON: {error}", error=error),
            where=where,
            remedy=say('write `body: {message: "{text}"}`, or JSON in single quotes where types matter'),
        ) from error


def _addresses(entry: Mapping[str, Any]) -> list[str]:
    return [str(entry["url"]), *([str(entry["open"]["url"])] if entry.get("open") else [])]


def _compiled(paths: Mapping[str, str], where: str) -> dict[str, Any]:
    import jmespath

    try:
        return {name: jmespath.compile(path) for name, path in paths.items()}
    except jmespath.exceptions.JMESPathError as error:
        what = say("open.values holds no JMESPath expression: {error}", error=str(error).splitlines()[0])
        raise UsageError(what, where=where, remedy=say("see https://jmespath.org")) from error


def _named(paths: Mapping[str, Any], payload: object, where: str) -> dict[str, str]:
    found = {name: path.search(payload) for name, path in paths.items()}
    lacking = [name for name, value in found.items() if value is None or isinstance(value, list | dict)]
    if lacking:
        raise BotError(
            say("the answer to `open` holds no value for {names}", names=", ".join(lacking)),
            status=Status.UNEXPECTED,
            where=where,
            remedy=say("correct the paths under open.values"),
        )
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in found.items()}
