"""Dates as people and programs write them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, time

from vivavoce.files.tables import as_text
from vivavoce.messages import Message, say

GERMAN = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})(?:[ ,T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?")
EPOCH = re.compile(r"\d{9,11}(\.\d+)?")
EPOCH_MILLISECONDS = re.compile(r"\d{13}")
_UNREADABLE = say(
    "{source}, {unit} {number}: the value {value} cannot be read as a date; the row is kept without one"
)


def parse_date(value: object) -> datetime | None:
    """Return the moment that a cell names, or None. Without a time zone it is UTC.

    Understood: ISO 8601 with or without time, `31.12.2024` with or without time, seconds since 1970.
    """
    if isinstance(value, datetime):
        return _aware(value)
    if isinstance(value, date):
        return datetime.combine(value, time(), UTC)
    try:
        return _parse(as_text(value).strip())
    except (ValueError, OverflowError, OSError):
        return None


def unreadable_date(source: str, unit: str, number: int, value: object) -> Message:
    """Return the note about a date that could not be read."""
    return say(_UNREADABLE, source=source, unit=unit, number=number, value=repr(as_text(value)[:60]))


def unreadable_date_rows(notes: Iterable[str]) -> list[int]:
    """Return the row numbers of all notes made by `unreadable_date`."""
    found = (note for note in notes if isinstance(note, Message) and note.template == _UNREADABLE)
    return [int(note.values["number"]) for note in found]


def _parse(text: str) -> datetime | None:
    if EPOCH.fullmatch(text):
        return datetime.fromtimestamp(float(text), UTC)
    if EPOCH_MILLISECONDS.fullmatch(text):
        return datetime.fromtimestamp(int(text) / 1000, UTC)
    if match := GERMAN.fullmatch(text):
        day, month, year, hour, minute, second = (int(part or 0) for part in match.groups())
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    return _aware(datetime.fromisoformat(text))


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
