"""Scoring: ours with one threshold and one vocabulary of outcomes, and the original's with its faults.

Confused pairs and the result that collects it all are here, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import stdev
from time import perf_counter
from typing import Any, NamedTuple

from vivavoce.outcomes import Counts, Outcome
from vivavoce.records import Guess
from vivavoce.statistics import mean_rate, wilson

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
    """One test item, what the classifier said, and what that amounts to. `origin` is a negative's own label."""

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


Confusion = dict[Any, dict[Any, int]]


class Shown(NamedTuple):
    """One item as the samples list it: text, true label, label shown to people, confidence, outcome code."""

    text: Any
    truth: Any
    shown: Any
    confidence: Any
    code: str


def published_outcome(truth: Any, annotation: Any, threshold: float, others: str) -> tuple[Any, Any, Any, str]:
    """Return true label, shown label, confidence and code.

    A right guess needs a confidence of at least the threshold, a wrong one and the shown label more than it.
    """
    guess, confidence = None, 0.0
    if annotation and annotation[0]:
        guess, confidence = annotation[0]["intent_id"], annotation[0]["confidence"]
    if truth is None:
        code = "TO" if guess is None or confidence <= threshold else "F"
    elif guess == truth:
        code = "T" if confidence >= threshold else "FCO"
    else:
        code = "FO" if confidence <= threshold else "F"
    return truth, guess if confidence > threshold else others, confidence, code


def published_metrics(items: Sequence[Shown], others: str) -> dict[str, Any]:
    """Return the original's numbers, without the samples."""
    from sklearn.metrics import f1_score

    codes = [item.code for item in items]
    truths = [item.truth or others for item in items]
    shown = [item.shown for item in items]
    matrix = confusion_of(truths, shown, others)
    unanswered = codes.count("FCO") + codes.count("TO") + codes.count("FO")
    # The guard is too wide: it also hides the case that every suppressed guess was right.
    careful = codes.count("FCO") / unanswered if codes.count("FCO") < unanswered else 0
    return {
        "accuracy": round((codes.count("T") + codes.count("TO")) / len(items), 3),
        "f1_weighted": round(float(f1_score(truths, shown, average="weighted")), 3),
        "f1_macro": round(float(f1_score(truths, shown, average="macro")), 3),
        "good_carefulness": round(careful, 3),
        "total": len(items),
        "confusion_matrix": matrix,
        "metrics_by_label": {label: _measure_published(matrix, label, others) for label in matrix},
    }


def confusion_of(truths: Sequence[Any], shown: Sequence[Any], others: str) -> Confusion:
    """Return true label -> shown label -> count; every label seen has a row, zero cells are absent."""
    matrix: Confusion = {others: {}}
    for truth, label in zip(truths, shown, strict=True):
        row = matrix.setdefault(truth, {})
        row[label] = row.get(label, 0) + 1
    for label in shown:
        matrix.setdefault(label, {})
    return matrix


def _measure_published(matrix: Mapping[Any, Mapping[Any, int]], label: Any, others: str) -> dict[str, float | int]:
    row = matrix[label]
    total, hits, unanswered = sum(row.values()), row.get(label, 0), row.get(others, 0)
    strays = sum(other.get(label, 0) for name, other in matrix.items() if name != label)
    # In the row of the others the hits are the unanswered: what they are compared with is everything else.
    return label_metrics(hits, hits + strays, total - unanswered, unanswered, total)


def label_metrics(hits: int, shown: int, asked: int, unanswered: int, total: int) -> dict[str, float | int]:
    """Return the numbers of one label: of how many it was shown for, asked for and left unanswered."""
    precision, recall = _ratio(hits, shown), _ratio(hits, asked)
    return {
        "precision": round(precision, 3),
        "recall": round(recall, 3),
        "f1": round(_ratio(2 * precision * recall, precision + recall), 3),
        "no_answer": round(_ratio(unanswered, total), 3),
        "total": total,
    }


def _ratio(part: float, whole: float) -> float | int:
    return part / whole if whole else 0


MAX_PAIRS = 50
MAX_EXAMPLES = 3


class Confusions:
    """Confusions summed over repetitions.

    Guesses count before the threshold: those that were not answered say as much about two labels.
    """

    def __init__(self) -> None:
        """Start with nothing seen."""
        self._tested: Counter[Any] = Counter()
        self._mistakes: dict[tuple[Any, Any], list[Judged]] = {}

    def add(self, items: Iterable[Judged]) -> None:
        """Add the items of one repetition; negatives belong to no label here."""
        topics = [item for item in items if item.truth is not None]
        self._tested.update([item.truth for item in topics])
        for item in topics:
            if item.guess.intent not in (None, item.truth):
                a, b = sorted((item.truth, item.guess.intent), key=str)
                self._mistakes.setdefault((a, b), []).append(item)

    def rank(self) -> list[dict[str, Any]]:
        """Return the worst pairs: mistakes between the two in either direction, of all tests of both."""
        rows: list[dict[str, Any]] = []
        for (a, b), items in self._mistakes.items():
            rate = wilson(len(items), self._tested[a] + self._tested[b])
            row = {"a": a, "b": b, "score": rate.value, "low": rate.low, "high": rate.high}
            row |= {"count": len(items), "n": rate.n}
            row |= {
                "a_as_b": sum(item.truth == a for item in items),
                "b_as_a": sum(item.truth == b for item in items),
            }
            row |= {"answered": sum(item.outcome.answered for item in items), "examples": _choose_examples(items)}
            rows.append(row)
        rows.sort(key=lambda row: (-row["score"], -row["count"], str(row["a"]), str(row["b"])))
        return rows[:MAX_PAIRS]


def _choose_examples(items: list[Judged]) -> list[dict[str, Any]]:
    # The surest mistakes first, each text once: repetitions test the same text again.
    by_text = {item.text: item for item in sorted(items, key=lambda item: item.guess.confidence)}
    surest = sorted(by_text.values(), key=lambda item: (-item.guess.confidence, item.text))
    return [
        {
            "text": item.text,
            "intent": item.truth,
            "guess": item.guess.intent,
            "confidence": round(item.guess.confidence, 3),
        }
        for item in surest[:MAX_EXAMPLES]
    ]


class EvaluationResult:
    """Collects the numbers of each training; `extra` holds what stands beside the original's keys.

    The original takes no arguments; `info` and `metrics` are filled by its evaluators and may be filled by yours.
    """

    def __init__(self, classifier: Any = None, evaluator: Any = None, dataset_provider: Any = None) -> None:
        """Start the clock."""
        parts = {"classifier": classifier, "evaluator": evaluator, "dataset_provider": dataset_provider}
        self.info: dict[str, Any] = {name: str(part) for name, part in parts.items() if part is not None}
        self.metrics: list[Any] = []
        self.extra: dict[str, Any] = {}
        self.start_time = datetime.now(UTC).replace(tzinfo=None)
        self._start = perf_counter()

    def add(self, metrics: Any) -> None:
        """Add the numbers of one training."""
        self.metrics.append(metrics)

    def asdict(self) -> dict[str, Any]:
        """Return the result up to now; times run on until the last call."""
        total = perf_counter() - self._start
        average = total / len(self.metrics) if self.metrics else 0.0
        self.info |= {"total_running_time_sec": total, "avg_running_time_sec": average}
        return {"info": dict(self.info), "metrics": list(self.metrics), **self.extra}


def aggregate(repetitions: Sequence[Scored], n_train: Sequence[int]) -> dict[str, dict[str, float | int | None]]:
    """Return mean, spread and interval of each number over the repetitions.

    The interval is wider than the plain one, because the repetitions share most of their examples.
    """
    n_test = [len(repetition.items) for repetition in repetitions]
    summaries: dict[str, dict[str, float | int | None]] = {}
    for name in AGGREGATED:
        values = [repetition.values[name] for repetition in repetitions]
        rate = mean_rate(values, n_test, n_train)
        known = [value for value in values if value is not None]
        spread = stdev(known) if len(known) > 1 else None
        summaries[name] = {"mean": rate.value, "sd": spread, "low": rate.low, "high": rate.high, "n": len(known)}
    return summaries
