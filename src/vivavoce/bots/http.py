"""Any bot behind HTTP that takes a message and answers in JSON: address, body and paths are given in its entry."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from vivavoce.bots.declaration import BotOption, Connector, Reach, entry_facts
from vivavoce.bots.guard import Request, check_address, shown_address
from vivavoce.bots.protocol import BotContext, BotFacts
from vivavoce.bots.redaction import LEGAL, Redactor, fill_in, is_telling, open_entry, variables_of
from vivavoce.bots.shapes import PATHS, ReplyReader
from vivavoce.errors import BotError, Fault, UsageError, nearest
from vivavoce.messages import say
from vivavoce.plugins import declare
from vivavoce.records import Reply, Status

if TYPE_CHECKING:
    from vivavoce.bots.client import BotClient, BotSession

_PLACE = re.compile(r"\{(\{)?([A-Za-z_][A-Za-z0-9_]*)\}(?(1)\})")
_HOST = re.compile(r"https?://[^/?#]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


class Template:
    """A text with places for values; each value is escaped as the text around it needs."""

    __slots__ = ("_escape", "_parts", "names")

    def __init__(self, text: str, known: Collection[str], escape: Callable[[str], str], *, where: str = "") -> None:
        parts: list[tuple[str, str]] = []
        at = 0
        literal = ""
        for match in _PLACE.finditer(text):
            literal += text[at : match.start()]
            at = match.end()
            if match[1]:
                literal += match[0][1:-1]
                continue
            name = match[2]
            if name not in known:
                near, places = nearest(name, sorted(known)), ", ".join("{" + each + "}" for each in sorted(known))
                raise UsageError(
                    say("unknown placeholder '{{{name}}}'.{nearest}", name=name, nearest=near),
                    where=where,
                    remedy=say("use {names}, or {{{{{name}}}}} for literal braces", names=places, name=name),
                )
            parts.append((literal, name))
            literal = ""
        self._parts = (*parts, (literal + text[at:], ""))
        self._escape = escape
        self.names = frozenset(name for _, name in parts)

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the text with the values in their places."""
        if len(self._parts) == 1:
            return self._parts[0][0]
        return "".join([part + self._escape(values[name]) if name else part for part, name in self._parts])


def json_template(value: object, known: Collection[str], *, where: str = "") -> Template:
    """Make a template of a JSON value; the text of a value cannot leave the string that it stands in."""
    # Braces of JSON itself are followed by a quote or a brace, never by a name, so they are no places.
    return Template(json.dumps(value), known, lambda text: json.dumps(text)[1:-1], where=where)


def address_template(text: str, known: Collection[str], *, where: str = "") -> Template:
    """Make a template of an address; values are percent-encoded, so that they stay within their part of it."""
    host = _HOST.match(text)
    begin = host[0] if host else ""
    rest = quote(text[len(begin) :], safe=LEGAL)
    return Template(begin + rest, known, lambda value: quote(value, safe="", errors="replace"), where=where)


def header_template(text: str, known: Collection[str], *, where: str = "") -> Template:
    """Make a template of a header; line breaks in values become blanks."""
    return Template(text, known, lambda value: _CONTROL.sub(" ", value), where=where)


def protect(text: str) -> str:
    """Return a text in a form that a template writes out as it is, whatever braces it holds."""
    return _PLACE.sub(lambda match: f"{{{match[0]}}}", text)


METHODS = ("POST", "GET", "PUT", "PATCH")
BODY = {"session": "{session}", "text": "{text}"}
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
        "One per line, such as Authorization: Bearer ${%(prefix)sTOKEN}",
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
    ),
    option="url",
    title=say("Bot at a web address"),
    position=1,
)


@declare(CONNECTOR)
def from_option(option: str, context: BotContext) -> HttpBot:
    """Any bot behind HTTP with JSON answers; the option is its address, an entry of bots.yaml can say more."""
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
    about = f"{_read_method(entry, context.name)} {shown_address(str(entry['url']))}"
    facts = BotFacts(context.name, about, reports_intent="intent" in paths, reports_actions="actions" in paths)
    return HttpBot(entry, entry_facts(context, facts))


class HttpBot:
    """A bot behind HTTP. Secrets are read with the first conversation, and live nowhere but in the requests."""

    def __init__(self, entry: Mapping[str, object], facts: BotFacts) -> None:
        self._entry = _read_entry(entry, facts.name)
        self.facts = facts
        # Built once without secrets, to report faults before a run and not in the middle of it.
        if "${" not in str(self._entry["url"]):
            check_address(str(self._entry["url"]), where=facts.name)
        stand_ins = dict.fromkeys(variables_of(self._entry), "x")
        _Plan.of({key: fill_in(value, stand_ins) for key, value in self._entry.items()}, facts.name)
        self._ready: tuple[_Plan, BotClient, Redactor] | None = None

    async def open(self, session: str) -> HttpConversation:
        """Begin a conversation; if the entry has `open`, that request is sent and its values kept."""
        plan, client, redactor = self._ready or self._prepare()
        requests, values = client.begin(redactor, where=self.facts.name), {"session": session}
        if plan.opening is not None:
            more = _read_values(plan.values, await requests.fetch(plan.opening.request(values)), self.facts.name)
            requests.redactor = redactor.also(value for name, value in more.items() if is_telling(name))
            values |= more
        return HttpConversation(plan, requests, values)

    async def close(self) -> None:
        """Close the connections."""
        if self._ready is not None:
            await self._ready[1].close()

    def _prepare(self) -> tuple[_Plan, BotClient, Redactor]:
        from vivavoce.bots.client import BotClient

        entry, redactor = open_entry(self._entry, where=self.facts.name, guard=protect)
        opening: Any = entry.get("open")
        for url in (entry["url"], *([opening["url"]] if opening else [])):
            check_address(str(url), where=self.facts.name)
        self._ready = _Plan.of(entry, self.facts.name), BotClient(), redactor
        return self._ready


class HttpConversation:
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
    """All that is needed to talk: how a conversation is opened, how a message is sent, how a reply is read."""

    saying: _Call
    opening: _Call | None
    values: Mapping[str, Any]
    reader: ReplyReader

    @classmethod
    def of(cls, entry: Mapping[str, Any], where: str) -> _Plan:
        opening = entry.get("open")
        values = _compile_paths((opening or {}).get("values") or {}, where)
        begin = (
            _build_call({"headers": entry.get("headers") or {}, **opening}, ["session"], where) if opening else None
        )
        saying = _build_call(entry, ["session", "text", "turn", *values], where)
        if "text" not in saying.names():
            raise UsageError(
                say("the message is never sent: `{text}` does not appear in the address, headers or body"),
                where=where,
                remedy=say("put {text} where the bot expects the message"),
            )
        return cls(saying, begin, values, ReplyReader(entry.get("reply") or {}, where=where))


def _build_call(part: Mapping[str, Any], names: Sequence[str], where: str) -> _Call:
    method = _read_method(part, where)
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


def _read_method(part: Mapping[str, Any], where: str) -> str:
    method = str(part.get("method", "POST")).upper()
    if method not in METHODS:
        raise UsageError(
            say("'{method}' cannot send a message", method=method),
            where=where,
            remedy=say("use {names}", names=", ".join(METHODS)),
        )
    return method


def _read_entry(entry: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the entry with bodies that were written as JSON text made values; refuse parts of a wrong kind."""
    parts, opening = {"": dict(entry)}, entry.get("open")
    faults: list[Fault] = []
    if isinstance(opening, Mapping):
        parts["open"] = dict(opening)
        if not isinstance(opening.get("url"), str):
            faults.append(Fault(say("the address `url` is missing"), "open"))
    for place, part in parts.items():
        groups: dict[str, Any] = {key: part[key] for key in ("headers", "reply", "open", "values") if key in part}
        wrong = [key for key, group in groups.items() if not isinstance(group, Mapping)]
        texts = {key: group for key, group in groups.items() if key not in wrong and key != "open"}
        wrong += [f"{key}.{name}" for key in texts for name, v in texts[key].items() if not isinstance(v, str)]
        faults += [Fault(say("'{key}' must contain keys", key=key), place) for key in wrong]
        try:
            if isinstance(part.get("body"), str):
                part["body"] = json.loads(part["body"])
        except ValueError as error:
            raise UsageError(
                say("the body is neither a mapping nor JSON: {error}", error=error),
                where=where,
                remedy=say('write `body: {message: "{text}"}`, or JSON in single quotes if types matter'),
            ) from error
    if faults:
        raise UsageError(say("these values are invalid"), where=where, faults=faults, remedy=say("fix them"))
    return parts[""] | ({"open": parts["open"]} if "open" in parts else {})


def _compile_paths(paths: Mapping[str, str], where: str) -> dict[str, Any]:
    import jmespath

    try:
        return {name: jmespath.compile(path) for name, path in paths.items()}
    except jmespath.exceptions.JMESPathError as error:
        what = say("open.values is not a valid JMESPath expression: {error}", error=str(error).splitlines()[0])
        raise UsageError(what, where=where, remedy=say("see https://jmespath.org")) from error


def _read_values(paths: Mapping[str, Any], payload: object, where: str) -> dict[str, str]:
    values = {name: path.search(payload) for name, path in paths.items()}
    lacking = [name for name, value in values.items() if value is None or isinstance(value, list | dict)]
    if lacking:
        raise BotError(
            say("the response to `open` has no value for {names}", names=", ".join(lacking)),
            status=Status.UNEXPECTED,
            where=where,
            remedy=say("fix the paths under open.values"),
        )
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in values.items()}
