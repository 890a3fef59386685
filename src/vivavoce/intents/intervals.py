"""Every number of one setting with its interval: what it would be with other examples of the same topics.

Each number is a mean over retries. An example moves it in the retries that tested it; the sum is its influence.
Near-duplicates count as one, and topics are given, so groups of examples vary within their topic. Other examples
would also train other models. One record cannot show that part of the variance: it was measured (`TRAINING`).

A retry trains on a part of the examples, the bot on all of them. The value is that of the retries; the end of the
interval on the better side reaches as far as the missing examples may be expected to help (`LEARNING`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vivavoce.intents.influences import Floats, influences, share_parts, typical_f1, typical_recall
from vivavoce.intents.material import Material
from vivavoce.intents.measures import Items
from vivavoce.intents.record import UnitResult
from vivavoce.intents.splits import Flags, Rows
from vivavoce.records import Rate
from vivavoce.statistics import Spread, bounded_rate, stratified_variance

# The variance over data sets as a multiple of what the test items of one data set show. Measured on draws from
# CLINC150, BANKING77 and StackOverflow: 0.7 to 1.8 for different numbers, mostly 1.0 to 1.5 (docs/intervals.md).
TRAINING = 1.3
# Questions of a topic that was held out all meet the same few models, and share their luck: 1.2 to 1.8.
TRAINING_OUTSIDE = 1.6
OUTSIDE = ("negative_rejection", "oos_auroc", "deferral_recall")
# Errors fall about with this power of the number of examples: the same draws, trained on four fifths and on all,
# make 8 to 21 % fewer errors.
LEARNING = 0.5
LEARNED = (
    *("accuracy", "in_scope_accuracy", "automation_rate", "best_guess_accuracy", "recall_macro"),
    *("f1_macro", "f1_weighted"),
)
# These two are means of errors, and rest on the examples that were ever wrong.
ERROR_MEANS = ("aurc", "augrc")


@dataclass(frozen=True, eq=False)
class Influence:
    """One number: its mean over retries, and how much each row of the data moves it; 0 where it had no part.

    `tested`: the rows that were tested at all. `part`: those that count in this number. `telling`: see `Spread`.
    `training`: what the variance of training makes of that of the test.
    """

    value: float | None
    n: int
    rows: Floats
    tested: Flags
    part: Flags
    telling: float
    training: float = TRAINING

    def rate(self, material: Material) -> Rate:
        """Return the number with its interval."""
        if self.value is None:
            return Rate(None, None, None, 0)
        variance, freedom = training_variance(self.rows, self.tested, material, self.training)
        units = len(np.unique(material.groups[self.part]))
        # A mean of shares may miss 0 or 1 by rounding.
        value = min(1.0, max(0.0, self.value))
        return bounded_rate(value, Spread(variance, units, self.telling, freedom), self.n)


def rates_of(
    results: Sequence[UnitResult],
    values: Sequence[Mapping[str, float | None]],
    material: Material,
    threshold: float,
) -> Mapping[str, Rate]:
    """Return every number of one setting with its interval; `values`: the numbers of each retry."""
    known = [result.n_train / max(1, result.n_train + int((~result.negative).sum())) for result in results]
    fewer = 1 - float(np.mean(known)) ** LEARNING
    found = influences_on(results, values, material, threshold)
    return {name: _reach(name, influence.rate(material), fewer) for name, influence in found.items()}


def _reach(name: str, rate: Rate, fewer: float) -> Rate:
    """Move the better end by the share of errors that all examples together would save."""
    if rate.value is None or rate.low is None or rate.high is None:
        return rate
    if name in LEARNED:
        return replace(rate, high=min(1.0, rate.high + fewer * (1 - rate.value)))
    return replace(rate, low=max(0.0, rate.low - fewer * rate.value)) if name in ERROR_MEANS else rate


def training_variance(
    rows: Floats, tested: Flags, material: Material, training: float = TRAINING
) -> tuple[float, int]:
    """Return the variance over other examples of the same topics, that of training included, and its freedom."""
    variance, freedom = stratified_variance(rows[tested], material.groups[tested], material.labels[tested])
    return training * variance, freedom


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
    shares = [share_parts(one, threshold) for one in items]
    classes = len(material.topics) + 1
    typical, recalls = typical_f1(items, threshold, classes), typical_recall(items, threshold, classes)
    others = [influences(one, threshold, typical, recalls) for one in items]
    wrong = _minority(rows, [~one.right for one in items], size)
    found: dict[str, Influence] = {}
    for name in values[0]:
        own = [one[name] for one in values]
        if name in shares[0]:
            found[name] = _share(rows, [one[name] for one in shares], own, size)
        else:
            telling = wrong if name in ERROR_MEANS else float(size)
            found[name] = _number(rows, [one[name] for one in others], own, size, telling)
    return {
        name: replace(influence, training=TRAINING_OUTSIDE) if name in OUTSIDE else influence
        for name, influence in found.items()
    }


def _share(
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
    return Influence(mean, round(float(n.sum())), moved, tested, n > 0, float(telling))


def _number(
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
    return Influence(mean, n, moved, tested, tested, telling)


def _minority(rows: Sequence[Rows], flags: Sequence[Flags], size: int) -> float:
    """Return how many rows were ever flagged, or ever not, whichever is less."""
    yes, no = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
    for test, flag in zip(rows, flags, strict=True):
        yes[test[flag]] = True
        no[test[~flag]] = True
    return float(min(yes.sum(), no.sum()))


def _mean(values: Sequence[float | None]) -> tuple[float | None, int]:
    known = [value for value in values if value is not None]
    return (float(np.mean(known)) if known else None), len(known)
