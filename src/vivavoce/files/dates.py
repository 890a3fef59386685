"""Dates as people and programs write them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, time

from vivavoce.files.tables import as_text
from vivavoce.messages import Message, say

GERMAN = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})(?:[ ,T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?")
# Seconds since 1970, or milliseconds.
EPOCH = re.compile(r"\d{9,11}(\.\d+)?|(?P<milliseconds>\d{13})")
_UNREADABLE = say("{source}, {unit} {number}: {value} is not a valid date; the row is kept without a date")


def parse_date(value: object) -> datetime | None:
    """Return the moment that a cell names, or None. Without a time zone it is UTC.

    Understood: ISO 8601 with or without time, `31.12.2024` with or without time, seconds since 1970.
    """
    if isinstance(value, datetime):
        return _add_zone(value)
    if isinstance(value, date):
        return datetime.combine(value, time(), UTC)
    text = as_text(value).strip()
    try:
        if match := EPOCH.fullmatch(text):
            return datetime.fromtimestamp(int(text) / 1000 if match["milliseconds"] else float(text), UTC)
        if match := GERMAN.fullmatch(text):
            day, month, year, hour, minute, second = (int(part or 0) for part in match.groups())
            return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        return _add_zone(datetime.fromisoformat(text))
    except (ValueError, OverflowError, OSError):
        return None


def _add_zone(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def unreadable_date(source: str, unit: str, number: int, value: object) -> Message:
    """Return the note about a date that could not be read."""
    return say(_UNREADABLE, source=source, unit=unit, number=number, value=repr(as_text(value)[:60]))


def unreadable_date_rows(notes: Iterable[str]) -> list[int]:
    """Return the row numbers of all notes made by `unreadable_date`."""
    dates = (note for note in notes if isinstance(note, Message) and note.template == _UNREADABLE)
    return [int(note.values["number"]) for note in dates]
