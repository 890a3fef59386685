"""Scoring with one threshold, one vocabulary of outcomes and no phantom classes. Rows in, numbers out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from vivavoce.nexcv.published import confusion_of, label_metrics
from vivavoce.outcomes import Counts, Outcome
from vivavoce.records import Guess

# Rates that stand beside the original's keys; the names are those of `outcomes.Counts.shares`.
EXTRA_RATES = (
    "in_scope_accuracy",
    "negative_rejection",
    "automation_rate",
    "precision_answered",
    "carefulness",
    "deferral_precision",
    "deferral_recall",
)
AGGREGATED = ("accuracy", "f1_weighted", "f1_macro", "good_carefulness", *EXTRA_RATES, "recall_all")


class Judged(NamedTuple):
    """One test item, what the engine said, and what that amounts to. `origin` is a negative's own label."""

    text: Any
    truth: Any
    guess: Guess
    shown: Any
    outcome: Outcome
    origin: Any

    def as_sample(self) -> tuple[Any, Any, Any, float, str]:
        """Return text, true label, shown label, confidence and the original's outcome code."""
        return self.text, self.truth, self.shown, self.guess.confidence, self.outcome.published


@dataclass(frozen=True)
class Scored:
    """The numbers of one repetition as shown, and unrounded for what is computed from them."""

    metrics: dict[str, Any]
    values: Mapping[str, float | None]
    items: Sequence[Judged]


def score(items: Sequence[Judged], others: str) -> Scored:
    """Return all numbers of one repetition, without samples and timings."""
    counts = Counts(Counter(item.outcome for item in items))
    matrix = confusion_of(
        [others if item.truth is None else item.truth for item in items], [item.shown for item in items], others
    )
    shown: Counter[Any] = Counter()
    for row in matrix.values():
        shown.update(row)
    labels = {
        label: _Label(sum(row.values()), row.get(label, 0), row.get(others, 0), shown[label], label == others)
        for label, row in matrix.items()
    }
    values = _compute_values(counts, labels)
    rounded = {name: _round(value) for name, value in values.items()}
    classic = ("accuracy", "f1_weighted", "f1_macro", "good_carefulness")
    metrics: dict[str, Any] = {name: rounded.pop(name) for name in classic}
    metrics["total"] = counts.total
    metrics["confusion_matrix"] = _stringify(matrix)
    metrics["metrics_by_label"] = {str(label): _measure_label(numbers) for label, numbers in labels.items()}
    metrics |= rounded
    metrics["outcomes"] = {outcome.value: counts[outcome] for outcome in Outcome}
    negatives = [item for item in items if item.truth is None]
    known = [item for item in negatives if item.origin is not None]
    confusion: dict[Any, Counter[Any]] = {}
    for item in known:
        confusion.setdefault(item.origin, Counter())[item.shown] += 1
    metrics["negative_items"] = len(negatives)
    metrics["negative_classes"] = {str(origin): row.total() for origin, row in confusion.items()}
    metrics["negative_confusion"] = _stringify(confusion)
    return Scored(metrics, values, items)


class _Label(NamedTuple):
    total: int
    hits: int
    unanswered: int
    shown: int
    is_others: bool

    @property
    def f1_all(self) -> float:
        return 2 * self.hits / (self.total + self.shown) if self.total + self.shown else 0.0


def _compute_values(counts: Counts, labels: Mapping[Any, _Label]) -> dict[str, float | None]:
    shares = counts.shares()
    true = [label for label in labels.values() if label.total]
    topics = [label for label in true if not label.is_others]
    values: dict[str, float | None] = {"accuracy": shares["accuracy"].value}
    # Only labels that are true somewhere in the test: a class that cannot be right would dilute the mean.
    values["f1_weighted"] = sum(label.f1_all * label.total for label in true) / counts.total
    values["f1_macro"] = sum(label.f1_all for label in true) / len(true)
    values["good_carefulness"] = shares["good_carefulness"].value
    values |= {name: shares[name].value for name in EXTRA_RATES}
    values["recall_all"] = sum(label.hits / label.total for label in topics) / len(topics) if topics else None
    return values


def _measure_label(label: _Label) -> dict[str, float | int | None]:
    # As published, recall leaves unanswered items out, except where no answer is the right answer.
    asked = label.total if label.is_others else label.total - label.unanswered
    metrics = label_metrics(label.hits, label.shown, asked, label.unanswered, label.total)
    return {**metrics, "recall_all": _round(label.hits / label.total if label.total else None)}


def _stringify(matrix: Mapping[Any, Mapping[Any, int]]) -> dict[str, dict[str, int]]:
    # Text as keys, since JSON cannot sort numbers and text together.
    return {str(label): {str(shown): count for shown, count in row.items()} for label, row in matrix.items()}


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
