"""What to do about the costliest problems: every remedy that can be tried out, with a forecast of what it brings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from vivavoce.intents.exam import PLAIN, as_dataset, examine_intents, load_classifier
from vivavoce.intents.material import Material
from vivavoce.intents.names import answers_by_topic, may_merge
from vivavoce.intents.pairs import Pair
from vivavoce.intents.problems import PAIRS, Problem, ProblemKind, Remedy
from vivavoce.intents.record import UnitFailure
from vivavoce.intents.result import DataFacts, Result
from vivavoce.intents.runner import AnyClassifier, Progress
from vivavoce.intents.similarity import text_vectors
from vivavoce.intents.whatif import (
    Edit,
    Forecast,
    Forecaster,
    MarkOutOfScope,
    MergeTopics,
    MoveExamples,
    SplitTopic,
)
from vivavoce.intents.whatif.clusters import free_name
from vivavoce.intents.whatif.edits import places_of
from vivavoce.records import Dataset
from vivavoce.settings import Settings
from vivavoce.text.duplicates import duplicate_groups

MAX_PROBLEMS = 3
# A topic that is cut in two at random overlaps by so much or more in nine of ten cases, a topic that holds a part of
# another in one of ten (docs/decisions/problems.md).
MERGE_FROM = 0.88


@dataclass(frozen=True, slots=True)
class Proposal:
    """A problem, and what its remedies would bring, the best first. Without any, only people can help."""

    problem: Problem
    forecasts: tuple[Forecast, ...]

    @property
    def best(self) -> Forecast | None:
        """The remedy that surely helps; None where none does."""
        first = next(iter(self.forecasts), None)
        return first if first is not None and _sure_gain(first) > 0 else None


@dataclass(frozen=True)
class Improvement(Result):
    """The problems of an exam, the costliest first, each with its remedies."""

    data: DataFacts
    classifier: str
    threshold: float
    seed: int
    rounds: int
    proposals: tuple[Proposal, ...]
    failures: tuple[UnitFailure, ...] = ()


def propose_improvements(
    data: Dataset | tuple[Sequence[str], Sequence[str | None]],
    classifier: str | AnyClassifier = "linear",
    *,
    most: int = MAX_PROBLEMS,
    rounds: int = Settings.retries,
    threshold: float = 0.5,
    seed: int = 0,
    workers: int = 0,
    progress: Progress | None = None,
) -> Improvement:
    """Examine the data, then forecast on fresh splits what each remedy of the costliest problems would bring."""
    data = as_dataset(data)
    engine = load_classifier(classifier, data)
    given = {"retries": rounds, "threshold": threshold, "seed": seed, "workers": workers, "progress": progress}
    result = examine_intents(data, engine, settings=[PLAIN], **given)  # type: ignore[arg-type]
    forecaster = Forecaster(data, engine, **given)  # type: ignore[arg-type]
    proposals = []
    for problem in result.problems[:most]:
        forecasts = [forecaster.forecast(edits) for edits in list_remedies(problem, data, result.pairs)]
        one_topic = are_one_topic(problem.topics, result.pairs)
        proposals.append(Proposal(problem, order_remedies(forecasts, one_topic=one_topic)))
    return Improvement(
        data=DataFacts.of(data),
        classifier=engine.name,
        threshold=threshold,
        seed=seed,
        rounds=rounds,
        proposals=tuple(proposals),
        failures=result.failures,
    )


def list_remedies(problem: Problem, data: Dataset, pairs: Sequence[Pair] = ()) -> Iterator[tuple[Edit, ...]]:
    """Yield the remedies of a problem that are edits; examples that nobody has written yet are none.

    `pairs`: as the exam ranked them; of three topics that are confused, they tell which two are one.
    """
    match problem.kind:
        case ProblemKind.PAIR | ProblemKind.TWIN_NAMES:
            yield from _exchange(problem.topics, problem.rows if Remedy.MOVE in problem.remedies else (), data)
        case ProblemKind.CLUSTER:
            yield from _loosen(problem, data, pairs)
        case ProblemKind.CONTRADICTIONS:
            yield tuple(_settle(problem, data))
        case ProblemKind.TO_SPLIT:
            yield (SplitTopic(problem.topics[0], problem.rows, free_name(problem.topics[0], data)),)
        case ProblemKind.OUTLIERS:
            yield (MarkOutOfScope(problem.rows),)
        case ProblemKind.SUSPECTS:
            yield from _move_to_guesses(problem)
    if Remedy.MERGE in problem.remedies and problem.kind in (*PAIRS, ProblemKind.CLUSTER):
        yield _merge(problem.topics, data)


def _merge(topics: Sequence[str], data: Dataset) -> tuple[MergeTopics, ...]:
    *small, large = sorted(topics, key=lambda topic: (data.sizes[topic], topic))
    return tuple(MergeTopics(topic, large) for topic in small)


def _exchange(topics: Sequence[str], rows: Sequence[int], data: Dataset) -> Iterator[tuple[MoveExamples, ...]]:
    """Yield the moves that give examples of two topics to the other one: of one, of the other, of both.

    First come the examples that are least like the rest of their topic: a part of another topic stands apart from it,
    and the examples of that other topic which look like this part do not.
    """
    chosen, moves = set(places_of(data, rows)), []
    for topic, other in (topics, topics[::-1]):
        own = [place for place, intent in enumerate(data.intents) if intent == topic]
        if moved := [place for place in own if place in chosen]:
            rest = [place for place in own if place not in chosen]
            others = [place for place, intent in enumerate(data.intents) if intent == other]
            move = MoveExamples(tuple(map(data.number, moved)), other)
            moves.append((_stand_apart(data, moved, rest, others), move))
    moves.sort(key=lambda weighed: -weighed[0])
    yield from ((move,) for _, move in moves)
    if len(moves) > 1:
        yield tuple(move for _, move in moves)


def _stand_apart(data: Dataset, moved: Sequence[int], rest: Sequence[int], others: Sequence[int]) -> float:
    """Return how much more alike examples are to another topic than to the rest of their own."""
    if not rest:
        return 2.0
    part = data.select([*moved, *rest, *others])
    vectors = text_vectors(Material.of(part))
    means = [
        vectors[len(moved) : len(moved) + len(rest)].mean(axis=0),
        vectors[len(moved) + len(rest) :].mean(axis=0),
    ]
    own, other = ((vectors[: len(moved)] @ mean).mean() / np.linalg.norm(mean) for mean in means)
    return float(other - own)


def _loosen(problem: Problem, data: Dataset, pairs: Sequence[Pair]) -> Iterator[tuple[Edit, ...]]:
    """Yield what may be done about the two of three topics that overlap most."""
    inside = [pair for pair in pairs if {pair.a, pair.b} <= set(problem.topics)]
    if inside:
        closest = max(inside, key=lambda pair: pair.overlap)
        yield from _exchange((closest.a, closest.b), closest.loss.rows if closest.loss else (), data)
        if may_merge((closest.a, closest.b), answers_by_topic(data)):
            yield _merge((closest.a, closest.b), data)
    else:
        yield from _move_to_guesses(problem)


def _move_to_guesses(problem: Problem) -> Iterator[tuple[MoveExamples, ...]]:
    """Yield the moves of examples to the topics that they were taken for, if there are any."""
    moves: dict[str, list[int]] = {}
    for example in problem.examples:
        if example.guess is not None:
            moves.setdefault(example.guess, []).append(example.row)
    if moves:
        yield tuple(MoveExamples(tuple(rows), topic) for topic, rows in moves.items())


def _settle(problem: Problem, data: Dataset) -> Iterator[MoveExamples]:
    """Yield the moves that give each text that stands in several topics to the one that has it most often."""
    places = places_of(data, problem.rows)
    groups: dict[int, list[int]] = {}
    for place, group in zip(places, duplicate_groups([data.texts[place] for place in places]), strict=True):
        groups.setdefault(int(group), []).append(place)
    moves: dict[str, list[int]] = {}
    for members in groups.values():
        topics = Counter(intent for place in members if (intent := data.intents[place]) is not None)
        if len(topics) > 1:
            most = max(topics, key=lambda topic: (topics[topic], data.sizes[topic], topic))
            moves.setdefault(most, []).extend(p for p in members if data.intents[p] not in (most, None))
    yield from (MoveExamples(tuple(map(data.number, rows)), topic) for topic, rows in moves.items())


def order_remedies(forecasts: Iterable[Forecast], *, one_topic: bool = False) -> tuple[Forecast, ...]:
    """Put the best remedy of a problem first; `one_topic`: it is about two topics that overlap like one cut in two.

    Such topics are merged. Others hold examples of each other, and these are moved: that a merge gains more says
    little, because fewer topics are easier to tell apart. Which of two moves gains more is mostly chance; only what
    surely harms comes last.
    """

    def place(forecast: Forecast) -> tuple[bool, bool]:
        merges, high = (
            any(isinstance(edit, MergeTopics) for edit in forecast.edits),
            forecast.effects["accuracy"].high,
        )
        return high is None or high >= 0, merges == one_topic

    # Otherwise they stay in the order in which they were listed.
    return tuple(sorted(forecasts, key=place, reverse=True))


def are_one_topic(topics: Collection[str], pairs: Sequence[Pair]) -> bool:
    """Tell whether two of these topics overlap like one that was cut in two."""
    return any(pair.overlap >= MERGE_FROM for pair in pairs if {pair.a, pair.b} <= set(topics))


def _sure_gain(forecast: Forecast) -> float:
    """Return the lower end of the gain in accuracy; without an interval nothing is sure.

    A split is judged by the topics after it: those who ask the new one need its answer.
    """
    effect = forecast.effects["accuracy"]
    if forecast.by_later_topics is not None and any(isinstance(edit, SplitTopic) for edit in forecast.edits):
        effect = forecast.by_later_topics
    return -1.0 if effect.low is None else effect.low
