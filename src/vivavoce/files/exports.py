"""Any table as bytes to download: CSV that spreadsheets read at once, or a workbook.

Numbers stay numbers, dates are written as ISO texts (2024-05-31), and no text can be taken for a formula.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from decimal import Decimal

from vivavoce.errors import DataError, Fault
from vivavoce.files.writing import guard_cell
from vivavoce.messages import say, say_count

Plain = str | int | float | bool | None
MAX_ROWS = 1_048_576
MAX_COLUMNS = 16_384
MAX_CHARACTERS = 32_767
# Beyond it a spreadsheet replaces the last digits by zeros.
MAX_NUMBER = 10**15
CUT = "..."
MIN_WIDTH, MAX_WIDTH = 9, 60
WIDTH_SAMPLE = 200
LOST_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_NO_TITLE = re.compile(r"[\[\]:*?/\\\x00-\x1f]")


def csv_bytes(columns: Sequence[str], rows: Iterable[Sequence[object]], *, delimiter: str = ",") -> bytes:
    """Return a table as CSV: UTF-8 with the mark by which Excel knows it, every text in quotes.

    A spreadsheet in a language with decimal commas opens a file at once if the delimiter is `;`.
    """
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n", delimiter=delimiter, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow([_clean(name) for name in columns])
    for row in _simplify_rows(columns, rows):
        writer.writerow([str(cell).lower() if isinstance(cell, bool) else cell for cell in row])
    return buffer.getvalue().encode("utf-8-sig")


def xlsx_bytes(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """Return a table as a workbook with one sheet; the first row stays in view."""
    table = _simplify_rows(columns, rows)
    if len(table) >= MAX_ROWS or len(columns) > MAX_COLUMNS:
        what = say(
            "workbooks allow {max_rows:,} rows and {max_columns:,} columns; the table has {count:,} and {count2:,}",
            max_rows=MAX_ROWS,
            max_columns=MAX_COLUMNS,
            count=len(table) + 1,
            count2=len(columns),
        )
        raise DataError(what, where=title, remedy=say("export as CSV, or export fewer rows"))
    # At most 31 UTF-16 units, and no signs of a workbook's addresses.
    plain = _NO_TITLE.sub(" ", _clean(title)).strip().strip("'")
    name = plain.encode("utf-16-le")[:62].decode("utf-16-le", "ignore").strip().strip("'")
    if not name or name.casefold() == "history":
        name = "table"
    return sheet_bytes(name, [[_clean(column) for column in columns], *table])


def sheet_bytes(title: str, table: Sequence[Sequence[Plain]]) -> bytes:
    """Return a workbook with one sheet, whose first row holds the names of the columns.

    Texts are written as they are: guarding and cleaning them is the caller's part.
    """
    from xlsxwriter import Workbook  # heavy: only when a workbook is written

    buffer = io.BytesIO()
    with Workbook(buffer, {"constant_memory": True}) as book:
        sheet = book.add_worksheet(title)
        sheet.freeze_panes(1, 0)
        for place in range(len(table[0])):
            longest = max(len("" if row[place] is None else str(row[place])) for row in table[: WIDTH_SAMPLE + 1])
            sheet.set_column(place, place, min(max(longest + 2, MIN_WIDTH), MAX_WIDTH))
        for number, row in enumerate(table):
            for place, cell in enumerate(row):
                if isinstance(cell, bool):
                    sheet.write_boolean(number, place, cell)
                elif isinstance(cell, str) or (isinstance(cell, int) and abs(cell) >= MAX_NUMBER):
                    text = str(cell)
                    long = len(text) > MAX_CHARACTERS
                    sheet.write_string(number, place, text[: MAX_CHARACTERS - len(CUT)] + CUT if long else text)
                elif cell is not None:
                    sheet.write_number(number, place, cell if isinstance(cell, int) else _Exact(cell))
    return buffer.getvalue()


class _Exact(float):
    """A number that is written with all its digits: the library keeps 16, which are too few for some."""

    def __format__(self, _: str) -> str:
        return repr(float(self))


def _simplify_rows(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> list[list[Plain]]:
    """Return rows of plain values; refuse those that do not fit the columns, all at once."""
    table = [[_simplify(cell) for cell in row] for row in rows]
    faults = []
    for number, row in enumerate(table, 1):
        if len(row) != len(columns):
            cells = say_count(len(row), "{n} cell", "{n} cells")
            places = say_count(len(columns), "{n} column", "{n} columns")
            what = say("{cells} for {columns}", cells=cells, columns=places)
            faults.append(Fault(what, say("row {number}", number=number)))
    if faults:
        raise DataError(
            say("these rows do not match the columns"), faults=faults, remedy=say("provide one cell per column")
        )
    return table


def _simplify(cell: object) -> Plain:
    if isinstance(cell, str):
        return _clean(str.__str__(cell))  # the text of a named constant, not its name
    if cell is None or isinstance(cell, bool):
        return cell
    if isinstance(cell, int):
        return int(cell)
    if isinstance(cell, float | Decimal):
        # Not-a-number is an empty cell, and no file has a sign for what has no end.
        number = float(cell)
        return number if math.isfinite(number) else None if math.isnan(number) else _clean(str(number))
    if isinstance(cell, date | datetime | time):
        return cell.isoformat()
    # A number of NumPy becomes a plain one.
    return _simplify(cell.tolist()) if hasattr(cell, "tolist") else _clean(str(cell))


def _clean(text: str) -> str:
    # What no file can hold is shown as a filler, half characters as \udXXX: nothing is lost without a trace.
    whole = text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")
    return guard_cell(LOST_IN_XML.sub("\ufffd", whole))
