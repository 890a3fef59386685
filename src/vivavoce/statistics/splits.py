"""Repeated splits of one data set: they share examples, so their spread must be corrected."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from vivavoce.records import Rate
from vivavoce.statistics.intervals import student


def mean_rate(
    values: Sequence[float | None],
    n_test: Sequence[int],
    n_train: Sequence[int],
    confidence: float = 0.95,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Rate:
    """Return the mean over R repeated splits with the corrected interval of Nadeau and Bengio.

    mean ± t(R-1)·s·sqrt(1/R + n_test/n_train), clipped to `bounds`; sizes are means over the splits. Meaning:
    where the mean of other data of this size would lie. Rounds share examples, so s/sqrt(R) promises too
    much: more rounds never say more than the data hold. None (0/0 in a round) is left out; a single value
    has no interval. `n` is the number of test items behind the mean.
    """
    known = [row for row in zip(values, n_test, n_train, strict=True) if row[0] is not None]
    if not known:
        return Rate(None, None, None, 0)
    scores, tested, trained = (np.asarray(column, dtype=np.float64) for column in zip(*known, strict=True))
    mean, count, items = float(scores.mean()), len(known), int(tested.sum())
    if trained.mean() <= 0:
        raise ValueError("a split without training items cannot be corrected for overlap")
    if count == 1:
        return Rate(mean, None, None, items)
    correction = 1 / count + tested.mean() / trained.mean()
    half = student(count - 1, confidence) * float(scores.std(ddof=1) * math.sqrt(correction))
    return Rate(mean, max(bounds[0], mean - half), min(bounds[1], mean + half), items)
