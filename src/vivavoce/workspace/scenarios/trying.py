"""An answer held against what a turn expects: what passes, seen while the scenario is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from vivavoce.conversations import Scenario, Suite, match_reply
from vivavoce.conversations.scenario import Expectation


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
    texts = [line for line in answer.splitlines() if line.strip()]
    trials: list[Trial] = []
    for rule, patterns in (("any", expect.any), ("all", expect.all), ("none", expect.none)):
        for pattern in patterns:
            match = match_reply(pattern, texts, default=suite.defaults.match, values=values)
            trials.append(Trial(rule, pattern.text, match.passed != (rule == "none"), match.why))
    if not trials:
        return Tried((), None)
    chosen = [trial.passed for trial in trials if trial.rule == "any"]
    others = [trial.passed for trial in trials if trial.rule != "any"]
    return Tried(tuple(trials), (any(chosen) or not chosen) and all(others))
