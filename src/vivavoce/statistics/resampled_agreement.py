"""Whether people who rated the same items agree, with intervals from drawing the items again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vivavoce.records import Rate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Below this many items an interval would pretend to know more than it does.
FEWEST_ITEMS = 10
DRAWS = 1000
# Resampling more items than these in all draws would fill the memory.
MOST_CELLS = 4_000_000


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """How far raters agree: `same` and `near` are shares of pairs, `near` those at most one point apart.

    `alpha` is Krippendorff's: 0 is luck, 1 is perfect. `n` of each counts items with two ratings or more.
    """

    same: Rate
    near: Rate
    alpha: Rate


def agreement_of_raters(items: Sequence[Sequence[float]], *, ordered: bool, seed: int = 0) -> RaterAgreement:
    """Return how far raters agree on items, each given as its ratings; those with less than two are left out.

    `ordered`: values are points on a scale, and alpha is the one for intervals: distances count squared. Else they
    are names, and alpha is the nominal one. Without a pair nothing is known; below `FEWEST_ITEMS` no interval is.
    """
    import numpy as np

    shared = [item for item in items if len(item) >= 2]
    if not shared:
        nothing = Rate(None, None, None, 0)
        return RaterAgreement(nothing, nothing, nothing)
    values = sorted({value for item in shared for value in item})
    counts = np.array([[list(item).count(value) for value in values] for item in shared], dtype=np.float64)
    steps, same = np.abs(np.subtract.outer(values, values)), np.eye(len(values))
    weights = _weights(len(shared), seed)
    close, apart = (steps <= 1).astype(np.float64), steps**2 if ordered else 1 - same
    return RaterAgreement(
        same=_rate(lambda drawn: _agreeing(counts, same, drawn), weights),
        near=_rate(lambda drawn: _agreeing(counts, close, drawn), weights),
        alpha=_rate(lambda drawn: _alphas(counts, apart, drawn), weights),
    )


def _weights(items: int, seed: int) -> Floats:
    """Return how often each item is drawn: once in the first row, by chance in the others."""
    import numpy as np

    draws = min(DRAWS, max(100, MOST_CELLS // items)) if items >= FEWEST_ITEMS else 0
    drawn = np.random.default_rng(seed).multinomial(items, np.full(items, 1 / items), size=draws)
    return np.vstack([np.ones((1, items)), drawn]).astype(np.float64)


def _rate(statistic: Callable[[Floats], Floats], weights: Floats) -> Rate:
    import numpy as np

    found, items = statistic(weights), weights.shape[1]
    first, others = found[0], found[1:][~np.isnan(found[1:])]
    if np.isnan(first):
        return Rate(None, None, None, items)
    if not others.size:
        return Rate(float(first), None, None, items)
    low, high = np.quantile(others, [0.025, 0.975])
    return Rate(float(first), float(low), float(high), items)


def _agreeing(counts: Floats, alike: Floats, weights: Floats) -> Floats:
    """Return the share of pairs that are alike, averaged over items."""
    n = counts.sum(axis=1)
    # Nobody is paired with themselves.
    pairs = ((counts @ alike) * counts).sum(axis=1) - n
    mean: Floats = weights @ (pairs / (n * (n - 1))) / weights.sum(axis=1)
    return mean


def _alphas(counts: Floats, apart: Floats, weights: Floats) -> Floats:
    """Return Krippendorff's alpha: 1 - (N - 1) Σ (distances within an item) / (n - 1) / (all distances)."""
    import numpy as np

    n = counts.sum(axis=1)
    within = ((counts @ apart) * counts).sum(axis=1) / (n - 1)
    pooled = weights @ counts
    among = ((pooled @ apart) * pooled).sum(axis=1)
    among[among == 0] = np.nan
    alphas: Floats = 1 - (pooled.sum(axis=1) - 1) * (weights @ within) / among
    return alphas
