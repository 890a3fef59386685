"""What stories of Rasa are made of: messages with marked entities, assertions of Rasa Pro, and the domain."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

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

    def unmark(match: re.Match[str]) -> str:
        if match["name"]:
            name, _, value = match["name"].partition(":")
            marks = [{"entity": name, "value": value} if value else {"entity": name}]
        else:
            try:
                mark = json.loads(match["one"] or match["many"])
            except ValueError:
                return match[0]
            marks = mark if isinstance(mark, list) else [mark]
            if not all(isinstance(each, dict) and "entity" in each for each in marks):
                return match[0]
        for each in marks:
            name = str(each.pop("entity"))
            value = str(each.pop("value", match["text"]))
            if each or name in slots:
                aside.append({name: {**each, "value": value}})
            slots.setdefault(name, value)
        return match["text"]

    return _ENTITY.sub(unmark, text), slots, aside


def mark_message(text: str, slots: Mapping[str, str]) -> str:
    """Mark the slots whose value is in a message; those that cannot be marked are left out."""
    marks: list[tuple[int, int, str]] = []
    marked = text
    for name, value in slots.items():
        span = _find_free_span(text, value, marks)
        if span is None:
            continue
        part = text[slice(*span)]
        if part == value and re.fullmatch(r"[\w-]+", name):
            mark = f"[{part}]({name})"
        else:
            facts = {"entity": name} if part == value else {"entity": name, "value": value}
            mark = f"[{part}]{json.dumps(facts, ensure_ascii=False)}"
        tried = sorted([*marks, (*span, mark)])
        candidate = text
        for begin, end, each in reversed(tried):
            candidate = f"{candidate[:begin]}{each}{candidate[end:]}"
        if plain_message(candidate)[:2] == (text, {**plain_message(marked)[1], name: value}):
            marks, marked = tried, candidate
    return marked


def _find_free_span(text: str, value: str, taken: list[tuple[int, int, str]]) -> tuple[int, int] | None:
    if not value.strip():
        return None
    # Whole words first: "on" is not meant in "London".
    escaped = re.escape(value)
    for expression in (rf"(?<!\w){escaped}(?!\w)", escaped):
        for match in re.finditer(expression, text, re.IGNORECASE):
            begin, end = match.span()
            if all(end <= other or begin >= last for other, last, _ in taken):
                return begin, end
    return None


ASSERTIONS = "assertions"
# The flow with which Rasa says that it did not understand; the other `pattern_` flows are no topics of a visitor.
CANNOT_HANDLE = "pattern_cannot_handle"
_PATTERN = "pattern_"
NOTHING = ("null", "~", "")


@dataclass
class Asserted:
    """What the assertions of one message expect. `rest`: those without a place here, each with its line."""

    flows: tuple[str, ...] = ()
    fallback: bool = False
    actions: list[str] = field(default_factory=list)
    texts: list[Pattern] = field(default_factory=list)
    forbidden: list[Pattern] = field(default_factory=list)
    forbidden_actions: list[str] = field(default_factory=list)
    buttons: list[str] = field(default_factory=list)
    slots: dict[str, str] = field(default_factory=dict)
    slot_names: list[str] = field(default_factory=list)
    rest: list[tuple[str, Value, int]] = field(default_factory=list)


def read_assertions(listed: Value | None, lines: Sequence[int]) -> Asserted:
    """Read the assertions of a `user` step; `lines`: the line of each of them."""
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
    for slot in map(_read_slot, as_list(value)):
        name = str(slot["name"])
        if "value" in slot:
            asserted.slots[name] = "" if str(slot["value"]) in NOTHING else str(slot["value"])
        else:
            asserted.slot_names.append(name)
    return ""


def _slot_was_not_set(asserted: Asserted, value: Value) -> Value:
    slots = list(map(_read_slot, as_list(value)))
    asserted.slots |= {str(slot["name"]): "" for slot in slots if "value" not in slot}
    return [dict(slot) for slot in slots if "value" in slot]


def _read_slot(value: Value) -> Mapping[str, Value]:
    """Return a slot with its name; it may be written as the name alone."""
    slot = as_mapping(value)
    return slot if "name" in slot else {"name": str(value)}


def _action_executed(asserted: Asserted, value: Value) -> Value:
    asserted.actions += [str(name) for name in as_list(value)]
    return ""


def _bot_uttered(asserted: Asserted, value: Value) -> Value:
    buttons = [as_mapping(button) for button in as_list(as_mapping(value).get("buttons"))]
    asserted.buttons += [str(button["title"]) for button in buttons if "title" in button]
    return _read_utterance(value, asserted.actions, asserted.texts, "buttons")


def _bot_did_not_utter(asserted: Asserted, value: Value) -> Value:
    return _read_utterance(value, asserted.forbidden_actions, asserted.forbidden)


def _read_utterance(value: Value, actions: list[str], texts: list[Pattern], *known: str) -> Value:
    """Add the action and the text of an utterance; return the rest of it but for known keys."""
    uttered = as_mapping(value)
    name, text = (str(uttered.get(key) or "").strip() for key in ("utter_name", "text_matches"))
    actions += [name] if name else []
    texts += [_read_expression(text)] if text else []
    return {key: item for key, item in uttered.items() if key not in ("utter_name", "text_matches", *known)}


def _read_expression(text: str) -> Pattern:
    """Return a text as the expression that Rasa looks for; any other text is looked for as it is."""
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
# Tests are kept in folders of folders: a domain is looked for this far up.
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
