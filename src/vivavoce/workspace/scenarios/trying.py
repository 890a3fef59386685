"""An answer held against what a turn expects: what passes, seen while the scenario is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from vivavoce.conversations import Scenario, Suite, match_reply
from vivavoce.conversations.scenario import Expectation, Pattern


@dataclass(frozen=True, slots=True)
class Trial:
    """One expected text and what came of it. `rule`: any, all or none, as the scenario says."""

    rule: str
    text: str
    passed: bool
    why: str


@dataclass(frozen=True, slots=True)
class Tried:
    """All expected texts of a turn; `passed` None: none is expected, so that the words do not matter."""

    trials: tuple[Trial, ...]
    passed: bool | None


def try_answer(suite: Suite, scenario: Scenario, expect: Expectation, answer: str) -> Tried:
    """Hold an answer against the texts that a turn expects; lines are bubbles."""
    values: Mapping[str, str] = suite.rows.get(scenario.rows[0], {}) if scenario.rows else {}
    trials = tuple(_trials(suite, expect, answer, values))
    if not trials:
        return Tried((), None)
    chosen = [one.passed for one in trials if one.rule == "any"]
    others = [one.passed for one in trials if one.rule != "any"]
    return Tried(trials, (any(chosen) or not chosen) and all(others))


def _trials(suite: Suite, expect: Expectation, answer: str, values: Mapping[str, str]) -> Iterator[Trial]:
    texts = [line for line in answer.splitlines() if line.strip()]
    for rule, patterns in (("any", expect.any), ("all", expect.all), ("none", expect.none)):
        for pattern in patterns:
            yield _trial(suite, rule, pattern, texts, values)


def _trial(suite: Suite, rule: str, pattern: Pattern, texts: list[str], values: Mapping[str, str]) -> Trial:
    found = match_reply(pattern, texts, default=suite.defaults.match, values=values)
    passed = not found.passed if rule == "none" else found.passed
    return Trial(rule, pattern.text, passed, found.why)
