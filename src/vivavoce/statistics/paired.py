"""What every comparison on the same items returns, and what to decide from it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist


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
    """Return the exact two-sided p of McNemar's test on the items where two engines disagree.

    p = min(1, 2·P(X <= min(only_a, only_b))) with X ~ Binomial(only_a + only_b, 1/2). Meaning: if neither
    engine is better, each disagreement is a fair coin; p says how rare so lopsided a series would be.
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


def items_to_decide(
    difference: float, standard_error: float, n: int, *, confidence: float = 0.95, power: float = 0.8
) -> int | None:
    """Return about how many more items would make this difference significant; None if it is 0.

    n·((z(confidence) + z(power))·standard_error / difference)² - n, at least 0. Meaning: if the difference is
    really this large, that many more items show it with the given power. A guide, not a promise: the
    difference is itself uncertain.
    """
    if difference == 0:
        return None
    reach = (
        (NormalDist().inv_cdf((1 + confidence) / 2) + NormalDist().inv_cdf(power)) * standard_error / abs(difference)
    )
    more = n * reach * reach - n
    return max(0, math.ceil(more)) if math.isfinite(more) else None
