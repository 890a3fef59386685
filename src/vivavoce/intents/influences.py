"""How much each test item moves each number of one retry: the infinitesimal jackknife, in closed form.

The variance of a number over other examples is the variance of the sum of these influences, so that every number,
share or not, gets its interval in the same way and without training again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vivavoce.intents.measures import ECE_BINS, Items, shown_classes
from vivavoce.intents.splits import Rows
from vivavoce.outcomes import Counts, Outcome, outcome_places

Floats = NDArray[np.float64]


def share_parts(items: Items, threshold: float) -> Mapping[str, tuple[Floats, Floats]]:
    """Return for each share what every item adds to its numerator and to its denominator."""
    places = outcome_places(items.truth, items.guess, items.confidence, threshold)
    # Arrays in the place of counts: the shares of all items follow from the one definition.
    by_outcome: dict[Outcome, Any] = {outcome: (places == place) * 1.0 for place, outcome in enumerate(Outcome)}
    parts: Mapping[str, Any] = Counts(by_outcome).shares()
    return {name: (np.asarray(share.hits), np.asarray(share.n)) for name, share in parts.items()}


def influences(items: Items, threshold: float, typical: Floats, recalls: Floats) -> Mapping[str, Floats]:
    """Return the influence of every item on the numbers that are no shares; those of one number sum to 0.

    `typical` and `recalls`: F1 and recall of each class over all retries (`typical_scores`).
    """
    macro, weighted = _f1(items.truth + 1, shown_classes(items, threshold), typical)
    aurc, augrc = _risk(items)
    numbers = {
        "recall_macro": _recall(items, threshold, recalls),
        "f1_macro": macro,
        "f1_weighted": weighted,
        "oos_auroc": _auroc(items),
        "aurc": aurc,
        "augrc": augrc,
        "ece": _calibration(items),
    }
    return {name: values - values.mean() if len(values) else values for name, values in numbers.items()}


def typical_scores(retries: Sequence[Items], threshold: float, classes: int) -> tuple[Floats, Floats]:
    """Return F1 and recall of each class over the retries together, 0 for one that was never met."""
    true = np.concatenate([items.truth + 1 for items in retries])
    shown = np.concatenate([shown_classes(items, threshold) for items in retries])
    tested, guessed, hits = (np.bincount(codes, minlength=classes) for codes in (true, shown, true[true == shown]))
    return 2 * hits / np.maximum(tested + guessed, 1), hits / np.maximum(tested, 1)


def _recall(items: Items, threshold: float, recalls: Floats) -> Floats:
    """Let each known question move the recall of its topic; topics count alike, out-of-scope questions not at all."""
    true = items.truth + 1
    tested = np.bincount(true, minlength=len(recalls))
    topics = max(1, int((tested[1:] > 0).sum()))
    moved = ((true == shown_classes(items, threshold)) - recalls[true]) / (np.maximum(tested, 1)[true] * topics)
    return np.asarray(np.where(items.negative, 0.0, moved))


def _f1(true: Rows, shown: Rows, typical: Floats) -> tuple[Floats, Floats]:
    """F1 of a class is 2 hits / (true + shown): an item moves its own class and the one it is shown as.

    One retry tests a class with an item or two, which fit their own F1 exactly; hence that of all retries.
    """
    support = np.bincount(true, minlength=len(typical))
    size = np.maximum(support + np.bincount(shown, minlength=len(typical)), 1)
    present = support > 0
    f1 = np.where(present, typical, 0.0)
    own = (2.0 * (true == shown) - f1[true]) / size[true]
    other = f1[shown] / size[shown]
    weight = support / max(1, len(true))
    macro = (own - other) / max(1, int(present.sum()))
    return macro, weight[true] * own - weight[shown] * other + f1[true] / max(1, len(true))


def _auroc(items: Items) -> Floats:
    """Return the placement of each item among those of the other side (DeLong)."""
    confidence = np.where(items.guess >= 0, items.confidence, 0.0)
    known, negative = np.sort(confidence[~items.negative]), np.sort(confidence[items.negative])
    if not len(known) or not len(negative):
        return np.zeros(len(items))
    # The share of the other side below each item, ties half.
    below, under = (
        (np.searchsorted(ordered, confidence) + np.searchsorted(ordered, confidence, "right")) / (2 * len(ordered))
        for ordered in (negative, known)
    )
    above = 1 - under
    area = below[~items.negative].mean()
    return np.asarray(np.where(items.negative, (above - area) / len(negative), (below - area) / len(known)))


def _risk(items: Items) -> tuple[Floats, Floats]:
    """Let each item add its own error and move all that are less sure one place down."""
    n = len(items)
    if not n:
        return np.zeros(0), np.zeros(0)
    confidence = np.where(items.guess >= 0, items.confidence, -1.0)
    order = np.argsort(-confidence, kind="stable")
    wrong, place = (~items.right[order]).astype(np.float64), np.arange(1, n + 1)
    later = np.cumsum((1 / place)[::-1])[::-1]
    share = (n - place + 1) / n

    def before(values: Floats) -> Floats:
        return np.asarray(np.cumsum(values) - values)

    def after(values: Floats) -> Floats:
        return np.asarray(values.sum() - np.cumsum(values))

    aurc = wrong * later + before(wrong) / n - after(wrong * (1 / place - 1 / n))
    augrc = wrong * share + before(wrong * (1 - share)) / n - after(wrong * share) / n
    influence = np.empty((2, n))
    influence[:, order] = np.stack([aurc, augrc]) / n
    return influence[0], influence[1]


def _calibration(items: Items) -> Floats:
    """Let each item move the gap of its bin by its own gap, as far as the gap is more than the noise of its bin.

    A gap counts by its size alone: where it is mostly noise, its size varies less than the gap itself.
    """
    influence = np.zeros(len(items))
    guessed = np.flatnonzero(items.guess >= 0)
    if not len(guessed):
        return influence
    gap = items.confidence[guessed].astype(np.float64) - items.right[guessed]
    order = np.argsort(items.confidence[guessed], kind="stable")
    bins = np.array_split(order, min(ECE_BINS, len(order)))
    noise = np.sqrt(sum(float(((gap[part] - gap[part].mean()) ** 2).sum()) for part in bins) / len(gap))
    for part in bins:
        clear = abs(gap[part].sum()) / max(noise * math.sqrt(len(part)), 1e-12)
        influence[guessed[part]] = np.sign(gap[part].sum()) * gap[part] * math.sqrt(folded_variance(clear))
    return influence / len(guessed)


def folded_variance(clear: float) -> float:
    """Return the variance of |x| for a normal x of variance 1 whose mean was seen to be `clear`."""
    mean = math.sqrt(max(0.0, clear * clear - 1))
    size = math.sqrt(2 / math.pi) * math.exp(-mean * mean / 2) + mean * math.erf(mean / math.sqrt(2))
    return mean * mean + 1 - size * size
