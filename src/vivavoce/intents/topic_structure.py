"""What the texts say about single topics: which look like two topics in one, and which examples are like no topic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vivavoce.intents.material import Material
from vivavoce.intents.pairs import text_probabilities

Matrix = NDArray[np.float32]

MIN_EXAMPLES = 8
MIN_HALF = 4
MAX_STEPS = 50
# Two halves of a topic look like two topics if each is nearer to another topic, by so much of a cosine, than to the
# other half: one of some hundred topics does by chance (docs/decisions/problems.md).
SPLIT_GAP = 0.30
# Tukey's fence: so many times the middle half of all examples below it.
FENCE = 1.5


@dataclass(frozen=True, slots=True)
class Halves:
    """A topic that looks like two. `places`: the examples of its smaller half; `gap`: by how much."""

    topic: str
    places: tuple[int, ...]
    gap: float


@dataclass(frozen=True, eq=False)
class TextView:
    """What the texts say without any engine. `chances`: the chance of each topic for each row."""

    chances: Matrix
    halves: tuple[Halves, ...] = ()
    outliers: tuple[int, ...] = ()

    @classmethod
    def of(cls, vectors: Matrix, material: Material) -> TextView:
        """Judge the texts by their vectors."""
        chances = text_probabilities(vectors, material.labels, len(material.topics))
        return cls(chances, tuple(find_halves(vectors, material)), find_outliers(vectors, material))


def find_halves(vectors: Matrix, material: Material) -> Iterator[Halves]:
    """Yield the topics that look like two, the clearest first."""
    means = _scale_to_unit(_sum_topics(vectors, material))
    found = []
    for code, topic in enumerate(material.topics):
        places = np.flatnonzero(material.labels == code)
        # Near-duplicates are one example: a clump of copies is no topic of its own.
        distinct = places[np.unique(material.groups[places], return_index=True)[1]]
        if len(distinct) < MIN_EXAMPLES or len(material.topics) < 3:
            continue
        second = divide(vectors[distinct])
        if second.sum() < MIN_HALF:
            continue
        halves = _scale_to_unit(np.stack([vectors[distinct[side]].sum(axis=0) for side in (~second, second)]))
        others = np.delete(means, code, axis=0)
        gap = float((halves @ others.T).max(axis=1).mean() - halves[0] @ halves[1])
        if gap >= SPLIT_GAP:
            nearer = vectors[places] @ halves.T
            smaller = places[nearer[:, 1] > nearer[:, 0]]
            found.append(Halves(topic, tuple(smaller.tolist()), gap))
    yield from sorted(found, key=lambda halves: -halves.gap)


def find_outliers(vectors: Matrix, material: Material) -> tuple[int, ...]:
    """Return the places of examples that are unlike every topic, their own without them among these."""
    sums = _sum_topics(vectors, material)
    known = np.flatnonzero(material.labels >= 0)
    labels = material.labels[known]
    likeness = vectors[known] @ _scale_to_unit(sums).T
    likeness[np.arange(len(known)), labels] = (vectors[known] * _scale_to_unit(sums[labels] - vectors[known])).sum(1)
    best = likeness.max(axis=1)
    lower, upper = np.quantile(best, [0.25, 0.75])
    return tuple(known[best < lower - FENCE * (upper - lower)].tolist())


def divide(vectors: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Return which rows belong to the smaller of two clusters (2-means, from the first principal direction)."""
    centred = np.asarray(vectors, dtype=np.float64) - vectors.mean(axis=0)
    direction = np.linalg.svd(centred, full_matrices=False)[2][0]
    heights = centred @ direction
    second = heights > np.median(heights)
    if not second.any():
        # Most rows are the same: whatever comes after them in order is as good as anything.
        second = np.arange(len(vectors)) >= len(vectors) / 2
    for _ in range(MAX_STEPS):
        centres = np.stack([centred[~second].mean(axis=0), centred[second].mean(axis=0)])
        distances = ((centred[:, None, :] - centres) ** 2).sum(axis=2)
        nearer = distances[:, 1] < distances[:, 0]
        if nearer.all() or not nearer.any() or np.array_equal(nearer, second):
            break
        second = nearer
    return np.asarray(second if second.sum() * 2 <= len(second) else ~second)


def _sum_topics(vectors: Matrix, material: Material) -> Matrix:
    sums = np.zeros((len(material.topics), vectors.shape[1]), dtype=np.float32)
    known = material.labels >= 0
    np.add.at(sums, material.labels[known], vectors[known])
    return sums


def _scale_to_unit(rows: Matrix) -> Matrix:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))
