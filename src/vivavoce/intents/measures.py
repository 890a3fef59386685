"""Numbers of one set of answers: pure functions of truth, guess, confidence and threshold.

`truth` holds topic codes, -1 for negatives; `guess` holds topic codes, -1 for no guess.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vivavoce.intents.splits import Flags, Rows
from vivavoce.outcomes import Counts, outcome_places
from vivavoce.statistics import rank_auc

Confidences = NDArray[np.floating]
ECE_BINS = 10
CURVE_STEPS = 100


@dataclass(frozen=True, eq=False)
class Items:
    """Test items with their answers."""

    truth: Rows
    guess: Rows
    confidence: Confidences

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def right(self) -> Flags:
        """Whether the best guess, whatever its confidence, is the true topic."""
        return np.asarray((self.guess == self.truth) & (self.guess >= 0))

    @property
    def negative(self) -> Flags:
        """Whether no topic fits."""
        return self.truth < 0


def counts_of(items: Items, threshold: float) -> Counts:
    """Count the eight outcomes."""
    return Counts.of_places(outcome_places(items.truth, items.guess, items.confidence, threshold))


def shown_classes(items: Items, threshold: float) -> Rows:
    """Return the class that each item is shown as: 0 is "no answer", topics follow."""
    answered = (items.guess >= 0) & (items.confidence >= threshold)
    return np.where(answered, items.guess, -1) + 1


def f1_scores(items: Items, threshold: float) -> tuple[float | None, float | None]:
    """Return macro and weighted F1 over the classes that are true in the test set.

    "No answer" is a class of its own: negatives belong to it, and a suppressed guess is shown as it.
    """
    if not len(items):
        return None, None
    true, shown = items.truth + 1, shown_classes(items, threshold)
    width = int(max(shown.max(), true.max())) + 1
    hits = np.bincount(true[true == shown], minlength=width)
    support, predicted = np.bincount(true, minlength=width), np.bincount(shown, minlength=width)
    present = support > 0
    f1 = 2 * hits[present] / (support[present] + predicted[present])
    return float(f1.mean()), float(np.average(f1, weights=support[present]))


def recall_macro(items: Items, threshold: float) -> float | None:
    """Return the share of each tested topic's questions that was answered rightly, averaged over the topics."""
    known = ~items.negative
    if not known.any():
        return None
    truth = items.truth[known]
    hits = truth[items.right[known] & (items.confidence[known] >= threshold)]
    tested = np.bincount(truth)
    present = tested > 0
    return float((np.bincount(hits, minlength=len(tested))[present] / tested[present]).mean())


def oos_auroc(items: Items) -> float | None:
    """Return how well confidence tells known messages from negatives: 0.5 is chance, 1 is perfect."""
    confidence = np.where(items.guess >= 0, items.confidence, 0.0)
    return rank_auc(confidence[~items.negative], confidence[items.negative])


@dataclass(frozen=True, eq=False)
class RiskCoverage:
    """The trade between answering more and being wrong more often, over all thresholds."""

    coverage: NDArray[np.float64]
    risk: NDArray[np.float64]
    thresholds: NDArray[np.float64]
    aurc: float | None
    augrc: float | None

    def steps(self, most: int = CURVE_STEPS) -> range:
        """Return the places of `most` points or a few more, evenly spread: enough to draw the curve."""
        step = max(1, len(self.coverage) // most)
        return range(step - 1, len(self.coverage), step)

    def tenths(self) -> list[int]:
        """Return the places at which a tenth, two tenths ... and all of the messages are answered."""
        n = len(self.coverage)
        return sorted({max(0, round(n * tenth / 10) - 1) for tenth in range(1, 11)}) if n else []

    def answered(self, threshold: float) -> int:
        """Return how many messages are answered at a threshold."""
        return int((self.thresholds >= threshold).sum())


def risk_coverage(items: Items) -> RiskCoverage:
    """Answer the surest messages first: `risk` is the share of wrong answers at each coverage.

    Equal confidences cannot be told apart, so a tie shares its errors evenly. No guess is the least sure of
    all and wrong. AURC is the mean risk over coverages; AUGRC the mean share of messages answered wrongly.
    """
    n = len(items)
    if not n:
        empty = np.empty(0)
        return RiskCoverage(empty, empty, empty, None, None)
    confidence = np.where(items.guess >= 0, items.confidence, -1.0).astype(np.float64)
    order = np.argsort(-confidence, kind="stable")
    sorted_confidence = confidence[order]
    # The mean error of each block of equal confidences.
    block = np.cumsum(np.r_[True, sorted_confidence[1:] != sorted_confidence[:-1]]) - 1
    wrong = (np.bincount(block, weights=~items.right[order]) / np.bincount(block))[block]
    seen = np.arange(1, n + 1)
    errors = np.cumsum(wrong)
    risk = errors / seen
    return RiskCoverage(seen / n, risk, sorted_confidence, float(risk.mean()), float((errors / n).mean()))


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Messages of like confidence: how sure the engine was on average, and how often it was right."""

    confidence: float
    right: float
    n: int


def calibration(items: Items, bins: int = ECE_BINS) -> tuple[float | None, tuple[CalibrationBin, ...]]:
    """Return the expected calibration error over bins of equal mass, and the bins."""
    guessed = items.guess >= 0
    confidence, right = items.confidence[guessed].astype(np.float64), items.right[guessed]
    if not len(confidence):
        return None, ()
    parts = np.array_split(np.argsort(confidence, kind="stable"), min(bins, len(confidence)))
    table = tuple(CalibrationBin(float(confidence[p].mean()), float(right[p].mean()), len(p)) for p in parts)
    gap = sum(abs(b.confidence - b.right) * b.n for b in table) / len(confidence)
    return float(gap), table


def measures(items: Items, threshold: float) -> Mapping[str, float | None]:
    """Return every number of one retry by its stable name; None where there is nothing to count."""
    shares = counts_of(items, threshold).shares()
    return {
        **{name: share.value for name, share in shares.items()},
        "recall_macro": recall_macro(items, threshold),
        **measure_others(items, threshold),
    }


def measure_others(items: Items, threshold: float) -> dict[str, float | None]:
    """Return the numbers that are neither shares nor means of shares."""
    macro, weighted = f1_scores(items, threshold)
    curve = risk_coverage(items)
    return {
        "f1_macro": macro,
        "f1_weighted": weighted,
        "oos_auroc": oos_auroc(items),
        "aurc": curve.aurc,
        "augrc": curve.augrc,
        "ece": calibration(items)[0],
    }


def matthews(items: Items, threshold: float) -> float | None:
    """Return the multi-class Matthews correlation of truth and shown topic, "no answer" being a class."""
    true, shown = items.truth + 1, shown_classes(items, threshold)
    width = int(max(shown.max(initial=0), true.max(initial=0))) + 1
    t, p = np.bincount(true, minlength=width).astype(float), np.bincount(shown, minlength=width).astype(float)
    n, hits = len(true), float((true == shown).sum())
    spread = np.sqrt((n * n - p @ p) * (n * n - t @ t))
    return float((hits * n - t @ p) / spread) if spread else None
