"""A plan as JSON and back, without loss: a record holds it, so that a run can be judged without its files.

What has its default is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any

from vivavoce.conversations.scenario import (
    Defaults,
    Expectation,
    ExpectedAction,
    FallbackRule,
    Kind,
    Match,
    OnMismatch,
    Pattern,
    Plan,
    Script,
    ScriptTurn,
)

Json = dict[str, Any]
Change = Callable[[Any], Any]


def plan_to_json(plan: Plan) -> Json:
    """Return a plan as plain JSON."""
    packed = _packed(plan, _PLAN)
    return packed | {"scripts": [script_to_json(script) for script in plan.scripts]}


def plan_from_json(data: Mapping[str, Any]) -> Plan:
    """Return the plan that `plan_to_json` was given."""
    scripts = tuple(_script(each) for each in data["scripts"])
    return Plan(**_changed({**data, "scripts": scripts}, _PLAN_BACK))


def script_to_json(script: Script) -> Json:
    """Return one script as plain JSON."""
    return _packed(script, _SCRIPT) | {"turns": [turn_to_json(turn) for turn in script.turns]}


def turn_to_json(turn: ScriptTurn) -> Json:
    """Return one turn as plain JSON."""
    return _packed(turn, _TURN)


def _script(data: Mapping[str, Any]) -> Script:
    turns = tuple(ScriptTurn(**_changed(each, _TURN_BACK)) for each in data["turns"])
    return Script(**_changed({**data, "turns": turns}, _SCRIPT_BACK))


def _expectation_to_json(expect: Expectation) -> Json:
    return _packed(expect, _EXPECT)


def _expectation(data: Mapping[str, Any]) -> Expectation:
    return Expectation(**_changed(data, _EXPECT_BACK))


def _pattern_to_json(pattern: Pattern) -> str | Json:
    return pattern.text if pattern.match is None and pattern.minimum is None else _packed(pattern, _PATTERN)


def _pattern(data: str | Mapping[str, Any]) -> Pattern:
    return Pattern(data) if isinstance(data, str) else Pattern(**_changed(data, _PATTERN_BACK))


def _patterns_to_json(patterns: Sequence[Pattern]) -> list[str | Json]:
    return [_pattern_to_json(pattern) for pattern in patterns]


def _patterns(data: Sequence[str | Mapping[str, Any]]) -> tuple[Pattern, ...]:
    return tuple(_pattern(each) for each in data)


def _actions_to_json(actions: Sequence[ExpectedAction]) -> list[Json]:
    return [{"name": action.name, "args": dict(action.args)} for action in actions]


def _actions(data: Sequence[Mapping[str, Any]]) -> tuple[ExpectedAction, ...]:
    return tuple(ExpectedAction(each["name"], each["args"]) for each in data)


def _save_to_json(save: Mapping[str, Pattern]) -> Json:
    return {name: _pattern_to_json(pattern) for name, pattern in save.items()}


def _save(data: Mapping[str, Any]) -> dict[str, Pattern]:
    return {name: _pattern(each) for name, each in data.items()}


Packing = tuple[tuple[str, object, Change | None], ...]


def _packing(kind: type, changes: Mapping[str, Change], skip: Sequence[str] = ()) -> Packing:
    """List the fields of a class with their defaults and what makes JSON of them."""
    found: list[tuple[str, object, Change | None]] = []
    for field in fields(kind):
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        if field.name not in skip:
            found.append((field.name, default, changes.get(field.name)))
    return tuple(found)


def _packed(record: object, packing: Packing) -> Json:
    packed: Json = {}
    for name, default, change in packing:
        value = getattr(record, name)
        if value is not default and value != default:
            packed[name] = change(value) if change else value
    return packed


def _changed(data: Mapping[str, Any], changes: Mapping[str, Change]) -> Json:
    return {name: changes[name](value) if name in changes else value for name, value in data.items()}


def _value(kind: Any) -> str:
    return str(kind.value)


def _fallback_to_json(rule: FallbackRule) -> Json:
    return _packed(rule, _FALLBACK)


def _defaults_to_json(defaults: Defaults) -> Json:
    return _packed(defaults, _DEFAULTS)


_TEXTS = ("intents", "slot_names", "slot_values", "buttons", "cards", "media")
_PATTERNS = ("any", "all", "none")
_MAPS = ("slots", "slots_after", "extras")
_PATTERN = _packing(Pattern, {"match": _value})
_PATTERN_BACK: Mapping[str, Change] = {"match": Match}
_EXPECT = _packing(
    Expectation,
    {
        **dict.fromkeys(_TEXTS, list),
        **dict.fromkeys(_PATTERNS, _patterns_to_json),
        **dict.fromkeys(_MAPS, dict),
        "actions": _actions_to_json,
    },
)
_EXPECT_BACK: Mapping[str, Change] = {
    **dict.fromkeys(_TEXTS, tuple),
    **dict.fromkeys(_PATTERNS, _patterns),
    "actions": _actions,
}
_TURN = _packing(ScriptTurn, {"expect": _expectation_to_json, "kind": _value, "twin": list, "save": _save_to_json})
_TURN_BACK: Mapping[str, Change] = {"expect": _expectation, "kind": Kind, "twin": tuple, "save": _save}
_SCRIPT = _packing(Script, {"tags": list, "on_mismatch": _value, "setup_slots": dict}, skip=("turns",))
_SCRIPT_BACK: Mapping[str, Change] = {"tags": tuple, "on_mismatch": OnMismatch}
_DEFAULTS = _packing(Defaults, {"match": _value, "on_mismatch": _value})
_FALLBACK = _packing(FallbackRule, {"intents": list, "replies": list})
_PLAN = _packing(Plan, {"defaults": _defaults_to_json, "fallback": _fallback_to_json}, skip=("scripts",))
_PLAN_BACK: Mapping[str, Change] = {
    "defaults": lambda data: Defaults(**_changed(data, {"match": Match, "on_mismatch": OnMismatch})),
    "fallback": lambda data: FallbackRule(**_changed(data, {"intents": tuple, "replies": tuple})),
}
