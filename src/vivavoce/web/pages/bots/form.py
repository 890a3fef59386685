"""The form of a bot, made from what its connector declares; YAML for everything that an entry can say."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from itertools import groupby
from typing import Any

from vivavoce import demo
from vivavoce.bots.declaration import ABOUT, LIMIT_OPTIONS, BotOption, Connector, flag, list_connectors
from vivavoce.errors import Fault, VivaError
from vivavoce.messages import join, say
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.parts import Choice, Field, named_choices
from vivavoce.web.rendering import Link, View
from vivavoce.workspace.access.bot_rules import OWN_PREFIX, Entry, kind_of, option_of
from vivavoce.workspace.bots.bots import MAX_ENTRY, MAX_NAME, entry_text, parse_entry, reject_entry

YAML = "yaml"
# The field that chooses among kinds which share a form.
ENGINE = "engine"
# What few bots need.
_EXPERT = (
    *("limits_", "training_", "oauth_", "stream", "poll_", "reply_delta", "reply_end"),
    *("until", "settle_s", "greeting_s"),
)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FIELDS: Mapping[str, tuple[Any, int]] = {
    "long text": ("textarea", 6),
    "json": ("textarea", 4),
    "headers": ("textarea", 3),
    "number": ("number", 0),
    "whole": ("number", 0),
    "address": ("url", 0),
    "choice": ("select", 0),
    "flag": ("select", 0),
    "agent": ("select", 0),
}
Values = Mapping[str, str]
# Helps of connectors that hold braces, which `say` would take for places.
_MARKED = (
    gettext_noop("JSON; {text} is the message, {session} the conversation. Default: %(usual)s"),
    gettext_noop(
        "For bots that reply later: where to ask for the reply. {watermark} is where the last answer ended."
    ),
    gettext_noop("One per line, such as Authorization: Bearer ${%(prefix)sTOKEN}."),
)


@cache
def bot_forms() -> dict[str, dict[str, Connector]]:
    """Return the kinds of each form, in the order in which they are offered; kinds without fields have none."""
    forms: dict[str, dict[str, Connector]] = {}
    for kind, connector in list_connectors().items():
        if connector.title:
            forms.setdefault(connector.form or kind, {})[kind] = connector
    return {**forms, YAML: {}}


def form_of(entry: Entry) -> str:
    """Return the form that suits an entry."""
    kind = kind_of(entry)
    return next((form for form, kinds in bot_forms().items() if kind in kinds), YAML)


def form_title(words: Words, form: str) -> str:
    """Return what a form is called."""
    kinds = bot_forms()[form]
    return words.gettext(next(iter(kinds.values())).title if kinds else gettext_noop("As YAML"))


def form_links(words: Words, path: str, chosen: str) -> tuple[Link, ...]:
    """Return the forms to choose from."""
    return tuple(Link(form_title(words, form), f"{path}?form={form}", form == chosen) for form in bot_forms())


def _options(form: str) -> tuple[BotOption, ...]:
    """Return what the fields of a form stand for, in their order."""
    connector = next(iter(bot_forms()[form].values()))
    return (ABOUT, *(option for option in connector.options or () if option.label), *LIMIT_OPTIONS)


# --- from an entry to texts and back -----------------------------------------------------------------------------


def values_of(form: str, entry: Entry) -> dict[str, str]:
    """Return the texts of the fields that an entry fills."""
    if form == YAML:
        return {"entry": entry_text(entry) if entry else ""}
    kinds = bot_forms()[form]
    values = {option.field: _write(option, option.value(entry)) for option in _options(form)}
    written = next(iter(kinds.values())).option
    if written in values and option_of(entry):
        values[written] = option_of(entry)
    return values | ({ENGINE: kind_of(entry) or next(iter(kinds))} if len(kinds) > 1 else {})


def _write(option: BotOption, value: object) -> str:
    if value is None:
        return ""
    if option.type == "headers" and isinstance(value, Mapping):
        return "\n".join(f"{name}: {text}" for name, text in value.items())
    if option.type == "json" and not isinstance(value, str):
        return json.dumps(value, indent=2)
    if option.type == "flag":
        # What is neither yes nor no stays, so that its fault is shown.
        with suppress(ValueError):
            return "yes" if flag(value) else "no"
    text = str(value)
    return text.removeprefix("${").removesuffix("}") if option.variable else text


def entry_of(form: str, values: Values, before: Entry) -> dict[str, Any]:
    """Return the entry that the fields say; what a form does not show stays as it was."""
    if form == YAML:
        return parse_entry(values.get("entry", ""))
    faults: list[Fault] = []
    kinds = bot_forms()[form]
    kind = values.get(ENGINE, "") if len(kinds) > 1 else next(iter(kinds))
    if kind not in kinds:
        faults.append(Fault(say("choose one of {names}", names=", ".join(kinds)), ENGINE))
    entry: dict[str, Any] = {"kind": kind}
    for option in _options(form):
        value = _read(option, values.get(option.field, ""), faults)
        name, _, inner = option.name.partition(".")
        if inner:
            part = before.get(name)
            group = entry.setdefault(name, dict(part) if isinstance(part, Mapping) else {})
            group.pop(inner, None)
            group |= {inner: value} if value else {}
        else:
            entry[name] = value
    if faults:
        reject_entry(faults)
    implied = {option.name for option in _options(form) if option.variable}
    others = {key: value for key, value in before.items() if key not in (*entry, "option")}
    return {key: value for key, value in entry.items() if value not in (None, "", {}) or key in implied} | others


def _read(option: BotOption, text: str, faults: list[Fault]) -> Any:
    """Return what the text of a field means in an entry."""
    if option.required and not text:
        faults.append(Fault(say("this is missing"), option.field))
    if option.type == "headers":
        return dict(_read_headers(text, option.field, faults))
    if option.type == "json":
        try:
            return json.loads(text) if text.strip() else None
        except ValueError as error:
            faults.append(Fault(say("not valid JSON: {error}", error=error), option.field))
            return None
    if option.variable and text:
        name = text.removeprefix("${").removesuffix("}")
        if not _VARIABLE.fullmatch(name):
            what = say("enter the name of a server environment variable, not the key itself")
            faults.append(Fault(what, option.field))
        return f"${{{name}}}"
    return "" if option.type == "choice" and text == option.default else text


def _read_headers(text: str, field: str, faults: list[Fault]) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        name, colon, value = line.partition(":")
        if not line.strip():
            continue
        if not colon or not name.strip():
            faults.append(Fault(say("line {number} is not in the form `Name: value`", number=number), field))
        yield name.strip(), value.strip()


# --- fields ------------------------------------------------------------------------------------------------------


def field_names(form: str) -> tuple[str, ...]:
    """Return the names of all fields of a form."""
    return tuple(field.name for group in groups_of(Words(), form, {}) for field in group.fields)


def groups_of(words: Words, form: str, values: Values, error: VivaError | None = None) -> tuple[View, ...]:
    """Return the fields of a form in groups, filled in, with what is wrong beside each.

    Some groups are for experts, and open if a field of theirs is filled in or wrong.
    """

    def field(name: str, label: str, kind: Any = "text", **more: Any) -> Field:
        wrong = [fault.message for fault in (error.faults if error else ()) if _is_at(fault.where, name)]
        return Field(name, label, kind, values.get(name, ""), error=join("; ", wrong), **more)

    name = field("name", words.gettext("Name"), required=True, most=MAX_NAME)
    if form == YAML:
        help_text = words.gettext(
            "One bots.yaml entry, without the name. Never type a secret here: refer to an "
            "environment variable whose name starts with %(prefix)s, such as ${%(prefix)sTOKEN}.",
            prefix=OWN_PREFIX,
        )
        entry = field(
            "entry",
            words.gettext("Configuration"),
            "textarea",
            help=help_text,
            required=True,
            rows=16,
            most=MAX_ENTRY,
        )
        return (View(title="", fields=(name, entry), expert=False, open=False),)
    groups: list[View] = []
    for title, options in groupby(_options(form), key=lambda option: option.group):
        fields = [field(option.field, words.gettext(option.label), **_look(words, option)) for option in options]
        expert = all(each.name.startswith(_EXPERT) for each in fields)
        is_open = expert and any(each.error or each.value for each in fields)
        groups.append(View(title=words.gettext(title) if title else "", fields=fields, expert=expert, open=is_open))
    kinds = bot_forms()[form]
    if len(kinds) > 1:
        choices = tuple(Choice(kind, words.gettext(connector.choice)) for kind, connector in kinds.items())
        groups[1].fields.insert(0, field(ENGINE, words.gettext("Engine"), "select", choices=choices))
    groups[0].fields.insert(0, name)
    return tuple(groups)


def _look(words: Words, option: BotOption) -> dict[str, Any]:
    """Return how the field of an option looks."""
    kind, rows = _FIELDS.get(option.type, ("text", 0))
    help = words.gettext(option.help, prefix=OWN_PREFIX, usual=option.default) if option.help else ""
    if option.secret:
        help += " " + words.gettext(
            "Only variables that start with %(prefix)s are allowed, to protect the server's own secrets.",
            prefix=OWN_PREFIX,
        )
    return {
        "kind": kind,
        "required": option.required,
        "low": option.low,
        "high": option.high,
        "choices": _choices(words, option),
        "help": help,
        "step": "any" if option.type == "number" else "",
        **({"rows": rows} if rows else {}),
        **({"most": 300} if option.name == ABOUT.name else {}),
    }


def _choices(words: Words, option: BotOption) -> tuple[Choice, ...]:
    if option.type == "agent":
        return tuple(named_choices(demo.suites(), words.gettext("the suite's agent")))
    if option.type == "flag":
        answers = {"yes": words.gettext("yes"), "no": words.gettext("no")}
        usual = words.gettext("if a topic path is set")
        if option.default:
            usual = words.gettext("default: %(usual)s", usual=answers[option.default])
        return (Choice("", usual), *(Choice(name, title) for name, title in answers.items()))
    nothing = (Choice("", words.gettext("none")),) if "" in option.choices else ()
    return (*nothing, *named_choices(tuple(filter(None, option.choices))))


def _is_at(where: str, name: str) -> bool:
    """Tell whether a fault at a key of the entry, such as `headers.X-Key`, belongs beside a field."""
    place = where.replace(".", "_")
    return place == name or (name in ("headers", "body") and place.startswith(f"{name}_"))
