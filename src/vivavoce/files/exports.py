"""Any table as bytes to download: CSV that spreadsheets read at once, or a workbook.

Numbers stay numbers, dates are written as ISO texts (2024-05-31), and no text can be taken for a formula.
"""

from __future__ import annotations

import csv
import io
import math
import re
import zipfile
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from xml.sax.saxutils import escape

from vivavoce.errors import DataError, Fault, plural
from vivavoce.files.writing import guarded

Plain = str | int | float | bool | None
MAX_ROWS = 1_048_576
MAX_COLUMNS = 16_384
MAX_CHARACTERS = 32_767
# Beyond it a spreadsheet replaces the last digits by zeros.
MAX_NUMBER = 10**15
CUT = "..."
SHEET = "xl/worksheets/sheet1.xml"
NARROWEST, WIDEST = 9, 60
WIDTH_SAMPLE = 200
_LOST_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_NO_TITLE = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_FILLER = "\ufffd"


def csv_bytes(columns: Sequence[str], rows: Iterable[Sequence[object]], *, delimiter: str = ",") -> bytes:
    """Return a table as CSV: UTF-8 with the mark by which Excel knows it, every text in quotes.

    A spreadsheet in a language with decimal commas opens a file at once if the delimiter is `;`.
    """
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n", delimiter=delimiter, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow([_text(name) for name in columns])
    writer.writerows([_csv_cell(cell) for cell in row] for row in _plain_rows(columns, rows))
    return buffer.getvalue().encode("utf-8-sig")


def xlsx_bytes(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """Return a table as a workbook with one sheet; the first row stays in view."""
    table = _plain_rows(columns, rows)
    if len(table) >= MAX_ROWS or len(columns) > MAX_COLUMNS:
        raise DataError(
            f"a workbook holds {MAX_ROWS:,} rows and {MAX_COLUMNS:,} columns; "
            f"the table has {len(table) + 1:,} and {len(columns):,}",
            where=title,
            remedy="export CSV, or fewer rows",
        )
    names: list[Plain] = [_text(name) for name in columns]
    frame = _frame(_sheet_title(title), _widths(names, table))
    lines = "".join(_xml_row(number, row) for number, row in enumerate([names, *table], 1))
    return _filled(frame, lines.encode("utf-8"))


def _plain_rows(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> list[list[Plain]]:
    """Return rows of plain values; refuse those that do not fit the columns, all at once."""
    table = [[_plain(cell) for cell in row] for row in rows]
    faults = [
        Fault(f"{plural(len(row), 'cell')} for {plural(len(columns), 'column')}", f"row {number}")
        for number, row in enumerate(table, 1)
        if len(row) != len(columns)
    ]
    if faults:
        raise DataError("these rows do not fit the columns", faults=faults, remedy="give one cell for each column")
    return table


def _plain(cell: object) -> Plain:
    if isinstance(cell, str):
        return _text(str.__str__(cell))  # the text of a named constant, not its name
    if cell is None or isinstance(cell, bool):
        return cell
    if isinstance(cell, int | float | Decimal):
        return _number(cell)
    if isinstance(cell, date | datetime | time):
        return cell.isoformat()
    # A number of NumPy becomes a plain one.
    return _plain(cell.tolist()) if hasattr(cell, "tolist") else _text(str(cell))


def _number(value: int | float | Decimal) -> Plain:
    """Return a number; not-a-number is an empty cell, and no file has a sign for what has no end."""
    if isinstance(value, int):
        return int(value)
    number = float(value)
    if math.isfinite(number):
        return number
    return None if math.isnan(number) else _text(str(number))


def _text(text: str) -> str:
    # What no file can hold is shown as a filler, half characters as \udXXX: nothing is lost without a trace.
    whole = text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")
    return guarded(_LOST_IN_XML.sub(_FILLER, whole))


def _csv_cell(cell: Plain) -> Plain:
    return str(cell).lower() if isinstance(cell, bool) else cell


def _fitted(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS else text[: MAX_CHARACTERS - len(CUT)] + CUT


def _xml_row(number: int, cells: Sequence[Plain]) -> str:
    return f'<row r="{number}">{"".join(map(_xml_cell, cells))}</row>'


def _xml_cell(cell: Plain) -> str:
    if cell is None or cell == "":
        return "<c/>"
    if isinstance(cell, bool):
        return f'<c t="b"><v>{int(cell)}</v></c>'
    if isinstance(cell, str) or (isinstance(cell, int) and abs(cell) >= MAX_NUMBER):
        text = escape(_fitted(str(cell)), {"\r": "&#13;"})
        return f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
    return f"<c><v>{cell!r}</v></c>"


def _widths(names: Sequence[Plain], table: Sequence[Sequence[Plain]]) -> list[int]:
    """Return the width of each column as the first rows need it."""
    sample = [names, *table[:WIDTH_SAMPLE]]
    longest = (
        max(len(str(row[place] if row[place] is not None else "")) for row in sample) for place in range(len(names))
    )
    return [min(max(length + 2, NARROWEST), WIDEST) for length in longest]


def _frame(title: str, widths: Sequence[int]) -> bytes:
    """Return a workbook with everything but its rows."""
    from openpyxl import Workbook  # heavy: only when a workbook is written
    from openpyxl.utils import get_column_letter

    book = Workbook(write_only=True)
    sheet = book.create_sheet(title)
    sheet.freeze_panes = "A2"
    for place, width in enumerate(widths, 1):
        sheet.column_dimensions[get_column_letter(place)].width = width
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _filled(frame: bytes, lines: bytes) -> bytes:
    """Put the rows into the sheet: written as text they take a tenth of the time that the library needs."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(frame)) as source,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=5) as target,
    ):
        for part in source.namelist():
            content = source.read(part)
            target.writestr(part, _with_rows(content, lines) if part == SHEET else content)
    return buffer.getvalue()


def _with_rows(sheet: bytes, lines: bytes) -> bytes:
    before, found, after = re.sub(rb"<sheetData\s*/>", b"<sheetData></sheetData>", sheet).partition(b"</sheetData>")
    if not found:
        raise AssertionError("the library wrote a sheet without a place for rows")
    return b"".join((before, lines, found, after))


def _sheet_title(title: str) -> str:
    """Return a title that a workbook accepts: at most 31 signs, and not those of its addresses."""
    plain = _NO_TITLE.sub(" ", _text(title)).strip().strip("'")[:31].strip().strip("'")
    return "table" if not plain or plain.casefold() == "history" else plain
