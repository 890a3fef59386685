"""Scoring with one threshold, one vocabulary of outcomes and no phantom classes. Rows in, numbers out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from vivavoce.nexcv.published import Confusion, confusion_of
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
        [others if item.truth is None else item.truth for item in items],
        [item.shown for item in items],
        others,
    )
    labels = _by_label(matrix, others)
    values = _values(counts, labels)
    shown = {name: _rounded(value) for name, value in values.items()}
    classic = ("accuracy", "f1_weighted", "f1_macro", "good_carefulness")
    metrics: dict[str, Any] = {name: shown.pop(name) for name in classic}
    metrics["total"] = counts.total
    metrics["confusion_matrix"] = _named_rows(matrix)
    metrics["metrics_by_label"] = {str(label): _label_metrics(numbers) for label, numbers in labels.items()}
    metrics |= shown
    metrics["outcomes"] = {outcome.value: counts[outcome] for outcome in Outcome}
    metrics |= _negatives([item for item in items if item.truth is None])
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

    @property
    def recall_all(self) -> float | None:
        return self.hits / self.total if self.total else None


def _by_label(matrix: Confusion, others: str) -> dict[Any, _Label]:
    shown: Counter[Any] = Counter()
    for row in matrix.values():
        shown.update(row)
    return {
        label: _Label(sum(row.values()), row.get(label, 0), row.get(others, 0), shown[label], label == others)
        for label, row in matrix.items()
    }


def _values(counts: Counts, labels: Mapping[Any, _Label]) -> dict[str, float | None]:
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


def _label_metrics(label: _Label) -> dict[str, float | int | None]:
    # As published, recall leaves unanswered items out, except where no answer is the right answer.
    asked = label.total if label.is_others else label.total - label.unanswered
    precision, recall = _ratio(label.hits, label.shown), _ratio(label.hits, asked)
    return {
        "precision": round(precision, 3),
        "recall": round(recall, 3),
        "f1": round(_ratio(2 * precision * recall, precision + recall), 3),
        "no_answer": round(_ratio(label.unanswered, label.total), 3),
        "total": label.total,
        "recall_all": _rounded(label.recall_all),
    }


def _negatives(negatives: Sequence[Judged]) -> dict[str, Any]:
    rows: Confusion = {}
    for item in negatives:
        row = rows.setdefault(item.origin, {})
        row[item.shown] = row.get(item.shown, 0) + 1
    known = {origin: row for origin, row in rows.items() if origin is not None}
    return {
        "negative_items": len(negatives),
        "negative_classes": {str(origin): sum(row.values()) for origin, row in known.items()},
        "negative_confusion": _named_rows(known),
    }


def _named_rows(matrix: Confusion) -> dict[str, dict[str, int]]:
    # Text as keys, since JSON cannot sort numbers and text together.
    return {str(label): {str(shown): count for shown, count in row.items()} for label, row in matrix.items()}


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
