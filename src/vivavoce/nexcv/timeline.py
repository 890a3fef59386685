"""Play back the life of a bot: train on more and more of its history, test on what it had seen by then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
            [self.texts[row] for row in rows],
            [self.labels[row] for row in rows],
            [self.seconds[row] for row in rows],
        )

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


def checked_timeline(
    X: Sequence[Any], y: Sequence[Any], date_key: str, intent_key: str, undated: str
) -> tuple[Timeline, int]:
    """Return the items in stable order of time and how many undated ones were dropped; refuse faulty rows."""
    _check_shape(y, intent_key)
    rows = [row for row, item in enumerate(y) if _is_dated(item, date_key)]
    if len(rows) < len(y) and undated != "drop":
        _refuse_undated(y, date_key)
    _refuse_mixed_zones([y[row][date_key] for row in rows])
    seconds = {row: _seconds(y[row][date_key]) for row in rows}
    rows.sort(key=seconds.__getitem__)
    items = Timeline([X[row] for row in rows], [y[row][intent_key] for row in rows], [seconds[row] for row in rows])
    return items, len(y) - len(rows)


def _check_shape(y: Sequence[Any], intent_key: str) -> None:
    faults = [Fault(f"the label is {type(item).__name__}, not a dict", f"row {row}") for row, item in _plain(y)]
    faults = faults or [
        Fault(f"there is no {intent_key!r}", f"row {row}") for row, item in enumerate(y) if intent_key not in item
    ]
    if faults:
        remedy = "give dicts: {'intent_id': ..., 'created': datetime}"
        raise DataError("these labels cannot be used", faults=faults, remedy=remedy)


def _plain(y: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    return ((row, item) for row, item in enumerate(y) if not isinstance(item, dict))


def _refuse_undated(y: Sequence[Any], date_key: str) -> None:
    faults = [
        Fault(f"{date_key!r} is {item.get(date_key)!r}, not a datetime", f"row {row}")
        for row, item in enumerate(y)
        if not _is_dated(item, date_key)
    ]
    raise DataError(
        f"{len(faults)} of {len(y)} items have no date",
        faults=faults,
        remedy="give a datetime.datetime for each (datetime.fromisoformat reads text), or undated='drop'",
    )


def _refuse_mixed_zones(dates: Sequence[datetime]) -> None:
    if len({date.tzinfo is None for date in dates}) > 1:
        raise DataError(
            "some dates have a time zone and some have none",
            remedy="give all of them one: their order is not known otherwise",
        )


def _seconds(date: datetime) -> float:
    # Without a zone: the same order on every machine, whatever its local time is.
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()


def published_cursors(start: int, end: int, step: int) -> Iterator[int]:
    """Yield the training sizes of the original: equal steps, and a short last one."""
    cursor = start
    while cursor < end:
        yield cursor
        cursor += step
    yield end


def even_cursors(start: int, end: int, n_steps: int) -> list[int]:
    """Return the start and `n_steps` sizes after it, evenly spread; fewer when there is less to add."""
    return sorted({start + round((end - start) * step / n_steps) for step in range(n_steps + 1)})


def earlier(tests: Timeline, moment: float) -> Timeline:
    """Return the tests created strictly before the moment."""
    return tests.at([row for row, seconds in enumerate(tests.seconds) if seconds < moment])


def span(items: Timeline) -> dict[str, str | None]:
    """Return the first and last moment in words."""
    if not items.seconds:
        return {"first": None, "last": None}
    return {"first": _moment(items.seconds[0]), "last": _moment(items.seconds[-1])}


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def check_options(ratio: float, n_steps: int, test_ratio: float, undated: str) -> None:
    """Refuse options that leave no training data, all at once."""
    faults = []
    if not 0 <= ratio <= 1:
        faults.append(Fault(f"{ratio!r} is not between 0 and 1", "min_examples_ratio"))
    if n_steps < 1:
        faults.append(Fault(f"{n_steps!r} is not at least 1", "n_steps"))
    if not 0 < test_ratio <= 0.5:
        faults.append(Fault(f"{test_ratio!r} is not above 0 and at most 0.5", "test_ratio"))
    if undated not in ("error", "drop"):
        faults.append(Fault(f"{undated!r} is neither 'error' nor 'drop'", "undated"))
    if faults:
        raise UsageError("these options cannot be used", faults=faults, remedy="correct the options named above")
