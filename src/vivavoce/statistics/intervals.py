"""Intervals of numbers between 0 and 1 that rest on few independent units: never without width, never outside.

A variance is estimated from the units; Wilson's score interval with as many independent items as would have that
variance, and Student's quantile for the freedom of the estimate, puts the ends. Measured coverage: docs/intervals.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from vivavoce.records import Rate

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

CONFIDENCE = 0.95
# The weight of the careful variance, which takes each unit for all or nothing, beside each unit that shows some.
CAREFUL_WEIGHT = 0.25
# Fewer items than this say nothing: the interval is the whole of 0 to 1.
MIN_ITEMS = 1e-3


@dataclass(frozen=True, slots=True)
class Spread:
    """How much a number would vary: a variance, the independent units that it rests on, and its freedom.

    `telling` counts the units in the minority (of 20 conversations with 3 failures it is 3): without any, the
    variance is 0 and says nothing.
    """

    variance: float
    units: int
    telling: float
    freedom: float


def wilson(hits: float, n: int, confidence: float = 0.95) -> Rate:
    """Return `hits` of `n` with Wilson's score interval; hits averaged over repeated tests need not be whole.

    centre ± half, where centre = (p + z²/2n) / (1 + z²/n) and half = z·sqrt(p(1-p)/n + z²/4n²) / (1 + z²/n).
    Meaning: the true shares that the count does not contradict. Never leaves 0..1, honest for small n.
    """
    if not 0 <= hits <= n:
        raise ValueError(f"{hits} hits of {n} is not a valid count")
    if n == 0:
        return Rate(None, None, None, 0)
    low, high = score_interval(hits / n, n, NormalDist().inv_cdf((1 + confidence) / 2))
    return Rate(hits / n, low, high, n)


def score_interval(share: float, n: float, quantile: float) -> tuple[float, float]:
    """Return the ends of Wilson's interval for a share of `n` items, which need not be whole."""
    scale = 1 + quantile * quantile / n
    centre = (share + quantile * quantile / (2 * n)) / scale
    half = quantile * math.sqrt(share * (1 - share) / n + quantile * quantile / (4 * n * n)) / scale
    # The ends are 0 and 1 exactly when nothing or everything hit, and hold the share, whatever is rounded.
    low = 0.0 if share == 0 else max(0.0, min(share, centre - half))
    high = 1.0 if share == 1 else min(1.0, max(share, centre + half))
    return low, high


def bounded_rate(value: float, spread: Spread, n: int, confidence: float = CONFIDENCE) -> Rate:
    """Put an interval around a number between 0 and 1.

    The variance is drawn towards value·(1 - value) / units, the more so the fewer units tell: a number of 0 or 1 gets
    Wilson's interval for as many units, and no number an interval without width.
    """
    if not spread.units:
        return Rate(value, None, None, n)
    careful = value * (1 - value) / spread.units
    weight = spread.telling + CAREFUL_WEIGHT
    variance = (spread.telling * spread.variance + CAREFUL_WEIGHT * careful) / weight
    # The variance of a number just above 0 may be too small for a float.
    items = max(MIN_ITEMS, value * (1 - value) / variance) if 0 < value < 1 and variance else float(spread.units)
    # Without a unit that tells nothing was estimated, and the normal quantile is Wilson's own.
    quantile = student(spread.freedom, confidence) if spread.telling else NormalDist().inv_cdf((1 + confidence) / 2)
    low, high = score_interval(value, items, quantile)
    # Rounding may put an end on the wrong side of a value that is all but 0 or 1.
    return Rate(value, min(low, value), max(high, value), n)


def with_width(value: float, low: float, high: float, units: int) -> tuple[float, float]:
    """Return an interval between 0 and 1 as it is, or Wilson's for this many units where it has no width."""
    if low < high:
        return low, high
    return score_interval(value, max(1, units), NormalDist().inv_cdf((1 + CONFIDENCE) / 2))


def ratio_spread(hits: Floats, n: Floats) -> Spread:
    """Return the spread of Σ hits / Σ n over clusters that are drawn as a whole (linearised ratio estimator)."""
    known = n > 0
    hits, n = hits[known], n[known]
    clusters = len(n)
    if clusters < 2:
        return Spread(0.0, clusters, 0.0, 1)
    residuals = hits - n * (hits.sum() / n.sum())
    variance = clusters / (clusters - 1) * float(residuals @ residuals) / float(n.sum()) ** 2
    telling = min(np.count_nonzero(hits > 0), np.count_nonzero(hits < n))
    return Spread(variance, clusters, float(telling), clusters - 1)


def stratified_variance(influences: Floats, groups: Ints, strata: Ints) -> tuple[float, int, float]:
    """Return the variance of a sum of influences over groups that are drawn within strata, and its freedom, twice.

    Σ over strata of k/(k - 1) · Σ (group - mean of its stratum)². Strata of one group share one stratum. The freedom
    is that of all groups, then the effective one (Satterthwaite), which is small where few groups make up most of it.
    """
    names, place = np.unique(groups, return_inverse=True)
    if len(names) < 2:
        return 0.0, 1, 1.0
    sums = np.bincount(place.ravel(), weights=influences)
    own = np.zeros(len(names), dtype=np.intp)
    own[place.ravel()] = np.unique(strata, return_inverse=True)[1].ravel()
    sizes = np.bincount(own)
    own = np.where(sizes[own] > 1, own, len(sizes))
    sizes = np.bincount(own)
    if sizes[-1] == 1:
        # A single one that is left over joins the largest stratum.
        own = np.where(sizes[own] == 1, np.argmax(sizes), own)
        sizes = np.bincount(own)
    means = np.bincount(own, weights=sums) / np.maximum(sizes, 1)
    squares = np.bincount(own, weights=(sums - means[own]) ** 2)
    filled = sizes > 1
    parts = squares[filled] * sizes[filled] / (sizes[filled] - 1)
    variance, freedom = float(parts.sum()), max(1, int(len(names) - filled.sum()))
    doubt = float((parts**2 / (sizes[filled] - 1)).sum())
    return variance, freedom, max(1.0, variance * variance / doubt) if doubt else float(freedom)


def student(freedom: float, confidence: float = CONFIDENCE) -> float:
    """Return how many standard errors an interval reaches to each side."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + confidence) / 2))


def student_p(distance: float, freedom: float) -> float:
    """Return how often chance alone would go at least this many standard errors from 0, to either side."""
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -abs(distance))) if math.isfinite(distance) else 0.0
