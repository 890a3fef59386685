"""Refuse what cannot be evaluated, all faults at once; warn of what spoils the numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from vivavoce.errors import DataError, Fault, UsageError

MAX_NAMES = 5


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
        raise UsageError(what, faults=faults, remedy="fix the options above")


def setting_faults(size: Any, share: Any, retries: Any, fraction: Any) -> Iterator[Fault]:
    """Yield what is wrong with K, P, the number of repetitions and t."""
    if not whole_number(size) or size < 0:
        yield Fault(f"{size!r} is not a whole number of 0 or more", "min_category_size")
    if not number(share) or not 0 <= share < 1:
        yield Fault(f"{share!r} is not a number from 0 to less than 1", "other_min_prop")
    if not whole_number(retries) or retries < 1:
        yield Fault(f"{retries!r} is not a whole number of 1 or more", "n_retries")
    if not number(fraction) or not 0 < fraction < 1:
        yield Fault(f"{fraction!r} is not a number between 0 and 1", "test_fraction")


def check_lengths(**lengths: int) -> None:
    """Refuse lists of unequal or no length."""
    counts = ", ".join(f"{name} has {length}" for name, length in lengths.items())
    if len(set(lengths.values())) > 1:
        raise DataError(f"the lengths differ: {counts}", remedy="provide exactly one label per text")
    if 0 in lengths.values():
        raise DataError("nothing to evaluate", remedy="provide at least two labels with examples")


def check_rows(texts: Sequence[Any], labels: Sequence[Any], others_label: str) -> None:
    """Refuse texts that are no text and labels that are no label, all of them at once."""
    check_lengths(X=len(texts), y=len(labels))
    faults = [
        Fault(f"the text is {type(text).__name__}", f"row {row}")
        for row, text in enumerate(texts)
        if not isinstance(text, str)
    ]
    for row, label in enumerate(labels):
        # Nearly all labels are plain text: decide those by one comparison.
        if type(label) is str and label != others_label:
            continue
        if label is None or (isinstance(label, float) and math.isnan(label)):
            faults.append(Fault(f"the label is {label}", f"row {row}"))
        elif not isinstance(label, Hashable):
            faults.append(Fault(f"the label is {type(label).__name__}, which cannot be a label", f"row {row}"))
        elif label == others_label:
            faults.append(Fault(f"the label {label!r} is reserved for 'no answer' (others_label)", f"row {row}"))
    if faults:
        raise DataError("these rows are invalid", faults=faults, remedy="fix or remove these rows")
    distinct = set(labels)
    if len(distinct) < 2:
        raise DataError("there is only one label", remedy="provide at least two labels with examples")
    if len({str(label) for label in distinct}) < len(distinct):
        raise DataError(
            "two labels look the same, such as 1 and '1'",
            remedy="use labels of one type: in JSON they would have the same name",
        )


def row_warnings(texts: Sequence[str], labels: Sequence[Any]) -> list[str]:
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
        under = Counter(text for text, _ in set(zip(normal, labels, strict=True)))
        conflicts = sum(count > 1 for count in under.values())
        if conflicts:
            warnings.append(f"{conflicts} texts appear under more than one label.")
    return warnings


def join_labels(labels: Sequence[Any]) -> str:
    """Return the first labels in words, and how many more there are."""
    more = f" and {len(labels) - MAX_NAMES} more" if len(labels) > MAX_NAMES else ""
    return ", ".join(str(label) for label in labels[:MAX_NAMES]) + more
