"""Sentence vectors and logistic regression for one agent: the classifier's own parts, without its disk cache.

The cache would answer a message of an earlier run from disk, and a bot would look faster the second time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vivavoce.classifiers.linear import PreparedLinear, RowsOfLinear
from vivavoce.classifiers.protocol import Rows
from vivavoce.text.cache import encode_cached
from vivavoce.text.vectors import Encoder, load_encoder

Matrix = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class LinearModel:
    """What was learnt from the phrases of an agent."""

    encoder: Encoder
    intents: tuple[str, ...]
    codes: Rows
    trained: RowsOfLinear

    @classmethod
    def train(cls, texts: Sequence[str], intents: Sequence[str], encoder: str = "minilm") -> LinearModel:
        """Encode the phrases once and fit them."""
        loaded = load_encoder(encoder)
        names, codes = np.unique(np.asarray(intents, dtype=object).astype(str), return_inverse=True)
        whole = PreparedLinear.of(encode_cached(loaded, texts), codes, None, landmark=True)
        return cls(loaded, tuple(map(str, names)), codes, whole.train(np.arange(len(texts))))

    def scores(self, text: str) -> dict[str, float]:
        """Return the probability of each topic; what they lack to 1 is the chance that none fits."""
        vectors = self.encoder.encode([text])
        row = self.trained.trained.answer(self.trained.prepared.basis.rotate(vectors), vectors, None)[0]
        return dict(zip(self.intents, map(float, row), strict=True))

    def rehearse(self, folds: int) -> tuple[list[float], list[float]]:
        """Ask each phrase of a model that has not seen it, and of one that has not seen its topic.

        Returns the confidence in the right topic (0 where another was guessed) and in any wrong one.
        """
        own = np.zeros(len(self.codes))
        foreign = np.zeros(len(self.codes))
        # Every eighth phrase together, rather than one at a time: nearly the same, in a fraction of the time.
        for fold in range(folds):
            self._ask(own, np.arange(len(self.codes)) % folds == fold, right=True)
        for code in range(len(self.intents)):
            self._ask(foreign, self.codes == code, right=False)
        return own.tolist(), foreign.tolist()

    def _ask(self, scores: NDArray[np.float64], hidden: NDArray[np.bool_], *, right: bool) -> None:
        """Train without the hidden rows and write down what the model says to them."""
        rows = np.flatnonzero(hidden)
        if not len(rows) or len(np.unique(self.codes[~hidden])) < 2:
            return
        columns, chances = self.trained.prepared.train(np.flatnonzero(~hidden)).probabilities(rows)
        best = chances.argmax(axis=1)
        confidence = chances[np.arange(len(rows)), best]
        scores[rows] = np.where(columns[best] == self.codes[rows], confidence, 0.0) if right else confidence
