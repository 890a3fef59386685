"""Assertions of Rasa Pro end-to-end tests: what a `user` step expects of flows, slots, actions and replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import regex

from vivavoce.conversations.scenario import Match, Pattern
from vivavoce.files.yamls import Value, as_list, as_mapping

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
