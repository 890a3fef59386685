"""What every comparison on the same items returns, and what to decide from it."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from vivavoce.statistics.intervals import CAREFUL_WEIGHT, student, student_p

Floats = NDArray[np.float64]

# Up to this many groups that differ, all their signs are tried: 65,536 at most.
MAX_FLIPPED = 16


@dataclass(frozen=True, slots=True)
class PairedTest:
    """A difference on the same items with its interval and two-sided p value.

    `difference` is None when nothing could be compared; the rest is None when one comparison alone
    says nothing about its spread. `standard_error` is what `items_to_decide` needs.
    """

    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    standard_error: float | None = None


def mcnemar_exact(only_a: int, only_b: int) -> float:
    """Return the exact two-sided p of McNemar's test on the items where two classifiers disagree.

    p = min(1, 2·P(X <= min(only_a, only_b))) with X ~ Binomial(only_a + only_b, 1/2). Meaning: if neither
    classifier is better, each disagreement is a fair coin; p says how rare so lopsided a series would be.
    Items that both get right or both get wrong carry no information.
    """
    from scipy.special import bdtr

    if min(only_a, only_b) < 0:
        raise ValueError("counts cannot be negative")
    if only_a == only_b:
        return 1.0
    return min(1.0, 2 * float(bdtr(min(only_a, only_b), only_a + only_b, 0.5)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p values in the original order.

    Sorted upward, p(i) becomes max over j <= i of min(1, (m - j + 1)·p(j)). Meaning: below 0.05 holds for all
    comparisons together, so looking at many pairs does not make one of them significant by chance.
    """
    m, running = len(p_values), 0.0
    adjusted = [0.0] * m
    for rank, index in enumerate(sorted(range(m), key=p_values.__getitem__)):
        running = max(running, min(1.0, (m - rank) * p_values[index]))
        adjusted[index] = running
    return adjusted


def paired_test(
    a: Sequence[float],
    b: Sequence[float],
    groups: Sequence[Hashable] | None = None,
    *,
    step: float = 0.0,
    confidence: float = 0.95,
) -> PairedTest:
    """Compare two scores of the same items: mean(a - b), where items of one group belong together.

    Interval: Student's t on the differences of groups. p: the share of all ways to swap a and b in whole groups that
    give a difference at least as large; above 16 groups that differ, Student's. Meaning: whether the difference would
    survive other groups of the same kind. `step` is the least by which an item can differ (1 for right and wrong): it
    gives an interval to groups that all differ alike, which has none otherwise. A single group says nothing.
    """
    if len(a) != len(b) or (groups is not None and len(groups) != len(a)):
        raise ValueError("a paired comparison needs one score per classifier, and one group, for every item")
    gaps = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    names = {name: place for place, name in enumerate(dict.fromkeys(range(len(gaps)) if groups is None else groups))}
    if len(names) < 2:
        return PairedTest(float(gaps.mean()) if len(gaps) else None, None, None, None)
    places = [names[name] for name in (range(len(gaps)) if groups is None else groups)]
    sums: Floats = np.bincount(places, weights=gaps).astype(np.float64)
    return compare_groups(sums, np.bincount(places).astype(np.float64), step, confidence)


def compare_groups(sums: Floats, sizes: Floats, step: float = 0.0, confidence: float = 0.95) -> PairedTest:
    """Test whether Σ sums / Σ sizes is 0, given both for each of two groups or more; see `paired_test`."""
    count, total = len(sums), float(sizes.sum())
    difference = float(sums.sum()) / total
    residuals = sums - difference * sizes
    # Sums that are equal but for the last bit are equal.
    residuals[np.abs(residuals) <= 1e-12 * np.abs(sums).max()] = 0.0
    squares, differing = float(residuals @ residuals), int(np.count_nonzero(residuals))
    # As if a part of one more group differed: few that differ know little of their spread, and none know nothing.
    squares += CAREFUL_WEIGHT * max(squares / max(1, differing), step * step)
    error = math.sqrt(squares * count / (count - 1)) / total
    p = _flip_p(sums[sums != 0])
    if not error:
        return PairedTest(difference, None, None, 1.0 if p is None else p)
    half = student(count - 1, confidence) * error
    p = student_p(difference / error, count - 1) if p is None else p
    return PairedTest(difference, difference - half, difference + half, p, error)


def _flip_p(sums: Floats) -> float | None:
    """Return the share of all signs of these sums that give at least as large a total; None if they are too many."""
    if len(sums) > MAX_FLIPPED:
        return None
    totals = np.zeros(1)
    for value in sums.tolist():
        totals = np.concatenate([totals + value, totals - value])
    least = abs(float(sums.sum())) * (1 - 1e-12)
    return float(np.mean(np.abs(totals) >= least))


def items_to_decide(
    difference: float,
    standard_error: float,
    n: int,
    *,
    freedom: int | None = None,
    confidence: float = 0.95,
    power: float = 0.8,
) -> int | None:
    """Return about how many more items would make this difference significant; None if it is 0.

    n·((q(confidence) + z(power))·standard_error / difference)² - n, at least 0, where q is Student's quantile, whose
    `freedom` grows with the items (without it, the normal one). Meaning: if the difference is really this large, that
    many more items show it with the given power. A guide, not a promise: the difference is itself uncertain.
    """
    if difference == 0:
        return None
    scale = standard_error / abs(difference)

    def reach(growth: float) -> float:
        normal = NormalDist().inv_cdf((1 + confidence) / 2)
        quantile = normal if freedom is None else student(freedom * growth, confidence)
        return (quantile + NormalDist().inv_cdf(power)) * scale / math.sqrt(growth)

    if reach(1.0) <= 1:
        return 0
    # With Student's quantile of today this many times the items are surely enough.
    low, high = 1.0, reach(1.0) * reach(1.0)
    if not math.isfinite(n * high):
        return None
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if reach(middle) <= 1 else (middle, high)
    return math.ceil(n * (high - 1) - 1e-9)
