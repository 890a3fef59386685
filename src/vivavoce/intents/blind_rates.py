"""The numbers of a blind test with their intervals: near-duplicates are one question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from vivavoce.intents.influences import Floats, share_parts
from vivavoce.intents.measures import Items, calibration, f1_scores, matthews, oos_auroc, risk_coverage
from vivavoce.intents.splits import Rows
from vivavoce.records import Rate
from vivavoce.statistics import Spread, bounded_rate, ratio_spread, wilson
from vivavoce.statistics import resamples as bootstrap_rows


def blind_rates(items: Items, groups: Rows, threshold: float, seed: int, resamples: int) -> Mapping[str, Rate]:
    """Return every number of a test that was asked once, over other questions of this kind."""
    rates = {name: _bound_share(*parts, groups) for name, parts in share_parts(items, threshold).items()}
    # HINT3 and CLINC150 call the share of negatives that were declined "out-of-scope recall".
    rates["oos_recall"] = rates["negative_rejection"]
    # The other numbers get their intervals from resamples, in which near-duplicates are drawn together.
    numbers, count = _measure_others(items, threshold), len(np.unique(groups))
    drawn: dict[str, list[float]] = {name: [] for name in numbers}
    for rows in bootstrap_rows(groups.tolist(), resamples, seed) if count > 1 else ():
        part = Items(items.truth[rows], items.guess[rows], items.confidence[rows])
        for name, value in _measure_others(part, threshold).items():
            if value is not None:
                drawn[name].append(value)
    for name, value in numbers.items():
        rates[name] = _bound_number(value, drawn[name], len(items), count, -1.0 if name == "mcc" else 0.0)
    return rates


def _measure_others(items: Items, threshold: float) -> dict[str, float | None]:
    macro, weighted = f1_scores(items, threshold)
    curve = risk_coverage(items)
    return {
        "f1_macro": macro,
        "f1_weighted": weighted,
        "mcc": matthews(items, threshold),
        "oos_auroc": oos_auroc(items),
        "aurc": curve.aurc,
        "augrc": curve.augrc,
        "ece": calibration(items)[0],
    }


def _bound_share(hits: Floats, n: Floats, groups: Rows) -> Rate:
    """Put an interval around a share; near-duplicates are one question."""
    asked, total = round(float(n.sum())), float(hits.sum())
    if not asked:
        return Rate(None, None, None, 0)
    if len(np.unique(groups[n > 0])) == asked:
        return wilson(total, asked)
    own, counted = (np.bincount(groups, weights=part).astype(np.float64) for part in (hits, n))
    return bounded_rate(total / asked, ratio_spread(own, counted), asked)


def _bound_number(value: float | None, drawn: Sequence[float], n: int, groups: int, lowest: float) -> Rate:
    """Put an interval around a number that lies between `lowest` and 1, from the variance of its resamples."""
    if value is None:
        return Rate(None, None, None, 0)
    if len(drawn) < 2 or groups < 2:
        return Rate(value, None, None, n)
    span = 1 - lowest
    variance = float(np.var(drawn, ddof=1)) * groups / (groups - 1) / span**2
    spread = Spread(variance, groups, float(groups) if variance else 0.0, groups - 1)
    rate = bounded_rate((value - lowest) / span, spread, n)
    low, high = (None if end is None else lowest + span * end for end in (rate.low, rate.high))
    return Rate(value, low, high, n)
