"""Notes about rows that were left out."""

from __future__ import annotations

from collections.abc import Iterable

from vivavoce.errors import Fault
from vivavoce.messages import Message, say

_LEFT_OUT = say("{where}: skipped: {reason}")


def exclusion(fault: Fault) -> Message:
    """Return the note about a row that was left out."""
    return say(_LEFT_OUT, where=fault.where, reason=fault.message)


def read_exclusion(note: str) -> Fault | None:
    """Return what was left out and why; None where a note is about something else."""
    if not isinstance(note, Message) or note.template != _LEFT_OUT:
        return None
    where, reason = note.values["where"], note.values["reason"]
    return Fault(reason, where) if isinstance(reason, str) and isinstance(where, str) else None


def count_excluded(notes: Iterable[str]) -> int:
    """Return how many rows the notes made by `exclusion` name; two faults of a row count once."""
    return len({fault.where for note in notes if (fault := read_exclusion(note)) is not None})
