"""Are the data good enough, and why: when to stop editing and read what visitors ask."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from vivavoce.intents.pairs import CLASH_LEVEL, Pair
from vivavoce.intents.problem_record import Problem, list_open
from vivavoce.intents.whatif import Forecast
from vivavoce.messages import say, say_count

# What costs more of 1,000 messages for sure is to be fixed.
MAX_COST = 10.0


class ReasonKind(StrEnum):
    """Why data are good enough, or not yet."""

    NO_PROBLEM = "no_problem"
    NO_CLASH = "no_clash"
    NO_GAIN = "no_gain"
    CLASH = "clash"
    COSTLY = "costly"
    GAIN = "gain"


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason, with what it is about. `value`: an overlap, a cost, or a gain in points, as the kind has it."""

    kind: ReasonKind
    topics: tuple[str, ...] = ()
    value: float = 0.0

    @property
    def sentence(self) -> str:
        """The reason in one sentence."""
        return _write_reason(self)


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether the data are good enough, and the reasons. `level`: the overlap from which two topics look like one."""

    good_enough: bool
    level: float
    reasons: tuple[Reason, ...]

    @property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        if self.good_enough:
            return say("Your topics are in order: your time is better spent on reading what visitors ask.")
        return say(
            "{things} to do before your topics are in order.",
            things=say_count(len(self.reasons), "There is {n} thing", "There are {n} things"),
        )


def judge_readiness(
    problems: Iterable[Problem],
    pairs: Sequence[Pair],
    *,
    level: float | None = None,
    forecasts: Sequence[Forecast] | None = None,
) -> Readiness:
    """Say whether to go on editing. `level`: of the self-test; without one, the usual clash level.

    Problems are given as people left them (`review_problems`): what is kept apart on purpose does not count. They are
    in order if nothing is a problem; if no two topics look like one and no problem is costly; or if none of the
    `forecasts` of their remedies surely gains anything.
    """
    clash = CLASH_LEVEL if level is None else level
    problems = list(problems)
    open_ = list_open(problems)
    if not open_:
        return Readiness(True, clash, (Reason(ReasonKind.NO_PROBLEM),))
    settled = {frozenset(problem.topics) for problem in problems} - {frozenset(problem.topics) for problem in open_}
    clashes = [
        Reason(ReasonKind.CLASH, (pair.a, pair.b), pair.overlap)
        for pair in pairs
        if pair.enough and not pair.same_answer and pair.low >= clash and {pair.a, pair.b} not in settled
    ]
    costly = [Reason(ReasonKind.COSTLY, p.topics, p.cost) for p in open_ if p.low >= MAX_COST]
    if not clashes and not costly:
        return Readiness(True, clash, (Reason(ReasonKind.NO_CLASH),))
    if forecasts is None:
        return Readiness(False, clash, (*clashes, *costly))
    gains = [effect.low for forecast in forecasts if (effect := forecast.effects["accuracy"]).low is not None]
    sure = [gain for gain in gains if gain > 0]
    if not sure:
        return Readiness(True, clash, (Reason(ReasonKind.NO_GAIN),))
    return Readiness(False, clash, (*clashes, *costly, Reason(ReasonKind.GAIN, (), 100 * max(sure))))


def _write_reason(reason: Reason) -> str:
    match reason.kind:
        case ReasonKind.CLASH:
            a, b = reason.topics
            return say(
                "'{a}' and '{b}' look like one topic (overlap {overlap:.0f} %).", a=a, b=b, overlap=100 * reason.value
            )
        case ReasonKind.COSTLY:
            return say("At least one problem clearly costs more than {cost:.0f} of 1,000 messages.", cost=MAX_COST)
        case ReasonKind.GAIN:
            return say("At least one remedy clearly gains {gain:.1f} points or more.", gain=reason.value)
    return _GOOD[reason.kind]


_GOOD = {
    ReasonKind.NO_PROBLEM: say("No problem clearly costs one of 1,000 messages or more."),
    ReasonKind.NO_CLASH: say("No two topics look like one, and no problem is costly."),
    ReasonKind.NO_GAIN: say(
        "No edit of the existing data clearly helps. You need new examples, which only people can write."
    ),
}
