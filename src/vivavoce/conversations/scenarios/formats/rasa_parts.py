"""What stories of Rasa are made of: messages with marked entities, assertions of Rasa Pro, and the domain."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import regex

from vivavoce.conversations.scenario import Match, Pattern
from vivavoce.files.yamls import Value, as_list, as_mapping, read_yaml

_ENTITY = re.compile(
    r"\[(?P<text>[^\]\n]+)\](?:\((?P<name>[^)\n]+)\)|(?P<one>\{[^}\n]*\})|(?P<many>\[\{[^\]\n]*\}\]))"
)


def plain_message(text: str) -> tuple[str, dict[str, str], list[object]]:
    """Return a message without marks, the slots that were marked in it, and roles and groups aside."""
    slots: dict[str, str] = {}
    aside: list[object] = []

    def bare(found: re.Match[str]) -> str:
        marks = _marks(found)
        if marks is None:
            return found[0]
        for mark in marks:
            name = str(mark.pop("entity"))
            value = str(mark.pop("value", found["text"]))
            if mark or name in slots:
                aside.append({name: {**mark, "value": value}})
            slots.setdefault(name, value)
        return found["text"]

    return _ENTITY.sub(bare, text), slots, aside


def _marks(found: re.Match[str]) -> list[dict[str, Any]] | None:
    """Return what a mark says about its text, or None where it is no mark."""
    if found["name"]:
        name, _, value = found["name"].partition(":")
        return [{"entity": name, "value": value} if value else {"entity": name}]
    try:
        said = json.loads(found["one"] or found["many"])
    except ValueError:
        return None
    marks = said if isinstance(said, list) else [said]
    return marks if all(isinstance(one, dict) and "entity" in one for one in marks) else None


def mark_message(text: str, slots: Mapping[str, str]) -> str:
    """Mark the slots whose value stands in a message; those that cannot be marked are left out."""
    taken: list[tuple[int, int, str]] = []
    for name, value in slots.items():
        span = _free_span(text, value, taken)
        if span is None:
            continue
        begin, end = span
        tried = sorted([*taken, (begin, end, _marked(text[begin:end], name, value))])
        if _reads_as(_put(text, tried), text, {**plain_message(_put(text, taken))[1], name: value}):
            taken = tried
    return _put(text, taken)


def _free_span(text: str, value: str, taken: list[tuple[int, int, str]]) -> tuple[int, int] | None:
    if not value.strip():
        return None
    # Whole words first: "on" is not meant in "London".
    escaped = re.escape(value)
    for expression in (rf"(?<!\w){escaped}(?!\w)", escaped):
        for found in re.finditer(expression, text, re.IGNORECASE):
            begin, end = found.span()
            if all(end <= other or begin >= last for other, last, _ in taken):
                return begin, end
    return None


def _marked(text: str, name: str, value: str) -> str:
    if text == value and re.fullmatch(r"[\w-]+", name):
        return f"[{text}]({name})"
    facts = {"entity": name} if text == value else {"entity": name, "value": value}
    return f"[{text}]{json.dumps(facts, ensure_ascii=False)}"


def _put(text: str, marks: list[tuple[int, int, str]]) -> str:
    for begin, end, mark in reversed(marks):
        text = f"{text[:begin]}{mark}{text[end:]}"
    return text


def _reads_as(marked: str, text: str, slots: Mapping[str, str]) -> bool:
    read, found, _ = plain_message(marked)
    return read == text and found == slots


ASSERTIONS = "assertions"
# The flow with which Rasa says that it did not understand; the other `pattern_` flows are no topics of a visitor.
CANNOT_HANDLE = "pattern_cannot_handle"
_PATTERN = "pattern_"
_NOTHING = ("null", "~", "")


@dataclass
class Asserted:
    """What the assertions of one message expect. `rest`: those without a place here, each with its line."""

    flows: tuple[str, ...] = ()
    fallback: bool = False
    actions: list[str] = field(default_factory=list)
    said: list[Pattern] = field(default_factory=list)
    unsaid: list[Pattern] = field(default_factory=list)
    unsaid_actions: list[str] = field(default_factory=list)
    buttons: list[str] = field(default_factory=list)
    slots: dict[str, str] = field(default_factory=dict)
    slot_names: list[str] = field(default_factory=list)
    rest: list[tuple[str, Value, int]] = field(default_factory=list)


def read_assertions(listed: Value | None, lines: Sequence[int]) -> Asserted:
    """Read the assertions of a `user` step; `lines`: where each of them stands."""
    asserted = Asserted()
    for assertion, line in zip(as_list(listed), lines, strict=True):
        for name, value in as_mapping(assertion).items():
            reader = _READERS.get(name)
            rest = reader(asserted, value) if reader else value
            if rest or reader is None:
                asserted.rest.append((name, rest, line))
    return asserted


# Each reader returns the part of an assertion that has no place here, or nothing.


def _flow_started(asserted: Asserted, value: Value) -> Value:
    details = as_mapping(value)
    names = [str(name) for name in as_list(details.get("flow_ids", value if not details else []))]
    if names == [CANNOT_HANDLE]:
        asserted.fallback = True
        return ""
    every = str(details.get("operator", "all")) == "all" and len(names) > 1
    if every or asserted.flows or not names or any(name.startswith(_PATTERN) for name in names):
        return value
    asserted.flows = tuple(names)
    return ""


def _slot_was_set(asserted: Asserted, value: Value) -> Value:
    for slot in map(_slot, as_list(value)):
        if "value" in slot:
            asserted.slots[str(slot["name"])] = _filled(slot["value"])
        else:
            asserted.slot_names.append(str(slot["name"]))
    return ""


def _slot_was_not_set(asserted: Asserted, value: Value) -> Value:
    slots = list(map(_slot, as_list(value)))
    asserted.slots |= {str(slot["name"]): "" for slot in slots if "value" not in slot}
    return [dict(slot) for slot in slots if "value" in slot]


def _slot(value: Value) -> Mapping[str, Value]:
    """Return a slot with its name; it may be written as the name alone."""
    slot = as_mapping(value)
    return slot if "name" in slot else {"name": str(value)}


def _filled(value: Value) -> str:
    return "" if str(value) in _NOTHING else str(value)


def _action_executed(asserted: Asserted, value: Value) -> Value:
    asserted.actions += [str(name) for name in as_list(value)]
    return ""


def _bot_uttered(asserted: Asserted, value: Value) -> Value:
    uttered = as_mapping(value)
    asserted.actions += _texts(uttered, "utter_name")
    asserted.said += [_expression(text) for text in _texts(uttered, "text_matches")]
    buttons = [as_mapping(button) for button in as_list(uttered.get("buttons"))]
    asserted.buttons += [str(button["title"]) for button in buttons if "title" in button]
    return _others(uttered, "utter_name", "text_matches", "buttons")


def _bot_did_not_utter(asserted: Asserted, value: Value) -> Value:
    uttered = as_mapping(value)
    asserted.unsaid_actions += _texts(uttered, "utter_name")
    asserted.unsaid += [_expression(text) for text in _texts(uttered, "text_matches")]
    return _others(uttered, "utter_name", "text_matches")


def _texts(uttered: Mapping[str, Value], key: str) -> list[str]:
    return [str(uttered[key]).strip()] if str(uttered.get(key) or "").strip() else []


def _others(uttered: Mapping[str, Value], *known: str) -> Value:
    return {key: value for key, value in uttered.items() if key not in known}


def _expression(text: str) -> Pattern:
    """Return a text as the expression that Rasa looks for; one that is none stands for itself."""
    try:
        regex.compile(text)
    except regex.error:
        return Pattern(text, Match.CONTAINS)
    return Pattern(text, Match.REGEX)


_READERS: Mapping[str, Callable[[Asserted, Value], Value]] = {
    "flow_started": _flow_started,
    "slot_was_set": _slot_was_set,
    "slot_was_not_set": _slot_was_not_set,
    "action_executed": _action_executed,
    "bot_uttered": _bot_uttered,
    "bot_did_not_utter": _bot_did_not_utter,
}

Responses = Mapping[str, tuple[str, ...]]
NAMES = ("domain.yml", "domain.yaml", "domain")
# Tests are kept in folders of folders: so far up a domain is looked for.
FOLDERS_ABOVE = 4
_VARIABLE = re.compile(r"\{[^{}\s]+\}")


def find_domain(file: Path) -> Path | None:
    """Return the domain of a file of tests: `domain.yml` or the folder `domain`, beside it or above."""
    beside = file.resolve().parent
    for folder in (beside, *list(beside.parents)[:FOLDERS_ABOVE]):
        for name in NAMES:
            place = folder / name
            if place.is_file() or (place.is_dir() and _files(place)):
                return place
    return None


def read_responses(domain: Path) -> Responses:
    """Return the texts of each `utter_` action; values that Rasa puts in become wildcards."""
    texts: dict[str, tuple[str, ...]] = {}
    for file in _files(domain) if domain.is_dir() else [domain]:
        responses = as_mapping(as_mapping(read_yaml(file).value).get("responses"))
        texts |= {
            name: tuple(
                _VARIABLE.sub("*", str(text)).strip()
                for variant in as_list(variants)
                if (text := as_mapping(variant).get("text")) is not None
            )
            for name, variants in responses.items()
        }
    return texts


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in (".yml", ".yaml"))
