"""A table as it stands in its file: which row names the columns, what each column holds, and the first rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.files.tables import Row, Table, as_text, is_blank

SHOWN_ROWS = 12
SHOWN_ABOVE = 6
MAX_CELL = 160
# What no column holds: it is left out.
LEFT_OUT = ""


@dataclass(frozen=True, slots=True)
class SheetName:
    """A sheet of a workbook and how many rows it has."""

    name: str
    rows: int


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row as it stands in the file, its cells as text."""

    number: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """How a table was read. `header`: the number of the row with the names of the columns, 0 where no row has them.

    `above`, `rows`: some rows before and after it. `skipped`: how many rows before it hold something. `empty`: which
    columns hold nothing. `encoding`: how its letters are written, where the file does not say so itself.
    """

    columns: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    header: int = 0
    above: tuple[SheetRow, ...] = ()
    rows: tuple[SheetRow, ...] = ()
    total: int = 0
    skipped: int = 0
    blank: int = 0
    empty: tuple[bool, ...] = ()
    sheet: str = ""
    sheets: tuple[SheetName, ...] = ()
    encoding: str = ""

    @property
    def left_out(self) -> tuple[int, ...]:
        """The columns that hold something and are not imported."""
        return tuple(place for place, role in enumerate(self.roles) if role == LEFT_OUT and not self.empty[place])


def make_layout(table: Table, roles: Sequence[str], encoding: str = "") -> Layout:
    """Return how a table was read."""
    above = table.above[-SHOWN_ABOVE:]
    return Layout(
        columns=table.columns,
        roles=tuple(roles),
        header=table.header,
        above=tuple(map(_show_row, above)),
        rows=tuple(map(_show_row, table.rows[:SHOWN_ROWS])),
        total=len(table.rows) + len(table.faults),
        skipped=sum(not is_blank(row.cells) for row in table.above),
        blank=len(table.blank),
        empty=tuple(
            not any(as_text(row.cells[place]).strip() for row in table.rows) for place in range(len(table.columns))
        ),
        sheet=table.sheet,
        sheets=tuple(SheetName(*sheet) for sheet in table.sheets),
        encoding=encoding,
    )


def column_letter(place: int) -> str:
    """Return what a spreadsheet calls a column: A for the first, AA for the 27th."""
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _show_row(row: Row) -> SheetRow:
    return SheetRow(row.number, tuple(as_text(cell)[:MAX_CELL] for cell in row.cells))
