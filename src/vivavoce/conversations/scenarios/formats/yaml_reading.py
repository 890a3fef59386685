"""Scenarios in YAML, read: every scalar is text, unknown keys are refused, all faults are told at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from vivavoce.conversations.scenario import (
    LEVELS,
    Button,
    Defaults,
    Expectation,
    ExpectedAction,
    FallbackRule,
    Include,
    Kind,
    Match,
    OnMismatch,
    Phrase,
    Said,
    Scenario,
    Step,
    Suite,
    Turn,
)
from vivavoce.conversations.scenarios.formats.yaml_fields import (
    PATTERN_KINDS,
    Place,
    Reader,
    choice,
    flag,
    number,
    pattern_map,
    patterns,
    read_fields,
    share,
    text,
    text_lists,
    text_map,
    texts,
    whole,
)
from vivavoce.errors import DataError, Fault, nearest
from vivavoce.files.yamls import Value, YamlFile, as_mapping, parse_yaml
from vivavoce.messages import say

ANY = "any"
FALLBACK = "fallback"
SAME = "same"
SHORT: Mapping[str, Expectation] = {
    "": Expectation(counted=False),
    ANY: Expectation(counted=False),
    FALLBACK: Expectation(fallback=True),
    SAME: Expectation(same=True),
}
REMEDY = say("correct these places and read the file again; docs/scenarios.md lists all keys")


def parse_yaml_suite(written: str, *, source: str = "memory") -> Suite:
    """Read scenarios from a text."""
    return suite_from_yaml(parse_yaml(written, source=source))


def suite_from_yaml(file: YamlFile) -> Suite:
    """Make a suite of a file as read; raise one `DataError` with all faults."""
    faults: list[Fault] = []
    at = Place(file, faults)
    if "topics" in as_mapping(file.value):
        at.down("topics").refuse(say("this is an agent file (it has `topics`), not a file of scenarios"))
        suite = Suite("", ())
    else:
        suite = read_suite_value(file.value, at)
    if faults:
        raise DataError(say("these scenarios cannot be read"), where=file.path, faults=faults, remedy=REMEDY)
    return suite


def read_suite_value(value: Value, at: Place) -> Suite:
    """Read a whole suite."""
    found, extras = read_fields(value, at, SUITE, "a suite")
    if not found:
        at.refuse(say("there are no scenarios: give a list under `scenarios:`"))
    for key in ("format", "language", "agent"):
        if key == "format" or not found.get(key):
            found.pop(key, None)
    found["name"] = found.pop("suite", "") or Path(at.file.path).stem
    found["levels"] = levels = (*LEVELS, *[level for level in found.get("levels", ()) if level not in LEVELS])
    scenarios = found.setdefault("scenarios", ())
    check_levels(scenarios, levels, at)
    return Suite(**_given(found), source=at.file.path, extras=extras)


def check_levels(scenarios: Sequence[Scenario], levels: Sequence[str], at: Place) -> None:
    """Refuse levels that nobody declared."""
    for place, scenario in enumerate(scenarios):
        if scenario.level and scenario.level not in levels:
            message = unknown_level(scenario.level, levels)
            at.down("scenarios").down(place).down("level").refuse(message)


def unknown_level(level: str, levels: Sequence[str]) -> str:
    """Say that nobody declared a level."""
    return f"'{level}' is not a level.{nearest(level, levels)} More can be declared under `levels:`"


def read_scenario(value: Value, at: Place) -> Scenario:
    """Read one scenario."""
    found, extras = read_fields(value, at, SCENARIO, "a scenario")
    for key in ("id", "level", "turns"):
        if key not in found or found[key] == "":
            at.refuse(say("the scenario has no `{key}`", key=key))
    setup = found.pop("setup", None) or {}
    needed = {"id": found.pop("id", ""), "level": found.pop("level", ""), "turns": found.pop("turns", ())}
    return Scenario(**needed, **_given(found), **setup, line=at.line, extras=extras)


def read_step(value: Value, at: Place) -> Step:
    """Read a turn, or the place where a part is put in."""
    if isinstance(value, dict) and "include" in value:
        found, _ = read_fields(value, at, {"include": text}, "an `include`")
        return Include(found["include"])
    return read_turn(value, at)


def read_turn(value: Value, at: Place) -> Turn:
    """Read one turn."""
    found, extras = read_fields(value, at, TURN, "a turn")
    if "user" not in found:
        at.refuse(say("the turn has no `user`: what does the visitor write?"))
    if found.get("twin_of") == "":
        del found["twin_of"]
    return Turn(found.pop("user", ""), **_given(found), line=at.line, extras=extras)


def read_steps(value: Value, at: Place) -> tuple[Step, ...]:
    """Read a list of turns."""
    return tuple(read_step(item, place) for item, place in _items(value, at))


def read_said(value: Value, at: Place) -> Said:
    """Read what the visitor writes: a text, a phrase of a list, or a click."""
    if isinstance(value, str):
        return value
    found, _ = read_fields(value, at, SAID, "`user`")
    if "button" in found and len(found) == 1:
        return Button(found["button"])
    if "list" in found and "button" not in found:
        return Phrase(found["list"], found.get("pick"))
    at.refuse(say("`user` is a text, `{list: NAME}`, `{list: NAME, pick: 2}` or `{button: LABEL}`"))
    return ""


def read_expectation(value: Value, at: Place) -> Expectation:
    """Read what should follow: a short form, or all of it."""
    if isinstance(value, str):
        return SHORT.get(value) or Expectation(intents=(value,))
    found, extras = read_fields(value, at, EXPECT, "`expect`")
    reply = found.pop("reply", None) or {}
    if "order" in found:
        found["order_any"] = found.pop("order")
    if "intent" in found:
        found["intents"] = found.pop("intent")
    actions = found.pop("action", ())
    if len(actions) == 1 and not actions[0].args:
        found["action"] = actions[0].name
    else:
        found["actions"] = actions
    return Expectation(**found, **reply, extras=extras)


def read_actions(value: Value, at: Place) -> tuple[ExpectedAction, ...]:
    """Read the actions that the bot should take: a name, a name with arguments, or a list of them."""
    if isinstance(value, list):
        return tuple(action for item, place in _items(value, at) for action in read_actions(item, place))
    if isinstance(value, str):
        return (ExpectedAction(value),) if value else ()
    found, _ = read_fields(value, at, ACTION, "`action`")
    if not found.get("name"):
        at.refuse(say("`action` has no `name`"))
    return (ExpectedAction(found.get("name", ""), found.get("args", {})),)


def _arguments(value: Value, at: Place) -> dict[str, Value]:
    if isinstance(value, dict):
        return value
    at.refuse(say("`args` must hold names with their values"))
    return {}


def read_reply(value: Value, at: Place) -> dict[str, Any]:
    """Read the expected texts; without `any`, `all` or `none` they are alternatives."""
    if isinstance(value, dict) and not set(value) & {*PATTERN_KINDS, "text"}:
        return read_fields(value, at, REPLY, "`reply`")[0]
    return {"any": patterns(value, at)}


def _order(value: Value, at: Place) -> bool:
    word = text(value, at)
    if word not in ("", "any", "given"):
        at.refuse(say("`order` is `any` or `given`, not '{word}'", word=word))
    return word == "any"


def _format(value: Value, at: Place) -> str:
    written = text(value, at)
    if written != "1":
        at.refuse(say("format '{written}' is not known: this version reads format 1", written=written))
    return written


def _rows(value: Value, at: Place) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for item, place in _items(value, at):
        row = text_map(item, place)
        name = row.pop("id", "")
        if not name:
            place.refuse(say("the row has no `id`"))
        elif name in found:
            place.refuse(say("there are two rows '{name}'", name=name))
        found[name] = row
    return found


def _parts(value: Value, at: Place) -> dict[str, tuple[Step, ...]]:
    if not isinstance(value, dict):
        if value != "":
            at.refuse(say("`parts` must be a list of `name: turns`"))
        return {}
    return {name: read_steps(item, at.down(name)) for name, item in value.items()}


def _scenarios(value: Value, at: Place) -> tuple[Scenario, ...]:
    return tuple(read_scenario(item, place) for item, place in _items(value, at))


def _items(value: Value, at: Place) -> list[tuple[Value, Place]]:
    if isinstance(value, list):
        return [(item, at.down(place)) for place, item in enumerate(value)]
    if value != "":
        at.refuse(say("this must be a list: begin each entry with `- `"))
    return []


def _defaults(value: Value, at: Place) -> Defaults:
    found, _ = read_fields(value, at, DEFAULTS, "`defaults`")
    return replace(Defaults(), **_given(found))


def _fallback(value: Value, at: Place) -> FallbackRule:
    return FallbackRule(**read_fields(value, at, FALLBACK_RULE, "`fallback`")[0])


def _setup(value: Value, at: Place) -> dict[str, Any]:
    found, _ = read_fields(value, at, {"slots": text_map}, "`setup`")
    return {"setup_slots": found["slots"]} if "slots" in found else {}


def _given(found: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what was read as nothing, so that the default holds."""
    return {key: item for key, item in found.items() if item is not None}


REPLY: Mapping[str, Reader] = dict.fromkeys(("any", "all", "none"), patterns)
ACTION: Mapping[str, Reader] = {"name": text, "args": _arguments}
SAID: Mapping[str, Reader] = {"list": text, "pick": whole, "button": text}
EXPECT: Mapping[str, Reader] = {
    "intent": texts,
    "fallback": flag,
    "same": flag,
    "counted": flag,
    "min_confidence": share,
    "margin_over": share,
    "reply": read_reply,
    "order": _order,
    "slots": text_map,
    "slots_after": text_map,
    "slot_names": texts,
    "slot_values": texts,
    "buttons": texts,
    "cards": texts,
    "media": texts,
    "action": read_actions,
    "within_ms": number(),
    "answered": flag,
    "optional": flag,
}
TURN: Mapping[str, Reader] = {
    "id": text,
    "user": read_said,
    "expect": read_expectation,
    "kind": choice(Kind),
    "twin_of": text,
    "save": pattern_map,
    "wait_s": number(),
    "pause_ms": number(),
    "note": text,
}
SCENARIO: Mapping[str, Reader] = {
    "id": text,
    "title": text,
    "domain": text,
    "level": text,
    "tags": texts,
    "rows": texts,
    "on_mismatch": choice(OnMismatch),
    "setup": _setup,
    "note": text,
    "turns": read_steps,
}
DEFAULTS: Mapping[str, Reader] = {
    "match": choice(Match),
    "on_mismatch": choice(OnMismatch),
    "wait_s": number(),
    "settle_ms": number(),
}
FALLBACK_RULE: Mapping[str, Reader] = {"intents": texts, "replies": texts}
SUITE: Mapping[str, Reader] = {
    "format": _format,
    "suite": text,
    "title": text,
    "language": text,
    "notice": text,
    "agent": text,
    "levels": texts,
    "defaults": _defaults,
    "fallback": _fallback,
    "lists": text_lists,
    "rows": _rows,
    "parts": _parts,
    "scenarios": _scenarios,
}
