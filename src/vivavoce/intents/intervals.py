"""Every number of one setting with its interval: what it would be with other examples of the same topics.

Each number is a mean over retries. An example moves it in the retries that tested it; the sum is its influence.
Near-duplicates count as one, and topics are given, so groups of examples vary within their topic. Other examples
would also train other models. One record cannot show that part of the variance: it was measured (`TRAINING`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vivavoce.intents.influences import Floats, influences, share_parts, typical_scores
from vivavoce.intents.material import Material
from vivavoce.intents.measures import Items, risk_coverage
from vivavoce.intents.record import UnitResult
from vivavoce.intents.splits import Flags, Rows
from vivavoce.records import Rate
from vivavoce.statistics import Spread, bounded_rate, stratified_variance

# Another training set makes the classifier surer or less sure of all questions at once, which moves a number v by
# about v (1 - v): the variance over data sets is 1 + TRAINING v (1 - v) times what the test items of one set show.
TRAINING = 3.0
# How sure it is of out-of-scope questions rests on the few examples of the topics next to them: v is then the AUROC.
TRAINING_OUTSIDE = 5.0
# How far that moves the means of errors depends on its direction. They are measured again with all out-of-scope
# questions surer, and less sure: in 95 of 100 training sets their log-odds move together by at most so many times
# sqrt(v (1 - v)). A classifier whose log-odds have a standard deviation below 1 moves them less.
SHIFT = 2.2
# How these constants were found: docs/intervals.md.
# These two are means of errors, and rest on the examples that were ever wrong.
ERROR_MEANS = ("aurc", "augrc")
OF_CONFIDENCE = ("oos_auroc", *ERROR_MEANS, "ece")


@dataclass(frozen=True, eq=False)
class Influence:
    """One number: its mean over retries, and how much each row of the data moves it; 0 where it had no part.

    `tested`: the rows that were tested at all. `part`: those that count in this number. `telling`: see `Spread`.
    `is_share`: the variance of a share follows from the share, that of other numbers is known from the rows alone.
    """

    value: float | None
    n: int
    rows: Floats
    tested: Flags
    part: Flags
    telling: float
    is_share: bool

    def rate(self, material: Material, training: float) -> Rate:
        """Return the number with its interval; `training`: what other training sets make of the variance."""
        if self.value is None:
            return Rate(None, None, None, 0)
        variance, freedom, effective = variance_over_items(self.rows, self.tested, material)
        units = len(np.unique(material.groups[self.part]))
        telling, known = min(self.telling, effective), effective
        if self.is_share:
            telling, known = self.telling, max(1, min(freedom, units - 1))
        # A mean of shares may miss 0 or 1 by rounding.
        value = min(1.0, max(0.0, self.value))
        return bounded_rate(value, Spread(training * variance, units, telling, known), self.n)


def rates_of(
    results: Sequence[UnitResult],
    values: Sequence[Mapping[str, float | None]],
    material: Material,
    threshold: float,
) -> Mapping[str, Rate]:
    """Return every number of one setting with its interval; `values`: the numbers of each retry."""
    influences_by_name = influences_on(results, values, material, threshold)
    auroc = influences_by_name["oos_auroc"].rate(material, 1.0)
    items = [items_of(result, material) for result in results]
    spread = measure_spread(items)
    shifts = auroc.value is not None and spread > 0
    rates: dict[str, Rate] = {}
    for name, influence in influences_by_name.items():
        outside = auroc.value is not None and name in OF_CONFIDENCE
        value = (auroc.value if outside else influence.value) or 0.0
        training = 1 + (TRAINING_OUTSIDE if outside else TRAINING) * value * (1 - value)
        rates[name] = influence.rate(material, 1.0 if shifts and name in ERROR_MEANS else training)
    return rates | widen_by_shifts(rates, auroc, items, SHIFT * min(1.0, spread)) if shifts else rates


def widen_by_shifts(rates: Mapping[str, Rate], auroc: Rate, items: Sequence[Items], most: float) -> dict[str, Rate]:
    """Return the means of errors with intervals that allow for other training sets.

    Each end adds two independent distances: to the end over other test items, and to the number with all out-of-scope
    questions surer or less sure. They move by `most` times sqrt(v (1 - v)), where v is the worse or better end of the
    AUROC.
    """
    ends = [end for end in (auroc.low, auroc.high) if end is not None]
    shifts = [sign * most * math.sqrt(end * (1 - end)) for sign, end in zip((1, -1), ends, strict=True)]
    moved = [[risk_coverage(shift_negatives(each, shift)) for each in items] for shift in shifts]
    wide: dict[str, Rate] = {}
    for name in ERROR_MEANS:
        rate = rates[name]
        if rate.value is not None and rate.low is not None and rate.high is not None:
            known = [_mean([getattr(curve, name) for curve in side])[0] for side in moved]
            values = [rate.value, *(value for value in known if value is not None)]
            low = rate.value - math.hypot(rate.value - rate.low, rate.value - min(values))
            high = rate.value + math.hypot(rate.high - rate.value, max(values) - rate.value)
            wide[name] = replace(rate, low=max(0.0, low), high=min(1.0, high))
    return wide


def measure_spread(items: Sequence[Items]) -> float:
    """Return the standard deviation of the log-odds of confidences, leaving out those of 0 and 1."""
    confidence = np.concatenate([each.confidence for each in items]).astype(np.float64)
    confidence = confidence[(confidence > 0) & (confidence < 1)]
    return float(np.log(confidence / (1 - confidence)).std()) if len(confidence) else 0.0


def shift_negatives(items: Items, shift: float) -> Items:
    """Return the items with the log-odds of the confidence of all out-of-scope questions moved."""
    confidence = items.confidence.astype(np.float64)
    moved = confidence / (confidence + (1 - confidence) * math.exp(-shift))
    return Items(items.truth, items.guess, np.where(items.negative, moved, confidence))


def variance_over_items(rows: Floats, tested: Flags, material: Material) -> tuple[float, int, float]:
    """Return the variance over other test items of the same topics, and its freedom (`stratified_variance`)."""
    return stratified_variance(rows[tested], material.groups[tested], material.labels[tested])


def items_of(result: UnitResult, material: Material) -> Items:
    """Return the test items of one retry with their answers."""
    truth = np.where(result.negative, -1, material.labels[result.test])
    return Items(truth, result.answers.guess, result.answers.confidence)


def influences_on(
    results: Sequence[UnitResult],
    values: Sequence[Mapping[str, float | None]],
    material: Material,
    threshold: float,
) -> Mapping[str, Influence]:
    """Return every number of one setting with the influence of each example; `values`: the numbers of each retry."""
    items = [items_of(result, material) for result in results]
    rows, size = [result.test for result in results], len(material)
    shares = [share_parts(retry, threshold) for retry in items]
    typical = typical_scores(items, threshold, len(material.topics) + 1)
    others = [influences(retry, threshold, *typical) for retry in items]
    # How many rows were ever wrong, or ever right, whichever is less.
    wrong, right = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
    for test, retry in zip(rows, items, strict=True):
        right[test[retry.right]] = True
        wrong[test[~retry.right]] = True
    minority = float(min(wrong.sum(), right.sum()))
    by_name: dict[str, Influence] = {}
    for name in values[0]:
        own = [numbers[name] for numbers in values]
        if name in shares[0]:
            by_name[name] = linearise_share(rows, [parts[name] for parts in shares], own, size)
        else:
            telling = minority if name in ERROR_MEANS else float(size)
            by_name[name] = _linearise_number(rows, [parts[name] for parts in others], own, size, telling)
    return by_name


def linearise_share(
    rows: Sequence[Rows], parts: Sequence[tuple[Floats, Floats]], values: Sequence[float | None], size: int
) -> Influence:
    """Linearise the mean of hits / n over the retries that have something to count."""
    mean, retries = _mean(values)
    moved, hits, n, tested = np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(size, dtype=bool)
    for test, (hit, counted) in zip(rows, parts, strict=True):
        tested[test] = True
        hits[test] += hit
        n[test] += counted
        if mean is not None and counted.sum():
            moved[test] += (hit - mean * counted) / (counted.sum() * retries)
    telling = min(np.count_nonzero(hits > 0), np.count_nonzero(hits < n))
    return Influence(mean, round(float(n.sum())), moved, tested, n > 0, float(telling), is_share=True)


def _linearise_number(
    rows: Sequence[Rows], parts: Sequence[Floats], values: Sequence[float | None], size: int, telling: float
) -> Influence:
    mean, retries = _mean(values)
    moved, tested, n = np.zeros(size), np.zeros(size, dtype=bool), 0
    for test, influence, value in zip(rows, parts, values, strict=True):
        if mean is not None and value is not None:
            # The items of a retry share what it is ahead of the mean.
            moved[test] += (influence + (value - mean) / len(test)) / retries
            tested[test] = True
            n += len(test)
    return Influence(mean, n, moved, tested, tested, telling, is_share=False)


def _mean(values: Sequence[float | None]) -> tuple[float | None, int]:
    known = [value for value in values if value is not None]
    return (float(np.mean(known)) if known else None), len(known)
