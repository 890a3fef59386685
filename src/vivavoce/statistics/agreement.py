"""Whether people who rated the same items agree, with intervals over other items of the same kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vivavoce.records import Rate
from vivavoce.statistics.intervals import Spread, bounded_rate, ratio_spread

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Below this many items an interval would pretend to know more than it does.
MIN_ITEMS = 10


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """How far raters agree: `same` and `near` are shares of pairs, `near` those at most one point apart.

    `alpha` is Krippendorff's: 0 is luck, 1 is perfect. `n` of each counts items with two ratings or more.
    """

    same: Rate
    near: Rate
    alpha: Rate


def agreement_of_raters(items: Sequence[Sequence[float]], *, ordered: bool) -> RaterAgreement:
    """Return how far raters agree on items, each given as its ratings; those with less than two are left out.

    `ordered`: values are points on a scale, and alpha is the one for intervals: distances count squared. Else they
    are names, and alpha is the nominal one. Without a pair nothing is known; below `MIN_ITEMS` alpha has no
    interval.
    """
    import numpy as np

    shared = [item for item in items if len(item) >= 2]
    if not shared:
        nothing = Rate(None, None, None, 0)
        return RaterAgreement(nothing, nothing, nothing)
    values = sorted({value for item in shared for value in item})
    counts = np.array([[list(item).count(value) for value in values] for item in shared], dtype=np.float64)
    steps, same = np.abs(np.subtract.outer(values, values)), np.eye(len(values))
    close, apart = (steps <= 1).astype(np.float64), steps**2 if ordered else 1 - same
    return RaterAgreement(_measure_share(counts, same), _measure_share(counts, close), _measure_alpha(counts, apart))


def _measure_share(counts: Floats, alike: Floats) -> Rate:
    """Return the share of pairs that are alike, averaged over items."""
    import numpy as np

    n = counts.sum(axis=1)
    # Nobody is paired with themselves.
    pairs = ((counts @ alike) * counts).sum(axis=1) - n
    shares: Floats = pairs / (n * (n - 1))
    return bounded_rate(float(shares.mean()), ratio_spread(shares, np.ones_like(shares)), len(shares))


def _measure_alpha(counts: Floats, apart: Floats) -> Rate:
    """Return alpha with an interval from leaving out each item in turn, drawn on the scale from -1 to 1."""
    import numpy as np

    items, n = len(counts), counts.sum(axis=1)
    within = ((counts @ apart) * counts).sum(axis=1) / (n - 1)
    value = float(_compute_alphas(within.sum(keepdims=True), counts.sum(axis=0, keepdims=True), apart)[0])
    if np.isnan(value):
        return Rate(None, None, None, items)
    without = _compute_alphas(within.sum() - within, counts.sum(axis=0) - counts, apart)
    without = without[~np.isnan(without)]
    if items < MIN_ITEMS or len(without) < 2:
        return Rate(value, None, None, items)
    variance = (len(without) - 1) / len(without) * float(((without - without.mean()) ** 2).sum())
    telling = float(np.count_nonzero(without != value))
    middle = bounded_rate(max(0.0, (1 + value) / 2), Spread(variance / 4, items, telling, items - 1), items)
    low, high = (None if end is None else 2 * end - 1 for end in (middle.low, middle.high))
    return Rate(value, low, high, items)


def _compute_alphas(within: Floats, pooled: Floats, apart: Floats) -> Floats:
    """Return Krippendorff's alpha: 1 - (N - 1) Σ (distances within an item) / (n - 1) / (all distances).

    For each row: the sum over items of the distances within them, and how often each value was given.
    """
    import numpy as np

    among = ((pooled @ apart) * pooled).sum(axis=1)
    among[among == 0] = np.nan
    alphas: Floats = 1 - (pooled.sum(axis=1) - 1) * within / among
    return alphas
