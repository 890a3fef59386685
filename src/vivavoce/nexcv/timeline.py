"""Play back the life of a bot: train on more and more of its history, test on what it had seen by then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from vivavoce.errors import DataError, Fault, UsageError


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
            remedy=("use a datetime.datetime for each (datetime.fromisoformat reads text), or undated='drop'"),
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
