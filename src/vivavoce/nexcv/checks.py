"""Refuse what cannot be evaluated, all faults at once; warn of what spoils the numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
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


@dataclass(frozen=True)
class Timeline:
    """Texts and labels from the oldest to the newest, and when each was created (seconds)."""

    texts: list[Any]
    labels: list[Any]
    seconds: list[float]

    def at(self, rows: Sequence[int]) -> Timeline:
        """Return the items at these positions."""
        return Timeline(
            [self.texts[row] for row in rows], [self.labels[row] for row in rows], [self.seconds[row] for row in rows]
        )

    def span(self) -> dict[str, str | None]:
        """Return the first and last moment in words."""
        ends = (self.seconds[:1], self.seconds[-1:])
        first, last = (datetime.fromtimestamp(end[0], UTC).isoformat() if end else None for end in ends)
        return {"first": first, "last": last}

    def __len__(self) -> int:
        return len(self.seconds)


def published_timeline(X: Sequence[Any], y: Sequence[Any], date_key: str, intent_key: str) -> Timeline:
    """Order as the original did: undated items vanish, ties fall anywhere, labels pass through an array."""
    dated = [(text, item) for text, item in zip(X, y, strict=False) if _is_dated(item, date_key)]
    seconds = np.array([item[date_key].timestamp() for _, item in dated])
    order = np.argsort(seconds)
    labels = np.array([item.get(intent_key) for _, item in dated])
    texts = [text for text, _ in dated]
    return Timeline([texts[row] for row in order], labels[order].tolist(), seconds[order].tolist())


def _is_dated(item: Any, date_key: str) -> bool:
    return isinstance(item, dict) and isinstance(item.get(date_key), datetime)


def sort_timeline(
    X: Sequence[Any], y: Sequence[Any], date_key: str, intent_key: str, undated: str
) -> tuple[Timeline, int]:
    """Return the items in stable order of time and how many undated ones were dropped; refuse faulty rows."""
    faults = [
        Fault(f"the label is {type(item).__name__}, not a dict", f"row {row}")
        for row, item in enumerate(y)
        if not isinstance(item, dict)
    ]
    faults = faults or [
        Fault(f"{intent_key!r} is missing", f"row {row}") for row, item in enumerate(y) if intent_key not in item
    ]
    if faults:
        remedy = "use dicts: {'intent_id': ..., 'created': datetime}"
        raise DataError("these labels are invalid", faults=faults, remedy=remedy)
    faults = [
        Fault(f"{date_key!r} is {item.get(date_key)!r}, not a datetime", f"row {row}")
        for row, item in enumerate(y)
        if not _is_dated(item, date_key)
    ]
    if faults and undated != "drop":
        raise DataError(
            f"{len(faults)} of {len(y)} items have no date",
            faults=faults,
            remedy="use a datetime.datetime for each (datetime.fromisoformat reads text), or undated='drop'",
        )
    dates = {row: item[date_key] for row, item in enumerate(y) if _is_dated(item, date_key)}
    if len({date.tzinfo is None for date in dates.values()}) > 1:
        raise DataError(
            "some dates have a time zone and some do not",
            remedy="add a time zone to all of them: otherwise their order is unknown",
        )
    # Without a zone: the same order on every machine, whatever its local time is.
    zoned = {row: date if date.tzinfo else date.replace(tzinfo=UTC) for row, date in dates.items()}
    seconds = {row: date.timestamp() for row, date in zoned.items()}
    rows = sorted(seconds, key=seconds.__getitem__)
    items = Timeline([X[row] for row in rows], [y[row][intent_key] for row in rows], [seconds[row] for row in rows])
    return items, len(faults)


def check_options(ratio: float, n_steps: int, test_ratio: float, undated: str) -> None:
    """Refuse options that leave no training data, all at once."""
    faults = []
    if not 0 <= ratio <= 1:
        faults.append(Fault(f"{ratio!r} is not between 0 and 1", "min_examples_ratio"))
    if n_steps < 1:
        faults.append(Fault(f"{n_steps!r} is less than 1", "n_steps"))
    if not 0 < test_ratio <= 0.5:
        faults.append(Fault(f"{test_ratio!r} is not above 0 and at most 0.5", "test_ratio"))
    if undated not in ("error", "drop"):
        faults.append(Fault(f"{undated!r} is neither 'error' nor 'drop'", "undated"))
    if faults:
        raise UsageError("these options are invalid", faults=faults, remedy="fix the options above")
