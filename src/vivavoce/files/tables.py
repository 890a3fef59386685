"""A table as it stands in a file: columns, rows with their number there, and what is wrong with them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Protocol

from vivavoce.errors import DataError, EmptyFileError, FileError, plural
from vivavoce.files.advice import Advice
from vivavoce.messages import say

DEFAULT_MAX_BYTES = 512 * 1024**2
DEFAULT_MAX_ROWS = 500_000
MAX_COLUMNS = 1_000
Cells = Sequence[object]


class UnsavedFormula:
    """What stands in a cell whose formula has no saved result: not nothing, but no value either."""

    message = "the cell is a formula without a saved result: open the file in a spreadsheet program and save it"

    def __str__(self) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of one row, and its number as a person counts them in the file."""

    number: int
    cells: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class RowFault:
    """A row that cannot be used, and why."""

    number: int
    message: str


@dataclass(frozen=True)
class Table:
    """What a format reads. Every row has as many cells as there are columns.

    `unit` is what the file calls a row (row, line, item). `typed`: the file tells numbers from text.
    """

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    faults: tuple[RowFault, ...] = ()
    unit: str = "row"
    typed: bool = False


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What the user may say about a file. A format ignores what does not concern it.

    `bot`: the name of the speaker that is the bot, in a log of dialogues.
    """

    encoding: str | None = None
    max_bytes: int = DEFAULT_MAX_BYTES
    sheet: str | None = None
    max_rows: int = DEFAULT_MAX_ROWS
    bot: str | None = None


class TableReader(Protocol):
    """A function that reads a file of training data, from which a format can be made."""

    def __call__(self, path: Path, options: ReadOptions) -> Table:
        """Read the file into a table, or raise a `FileError` or `DataError`."""
        ...


def build_table(
    records: Iterable[tuple[int, Cells]], source: str, *, pad: bool = False, notes: Sequence[str] = ()
) -> Table:
    """Make a table of numbered records, the first of which that is not blank holds the column names.

    `pad`: rows may lack cells at their end and have cells beyond the last column, as in a spreadsheet.
    """
    numbered = iter(records)
    header = next((cells for _, cells in numbered if not _blank(cells)), None)
    if header is None:
        raise EmptyFileError(
            say("the file is empty"), where=source, remedy=say("give a file with a header row and examples")
        )
    columns = column_names(header, source)
    check_columns(columns, source)
    rows: list[Row] = []
    faults: list[RowFault] = []
    blanks: list[int] = []
    for number, cells in numbered:
        if _blank(cells):
            blanks.append(number)
        elif fitted := _fitted(cells, len(columns), pad):
            rows.append(Row(number, fitted))
        else:
            faults.append(RowFault(number, _ragged(len(cells), len(columns))))
    last = max([row.number for row in rows[-1:]] + [fault.number for fault in faults[-1:]], default=0)
    blanks = [number for number in blanks if number < last]
    return Table(columns, tuple(rows), (*notes, *_blank_note(blanks, source)), tuple(faults))


def check_rows(rows: int, limit: int, source: str, *, remedy: str = "") -> None:
    """Refuse more rows than may be read."""
    if rows > limit:
        raise FileError(
            say("the file has {rows:,} rows, the limit is {limit:,}", rows=rows, limit=limit),
            where=source,
            remedy=remedy or say(Advice.MORE_ROWS, rows=rows),
        )


def check_columns(columns: Sequence[str], source: str) -> None:
    """Refuse a header that no person wrote."""
    if len(columns) > MAX_COLUMNS:
        raise FileError(
            say(
                "the file has {count:,} columns, the limit is {max_columns:,}",
                count=len(columns),
                max_columns=MAX_COLUMNS,
            ),
            where=source,
            remedy=say("keep the columns that are needed: text and intent, or dialogue, speaker and text"),
        )


def column_names(header: Cells, source: str) -> tuple[str, ...]:
    """Return the names without blanks around them; refuse two of the same name."""
    names = [as_text(cell).strip() for cell in header]
    while names and not names[-1]:
        names.pop()
    twice = [name for name, times in Counter(names).items() if name and times > 1]
    if twice:
        shown = ", ".join(repr(name) for name in twice)
        raise DataError(
            say("the header names a column twice: {shown}", shown=shown),
            where=source,
            remedy=say("rename or remove one of the two columns"),
        )
    return tuple(names)


def as_text(value: object) -> str:
    """Return a cell as text, as a person reads it: 3.0 is 3, nothing and not-a-number are empty."""
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return value.isoformat() if isinstance(value, (datetime, date)) else str(value)


def enumerated(numbers: Sequence[int], most: int = 10) -> str:
    """Return row numbers as a person lists them: `2, 5, 9 ... (37 in all)`."""
    shown = ", ".join(str(number) for number in numbers[:most])
    return shown if len(numbers) <= most else f"{shown} ... ({len(numbers)} in all)"


def _blank(cells: Cells) -> bool:
    return not any(cells) and all(cell is None or cell == "" for cell in cells)


def _fitted(cells: Cells, width: int, pad: bool) -> tuple[object, ...] | None:
    if len(cells) == width:
        return tuple(cells)
    if len(cells) > width and (pad or _blank(cells[width:])):
        return tuple(cells[:width])
    return (*cells, *[None] * (width - len(cells))) if pad else None


def _ragged(cells: int, columns: int) -> str:
    remedy = "put texts that contain the delimiter into quotes" if cells > columns else "add the missing cells"
    return f"the row has {plural(cells, 'cell')}, the header has {columns}: {remedy}"


def _blank_note(blanks: Sequence[int], source: str) -> list[str]:
    return [f"{source}: blank rows passed over: {enumerated(blanks)}"] if blanks else []
