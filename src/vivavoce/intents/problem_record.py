"""What a problem is: its kind, its cost, what can be done about it, and what people decided about it before."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from vivavoce.intents.pairs import MIN_EVIDENCE
from vivavoce.intents.quality import ProblemExample
from vivavoce.records import Rate


class ProblemKind(StrEnum):
    """What is wrong."""

    PAIR = "pair"
    CLUSTER = "cluster"
    OUT_OF_SCOPE = "out_of_scope"
    CONTRADICTIONS = "contradictions"
    TWIN_NAMES = "twin_names"
    WEAKEST_TOPIC = "weakest_topic"
    SUSPECTS = "suspects"
    OUTLIERS = "outliers"
    TOO_SMALL = "too_small"
    TO_SPLIT = "to_split"
    NO_ANSWER = "no_answer"


MIN_COST = 1.0
PAIRS = (ProblemKind.PAIR, ProblemKind.TWIN_NAMES)


class Remedy(StrEnum):
    """What can be done about it."""

    MERGE = "merge"
    MOVE = "move"
    ADD_EXAMPLES = "add_examples"
    ADD_OUT_OF_SCOPE = "add_out_of_scope"
    RAISE_THRESHOLD = "raise_threshold"
    RENAME = "rename"
    SPLIT = "split"
    RETIRE = "retire"
    MARK_OUT_OF_SCOPE = "mark_out_of_scope"
    WRITE_ANSWER = "write_answer"
    KEEP_APART = "keep_apart"


class Standing(StrEnum):
    """Whether a problem is to be fixed. Came back: it was solved or kept apart, and costs clearly more again."""

    OPEN = "open"
    CAME_BACK = "came_back"
    KEPT_APART = "kept_apart"
    SAME_ANSWER = "same_answer"
    UNCLEAR = "unclear"


class Order(StrEnum):
    """By what problems are ordered."""

    COST = "cost"
    GAIN_PER_MINUTE = "gain_per_minute"


# How long it takes to fix a problem: minutes in all, and for each example or topic that shows it. Estimates of ours.
MINUTES = {
    ProblemKind.PAIR: (5, 0.25),
    ProblemKind.CLUSTER: (8, 0.25),
    ProblemKind.OUT_OF_SCOPE: (10, 0.25),
    ProblemKind.CONTRADICTIONS: (1, 0.25),
    ProblemKind.TWIN_NAMES: (1, 0),
    ProblemKind.WEAKEST_TOPIC: (8, 0.25),
    ProblemKind.SUSPECTS: (1, 0.25),
    ProblemKind.OUTLIERS: (1, 0.25),
    ProblemKind.TOO_SMALL: (5, 0.5),
    ProblemKind.TO_SPLIT: (3, 0.25),
    ProblemKind.NO_ANSWER: (5, 0),
}


@dataclass(frozen=True, slots=True)
class Attraction:
    """A topic that answers questions that are none of its own. `origin`: what they are about, None: no topic.

    `answered` of the `asked` questions of that origin got this topic's answer.
    """

    topic: str
    origin: str | None
    answered: int
    asked: int


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to fix. `cost`: how many of 1,000 messages it costs, between `low` and `high`.

    `topics`: those concerned, the one to begin with first. `evidence`: how many examples show it, not how many tests;
    `rows`: where they are. `measured`: the share behind the cost, None where the cost is a fact about the data.
    `attracted`: which topics answer out-of-scope questions, and about what.
    """

    kind: ProblemKind
    topics: tuple[str, ...]
    cost: float
    low: float
    high: float
    evidence: int
    remedies: tuple[Remedy, ...]
    rows: tuple[int, ...] = ()
    examples: tuple[ProblemExample, ...] = ()
    measured: Rate | None = None
    attracted: tuple[Attraction, ...] = ()
    standing: Standing = Standing.OPEN

    @property
    def minutes(self) -> float:
        """About how many minutes it takes to fix."""
        base, each = MINUTES[self.kind]
        return base + each * self.evidence

    @property
    def gain_per_minute(self) -> float:
        """How many of 1,000 messages a minute of work saves."""
        return self.cost / self.minutes


def order_problems(problems: Iterable[Problem], by: Order = Order.COST) -> tuple[Problem, ...]:
    """Put the problem first that costs most messages, or on which a minute of work saves most."""

    def place(problem: Problem) -> tuple[object, ...]:
        first = -problem.cost if by is Order.COST else -problem.gain_per_minute
        return first, -problem.low, problem.kind, problem.topics

    return tuple(sorted(problems, key=place))


def narrow_down(problem: Problem, rows: Collection[int]) -> Problem | None:
    """Return what is left of a problem where only these of its rows still show it; None where that is too little."""
    left = tuple(row for row in problem.rows if row in rows)
    part, rate = len(left) / max(1, len(problem.rows)), problem.measured
    smaller = replace(
        problem,
        cost=part * problem.cost,
        low=part * problem.low,
        high=part * problem.high,
        evidence=len(left),
        rows=left,
        examples=tuple(example for example in problem.examples if example.row in left),
        measured=rate and _scale(rate, part),
    )
    return smaller if is_worth_a_look(smaller) else None


def _scale(rate: Rate, part: float) -> Rate:
    value, low, high = (None if end is None else part * end for end in (rate.value, rate.low, rate.high))
    return Rate(value, low, high, rate.n)


def is_worth_a_look(problem: Problem) -> bool:
    """Tell whether a problem surely costs something, and more than one example shows it."""
    return problem.low >= MIN_COST and problem.evidence >= MIN_EVIDENCE


class Verdict(StrEnum):
    """What people decided about a problem."""

    KEEP_APART = "keep_apart"
    SOLVED = "solved"


@dataclass(frozen=True, slots=True)
class Decision:
    """What people decided about the problem of some topics. `high`: the upper end of its cost at that time."""

    verdict: Verdict
    kind: ProblemKind
    topics: tuple[str, ...]
    high: float = 0.0


def review_problems(problems: Iterable[Problem], decisions: Sequence[Decision]) -> tuple[Problem, ...]:
    """Return the problems with what people decided about them; the last decision counts.

    What is kept apart on purpose stays so until it surely costs more than it did then. What was solved and is a
    problem again came back, whatever it costs.
    """
    last = {(decision.kind, frozenset(decision.topics)): decision for decision in decisions}

    def judge(problem: Problem) -> Standing:
        decision = last.get((problem.kind, frozenset(problem.topics)))
        if decision is None or problem.standing in (Standing.SAME_ANSWER, Standing.UNCLEAR):
            return problem.standing
        kept = decision.verdict is Verdict.KEEP_APART and problem.low <= decision.high
        return Standing.KEPT_APART if kept else Standing.CAME_BACK

    return tuple(replace(problem, standing=judge(problem)) for problem in problems)


def list_open(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return the problems that are to be fixed."""
    return tuple(problem for problem in problems if problem.standing in (Standing.OPEN, Standing.CAME_BACK))


def share_to_cost(share: Rate, weight: float) -> tuple[float, float, float]:
    """Return cost, low and high of a share of `weight` messages of 1,000."""
    low, high = 0.0 if share.low is None else share.low, 1.0 if share.high is None else share.high
    return weight * (share.value or 0.0), weight * low, weight * high


def name_topics(names: Collection[str | None]) -> tuple[str, ...]:
    """Return the topics among these, each once."""
    return tuple(dict.fromkeys(name for name in names if name is not None))
