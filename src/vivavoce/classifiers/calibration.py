"""How sure a linear model may be, so that 0.5 means one in two.

Averages and penalties make a model timid, the more so the fewer examples it has; on topics that are hard to tell
apart it must stay timid. Both are seen in the training vectors, without training twice: how near the examples of a
topic are to each other, and how often the nearest mean of a topic is the right one. How the constants were chosen:
docs/decisions/classifier.md, measured by benchmarks/calibration.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]

SHARPNESS = 0.35
SHARPNESS_OF_CLEAR_TOPICS = 2.7
SHARPNESS_OF_TENFOLD_EXAMPLES = -0.3
# How near the closest training example is where a guess loses half of its confidence: so much less than the examples
# of a topic are to each other. Few examples lie far apart, and a question is then far from all of them.
FAMILIAR_BELOW = 0.43
MIN_FAMILIAR_AT, MAX_FAMILIAR_AT = 0.2, 0.4
FAMILIAR_SLOPE = 0.1


@dataclass(frozen=True, slots=True)
class Calibration:
    """The power that probabilities are raised to, and the nearness at which a guess loses half of its confidence."""

    sharpness: float
    familiar_at: float

    @classmethod
    def of(cls, topics: Sequence[Matrix]) -> Calibration:
        """Judge by the training vectors of each topic; topics with one example say nothing."""
        several = [place for place, vectors in enumerate(topics) if len(vectors) > 1]
        if not several:
            return cls(SHARPNESS, MAX_FAMILIAR_AT)
        sums = np.stack([vectors.sum(axis=0) for vectors in topics])
        means = _scale_to_unit(sums)
        nearest, clear = [], []
        for place in several:
            vectors = topics[place]
            likeness = vectors @ vectors.T
            np.fill_diagonal(likeness, -1.0)
            nearest.append(likeness.max(axis=1))
            to_means = vectors @ means.T
            # Each example is compared with the mean of the others.
            own = (vectors * _scale_to_unit(sums[place] - vectors)).sum(axis=1)
            to_means[:, place] = -1.0
            clear.append(own > to_means.max(axis=1))
        each = sum(map(len, topics)) / len(topics)
        return cls(
            SHARPNESS
            + SHARPNESS_OF_CLEAR_TOPICS * float(np.concatenate(clear).mean())
            + SHARPNESS_OF_TENFOLD_EXAMPLES * float(np.log10(each)),
            float(np.clip(np.concatenate(nearest).mean() - FAMILIAR_BELOW, MIN_FAMILIAR_AT, MAX_FAMILIAR_AT)),
        )

    def find_familiarity(self, nearest: Matrix) -> Matrix:
        """Return what is left of the confidence, 0 to 1, by how near the closest example of the guessed topic is."""
        return np.asarray(1 / (1 + np.exp((np.float32(self.familiar_at) - nearest) / np.float32(FAMILIAR_SLOPE))))


def _scale_to_unit(rows: Matrix) -> Matrix:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))
