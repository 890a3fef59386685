"""Messages that are lost between two topics, counted by example, where every topic was tested as itself.

A test is lost between its topic and a rival if it would have been answered rightly had the two been one: it was
answered with the rival, or held back although the two together reached the threshold. Each test has at most one
rival, so losses add up and nothing is counted twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vivavoce.intents.material import Material
from vivavoce.intents.record import Answers, UnitResult
from vivavoce.intents.splits import Rows
from vivavoce.records import Rate
from vivavoce.statistics import wilson

# An example counts as lost if at least this part of its tests was.
MOSTLY = 0.5


@dataclass(frozen=True, slots=True)
class Loss:
    """What is lost between two topics: the share of their messages, and the examples that show it.

    `examples` counts near-duplicates once; `rows` are their rows in the file.
    """

    share: Rate
    examples: int
    rows: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Losses:
    """Lost examples: `share[i]` of the tests of example `row[i]` were lost between the topics of `pair[i]`."""

    material: Material
    tested: Rows
    pair: Rows
    row: Rows
    share: NDArray[np.float64]

    @cached_property
    def _tested_sizes(self) -> tuple[Rows, Rows]:
        """Tested examples of each topic, all and with near-duplicates once."""
        labels, width = self.material.labels[self.tested], len(self.material.topics)
        distinct = np.unique(np.stack([labels, self.material.groups[self.tested]]), axis=1)[0]
        return np.bincount(labels, minlength=width), np.bincount(distinct, minlength=width)

    def between(self, a: int, b: int) -> Loss:
        """Return what is lost between two topics. The interval treats near-duplicates as one example."""
        own = self.pair == _pair_code(a, b, len(self.material.topics))
        sizes, distinct = (int(counts[a] + counts[b]) for counts in self._tested_sizes)
        if not sizes:
            return Loss(Rate(None, None, None, 0), 0)
        rows = self.row[own][self.share[own] >= MOSTLY]
        share = min(1.0, float(self.share[own].sum()) / sizes)
        numbers = tuple(map(self.material.data.number, rows.tolist()))
        return Loss(wilson(share * distinct, distinct), len(np.unique(self.material.groups[rows])), numbers)

    def largest(self, most: int) -> tuple[tuple[int, int], ...]:
        """Return the pairs of topics between which most examples are lost."""
        pairs, place = np.unique(self.pair, return_inverse=True)
        order = np.argsort(-np.bincount(place, weights=self.share), kind="stable")[:most] if len(pairs) else pairs
        width = len(self.material.topics)
        return tuple((int(pair) // width, int(pair) % width) for pair in pairs[order])


def find_losses(results: Sequence[UnitResult], material: Material, threshold: float) -> Losses:
    """Find what is lost between topics in splits in which every topic was tested as itself."""
    width = len(material.topics)
    rows, pairs = [np.empty(0, dtype=np.intp)], [np.empty(0, dtype=np.intp)]
    times = np.zeros(len(material))
    for result in results:
        known = np.flatnonzero(~result.negative & (material.labels[result.test] >= 0))
        test = result.test[known]
        times[test] += 1
        rivals = find_rivals(result.answers, known, material.labels[test], threshold)
        lost = rivals >= 0
        rows.append(test[lost])
        pairs.append(_pair_code(material.labels[test[lost]], rivals[lost], width))
    lost_tests = np.stack([np.concatenate(pairs), np.concatenate(rows)])
    (pair, row), count = np.unique(lost_tests, axis=1, return_counts=True)
    return Losses(material, np.flatnonzero(times), pair, row, count / times[row])


def find_rivals(answers: Answers, places: Rows, truth: Rows, threshold: float) -> Rows:
    """Return the topic to which each of these tests is lost, -1 where it is not lost to any."""
    guess, confidence = answers.guess[places], answers.confidence[places]
    answered = (guess >= 0) & (confidence >= threshold)
    rivals = np.where(guess == truth, -1, guess)
    if answers.probabilities is None:
        return np.where(answered, rivals, -1)
    chances = answers.probabilities[places]
    undecided = np.flatnonzero((guess == truth) & ~answered)
    if len(undecided):
        others = chances[undecided]
        others[np.arange(len(others)), truth[undecided]] = -1.0
        rivals[undecided] = others.argmax(axis=1)
    every = np.arange(len(truth))
    together = chances[every, truth] + chances[every, rivals] >= threshold
    return np.where(answered | together, rivals, -1)


def _pair_code(a: Rows | int, b: Rows | int, width: int) -> Rows:
    return np.asarray(np.minimum(a, b) * width + np.maximum(a, b), dtype=np.intp)
