"""What to do about the costliest problems: every remedy that can be tried out, with a forecast of what it brings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vivavoce.intents.exam import PLAIN, as_dataset, examine_intents, load_classifier
from vivavoce.intents.problems import PAIRS, Problem, ProblemKind, Remedy
from vivavoce.intents.record import UnitFailure
from vivavoce.intents.result import DataFacts, Result
from vivavoce.intents.runner import AnyClassifier, Progress
from vivavoce.intents.whatif import Edit, Forecast, Forecaster, MergeTopics, MoveExamples
from vivavoce.records import Dataset
from vivavoce.settings import Settings

MAX_PROBLEMS = 3


@dataclass(frozen=True, slots=True)
class Proposal:
    """A problem, and what its remedies would bring, the surest gain first. Without any, only people can help."""

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
    data, engine = as_dataset(data), load_classifier(classifier)
    given = {"retries": rounds, "threshold": threshold, "seed": seed, "workers": workers, "progress": progress}
    result = examine_intents(data, engine, settings=[PLAIN], **given)  # type: ignore[arg-type]
    forecaster = Forecaster(data, engine, **given)  # type: ignore[arg-type]
    proposals = []
    for problem in result.problems[:most]:
        forecasts = [forecaster.forecast(edits) for edits in list_remedies(problem, data)]
        proposals.append(Proposal(problem, tuple(sorted(forecasts, key=_sure_gain, reverse=True))))
    return Improvement(
        data=DataFacts.of(data),
        classifier=engine.name,
        threshold=threshold,
        seed=seed,
        rounds=rounds,
        proposals=tuple(proposals),
        failures=result.failures,
    )


def list_remedies(problem: Problem, data: Dataset) -> Iterator[tuple[Edit, ...]]:
    """Yield the remedies of a problem that are edits; examples that nobody has written yet are none."""
    if problem.kind in PAIRS:
        small, large = sorted(problem.topics, key=lambda topic: (data.sizes[topic], topic))
        if Remedy.MOVE in problem.remedies and problem.rows:
            yield tuple(_exchange(problem, data))
        if Remedy.MERGE in problem.remedies:
            yield (MergeTopics(small, large),)
    if problem.kind is ProblemKind.SUSPECTS:
        moves: dict[str, list[int]] = {}
        for example in problem.examples:
            if example.guess is not None:
                moves.setdefault(example.guess, []).append(example.row)
        yield tuple(MoveExamples(tuple(rows), topic) for topic, rows in moves.items())


def _exchange(problem: Problem, data: Dataset) -> Iterator[MoveExamples]:
    """Yield the moves that give every example that shows the problem to the other of the two topics."""
    rows = set(problem.rows)
    for topic, other in (problem.topics, problem.topics[::-1]):
        own = [data.number(place) for place, intent in enumerate(data.intents) if intent == topic]
        if chosen := tuple(row for row in own if row in rows):
            yield MoveExamples(chosen, other)


def _sure_gain(forecast: Forecast) -> float:
    """Return the lower end of the gain in accuracy; without an interval nothing is sure."""
    low = forecast.effects["accuracy"].low
    return -1.0 if low is None else low
