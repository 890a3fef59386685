"""What can be trained and asked. One protocol for local models and remote services alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from vivavoce.records import Guess

Rows = NDArray[np.intp]
Floats = NDArray[np.floating]
Progress = Callable[[int, int], None]


@runtime_checkable
class Classifier(Protocol):
    """Learns topics from examples and guesses the topic of messages, in batches.

    `name` appears in results. `fit` forgets everything learnt before. `guess` returns one Guess for each
    text, in order; `NO_GUESS` where the classifier has none. Raise anything on failure: the exam records it.
    """

    @property
    def name(self) -> str:
        """How results call this classifier."""

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Train on these examples alone."""

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        """Return the best guess for each text."""


@dataclass(frozen=True)
class Probabilities:
    """Full probabilities: one row for each text, one column for each of `intents`."""

    intents: tuple[str, ...]
    rows: Floats

    def guesses(self) -> list[Guess]:
        """Return the best guess of each row."""
        if not self.rows.shape[0]:
            return []
        best = self.rows.argmax(axis=1)
        confidence = self.rows[np.arange(len(best)), best]
        return [Guess(self.intents[i], float(c)) for i, c in zip(best, confidence, strict=True)]


@runtime_checkable
class ProbabilisticClassifier(Classifier, Protocol):
    """A classifier that can also say how probable every topic is."""

    def probabilities(self, texts: Sequence[str]) -> Probabilities:
        """Return the probability of each trained topic for each text."""


class Guessing:
    """Guesses what is most probable."""

    def probabilities(self, texts: Sequence[str]) -> Probabilities:
        """Return the probability of each trained topic for each text."""
        raise NotImplementedError

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        """Return the best guess for each text."""
        return self.probabilities(texts).guesses()


class RowModel(Protocol):
    """A model trained on some rows of a prepared data set; answers other rows of it."""

    def probabilities(self, rows: Rows) -> tuple[Rows, Floats]:
        """Return the trained topic codes (the columns) and one row of probabilities for each row."""


class Prepared(Protocol):
    """A data set read once: vectors and shared factorisations are ready, each split only trains on them."""

    def train(self, rows: Rows) -> RowModel:
        """Train on these rows alone."""


@runtime_checkable
class RelabellingPrepared(Prepared, Protocol):
    """A prepared data set whose topics may change while the texts stay."""

    def relabel(self, labels: Rows) -> Prepared:
        """Return the same texts under other topic codes; topics that stay keep theirs."""


@runtime_checkable
class PreparingClassifier(Protocol):
    """A classifier that can read all texts of an exam once. Must give what `fit` and `guess` would give."""

    @property
    def name(self) -> str:
        """How results call this classifier."""

    def prepare(self, texts: Sequence[str], labels: Rows, progress: Progress | None = None) -> Prepared:
        """Read the texts; `labels` are their topic codes, -1 for rows without a topic."""
