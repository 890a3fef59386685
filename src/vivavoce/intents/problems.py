"""What to fix next: every problem that an exam found, in the order of the messages that fixing it would save.

The list is computed once, here. Whatever shows it (terminal, report, page, JSON) keeps its order. The cost of a
problem is how many of 1,000 messages go wrong because of it, were traffic like the training data and 15 of 100
messages (or as many as the user says) out of scope. A problem is worth showing if its lower bound costs at least one
of 1,000 messages, and if at least two examples show it. Contradictions and twin names are facts about the data: their
cost has no interval. Why so: docs/decisions/pairs.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from vivavoce.intents.findings import IntentFindings, SettingFindings
from vivavoce.intents.names import Twins, find_twins, may_merge
from vivavoce.intents.pairs import CLASH_LEVEL, MIN_EVIDENCE, Pair, PairExample
from vivavoce.intents.quality import DataQuality, ProblemExample
from vivavoce.outcomes import Outcome
from vivavoce.records import Rate
from vivavoce.statistics import wilson

MIN_COST = 1.0
OUT_OF_SCOPE_SHARE = 0.15
# Two topics are mixed up only if their overlap, which leaves out what any two topics have in common, is surely this.
MIN_OVERLAP = 0.05
# Under this many tested examples a topic's share is too rough to rank it by.
ENOUGH_TESTED = 10
# Of rightly filed examples, this share is usually listed as suspects, and at most (docs/decisions/suspects.md).
FALSE_SUSPECTS = 0.003
MAX_FALSE_SUSPECTS = 0.012
MAX_EXAMPLES = 5
MAX_TOPICS = 3


class ProblemKind(StrEnum):
    """What is wrong."""

    PAIR = "pair"
    OUT_OF_SCOPE = "out_of_scope"
    CONTRADICTIONS = "contradictions"
    TWIN_NAMES = "twin_names"
    WEAKEST_TOPIC = "weakest_topic"
    SUSPECTS = "suspects"


PAIRS = (ProblemKind.PAIR, ProblemKind.TWIN_NAMES)


class Remedy(StrEnum):
    """What can be done about it."""

    MERGE = "merge"
    MOVE = "move"
    ADD_EXAMPLES = "add_examples"
    ADD_OUT_OF_SCOPE = "add_out_of_scope"
    RAISE_THRESHOLD = "raise_threshold"
    RENAME = "rename"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to fix. `cost`: how many of 1,000 messages it costs, between `low` and `high`.

    `topics`: those concerned, the one to begin with first. `evidence`: how many examples show it, not how many tests;
    `rows`: where they are. `measured`: the share behind the cost, None where the cost is a fact about the data.
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


def find_problems(
    settings: Sequence[SettingFindings],
    pairs: Sequence[Pair],
    quality: DataQuality,
    *,
    out_of_scope_share: float | None = None,
) -> tuple[Problem, ...]:
    """Return what is worth fixing, the problem that costs most messages first.

    `out_of_scope_share`: of live messages; where it is not known, 15 of 100 are taken for out of scope.
    """
    main = main_setting(settings)
    if main is None:
        return ()
    share = OUT_OF_SCOPE_SHARE if out_of_scope_share is None else out_of_scope_share
    finder = _Finder(settings, main, pairs, quality, share)
    return order_problems(filter(_is_worth_a_look, finder.find()))


def order_problems(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Put the problem that costs most messages first."""
    return tuple(sorted(problems, key=lambda problem: (-problem.cost, -problem.low, problem.kind, problem.topics)))


def main_setting(settings: Sequence[SettingFindings]) -> SettingFindings | None:
    """Return the first setting that tested every topic as itself, or the first there is."""
    plain = (findings for findings in settings if not findings.low_topics)
    return next(plain, None) or next(iter(settings), None)


def weakest_topics(findings: SettingFindings, most: int) -> tuple[IntentFindings, ...]:
    """Return the topics that are found least often, among those with enough tests to tell; none that is flawless."""
    tested = [line for line in findings.intents if line.recall.n >= ENOUGH_TESTED and line.recall.value != 1]
    return tuple(sorted(tested, key=lambda line: (line.recall.value or 0.0, line.intent))[:most])


class _Finder:
    def __init__(
        self,
        settings: Sequence[SettingFindings],
        main: SettingFindings,
        pairs: Sequence[Pair],
        quality: DataQuality,
        out_of_scope_share: float,
    ) -> None:
        self.settings, self.main, self.pairs, self.quality = settings, main, pairs, quality
        self.out_of_scope_share = out_of_scope_share
        self.sizes = {line.intent: line.examples for line in main.intents}

    def find(self) -> Iterator[Problem]:
        twins = [problem for pair in find_twins(sorted(self.sizes)) for problem in self._find_twin_problem(pair)]
        yield from twins
        names = {frozenset(problem.topics) for problem in twins}
        for pair in self.pairs:
            if _is_confused(pair) and {pair.a, pair.b} not in names:
                yield self._build_pair_problem(pair)
        for findings in self.settings:
            declined = findings.rates["negative_rejection"]
            if declined.value is not None and findings.same_as is None:
                yield self._build_scope_problem(findings, declined)
                break
        yield from self._find_contradictions()
        yield from self._find_weakest_topic()
        yield from self._find_suspects()

    def _weigh(self, examples: float) -> float:
        """Return how many of 1,000 messages are like these examples."""
        return 1000 * (1 - self.out_of_scope_share) * examples / max(1, sum(self.sizes.values()))

    def _offer_merge(self, topics: Collection[str]) -> tuple[Remedy, ...]:
        return (Remedy.MERGE,) if may_merge(topics, self.quality.answers) else ()

    def _build_pair_problem(self, pair: Pair, kind: ProblemKind = ProblemKind.PAIR) -> Problem:
        sizes = [self.sizes.get(topic, 0) for topic in (pair.a, pair.b)]
        topics = (pair.a, pair.b)
        merge = self._offer_merge(topics)
        remedies = (Remedy.MOVE, Remedy.ADD_EXAMPLES, *merge)
        return _build_measured_problem(
            kind,
            topics,
            _estimate_lost_share(pair, min(sizes) / max(1, sum(sizes))),
            self._weigh(sum(sizes)),
            evidence=_count_evidence(pair),
            remedies=(*merge, Remedy.RENAME) if kind is ProblemKind.TWIN_NAMES else remedies,
            rows=pair.loss.rows if pair.loss else (),
            examples=tuple(_build_example(example, pair) for example in pair.examples),
        )

    def _find_twin_problem(self, twins: Twins) -> Iterator[Problem]:
        """Yield the problem of two names for one topic.

        Where one letter differs, they may be two words: then the exam must have mixed the topics up as well.
        """
        names = {twins.a, twins.b}
        pair = next((pair for pair in self.pairs if {pair.a, pair.b} == names), None)
        if twins.same:
            smaller, larger = sorted(names, key=lambda name: (self.sizes[name], name))
            cost = self._weigh(self.sizes[smaller])
            yield Problem(
                ProblemKind.TWIN_NAMES,
                (smaller, larger),
                *(cost, cost, cost),
                evidence=self.sizes[smaller] + self.sizes[larger],
                remedies=(*self._offer_merge(names), Remedy.RENAME),
                examples=tuple(_build_example(example, pair) for example in pair.examples) if pair else (),
            )
        elif pair and _is_confused(pair):
            yield self._build_pair_problem(pair, ProblemKind.TWIN_NAMES)

    def _build_scope_problem(self, findings: SettingFindings, declined: Rate) -> Problem:
        examples = self.quality.answered
        if examples is None:
            examples = tuple(
                ProblemExample(sample.text, sample.row, sample.intent, sample.guess)
                for sample in findings.samples
                if sample.outcome is Outcome.OVERREACH
            )
        drawn: Counter[str] = Counter()
        for cell in findings.confusion:
            if cell.negative and cell.guess is not None:
                drawn[cell.guess] += cell.answered
        return _build_measured_problem(
            ProblemKind.OUT_OF_SCOPE,
            tuple(topic for topic, times in drawn.most_common(MAX_TOPICS) if times),
            _invert(declined),
            1000 * self.out_of_scope_share,
            evidence=len(examples),
            remedies=(Remedy.ADD_OUT_OF_SCOPE, Remedy.RAISE_THRESHOLD),
            rows=tuple(example.row for example in examples),
            examples=examples[:MAX_EXAMPLES],
        )

    def _find_contradictions(self) -> Iterator[Problem]:
        """Yield one problem for all contradictions: of each group, only the topic with most examples can be right."""
        groups = self.quality.contradictions
        if not groups:
            return
        examples = [example for group in groups for example in group]
        topics = Counter(example.intent for example in examples)
        lost = sum(len(group) - max(Counter(example.intent for example in group).values()) for group in groups)
        names = tuple(topic for topic, _ in topics.most_common() if topic is not None)
        cost = self._weigh(lost)
        yield Problem(
            ProblemKind.CONTRADICTIONS,
            names,
            *(cost, cost, cost),
            evidence=len(examples),
            remedies=(Remedy.MOVE, *(self._offer_merge(names) if len(topics) == len(names) == 2 else ())),
            rows=tuple(example.row for example in examples),
            examples=tuple(examples[:MAX_EXAMPLES]),
        )

    def _find_weakest_topic(self) -> Iterator[Problem]:
        for line in weakest_topics(self.main, 1):
            missed = _invert(line.recall)
            astray = [
                _build_example(example, pair)
                for pair in self.pairs
                if line.intent in (pair.a, pair.b)
                for example in pair.examples
                if example.intent == line.intent and _leans_away(example, pair)
            ]
            yield _build_measured_problem(
                ProblemKind.WEAKEST_TOPIC,
                (line.intent,),
                missed,
                self._weigh(line.examples),
                evidence=round((missed.value or 0.0) * missed.n),
                remedies=(Remedy.ADD_EXAMPLES, Remedy.MOVE),
                examples=tuple({example.row: example for example in astray}.values())[:MAX_EXAMPLES],
            )

    def _find_suspects(self) -> Iterator[Problem]:
        """Yield one problem for all suspects, as far as there are more than rightly filed examples would bring."""
        examples, judged = self.quality.suspects, self.quality.judged
        if not examples:
            return
        listed = len(examples)
        likely, least = (max(0.0, listed - share * judged) for share in (FALSE_SUSPECTS, MAX_FALSE_SUSPECTS))
        topics = Counter(example.intent for example in examples)
        yield _build_measured_problem(
            ProblemKind.SUSPECTS,
            tuple(topic for topic, _ in topics.most_common() if topic is not None),
            Rate(likely / judged, wilson(least, judged).low, listed / judged, judged),
            self._weigh(judged),
            evidence=listed,
            remedies=(Remedy.MOVE,),
            rows=tuple(example.row for example in examples),
            examples=examples[:MAX_EXAMPLES],
        )


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
    return smaller if _is_worth_a_look(smaller) else None


def _scale(rate: Rate, part: float) -> Rate:
    value, low, high = (None if end is None else part * end for end in (rate.value, rate.low, rate.high))
    return Rate(value, low, high, rate.n)


def _is_worth_a_look(problem: Problem) -> bool:
    return problem.low >= MIN_COST and problem.evidence >= MIN_EVIDENCE


def _is_confused(pair: Pair) -> bool:
    """Tell whether the exam mixed two topics up: by more than one example, surely, and not to the same answer."""
    surely = _count_evidence(pair) >= MIN_EVIDENCE and pair.low >= MIN_OVERLAP
    return pair.loss is not None and surely and not pair.same_answer


def _is_clash(pair: Pair) -> bool:
    """Tell whether the bot surely sees one topic where there are two: the whole interval is above the clash level."""
    mixed = (pair.bot_overlap or 0.0) >= CLASH_LEVEL and not pair.only_alike
    return pair.enough and mixed and pair.low >= CLASH_LEVEL


def _count_evidence(pair: Pair) -> int:
    """Return how many examples show that two topics are mixed up: those lost, in a clash those that lean astray."""
    lost = pair.loss.examples if pair.loss else 0
    return max(lost, pair.evidence) if _is_clash(pair) else lost


def _estimate_lost_share(pair: Pair, smaller: float) -> Rate:
    """Return the share of the messages of two topics that is lost between them: as measured, or expected in a clash.

    Who cannot tell two topics apart loses as many messages as the `smaller` one has. With few examples a bot is too
    unsure to answer either, and hardly anything is measured as lost: then this is the better estimate.
    """
    share = pair.loss.share if pair.loss else Rate(None, None, None, 0)
    if not _is_clash(pair) or pair.overlap * smaller <= (share.value or 0.0):
        return share
    low = max(pair.low * smaller, share.low or 0.0)
    return Rate(pair.overlap * smaller, low, max(pair.high * smaller, low), share.n)


def _build_measured_problem(
    kind: ProblemKind, topics: tuple[str, ...], share: Rate, weight: float, **facts: Any
) -> Problem:
    """Return a problem whose cost is a share of `weight` messages of 1,000."""
    low, high = 0.0 if share.low is None else share.low, 1.0 if share.high is None else share.high
    return Problem(kind, topics, weight * (share.value or 0.0), weight * low, weight * high, measured=share, **facts)


def _invert(rate: Rate) -> Rate:
    """Return the share of those that are not among a share."""
    value, low, high = (None if end is None else 1 - end for end in (rate.value, rate.high, rate.low))
    return Rate(value, low, high, rate.n)


def _build_example(example: PairExample, pair: Pair) -> ProblemExample:
    other = pair.b if example.intent == pair.a else pair.a
    return ProblemExample(example.text, example.row, example.intent, other if _leans_away(example, pair) else None)


def _leans_away(example: PairExample, pair: Pair) -> bool:
    own, other = example.chance_a, example.chance_b
    return other > own if example.intent == pair.a else own > other
