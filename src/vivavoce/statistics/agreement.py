"""Whether people who rate the same items agree, beyond luck."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

Ratings = Iterable[Sequence[Hashable | None]]


def percent_agreement(ratings: Ratings) -> float | None:
    """Return the share of agreeing pairs of raters, averaged over items; None if no item has two ratings.

    `ratings` has one row for each item and one column for each rater, None where a rating is missing.
    mean over items of Σ_k r_k(r_k - 1) / (r(r - 1)), r_k raters having said k. Says nothing about luck.
    """
    return _mean_agreement(_tally(ratings))


def krippendorff_alpha_nominal(ratings: Ratings) -> float | None:
    """Return Krippendorff's alpha for unordered values: 1 - observed / expected disagreement.

    Observed: Σ over items of (disagreeing pairs) / (r - 1) / N; expected: the same if all N pairable values
    were shuffled. 1 is perfect, 0 is chance. None if undefined: nothing to pair, or all values are the same.
    """
    items = [item for item in _tally(ratings) if item.total() >= 2]
    values: Counter[Hashable] = Counter()
    for item in items:
        values.update(item)
    expected = _pairs(values) - _agreeing_pairs(values)
    if expected == 0:
        return None
    observed = math.fsum((_pairs(item) - _agreeing_pairs(item)) / (item.total() - 1) for item in items)
    return 1 - (values.total() - 1) * observed / expected


def gwet_ac1(ratings: Ratings, categories: int | None = None) -> float | None:
    """Return Gwet's AC1: (agreement - chance) / (1 - chance), chance = Σ_k π_k(1 - π_k) / (q - 1).

    π_k is the mean share of raters saying k, q the number of possible values (default: those seen, at
    least 2). Stays meaningful when nearly all ratings are alike, where alpha collapses.
    """
    items = _tally(ratings)
    agreement = _mean_agreement(items)
    if agreement is None:
        return None
    seen = {value for item in items for value in item}
    shares = [math.fsum(item[value] / item.total() for item in items) / len(items) for value in seen]
    chance = math.fsum(share * (1 - share) for share in shares) / (max(2, len(seen), categories or 0) - 1)
    return (agreement - chance) / (1 - chance)


def _tally(ratings: Ratings) -> list[Counter[Hashable]]:
    """Count the values of each item; items without any rating are dropped."""
    counted = (Counter(value for value in item if value is not None) for item in ratings)
    return [item for item in counted if item]


def _mean_agreement(items: Sequence[Counter[Hashable]]) -> float | None:
    shares = [_agreeing_pairs(item) / _pairs(item) for item in items if item.total() >= 2]
    return math.fsum(shares) / len(shares) if shares else None


def _pairs(item: Counter[Hashable]) -> int:
    return item.total() * (item.total() - 1)


def _agreeing_pairs(item: Counter[Hashable]) -> int:
    return sum(count * (count - 1) for count in item.values())
