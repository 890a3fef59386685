"""A table as read from a file: columns, numbered rows, and their faults."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import chain, islice
from pathlib import Path
from typing import Protocol

from vivavoce.errors import DataError, EmptyFileError, FileError, plural
from vivavoce.files.advice import Advice
from vivavoce.files.headers import HEAD_ROWS, guess_header
from vivavoce.messages import say

DEFAULT_MAX_BYTES = 512 * 1024**2
DEFAULT_MAX_ROWS = 500_000
MAX_COLUMNS = 1_000
BLANK_ROWS = say("{source}: blank rows skipped: {numbers}")
Cells = Sequence[object]


class UnsavedFormula:
    """What is in a cell whose formula has no saved result: not nothing, but no value either."""

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

    `unit` is what the file calls a row (row, line, item). `typed`: the file tells numbers from text. `header` is the
    number of the row that names the columns, 0 where no row does; `above` are the rows before it, `blank` the numbers
    of rows without a word. `sheets`: all sheets of the workbook with their rows, of which `sheet` was read.
    """

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    faults: tuple[RowFault, ...] = ()
    unit: str = "row"
    typed: bool = False
    header: int = 0
    above: tuple[Row, ...] = ()
    blank: tuple[int, ...] = ()
    sheet: str = ""
    sheets: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What the user may say about a file. A format ignores what does not concern it.

    `bot`: the name of the speaker that is the bot, in a log of dialogues. `header`: the number of the row that names
    the columns. `guess`: sheet and header are found out where they are not given; else both are the first. `rename`:
    every cell is kept, also under a repeated name or in a column without a name. `roles`: what each column
    holds, by its place.
    """

    encoding: str | None = None
    max_bytes: int = DEFAULT_MAX_BYTES
    sheet: str | None = None
    max_rows: int = DEFAULT_MAX_ROWS
    bot: str | None = None
    header: int | None = None
    guess: bool = False
    rename: bool = False
    roles: tuple[str, ...] = ()


class TableReader(Protocol):
    """A function that reads a file of training data, from which a format can be made."""

    def __call__(self, path: Path, options: ReadOptions) -> Table:
        """Read the file into a table, or raise a `FileError` or `DataError`."""
        ...


def build_table(
    records: Iterable[tuple[int, Cells]],
    source: str,
    *,
    pad: bool = False,
    notes: Sequence[str] = (),
    options: ReadOptions = ReadOptions(),
) -> Table:
    """Make a table of numbered records, one of which holds the column names: by default the first that is not blank.

    `pad`: rows may lack cells at their end and have cells beyond the last column, as in a spreadsheet.
    """
    numbered = iter(records)
    head = list(islice(numbered, HEAD_ROWS)) if options.guess and not options.header else []
    wanted = options.header or (guess_header(head) if head else 0)
    numbered = chain(head, numbered)
    above: list[Row] = []
    header = None
    for number, cells in numbered:
        row = Row(number, tuple(cells))
        # The row of the number wanted, or the first that is not blank.
        if number == wanted or (not wanted and not is_blank(cells)):
            header = row
            break
        above.append(row)
    if header is None:
        raise EmptyFileError(
            say("the file is empty"), where=source, remedy=say("use a file with a header row and examples")
        )
    rest = list(numbered)
    columns = column_names(header.cells, source, rename=options.rename)
    if options.rename and pad:
        widest = max(map(measure_width, (cells for _, cells in rest)), default=0)
        columns = (*columns, *[""] * (min(widest, MAX_COLUMNS) - len(columns)))
    check_columns(columns, source)
    rows, faults, blanks = _split_rows(rest, len(columns), pad=pad)
    blank = [say(BLANK_ROWS, source=source, numbers=list_numbers(blanks))] if blanks else []
    return Table(
        columns,
        tuple(rows),
        (*notes, *blank),
        tuple(faults),
        header=header.number,
        above=tuple(above),
        blank=tuple(blanks),
    )


def _split_rows(
    records: Iterable[tuple[int, Cells]], width: int, *, pad: bool
) -> tuple[list[Row], list[RowFault], list[int]]:
    """Return the rows as wide as the header, the faults of others, and the numbers of blank rows between them."""
    rows: list[Row] = []
    faults: list[RowFault] = []
    blanks: list[int] = []
    for number, cells in records:
        # What lies beyond the columns of a sheet does not make a row.
        if is_blank(cells[:width] if pad and width else cells):
            blanks.append(number)
        elif width and (pad or len(cells) == width or (len(cells) > width and is_blank(cells[width:]))):
            rows.append(Row(number, (*cells[:width], *[None] * (width - len(cells)))))
        else:
            quotes = "put texts that contain the delimiter in quotes"
            remedy = quotes if len(cells) > width else "add the missing cells"
            counted = plural(len(cells), "cell")
            faults.append(RowFault(number, f"the row has {counted}, but the header has {width}: {remedy}"))
    last = max([row.number for row in rows[-1:]] + [fault.number for fault in faults[-1:]], default=0)
    return rows, faults, [number for number in blanks if number < last]


def measure_width(cells: Cells) -> int:
    """Return the place of the last cell that holds something, counted from 1."""
    return max((place for place, cell in enumerate(cells, 1) if cell is not None and cell != ""), default=0)


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
            remedy=say("keep only the columns you need: text and intent, or dialogue, speaker and text"),
        )


def column_names(header: Cells, source: str, *, rename: bool = False) -> tuple[str, ...]:
    """Return the names without blanks around them; refuse two of the same name, or number them (`rename`)."""
    names = [" ".join(as_text(cell).split()) if rename else as_text(cell).strip() for cell in header]
    while names and not names[-1]:
        names.pop()
    twice = [name for name, times in Counter(names).items() if name and times > 1]
    if twice and not rename:
        shown = ", ".join(repr(name) for name in twice)
        raise DataError(
            say("the header has duplicate columns: {shown}", shown=shown),
            where=source,
            remedy=say("rename or remove one of the two columns"),
        )
    seen: Counter[str] = Counter()
    for place, name in enumerate(names):
        seen[name] += 1
        if name and seen[name] > 1:
            names[place] = f"{name} ({seen[name]})"
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


def list_numbers(numbers: Sequence[int], most: int = 10) -> str:
    """Return row numbers as a person lists them: `2, 5, 9 ... (37 in all)`."""
    shown = ", ".join(str(number) for number in numbers[:most])
    return shown if len(numbers) <= most else f"{shown} ... ({len(numbers)} in all)"


def is_blank(cells: Cells) -> bool:
    """Say whether a row holds nothing."""
    return not any(cells) and all(cell is None or cell == "" for cell in cells)
