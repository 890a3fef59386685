"""Draws for the conversations exam: judged suites of two bots that are equally good by construction.

Each scenario has its own chance to pass a turn, from a beta distribution with the given intra-class correlation; a
fifth of the turns is out of scope. Truths follow from the construction, but for numbers that are no ratio of sums
(mean F1 over topics, strengths), which are held against their mean over all draws.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from coverage_tally import Drawn
from numpy.typing import NDArray

from vivavoce.bots.protocol import BotFacts
from vivavoce.conversations.findings.comparison import CLOSE
from vivavoce.conversations.findings.finding import find
from vivavoce.conversations.result import ConversationsResult, Line, Verdict
from vivavoce.conversations.scenario import Plan
from vivavoce.conversations.transcript import ConversationKey, RunHeader
from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Rate, Status

BOTS = ("one", "other", "third")
TOPICS = ("pay", "leave", "parking", "remote")
OUT_OF_SCOPE_EVERY = 5
MILLISECONDS = 800.0


@dataclass(frozen=True)
class Design:
    """A suite: scenarios, turns in each, the chance that a turn passes, and how alike turns of a scenario are."""

    scenarios: int
    turns: int
    chance: float
    alike: float
    bots: int = 2


DESIGNS = {
    "12 scenarios x 5, 70 %, ICC 0.4": Design(12, 5, 0.7, 0.4),
    "12 scenarios x 5, 90 %, ICC 0.2": Design(12, 5, 0.9, 0.2),
    "30 scenarios x 5, 70 %, ICC 0.2": Design(30, 5, 0.7, 0.2),
    "60 scenarios x 5, 85 %, ICC 0.1": Design(60, 5, 0.85, 0.1),
    "20 scenarios x 5, 75 %, ICC 0.3, three bots": Design(20, 5, 0.75, 0.3, bots=3),
}


def draw_suite(name: str, number: int) -> Drawn:
    """Judge one suite."""
    design = DESIGNS[name]
    result = judge(design, np.random.default_rng([13, number]))
    cell, truths = result.cell(BOTS[0]), truths_of(design)
    rates = {key: rate for key, rate in cell.rates.items() if key in truths or key == "macro_f1"}
    rates["response time"] = cell.times.mean
    meetings = [one for one in result.comparisons if not one.domain and not one.level]
    first = meetings[0]
    rates["difference of two bots"] = Rate(first.difference, first.low, first.high, first.turns)
    if result.strengths:
        own = next(one for one in result.strengths if one.bot == BOTS[0])
        rates["strength"] = Rate(own.strength, own.low, own.high, design.scenarios)
    false = any(one.verdict != CLOSE for one in meetings)
    return Drawn(rates, truths, verdicts={"equals called different": false})


def truths_of(design: Design) -> dict[str, float]:
    """Return what the construction makes of each number."""
    p, out = design.chance, 1 / OUT_OF_SCOPE_EVERY
    right, wrong = (1 - out) * p, (1 - out) * (1 - p) / 2
    answers = right + wrong + out * (1 - p)
    a, b = p * (1 / design.alike - 1), (1 - p) * (1 / design.alike - 1)
    # The chance that all turns pass: the mean of q^turns for q of the beta distribution.
    steps = np.arange(design.turns)
    whole = float(np.prod((a + steps) / (a + b + steps)))
    return {
        "accuracy": p,
        "recall": p,
        "precision": right / answers,
        "f1": 2 * right / (answers + 1 - out),
        "wrong_answer_rate": wrong + out * (1 - p),
        "fallback_in_scope": (1 - p) / 2,
        "fallback_out_of_scope": p,
        "conversations_passed": whole,
        "mean_turn": p,
        "weakest_turn": whole,
        "response time": MILLISECONDS,
        "difference of two bots": 0.0,
        "strength": 0.0,
    }


# --- one suite ---------------------------------------------------------------------------------------------------


def judge(design: Design, generator: np.random.Generator) -> ConversationsResult:
    """Return the findings of one simulated suite."""
    names = BOTS[: design.bots]
    lines = [line for bot in names for line in bot_lines(design, bot, generator)]
    facts = tuple(BotFacts(name, reports_intent=True) for name in names)
    return find(RunHeader("run", "0", 0, Plan("suite", "en", (), hash="none"), facts, 1), lines)


def bot_lines(design: Design, bot: str, generator: np.random.Generator) -> list[Line]:
    shape, spread = (design.scenarios, design.turns), 1 / design.alike - 1
    chance = generator.beta(design.chance * spread, (1 - design.chance) * spread, design.scenarios)
    passed = generator.random(shape) < chance[:, None]
    silent = generator.random(shape) < 0.5
    # Slow scenarios are slow in all turns; the mean of a log-normal is exp(mean + variance / 2).
    slow = generator.normal(0, 0.4, (design.scenarios, 1)) + generator.normal(0, 0.3, shape)
    times = MILLISECONDS * np.exp(slow - (0.4**2 + 0.3**2) / 2)
    return [
        judged(bot, scenario, turn, outcome_of(turn, passed[scenario, turn], silent[scenario, turn]), times)
        for scenario in range(design.scenarios)
        for turn in range(design.turns)
    ]


def outcome_of(turn: int, passed: bool, silent: bool) -> TurnOutcome:
    """Return the outcome of a turn; the last of each five is out of scope."""
    if turn % OUT_OF_SCOPE_EVERY == OUT_OF_SCOPE_EVERY - 1:
        return TurnOutcome.DECLINED if passed else TurnOutcome.OVERREACH
    if passed:
        return TurnOutcome.RIGHT
    return TurnOutcome.MISSED if silent else TurnOutcome.WRONG_INTENT


def judged(bot: str, scenario: int, turn: int, outcome: TurnOutcome, times: NDArray[np.float64]) -> Line:
    """Return one judged line."""
    outside = outcome in (TurnOutcome.DECLINED, TurnOutcome.OVERREACH)
    topic = TOPICS[(scenario + turn) % len(TOPICS)]
    named = {TurnOutcome.RIGHT: topic, TurnOutcome.WRONG_INTENT: TOPICS[(scenario + turn + 1) % len(TOPICS)]}
    time = float(times[scenario, turn])
    return Line(
        key=ConversationKey(bot, f"s{scenario}", 0),
        number=turn + 1,
        turn=f"t{turn + 1}",
        scenario=f"s{scenario}",
        domain="",
        level="basic",
        kind="clean",
        expected=() if outside else (topic,),
        verdict=Verdict(
            outcome=outcome,
            in_scope=not outside,
            replied=True,
            fallback=outcome in (TurnOutcome.DECLINED, TurnOutcome.MISSED),
            intent=named.get(outcome),
        ),
        status=str(Status.OK),
        first_ms=time,
        last_ms=time,
        attempts=1,
        cold=False,
    )
