"""What can be trained and asked. One protocol for local models and remote engines alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from vivavoce.records import Guess

Floats = NDArray[np.floating]


@runtime_checkable
class Classifier(Protocol):
    """Learns topics from examples and guesses the topic of messages, in batches.

    `name` appears in results. `fit` forgets everything learnt before. `guess` returns one Guess for each
    text, in order; `NO_GUESS` where the engine has none. Raise anything on failure: the exam records it.
    """

    @property
    def name(self) -> str:
        """How results call this classifier."""
        ...

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Train on these examples alone."""
        ...

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        """Return the best guess for each text."""
        ...


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
        ...
