"""Label suspects: examples that are probably filed under the wrong topic.

An example is judged by models that were not trained on it, several times, and by the examples nearest to it. Its
suspicion is how many times likelier the best other topic is than its own. Wrong labels mislead these models, too: so
the clearest suspects are left out of training and all examples are judged once more. How the constants were chosen:
docs/decisions/suspects.md.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from vivavoce.errors import UsageError
from vivavoce.intents.exam import PLAIN, as_dataset, load_classifier
from vivavoce.intents.label_odds import MIN_SCORE, TEXT_WEIGHT, compare_topics, odds_to_scores, order_by_odds
from vivavoce.intents.material import Material
from vivavoce.intents.pairs import mean_probabilities
from vivavoce.intents.record import UnitFailure, UnitKey
from vivavoce.intents.result import DataFacts, Result
from vivavoce.intents.runner import AnyClassifier, Progress, Unit, run_units
from vivavoce.intents.similarity import text_vectors
from vivavoce.intents.splits import Design, Rows, Split, SplitPlan
from vivavoce.records import Dataset

Matrix = NDArray[np.float64]
Vectors = NDArray[np.float32]
Flags = NDArray[np.bool_]

ROUNDS = 10
MAX_SUSPECTS = 50
# Left out of the second training: examples for which another topic is e^4.5, about 90, times likelier.
LEFT_OUT_FROM = 4.5
# A topic keeps at least two thirds of its examples in training, or a weak topic would be argued away.
MAX_LEFT_OUT = 1 / 3
NEIGHBOURS = 10
TEMPERATURE = 0.05
SHOWN_NEIGHBOURS = 3
BLOCK = 1024


@dataclass(frozen=True, slots=True)
class NearExample:
    """An example near a suspect. `similarity`: the cosine of the two vectors."""

    row: int
    text: str
    intent: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Suspect:
    """An example whose topic is doubtful. `score`: p / (p + q), if `suggested` is p likely and `intent` q.

    `agreeing`: how many of the `neighbours` nearest examples are filed under the suggested topic, and `own`: how many
    under its own.
    """

    row: int
    text: str
    intent: str
    suggested: str
    score: float
    neighbours: int
    agreeing: int
    own: int
    nearest: tuple[NearExample, ...]


@dataclass(frozen=True)
class SuspectsResult(Result):
    """The suspects, most suspect first. `found`: how many there are, of which `suspects` holds the first.

    `judged`: how many examples were tested; the others are out of scope or alone in their topic.
    """

    data: DataFacts
    classifier: str
    seed: int
    rounds: int
    judged: int
    found: int
    suspects: tuple[Suspect, ...]
    failures: tuple[UnitFailure, ...] = ()


@dataclass(frozen=True, eq=False)
class Suspicion:
    """How doubtful the label of each row is: log odds of the best other topic, -inf where a row was not judged."""

    odds: Matrix
    suggested: Rows
    nearest: Rows
    similarity: Vectors
    failures: tuple[UnitFailure, ...] = ()

    @property
    def judged(self) -> Flags:
        """Whether a row was judged."""
        return np.isfinite(self.odds)

    @property
    def scores(self) -> Matrix:
        """The log odds as shares, 0 to 1."""
        return odds_to_scores(self.odds)

    def order(self) -> Rows:
        """Return the judged rows, most suspect first."""
        return order_by_odds(self.odds)


class _PlanWithout(SplitPlan):
    """The same splits, with some rows left out of training; they are tested like the others."""

    def __init__(self, plan: SplitPlan, left_out: Rows) -> None:
        super().__init__(plan.labels, plan.design, plan.groups)
        self.left_out = left_out

    def split(self, retry: int) -> Split:
        split = super().split(retry)
        return replace(split, train=np.setdiff1d(split.train, self.left_out))


def find_suspects(
    data: Dataset | tuple[Sequence[str], Sequence[str | None]],
    classifier: str | AnyClassifier = "linear",
    *,
    most: int = MAX_SUSPECTS,
    rounds: int = ROUNDS,
    seed: int = 0,
    executor: Executor | None = None,
    workers: int = 0,
    progress: Progress | None = None,
) -> SuspectsResult:
    """Return the examples that are probably filed under the wrong topic, most suspect first, at most `most`."""
    if most < 1:
        raise UsageError(f"the number of suspects must be at least 1, not {most}")
    material = Material.of(as_dataset(data))
    engine = load_classifier(classifier, material.data)
    suspicion = judge_labels(
        material, engine, rounds=rounds, seed=seed, executor=executor, workers=workers, progress=progress
    )
    rows = list_suspects(suspicion)
    return SuspectsResult(
        data=DataFacts.of(material.data),
        classifier=engine.name,
        seed=seed,
        rounds=rounds,
        judged=int(suspicion.judged.sum()),
        found=len(rows),
        suspects=tuple(build_suspect(material, suspicion, row) for row in rows[:most].tolist()),
        failures=suspicion.failures,
    )


def list_suspects(suspicion: Suspicion) -> Rows:
    """Return the rows worth a look, most suspect first."""
    rows = suspicion.order()
    return np.asarray(rows[suspicion.scores[rows] >= MIN_SCORE])


def judge_labels(
    material: Material,
    engine: AnyClassifier,
    *,
    rounds: int = ROUNDS,
    seed: int = 0,
    executor: Executor | None = None,
    workers: int = 0,
    progress: Progress | None = None,
) -> Suspicion:
    """Judge every example twice: by all others, then by all others that are not clearly suspect themselves."""
    plan = SplitPlan(material.labels, Design(retries=rounds, seed=seed), material.groups)
    vectors = text_vectors(material, progress)
    with threadpool_limits(1):
        nearest, similarity = find_nearest(vectors, material.labels, material.groups)
    left_out = np.empty(0, dtype=np.intp)
    failures: list[UnitFailure] = []
    for turn in range(2):
        turns = _number_turn(progress, turn, rounds)
        rounds_plan = _PlanWithout(plan, left_out)
        units = [Unit(UnitKey(PLAIN, retry), rounds_plan, keep_probabilities=True) for retry in range(rounds)]
        run = run_units(
            units, material, engine, executor=executor, workers=workers or os.cpu_count() or 1, progress=turns
        )
        failures += run.failures
        chances = mean_probabilities(run.of(PLAIN), material)
        if chances is None:
            chances = np.full((len(material), len(material.topics)), np.nan, dtype=np.float32)
        near = vote(nearest, similarity, material.labels, len(material.topics), left_out)
        odds, suggested = compare_topics(chances + TEXT_WEIGHT * near, material.labels)
        left_out = leave_out(odds, material.labels)
    return Suspicion(odds, suggested, nearest, similarity, tuple(failures))


def _number_turn(progress: Progress | None, turn: int, rounds: int) -> Progress | None:
    """Return a progress report that counts the rounds of both turns."""
    if progress is None:
        return None

    def report(stage: str, done: int, total: int) -> None:
        if stage == "examining":
            progress(stage, turn * rounds + done, 2 * rounds)
        elif turn == 0:
            progress(stage, done, total)

    return report


def leave_out(odds: Matrix, labels: Rows) -> Rows:
    """Return the rows that should not teach: the clearest suspects, of each topic a third at most."""
    clear = np.flatnonzero(odds >= LEFT_OUT_FROM)
    clear = clear[np.argsort(-odds[clear], kind="stable")]
    sizes = np.bincount(labels[labels >= 0])
    chosen = []
    for topic in np.unique(labels[clear]).tolist():
        chosen.append(clear[labels[clear] == topic][: int(MAX_LEFT_OUT * sizes[topic])])
    return np.sort(np.concatenate(chosen)) if chosen else clear


def find_nearest(vectors: Vectors, labels: Rows, groups: Rows) -> tuple[Rows, Vectors]:
    """Return the nearest examples with a topic of each row, nearest first, and their similarity.

    A near-duplicate in the same topic is no second opinion: it was copied with its label. One in another topic is.
    """
    size = min(NEIGHBOURS, len(labels) - 1)
    nearest = np.empty((len(labels), size), dtype=np.intp)
    similarity = np.empty((len(labels), size), dtype=np.float32)
    for begin in range(0, len(labels), BLOCK):
        rows = np.arange(begin, min(begin + BLOCK, len(labels)))
        likeness = vectors[rows] @ vectors.T
        copies = (groups[rows, None] == groups[None, :]) & (labels[rows, None] == labels[None, :])
        likeness[copies | (labels < 0)[None, :]] = -1.0
        best = np.argpartition(-likeness, size - 1, axis=1)[:, :size]
        order = np.argsort(-np.take_along_axis(likeness, best, axis=1), axis=1, kind="stable")
        nearest[rows] = np.take_along_axis(best, order, axis=1)
        similarity[rows] = np.take_along_axis(likeness, nearest[rows], axis=1)
    return nearest, similarity


def vote(nearest: Rows, similarity: Vectors, labels: Rows, width: int, left_out: Rows) -> Matrix:
    """Return the share of each topic among the nearest examples, by similarity; those left out do not count."""
    weights = np.exp((similarity.astype(np.float64) - 1) / TEMPERATURE)
    weights[np.isin(nearest, left_out) | (labels[nearest] < 0)] = 0.0
    votes = np.zeros((len(labels), width))
    np.add.at(votes, (np.arange(len(labels))[:, None], labels[nearest]), weights)
    return np.asarray(votes / np.maximum(votes.sum(axis=1, keepdims=True), 1e-300))


def build_suspect(material: Material, suspicion: Suspicion, row: int) -> Suspect:
    """Describe a suspect with the examples that speak for the suggested topic and those nearest of all."""
    data, near = material.data, suspicion.nearest[row]
    suggested = int(suspicion.suggested[row])
    topics = material.labels[near]
    # First the nearest that are filed where the suspect may belong.
    places = np.argsort(topics != suggested, kind="stable")[:SHOWN_NEIGHBOURS].tolist()
    shown = [
        NearExample(
            data.number(int(near[place])),
            data.texts[int(near[place])],
            material.topics[int(topics[place])],
            float(suspicion.similarity[row, place]),
        )
        for place in places
        if topics[place] >= 0
    ]
    return Suspect(
        row=data.number(row),
        text=data.texts[row],
        intent=material.topics[int(material.labels[row])],
        suggested=material.topics[suggested],
        score=float(suspicion.scores[row]),
        neighbours=len(near),
        agreeing=int((topics == suggested).sum()),
        own=int((topics == material.labels[row]).sum()),
        nearest=tuple(shown),
    )
