"""Scenarios into YAML: what is read back is the same suite; what has its default is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from enum import StrEnum
from functools import cache
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
    Pattern,
    Phrase,
    Scenario,
    Step,
    Suite,
    Turn,
)
from vivavoce.conversations.scenarios.formats.yaml_reading import (
    ANY,
    ATTRIBUTES,
    DEFAULTS,
    EXPECT,
    FALLBACK,
    FALLBACK_RULE,
    SAME,
    SCENARIO,
    SHORT,
    SUITE,
    TURN,
)
from vivavoce.files.writing import write_text
from vivavoce.files.yamls import dump_yaml

FORMAT = 1
Written = dict[str, Any]


def write_yaml_suite(suite: Suite, path: str | Path) -> None:
    """Write a file of scenarios."""
    write_text(path, dump_yaml(suite_value(suite)))


def suite_value(suite: Suite) -> Written:
    """Return a suite as YAML holds it."""
    return {"format": FORMAT, **head_value(suite), "scenarios": [scenario_value(each) for each in suite.scenarios]}


def head_value(suite: Suite) -> Written:
    """Return all of a suite but its scenarios."""
    levels = [level for level in suite.levels if level not in LEVELS]
    rows = [{"id": name, **row} for name, row in suite.rows.items()]
    return _write_fields(suite, [*SUITE][1:-1], levels=levels, rows=rows) | dict(suite.extras)


def scenario_value(scenario: Scenario) -> Written:
    """Return a scenario as YAML holds it."""
    return {**scenario_head(scenario), "turns": [step_value(step) for step in scenario.turns]}


def scenario_head(scenario: Scenario) -> Written:
    """Return all of a scenario but its turns."""
    setup = {"slots": dict(scenario.setup_slots)} if scenario.setup_slots else {}
    return {"id": scenario.id, **_write_fields(scenario, [*SCENARIO][1:-1], setup=setup), **scenario.extras}


def step_value(step: Step) -> Written:
    """Return a turn, or an `include`, as YAML holds it."""
    if isinstance(step, Include):
        return {"include": step.part}
    return turn_value(step) | {"expect": _expect_value(step.expect)}


def turn_value(turn: Turn) -> Written:
    """Return a turn without its expectation."""
    return {
        **({"id": turn.id} if turn.id else {}),
        "user": _plain(turn.user),
        **_write_fields(turn, [*TURN][2:-1]),
        **turn.extras,
    }


def _expect_value(expect: Expectation) -> str | Written:
    for word in (ANY, FALLBACK, SAME):
        if expect == SHORT[word]:
            return word
    if len(expect.intents) == 1 and expect.intents[0] not in SHORT and expect == Expectation(intents=expect.intents):
        return expect.intents[0]
    return expect_mapping(expect)


def expect_mapping(expect: Expectation) -> Written:
    """Return an expectation key by key."""
    actions = [_plain(action) for action in expect.all_actions]
    return _write_fields(
        expect,
        EXPECT,
        intent=expect.intents[0] if len(expect.intents) == 1 and expect.intents[0] else list(expect.intents),
        reply=_write_fields(expect, ("any", "all", "none")),
        order="any" if expect.order_any else "",
        action=actions[0] if len(actions) == 1 else actions,
    ) | dict(expect.extras)


def pattern_value(pattern: Pattern) -> str | Written:
    """Return an expected text; plain where nothing more is said."""
    if pattern.match is None and pattern.minimum is None:
        return pattern.text
    minimum = {} if pattern.minimum is None else {"min": _plain(pattern.minimum)}
    return {pattern.match.value if pattern.match else "text": pattern.text, **minimum}


def _write_fields(record: object, keys: Iterable[str], **written: object) -> Written:
    """Return the keys of a record that say something; `written` are ready."""
    kind: Any = type(record)
    usual = _find_defaults(kind)
    content = dict.fromkeys(keys) | written
    for key in content.keys() - written.keys():
        name = ATTRIBUTES.get(key, key)
        value = getattr(record, name)
        content[key] = None if value == usual[name] else _plain(value)
    return {key: value for key, value in content.items() if value is not None and value not in ("", [], {})}


@cache
def _find_defaults(kind: Any) -> Mapping[str, object]:
    return {field.name: field.default for field in fields(kind)}


def _plain(value: Any) -> Any:
    if type(value) in _WRITERS:
        return _WRITERS[type(value)](value)
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return value.value if isinstance(value, StrEnum) else value


_WRITERS: Mapping[type, Callable[[Any], Any]] = {
    Pattern: pattern_value,
    Turn: step_value,
    Include: step_value,
    Button: lambda button: {"button": button.label},
    Phrase: lambda phrase: {"list": phrase.list} | ({} if phrase.pick is None else {"pick": phrase.pick}),
    ExpectedAction: lambda action: {"name": action.name, "args": dict(action.args)} if action.args else action.name,
    Defaults: lambda record: _write_fields(record, DEFAULTS),
    FallbackRule: lambda record: _write_fields(record, FALLBACK_RULE),
    tuple: lambda items: [_plain(item) for item in items],
    # As people write numbers: 2000, not 2000.0.
    float: lambda number: int(number) if number.is_integer() and abs(number) < 1e15 else number,
}
