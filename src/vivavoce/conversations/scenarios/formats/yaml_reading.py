"""Scenarios in YAML, read: every scalar is text, unknown keys are refused, all faults are told at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    Scenario,
    Step,
    Suite,
    Turn,
    UserInput,
)
from vivavoce.conversations.scenarios.formats.yaml_fields import (
    PATTERN_KINDS,
    Place,
    Reader,
    choice,
    flag,
    list_of,
    names_with,
    number,
    pattern,
    patterns,
    read_fields,
    share,
    text,
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
REMEDY = say("fix these places and try again; docs/scenarios.md lists all keys")


def parse_yaml_suite(written: str, *, source: str = "memory") -> Suite:
    """Read scenarios from a text."""
    return suite_from_yaml(parse_yaml(written, source=source))


def suite_from_yaml(file: YamlFile) -> Suite:
    """Make a suite of a file as read; raise one `DataError` with all faults."""
    faults: list[Fault] = []
    at = Place(file, faults)
    if "topics" in as_mapping(file.value):
        at.down("topics").refuse(say("this is an agent file (it has `topics`), not a scenario file"))
        suite = Suite("", ())
    else:
        suite = read_suite_value(file.value, at)
    if faults:
        raise DataError(say("these scenarios are invalid"), where=file.path, faults=faults, remedy=REMEDY)
    return suite


def read_suite_value(value: Value, at: Place) -> Suite:
    """Read a whole suite."""
    fields, extras = read_fields(value, at, SUITE, "a suite")
    if not fields:
        at.refuse(say("no scenarios: add a list under `scenarios:`"))
    fields.pop("format", None)
    for key in ("language", "agent"):
        if not fields.get(key):
            fields.pop(key, None)
    fields["name"] = fields.pop("suite", "") or Path(at.file.path).stem
    fields["levels"] = levels = (*LEVELS, *[level for level in fields.get("levels", ()) if level not in LEVELS])
    for place, scenario in enumerate(fields.setdefault("scenarios", ())):
        if scenario.level and scenario.level not in levels:
            at.down("scenarios").down(place).down("level").refuse(describe_unknown_level(scenario.level, levels))
    return Suite(**fields, source=at.file.path, extras=extras)


def describe_unknown_level(level: str, levels: Sequence[str]) -> str:
    """Say that nobody declared a level."""
    return f"'{level}' is not a level.{nearest(level, levels)} You can declare more under `levels:`"


def read_scenario(value: Value, at: Place) -> Scenario:
    """Read one scenario."""
    fields, extras = read_fields(value, at, SCENARIO, "a scenario")
    for key in ("id", "level", "turns"):
        if key not in fields or fields[key] == "":
            at.refuse(say("the scenario has no `{key}`", key=key))
    needed = {"id": "", "level": "", "turns": (), "setup_slots": fields.pop("setup", {})}
    return Scenario(**needed | fields, line=at.line, extras=extras)


def read_step(value: Value, at: Place) -> Step:
    """Read a turn, or the place where a part is put in."""
    if isinstance(value, dict) and "include" in value:
        return Include(read_fields(value, at, {"include": text}, "an `include`")[0]["include"])
    fields, extras = read_fields(value, at, TURN, "a turn")
    if "user" not in fields:
        at.refuse(say("the turn has no `user`: enter what the visitor writes"))
    if fields.get("twin_of") == "":
        del fields["twin_of"]
    return Turn(fields.pop("user", ""), **fields, line=at.line, extras=extras)


def _user(value: Value, at: Place) -> UserInput:
    """Read what the visitor writes: a text, a phrase of a list, or a click."""
    if isinstance(value, str):
        return value
    fields, _ = read_fields(value, at, USER, "`user`")
    if "button" in fields and not {"list", "pick"} & set(value):
        return Button(fields["button"])
    if "list" in fields and "button" not in fields:
        return Phrase(fields["list"], fields.get("pick"))
    at.refuse(say("`user` must be a text, `{list: NAME}`, `{list: NAME, pick: 2}` or `{button: LABEL}`"))
    return ""


def _expectation(value: Value, at: Place) -> Expectation:
    if isinstance(value, str):
        return SHORT.get(value) or Expectation(intents=(value,))
    fields, extras = read_fields(value, at, EXPECT, "`expect`")
    fields |= fields.pop("reply", {})
    for key in ("intent", "order"):
        if key in fields:
            fields[ATTRIBUTES[key]] = fields.pop(key)
    actions = fields.pop("action", ())
    if len(actions) == 1 and not actions[0].args:
        fields["action"] = actions[0].name
    else:
        fields["actions"] = actions
    return Expectation(**fields, extras=extras)


def _actions(value: Value, at: Place) -> tuple[ExpectedAction, ...]:
    """Read the actions that the bot should take: a name, a name with arguments, or a list of them."""
    if isinstance(value, list):
        return tuple(action for actions in list_of(_actions)(value, at) for action in actions)
    if isinstance(value, str):
        return (ExpectedAction(value),) if value else ()
    fields, _ = read_fields(value, at, ACTION, "`action`")
    if not fields.get("name"):
        at.refuse(say("`action` has no `name`"))
    return (ExpectedAction(fields.get("name", ""), fields.get("args", {})),)


def _arguments(value: Value, at: Place) -> dict[str, Value]:
    if isinstance(value, dict):
        return value
    at.refuse(say("`args` must contain names with values"))
    return {}


def _reply(value: Value, at: Place) -> dict[str, Any]:
    """Read the expected texts; without `any`, `all` or `none` they are alternatives."""
    if isinstance(value, dict) and not set(value) & {*PATTERN_KINDS, "text"}:
        return read_fields(value, at, REPLY, "`reply`")[0]
    return {"any": patterns(value, at)}


def _order(value: Value, at: Place) -> bool:
    word = text(value, at)
    if word not in ("", "any", "given"):
        at.refuse(say("`order` must be `any` or `given`, not '{word}'", word=word))
    return word == "any"


def _format(value: Value, at: Place) -> str:
    written = text(value, at)
    if written != "1":
        at.refuse(say("unknown format '{written}': this version reads format 1", written=written))
    return written


def _rows(value: Value, at: Place) -> dict[str, dict[str, str]]:
    rows: dict[str, dict[str, str]] = {}

    def read_row(item: Value, place: Place) -> None:
        row = names_with(text)(item, place)
        name = row.pop("id", "")
        if not name:
            place.refuse(say("the row has no `id`"))
        elif name in rows:
            place.refuse(say("duplicate row '{name}'", name=name))
        rows[name] = row

    list_of(read_row)(value, at)
    return rows


def _parts(value: Value, at: Place) -> dict[str, tuple[Step, ...]]:
    if isinstance(value, dict):
        return {name: list_of(read_step)(item, at.down(name)) for name, item in value.items()}
    if value != "":
        at.refuse(say("`parts` must be a list of `name: turns`"))
    return {}


# Files are written with the keys in the order of these tables.
Fields = Mapping[str, Reader[Any]]
REPLY: Fields = dict.fromkeys(("any", "all", "none"), patterns)
ACTION: Fields = {"name": text, "args": _arguments}
USER: Fields = {"list": text, "pick": whole, "button": text}
EXPECT: Fields = {
    "counted": flag,
    "intent": texts,
    "fallback": flag,
    "same": flag,
    "min_confidence": share,
    "margin_over": share,
    "reply": _reply,
    "accepted": texts,
    "order": _order,
    "slots": names_with(text),
    "slots_after": names_with(text),
    "slot_names": texts,
    "slot_values": texts,
    "buttons": texts,
    "cards": texts,
    "media": texts,
    "action": _actions,
    "within_ms": number(),
    "answered": flag,
    "optional": flag,
}
TURN: Fields = {
    "id": text,
    "user": _user,
    "kind": choice(Kind),
    "twin_of": text,
    "save": names_with(pattern),
    "wait_s": number(),
    "pause_ms": number(),
    "note": text,
    "expect": _expectation,
}
SETUP: Fields = {"slots": names_with(text)}
SCENARIO: Fields = {
    "id": text,
    "title": text,
    "domain": text,
    "level": text,
    "tags": texts,
    "rows": texts,
    "on_mismatch": choice(OnMismatch),
    "setup": lambda value, at: read_fields(value, at, SETUP, "`setup`")[0].get("slots", {}),
    "note": text,
    "turns": list_of(read_step),
}
DEFAULTS: Fields = {
    "match": choice(Match),
    "on_mismatch": choice(OnMismatch),
    "wait_s": number(),
    "settle_ms": number(),
}
FALLBACK_RULE: Fields = {"intents": texts, "replies": texts}
SUITE: Fields = {
    "format": _format,
    "suite": text,
    "title": text,
    "language": text,
    "notice": text,
    "agent": text,
    "levels": texts,
    "defaults": lambda value, at: Defaults(**read_fields(value, at, DEFAULTS, "`defaults`")[0]),
    "fallback": lambda value, at: FallbackRule(**read_fields(value, at, FALLBACK_RULE, "`fallback`")[0]),
    "lists": names_with(texts),
    "rows": _rows,
    "parts": _parts,
    "scenarios": list_of(read_scenario),
}
# Where a key is not called as its attribute.
ATTRIBUTES = {"suite": "name", "intent": "intents", "order": "order_any", "action": "all_actions"}
