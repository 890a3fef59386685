"""Intervals of rates from what each scenario adds to them: turns of one scenario stand or fall together."""

from __future__ import annotations

import math

import numpy as np

from vivavoce.conversations.findings.columns import Floats
from vivavoce.records import Rate
from vivavoce.statistics import Spread, bounded_rate, ratio_spread, student, wilson


def rate_of(hits: Floats, n: Floats) -> Rate:
    """Return a share with its interval, from the sums of each cluster.

    Wilson's where each cluster adds one item at most; else with the variance between clusters (`bounded_rate`).
    """
    total, items = float(hits.sum()), float(n.sum())
    count = round(items)
    if not items:
        return Rate(None, None, None, count)
    if n.max() <= 1 and np.isin(hits, (0, 1)).all():
        return wilson(total, count)
    return bounded_rate(total / items, ratio_spread(hits, n), count)


def time_of(total: Floats, n: Floats) -> Rate:
    """Return a mean time with its interval: Student's t on the logarithm, for times are skewed and never below 0."""
    items, spread = float(n.sum()), ratio_spread(total, n)
    if not items:
        return Rate(None, None, None, 0)
    value = float(total.sum()) / items
    if spread.units < 2 or not value or not spread.variance:
        return Rate(value, None, None, round(items))
    reach = math.exp(student(spread.freedom) * math.sqrt(spread.variance) / value)
    return Rate(value, value / reach, value * reach, round(items))


def jackknife_rate(value: float, without: Floats, n: int) -> Rate:
    """Return a number between 0 and 1 that is no ratio, from its values without each cluster in turn."""
    known = without[~np.isnan(without)]
    clusters = len(known)
    if clusters < 2:
        return Rate(value, None, None, n)
    variance = (clusters - 1) / clusters * float(((known - known.mean()) ** 2).sum())
    telling = float(np.count_nonzero(known != value))
    return bounded_rate(value, Spread(variance, clusters, telling, clusters - 1), n)
