"""Scenarios into YAML: what is read back is the same suite; what has its default is left out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vivavoce.conversations.scenario import (
    LEVELS,
    Button,
    Defaults,
    Expectation,
    ExpectedAction,
    Include,
    Kind,
    Pattern,
    Phrase,
    Said,
    Scenario,
    Step,
    Suite,
    Turn,
)
from vivavoce.conversations.scenarios.formats.yaml_reading import ANY, FALLBACK, SAME, SHORT
from vivavoce.files.writing import write_text
from vivavoce.files.yamls import dump_yaml

FORMAT = 1
Written = dict[str, Any]


def write_yaml_suite(suite: Suite, path: str | Path) -> None:
    """Write a file of scenarios."""
    write_text(path, dump_yaml(suite_value(suite)))


def suite_value(suite: Suite) -> Written:
    """Return a suite as it stands in YAML."""
    return {"format": FORMAT, **head_value(suite), "scenarios": [scenario_value(one) for one in suite.scenarios]}


def head_value(suite: Suite) -> Written:
    """Return all of a suite but its scenarios."""
    return _given(
        suite=suite.name,
        title=suite.title,
        language=suite.language if suite.language != "en" else None,
        notice=suite.notice,
        agent=suite.agent,
        levels=[level for level in suite.levels if level not in LEVELS],
        defaults=_defaults_value(suite.defaults),
        fallback=_given(intents=list(suite.fallback.intents), replies=list(suite.fallback.replies)),
        lists={name: list(phrases) for name, phrases in suite.lists.items()},
        rows=[{"id": name, **row} for name, row in suite.rows.items()],
        parts={name: [step_value(step) for step in steps] for name, steps in suite.parts.items()},
    ) | dict(suite.extras)


def scenario_value(scenario: Scenario) -> Written:
    """Return a scenario as it stands in YAML."""
    return {**scenario_head(scenario), "turns": [step_value(step) for step in scenario.turns]}


def scenario_head(scenario: Scenario) -> Written:
    """Return all of a scenario but its turns."""
    return {
        "id": scenario.id,
        **_given(
            title=scenario.title,
            domain=scenario.domain,
            level=scenario.level,
            tags=list(scenario.tags),
            rows=list(scenario.rows),
            on_mismatch=scenario.on_mismatch and scenario.on_mismatch.value,
            setup=_given(slots=dict(scenario.setup_slots)),
            note=scenario.note,
        ),
        **scenario.extras,
    }


def step_value(step: Step) -> Written:
    """Return a turn, or an `include`, as it stands in YAML."""
    if isinstance(step, Include):
        return {"include": step.part}
    return turn_value(step) | {"expect": expect_value(step.expect)}


def turn_value(turn: Turn) -> Written:
    """Return a turn without its expectation."""
    return {
        **_given(id=turn.id),
        "user": _said_value(turn.user),
        **_given(
            kind=turn.kind.value if turn.kind is not Kind.CLEAN else None,
            twin_of=turn.twin_of,
            save={name: pattern_value(pattern) for name, pattern in turn.save.items()},
            wait_s=_number(turn.wait_s),
            pause_ms=_number(turn.pause_ms),
            note=turn.note,
        ),
        **turn.extras,
    }


def expect_value(expect: Expectation) -> str | Written:
    """Return an expectation in its short form where there is one."""
    for word in (ANY, FALLBACK, SAME):
        if expect == SHORT[word]:
            return word
    if len(expect.intents) == 1 and expect.intents[0] not in SHORT and expect == Expectation(intents=expect.intents):
        return expect.intents[0]
    return expect_mapping(expect)


def expect_mapping(expect: Expectation) -> Written:
    """Return an expectation key by key."""
    reply = {
        key: [pattern_value(pattern) for pattern in patterns]
        for key, patterns in (("any", expect.any), ("all", expect.all), ("none", expect.none))
        if patterns
    }
    intents = list(expect.intents)
    actions = [action_value(action) for action in expect.all_actions]
    return _given(
        counted=None if expect.counted else False,
        intent=intents[0] if len(intents) == 1 and intents[0] else intents,
        fallback=expect.fallback or None,
        same=expect.same or None,
        min_confidence=_number(expect.min_confidence),
        margin_over=_number(expect.margin_over),
        reply=reply,
        order="any" if expect.order_any else None,
        slots=dict(expect.slots),
        slots_after=dict(expect.slots_after),
        slot_names=list(expect.slot_names),
        slot_values=list(expect.slot_values),
        buttons=list(expect.buttons),
        cards=list(expect.cards),
        media=list(expect.media),
        action=actions[0] if len(actions) == 1 else actions,
        within_ms=_number(expect.within_ms),
        answered=expect.answered or None,
        optional=expect.optional or None,
    ) | dict(expect.extras)


def action_value(action: ExpectedAction) -> str | Written:
    """Return an expected action; its name alone where no arguments are expected."""
    return {"name": action.name, "args": dict(action.args)} if action.args else action.name


def pattern_value(pattern: Pattern) -> str | Written:
    """Return an expected text; plain where nothing more is said."""
    if pattern.match is None and pattern.minimum is None:
        return pattern.text
    kind = pattern.match.value if pattern.match else "text"
    return {kind: pattern.text, **_given(min=_number(pattern.minimum))}


def _said_value(said: Said) -> str | Written:
    if isinstance(said, Button):
        return {"button": said.label}
    if isinstance(said, Phrase):
        return {"list": said.list, **_given(pick=said.pick)}
    return said


def _defaults_value(defaults: Defaults) -> Written:
    usual = Defaults()
    return _given(
        match=defaults.match.value if defaults.match is not usual.match else None,
        on_mismatch=defaults.on_mismatch.value if defaults.on_mismatch is not usual.on_mismatch else None,
        wait_s=_number(defaults.wait_s),
        settle_ms=_number(defaults.settle_ms),
    )


def _number(value: float | None) -> float | None:
    """Return a number as people write it: 2000, not 2000.0."""
    return int(value) if value is not None and float(value).is_integer() and abs(value) < 1e15 else value


def _given(**fields: object) -> Written:
    """Return the fields that say something."""
    return {key: value for key, value in fields.items() if not _empty(value)}


def _empty(value: object) -> bool:
    return value is None or value == "" or (isinstance(value, (list, Mapping)) and not value)
