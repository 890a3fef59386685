"""What to fix next: every problem that an exam found, in the order of the messages that fixing it would save.

The list is computed once, here. Whatever shows it (terminal, report, page, JSON) keeps its order. The cost of a
problem is how many of 1,000 messages go wrong because of it, were traffic like the training data and 15 of 100
messages (or as many as the user says) out of scope. A problem is worth showing if its lower bound costs at least one
of 1,000 messages, and if at least two examples show it. Contradictions and twin names are facts about the data: their
cost has no interval. Why so: docs/decisions/pairs.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from vivavoce.intents.clusters import group_confused
from vivavoce.intents.findings import IntentFindings, SettingFindings
from vivavoce.intents.names import Twins, find_twins, may_merge
from vivavoce.intents.pairs import CLASH_LEVEL, MIN_EVIDENCE, Pair, PairExample
from vivavoce.intents.problem_record import (
    MIN_COST,
    PAIRS,
    Attraction,
    Order,
    Problem,
    ProblemKind,
    Remedy,
    Standing,
    is_worth_a_look,
    narrow_down,
    order_problems,
    share_to_cost,
)
from vivavoce.intents.quality import DataQuality, ProblemExample
from vivavoce.intents.topic_problems import find_topic_problems
from vivavoce.outcomes import Outcome
from vivavoce.records import Rate
from vivavoce.statistics import wilson

OUT_OF_SCOPE_SHARE = 0.15
# Two topics are mixed up only if their overlap, which leaves out what any two topics have in common, is surely this.
MIN_OVERLAP = 0.05
# Under this many tested examples a topic's share is too rough to rank it by.
ENOUGH_TESTED = 10
# Of rightly filed examples, this share is usually listed as suspects, and at most (docs/decisions/suspects.md).
FALSE_SUSPECTS = 0.006
MAX_FALSE_SUSPECTS = 0.012
MAX_EXAMPLES = 5
MAX_TOPICS = 3
# Three topics are one problem where each is confused with another of them, and the weaker confusion costs at least
# this part of the stronger one.
CLUSTER = 3
MIN_LINK = 0.5

__all__ = [
    "MIN_COST",
    "PAIRS",
    "Order",
    "Problem",
    "ProblemKind",
    "Remedy",
    "find_asides",
    "find_problems",
    "main_setting",
    "narrow_down",
    "order_problems",
    "weakest_topics",
]


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
    finder = _start(settings, pairs, quality, out_of_scope_share)
    return order_problems(filter(is_worth_a_look, finder.find())) if finder else ()


def find_asides(
    settings: Sequence[SettingFindings],
    pairs: Sequence[Pair],
    quality: DataQuality,
    *,
    out_of_scope_share: float | None = None,
) -> tuple[Problem, ...]:
    """Return the pairs that are not to be fixed: those with one answer, and those with too few examples to tell."""
    finder = _start(settings, pairs, quality, out_of_scope_share)
    return order_problems(finder.find_asides()) if finder else ()


def _start(
    settings: Sequence[SettingFindings], pairs: Sequence[Pair], quality: DataQuality, share: float | None
) -> _Finder | None:
    main = main_setting(settings)
    share = OUT_OF_SCOPE_SHARE if share is None else share
    return _Finder(settings, main, pairs, quality, share) if main else None


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
        confused = [pair for pair in self.pairs if _is_confused(pair) and {pair.a, pair.b} not in names]
        yield from self._join_clusters([self._build_pair_problem(pair) for pair in confused])
        for findings in self.settings:
            declined = findings.rates["negative_rejection"]
            if declined.value is not None and findings.same_as is None:
                yield self._build_scope_problem(findings, declined)
                break
        yield from self._find_contradictions()
        yield from self._find_weakest_topic()
        yield from self._find_suspects()
        yield from find_topic_problems(self.main, self.quality, self._weigh)

    def find_asides(self) -> Iterator[Problem]:
        """Yield the pairs that are harmless, and those that cannot be judged."""
        for pair in self.pairs:
            if pair.loss is None:
                continue
            problem = self._build_pair_problem(pair)
            if pair.same_answer and pair.low >= MIN_OVERLAP and is_worth_a_look(problem):
                yield replace(problem, standing=Standing.SAME_ANSWER, remedies=(Remedy.MERGE,))
            elif not pair.same_answer and not pair.enough and pair.overlap >= CLASH_LEVEL:
                yield replace(problem, standing=Standing.UNCLEAR, remedies=(Remedy.ADD_EXAMPLES,))

    def _join_clusters(self, problems: Sequence[Problem]) -> Iterator[Problem]:
        """Yield three topics that are confused with each other as one problem, and the other pairs as they are."""
        by_topics = {frozenset(problem.topics): problem for problem in problems if is_worth_a_look(problem)}
        links = {
            problem.topics: max(2, round(problem.cost)) for problem in by_topics.values() if len(problem.topics) == 2
        }
        joined: set[frozenset[str]] = set()
        for group in group_confused(links, CLUSTER):
            inside = sorted((p for key, p in by_topics.items() if key <= set(group)), key=lambda p: -p.cost)
            strong = [problem for problem in inside if problem.cost >= MIN_LINK * inside[0].cost]
            if len(group) == CLUSTER and len(strong) >= CLUSTER - 1:
                joined |= {frozenset(problem.topics) for problem in inside}
                yield self._build_cluster(group, inside)
        yield from (problem for problem in problems if frozenset(problem.topics) not in joined)

    def _build_cluster(self, topics: tuple[str, ...], pairs: Sequence[Problem]) -> Problem:
        """Add up the pairs of a cluster: no message is lost between more than two topics."""
        weight = self._weigh(sum(self.sizes[topic] for topic in topics))
        cost, low, high = (
            min(weight, sum(ends)) for ends in zip(*((p.cost, p.low, p.high) for p in pairs), strict=True)
        )
        tested = sum(line.recall.n for line in self.main.intents if line.intent in topics)
        rows = tuple(dict.fromkeys(row for pair in pairs for row in pair.rows))
        examples = {example.row: example for pair in pairs for example in pair.examples[:CLUSTER]}
        return Problem(
            ProblemKind.CLUSTER,
            topics,
            *(cost, low, high),
            evidence=max(len(rows), *(pair.evidence for pair in pairs)),
            remedies=(Remedy.MOVE, Remedy.ADD_EXAMPLES, *self._offer_merge(topics), Remedy.KEEP_APART),
            rows=rows,
            examples=tuple(examples.values())[: CLUSTER * 2],
            measured=Rate(cost / weight, low / weight, high / weight, tested) if weight else None,
        )

    def _weigh(self, examples: float) -> float:
        """Return how many of 1,000 messages are like these examples."""
        return 1000 * (1 - self.out_of_scope_share) * examples / max(1, sum(self.sizes.values()))

    def _offer_merge(self, topics: Collection[str]) -> tuple[Remedy, ...]:
        return (Remedy.MERGE,) if may_merge(topics, self.quality.answers) else ()

    def _build_pair_problem(self, pair: Pair, kind: ProblemKind = ProblemKind.PAIR) -> Problem:
        sizes = [self.sizes.get(topic, 0) for topic in (pair.a, pair.b)]
        topics = (pair.a, pair.b)
        merge = self._offer_merge(topics)
        remedies = (Remedy.MOVE, Remedy.ADD_EXAMPLES, *merge, Remedy.KEEP_APART)
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
            attracted=tuple(_list_attractions(findings)),
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


def _list_attractions(findings: SettingFindings) -> Iterator[Attraction]:
    """Yield which topics answered questions that no topic fits, and about what, most answers first."""
    cells = [cell for cell in findings.confusion if cell.negative]
    asked = Counter[str | None]()
    for cell in cells:
        asked[cell.origin] += cell.answered + cell.deferred
    cells.sort(key=lambda cell: (-cell.answered, cell.origin or "", cell.guess or ""))
    for cell in cells[:MAX_EXAMPLES]:
        if cell.guess is not None and cell.answered:
            yield Attraction(cell.guess, cell.origin, cell.answered, asked[cell.origin])


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
    return Problem(kind, topics, *share_to_cost(share, weight), measured=share, **facts)


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
