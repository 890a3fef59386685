"""Refuse what cannot be evaluated, all faults at once; warn of what spoils the numbers."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from vivavoce.errors import DataError, Fault, UsageError

Label = Any
MAX_NAMED = 5


def plain_list(values: Iterable[Any]) -> list[Any]:
    """Return a list of plain Python values: numpy scalars cannot be keys in JSON."""
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def whole_number(value: Any) -> bool:
    """Whether the value is an integer, of Python or numpy, but not a truth value."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def number(value: Any) -> bool:
    """Whether the value is a finite number, but not a truth value."""
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return is_number and math.isfinite(value)


def refuse(faults: Sequence[Fault], what: str) -> None:
    """Raise one error for all wrong options."""
    if faults:
        raise UsageError(what, faults=faults, remedy="correct the options named above")


def setting_faults(size: Any, share: Any, retries: Any, fraction: Any) -> Iterator[Fault]:
    """Yield what is wrong with K, P, the number of repetitions and t."""
    if not whole_number(size) or size < 0:
        yield Fault(f"{size!r} is not a whole number from 0", "min_category_size")
    if not number(share) or not 0 <= share < 1:
        yield Fault(f"{share!r} is not a number from 0 to below 1", "other_min_prop")
    if not whole_number(retries) or retries < 1:
        yield Fault(f"{retries!r} is not a whole number from 1", "n_retries")
    if not number(fraction) or not 0 < fraction < 1:
        yield Fault(f"{fraction!r} is not a number between 0 and 1", "test_fraction")


def check_lengths(**lengths: int) -> None:
    """Refuse lists of unequal or no length."""
    named = ", ".join(f"{name} has {length}" for name, length in lengths.items())
    if len(set(lengths.values())) > 1:
        raise DataError(f"the lengths differ: {named}", remedy="give exactly one label for each text")
    if 0 in lengths.values():
        raise DataError("there is nothing to evaluate", remedy="give at least two labels with examples")


def check_rows(texts: Sequence[Any], labels: Sequence[Label], others_label: str) -> None:
    """Refuse texts that are no text and labels that are no label, all of them at once."""
    check_lengths(X=len(texts), y=len(labels))
    faults = [Fault(f"the text is {type(text).__name__}", f"row {row}") for row, text in _no_texts(texts)]
    faults += [Fault(message, f"row {row}") for row, message in _label_faults(labels, others_label)]
    if faults:
        raise DataError("these rows cannot be used", faults=faults, remedy="correct or leave out these rows")
    _check_distinct(labels)


def _no_texts(texts: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    return ((row, text) for row, text in enumerate(texts) if not isinstance(text, str))


def _label_faults(labels: Sequence[Label], others_label: str) -> Iterator[tuple[int, str]]:
    for row, label in enumerate(labels):
        # Nearly all labels are plain text: decide those by one comparison.
        if type(label) is str and label != others_label:
            continue
        message = _label_fault(label, others_label)
        if message:
            yield row, message


def _label_fault(label: Label, others_label: str) -> str:
    if label is None or (isinstance(label, float) and math.isnan(label)):
        return f"the label is {label}"
    if not isinstance(label, Hashable):
        return f"the label is {type(label).__name__}, which cannot be a label"
    if label == others_label:
        return f"the label {label!r} is the name for 'no answer' (others_label)"
    return ""


def _check_distinct(labels: Sequence[Label]) -> None:
    distinct = set(labels)
    if len(distinct) < 2:
        raise DataError("there is only one label", remedy="give at least two labels with examples")
    if len({str(label) for label in distinct}) < len(distinct):
        raise DataError(
            "two labels are written the same, such as 1 and '1'",
            remedy="use labels of one type: as names in JSON they would be one",
        )


def row_warnings(texts: Sequence[str], labels: Sequence[Label]) -> list[str]:
    """Say what spoils the numbers: empty texts, copies that leak from training to test, contradictions."""
    normal = [" ".join(text.split()).casefold() for text in texts]
    warnings = []
    empty = normal.count("")
    if empty:
        warnings.append(f"{empty} texts are empty.")
    copies = len(normal) - len(set(normal))
    if copies:
        warnings.append(
            f"{copies} texts are copies of another: a copy in training makes its twin in the test too easy."
        )
        conflicts = _conflicts(normal, labels)
        if conflicts:
            warnings.append(f"{conflicts} texts occur under more than one label.")
    return warnings


def _conflicts(normal: Sequence[str], labels: Sequence[Label]) -> int:
    texts = sorted(text for text, _ in set(zip(normal, labels, strict=True)))
    return len({first for first, second in pairwise(texts) if first == second})


def named(labels: Sequence[Label]) -> str:
    """Return the first labels in words, and how many more there are."""
    more = f" and {len(labels) - MAX_NAMED} more" if len(labels) > MAX_NAMED else ""
    return ", ".join(str(label) for label in labels[:MAX_NAMED]) + more
