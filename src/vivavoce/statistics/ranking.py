"""How well scores put things in order."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def rank_auc(positive: ArrayLike, negative: ArrayLike) -> float | None:
    """Return the area under the ROC curve: P(positive > negative) + P(equal) / 2; None if a side is empty.

    Meaning: how often a random positive scores above a random negative; 0.5 is chance, 1 is perfect order.
    """
    high = np.asarray(positive, dtype=np.float64)
    low = np.sort(np.asarray(negative, dtype=np.float64))
    if not high.size or not low.size:
        return None
    # Counting the lower and the not-higher negatives is the rank formula with ties as one half.
    below = np.searchsorted(low, high, side="left") + np.searchsorted(low, high, side="right")
    return float(below.sum() / (2 * high.size * low.size))
