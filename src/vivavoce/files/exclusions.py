"""Notes about rows that were left out: how they are written, and how they are counted again."""

from __future__ import annotations

import re
from collections.abc import Iterable

from vivavoce.errors import Fault

LEFT_OUT = "left out"
LEFT_OUT_NOTE = re.compile(rf"(\w+ \d+): {LEFT_OUT}: ")


def exclusion(fault: Fault) -> str:
    """Return the note about a row that was left out."""
    return f"{fault.where}: {LEFT_OUT}: {fault.message}"


def count_excluded(notes: Iterable[str], source: str) -> int:
    """Return how many rows of the source the notes made by `exclusion` name; two faults of a row count once."""
    # What follows the source is written here; a cell that is quoted in another note must not count.
    after = (note.removeprefix(f"{source}, ") for note in notes if note.startswith(f"{source}, "))
    return len({match[1] for note in after if (match := LEFT_OUT_NOTE.match(note))})
