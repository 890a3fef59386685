"""The form of a bot: plain fields for the kinds that most people have, YAML for everything that an entry can say."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from vivavoce import demo
from vivavoce.bots.entries import flag
from vivavoce.bots.http import BODY, METHODS
from vivavoce.errors import DataError, Fault, VivaError
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.parts import Choice, Field, named_choices
from vivavoce.web.rendering import Link
from vivavoce.workspace.access.bot_rules import OWN_PREFIX, Entry, kind_of, option_of
from vivavoce.workspace.bots.bots import MOST_ENTRY, MOST_NAME, entry_text, parse_entry

FORMS = ("http", "openai", "agent", "yaml")
TITLES = {
    "http": gettext_noop("A bot behind a web address"),
    "openai": gettext_noop("A language model"),
    "agent": gettext_noop("A built-in bot"),
    "yaml": gettext_noop("As YAML"),
}
ENGINES = ("vectors", "nearest", "keywords")
LIMITS = ("at_once", "per_second", "timeout_s", "retries")
REPLY = ("texts", "intent", "confidence", "fallback")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
Values = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FieldGroup:
    """Fields that belong together."""

    title: str
    fields: tuple[Field, ...]


def form_of(entry: Entry) -> str:
    """Return the form that suits an entry."""
    kind = kind_of(entry)
    return "agent" if kind in ENGINES else kind if kind in FORMS else "yaml"


def form_links(words: Words, path: str, chosen: str) -> tuple[Link, ...]:
    """Return the forms to choose from."""
    return tuple(Link(words.gettext(TITLES[one]), f"{path}?form={one}", one == chosen) for one in FORMS)


# --- from an entry to texts and back -----------------------------------------------------------------------------


def values_of(form: str, entry: Entry) -> dict[str, str]:
    """Return the texts of the fields that an entry fills."""
    if form == "yaml":
        return {"entry": entry_text(entry) if entry else ""}
    plain = {key: _text(entry.get(key)) for key in ("about", "method", "url", "model", "base_url", "system")}
    plain["reports_intent"] = _flag_text(entry.get("reports_intent"))
    plain |= {key: _text(entry.get(key)) for key in ("temperature", "max_tokens", "threshold")}
    plain |= {f"limits_{key}": _text(_part(entry, "limits").get(key)) for key in LIMITS}
    plain |= {f"reply_{key}": _text(_part(entry, "reply").get(key)) for key in REPLY}
    headers = _part(entry, "headers")
    plain["headers"] = "\n".join(f"{name}: {value}" for name, value in headers.items())
    body = entry.get("body")
    plain["body"] = body if isinstance(body, str) else "" if body is None else json.dumps(body, indent=2)
    plain["key"] = _text(entry.get("api_key")).removeprefix("${").removesuffix("}")
    plain |= {"engine": kind_of(entry) or ENGINES[0], "agent": option_of(entry) or _text(entry.get("agent"))}
    if form == "http" and not plain["url"]:
        plain["url"] = option_of(entry)
    return plain


def entry_of(form: str, values: Values, before: Entry) -> dict[str, Any]:
    """Return the entry that the fields say; what a form does not show stays as it was."""
    if form == "yaml":
        return parse_entry(values.get("entry", ""))
    faults: list[Fault] = []
    made = dict(_READERS[form](values, faults))
    made |= {"about": values.get("about"), "limits": _merged(before, "limits", LIMITS, values)}
    if faults:
        raise DataError("this bot cannot be used as it is", faults=faults, remedy="correct each of these places")
    if form == "http":
        made["reply"] = _merged(before, "reply", REPLY, values)
    kept = {key: value for key, value in before.items() if key not in (*made, "option")}
    said = {key: value for key, value in made.items() if value not in (None, "", {}) or key == "api_key"}
    return {"kind": said.pop("kind"), **said, **kept}


def _http(values: Values, faults: list[Fault]) -> Iterator[tuple[str, Any]]:
    yield "kind", "http"
    yield "url", values.get("url")
    yield "method", values.get("method") if values.get("method") != "POST" else ""
    yield "headers", dict(_headers(values.get("headers", ""), faults))
    yield "body", _body(values.get("body", ""), faults)
    yield "reports_intent", values.get("reports_intent")
    if not values.get("url"):
        faults.append(Fault("the address of the bot is missing", "url"))


def _openai(values: Values, faults: list[Fault]) -> Iterator[tuple[str, Any]]:
    name = values.get("key", "").removeprefix("${").removesuffix("}")
    if name and not _VARIABLE.fullmatch(name):
        faults.append(Fault("write the name of a variable of the server's environment, not the key itself", "key"))
    if not values.get("model"):
        faults.append(Fault("the model is missing", "model"))
    yield "kind", "openai"
    yield "api_key", f"${{{name}}}" if name else ""
    for key in ("model", "base_url", "system", "temperature", "max_tokens"):
        yield key, values.get(key)


def _agent(values: Values, faults: list[Fault]) -> Iterator[tuple[str, Any]]:
    engine, agent = values.get("engine", ""), values.get("agent", "")
    if engine not in ENGINES:
        faults.append(Fault(f"choose one of {', '.join(ENGINES)}", "engine"))
    yield "kind", engine
    yield "agent", agent
    yield "threshold", values.get("threshold")


_READERS: Mapping[str, Callable[[Values, list[Fault]], Iterator[tuple[str, Any]]]] = {
    "http": _http,
    "openai": _openai,
    "agent": _agent,
}


def _headers(text: str, faults: list[Fault]) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        name, colon, value = line.partition(":")
        if not line.strip():
            continue
        if not colon or not name.strip():
            faults.append(Fault(f"line {number} is not written as `Name: value`", "headers"))
        yield name.strip(), value.strip()


def _body(text: str, faults: list[Fault]) -> object:
    try:
        return json.loads(text) if text.strip() else None
    except ValueError as error:
        faults.append(Fault(f"this is not JSON: {error}", "body"))
        return None


def _merged(before: Entry, part: str, names: tuple[str, ...], values: Values) -> dict[str, Any]:
    """Return a part of an entry with what the form shows of it; the other keys stay."""
    others = {key: value for key, value in _part(before, part).items() if key not in names}
    said = {name: values.get(f"{part}_{name}", "") for name in names}
    return {**{name: value for name, value in said.items() if value}, **others}


def _part(entry: Entry, name: str) -> Mapping[str, Any]:
    found = entry.get(name)
    return found if isinstance(found, Mapping) else {}


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _flag_text(value: object) -> str:
    """Return yes or no as the form writes it; what is neither stays, so that its fault is told."""
    with suppress(ValueError):
        return "" if value is None else "yes" if flag(value) else "no"
    return _text(value)


# --- fields ------------------------------------------------------------------------------------------------------


def field_names(form: str) -> tuple[str, ...]:
    """Return the names of all fields of a form."""
    return tuple(field.name for group in groups_of(Words(), form, {}) for field in group.fields)


def groups_of(words: Words, form: str, values: Values, error: VivaError | None = None) -> tuple[FieldGroup, ...]:
    """Return the fields of a form, filled in, with what is wrong beside each."""
    make = _Maker(words, values, error)
    name = make.field("name", words.gettext("Name"), required=True, most=MOST_NAME)
    if form == "yaml":
        return (FieldGroup("", (name, make.yaml())),)
    groups = {"http": make.http, "openai": make.openai, "agent": make.agent}[form]()
    about = make.field("about", words.gettext("What it is"), most=300)
    return (FieldGroup("", (name, about)), *groups, make.limits())


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes fields that know what was typed and what is wrong with it."""

    words: Words
    values: Values
    error: VivaError | None

    def field(self, name: str, label: str, kind: Any = "text", **more: Any) -> Field:
        found = self.error.faults if self.error else ()
        wrong = [fault.message for fault in found if _is_at(fault.where, name)]
        return Field(name, label, kind, self.values.get(name, ""), error="; ".join(wrong), **more)

    def yaml(self) -> Field:
        words = self.words
        told = words.gettext(
            "One entry as in bots.yaml, without its name. Secrets are written as ${%(prefix)sNAME}.",
            prefix=OWN_PREFIX,
        )
        return self.field(
            "entry", words.gettext("Entry"), "textarea", help=told, required=True, rows=16, most=MOST_ENTRY
        )

    def http(self) -> tuple[FieldGroup, ...]:
        words = self.words
        sent = words.gettext(
            "JSON; {text} is the message and {session} the talk. Empty: %(usual)s", usual=json.dumps(BODY)
        )
        secret = words.gettext(
            "One on each line, such as Authorization: Bearer ${%(prefix)sTOKEN}", prefix=OWN_PREFIX
        )
        sending = (
            self.field(
                "url",
                words.gettext("Address"),
                "url",
                required=True,
                help=words.gettext("For instance https://bot.example/chat"),
            ),
            self.field("method", words.gettext("Method"), "select", choices=named_choices(METHODS)),
            self.field("body", words.gettext("Body"), "textarea", help=sent, rows=4),
            self.field("headers", words.gettext("Headers"), "textarea", help=f"{secret} {self.variables()}", rows=3),
        )
        return (
            FieldGroup(words.gettext("How a message is sent"), sending),
            FieldGroup(words.gettext("Where the reply stands"), self.reply()),
        )

    def reply(self) -> tuple[Field, ...]:
        words = self.words
        paths = words.gettext("A path such as data.reply (JMESPath). Empty: looked for in the usual places.")
        return (
            self.field("reply_texts", words.gettext("Text of the reply"), help=paths),
            self.field(
                "reply_intent",
                words.gettext("Topic"),
                help=words.gettext("Only where the bot tells what it understood."),
            ),
            self.reports(),
            self.field("reply_confidence", words.gettext("How sure it is")),
            self.field("reply_fallback", words.gettext("Whether it did not understand")),
        )

    def reports(self) -> Field:
        words = self.words
        choices = (
            Choice("", words.gettext("where a path of the topic is given")),
            Choice("yes", words.gettext("yes")),
            Choice("no", words.gettext("no")),
        )
        told = words.gettext("Topics are judged only where the bot tells them; replies are judged anyway.")
        title = words.gettext("Does the bot tell which topic it understood?")
        return self.field("reports_intent", title, "select", choices=choices, help=told)

    def openai(self) -> tuple[FieldGroup, ...]:
        words = self.words
        key = words.gettext(
            "The name of a variable of the server's environment, never the key itself. Empty: no key is sent."
        )
        place = words.gettext("Any endpoint that speaks OpenAI's chat protocol. Empty: that of OpenAI.")
        fields = (
            self.field("model", words.gettext("Model"), required=True),
            self.field("base_url", words.gettext("Address"), "url", help=place),
            self.field("key", words.gettext("Variable of the key"), help=f"{key} {self.variables()}"),
            self.field(
                "system",
                words.gettext("Prompt"),
                "textarea",
                help=words.gettext("What the model is told first."),
                rows=6,
            ),
            self.field("temperature", words.gettext("Temperature"), "number", low="0", high="2", step="any"),
            self.field("max_tokens", words.gettext("Longest reply in tokens"), "number", low="1"),
        )
        return (FieldGroup(words.gettext("The model"), fields),)

    def agent(self) -> tuple[FieldGroup, ...]:
        words = self.words
        engines = (
            Choice("vectors", words.gettext("vectors: meaning of the sentence")),
            Choice("nearest", words.gettext("nearest: the most similar example")),
            Choice("keywords", words.gettext("keywords: words by rule")),
        )
        agents = named_choices(demo.suites(), words.gettext("that of the suite"))
        fields = (
            self.field("engine", words.gettext("Engine"), "select", choices=engines),
            self.field(
                "agent",
                words.gettext("Agent"),
                "select",
                choices=agents,
                help=words.gettext("What it knows and replies."),
            ),
            self.field("threshold", words.gettext("Threshold"), "number", low="0", high="1", step="any"),
        )
        return (FieldGroup(words.gettext("What it runs"), fields),)

    def limits(self) -> FieldGroup:
        words = self.words
        at_once = words.gettext("So many talks are held with it at the same time.")
        pace = words.gettext("Empty: as fast as it answers.")
        return FieldGroup(
            words.gettext("Limits"),
            (
                self.field("limits_at_once", words.gettext("Talks at once"), "number", low="1", help=at_once),
                self.field(
                    "limits_per_second", words.gettext("Messages a second"), "number", low="0", step="any", help=pace
                ),
                self.field("limits_timeout_s", words.gettext("Seconds for a reply"), "number", low="0", step="any"),
                self.field("limits_retries", words.gettext("Tries after a failure"), "number", low="0"),
            ),
        )

    def variables(self) -> str:
        return self.words.gettext(
            "Only variables that begin with %(prefix)s can be used, so that nobody reads the server's own secrets.",
            prefix=OWN_PREFIX,
        )


def _is_at(where: str, name: str) -> bool:
    """Tell whether a fault at a key of the entry, such as `headers.X-Key`, belongs beside a field."""
    place = where.replace(".", "_")
    return (
        place == name
        or (name in ("headers", "body") and place.startswith(f"{name}_"))
        or (name == "key" and place == "api_key")
    )
