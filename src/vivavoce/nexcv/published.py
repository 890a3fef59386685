"""Scoring as the original published it, its faults included: for numbers that must not move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

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
        "metrics_by_label": {label: _measure_label(matrix, label, others) for label in matrix},
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


def _measure_label(matrix: Mapping[Any, Mapping[Any, int]], label: Any, others: str) -> dict[str, float | int]:
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
