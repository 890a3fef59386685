"""Excel workbooks: one sheet, stored values only, and nothing that could blow up."""

from __future__ import annotations

import re
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, Any
from xml.etree import ElementTree
from xml.parsers import expat

from vivavoce.errors import FileError, VivaError, nearest
from vivavoce.files.advice import Advice
from vivavoce.files.headers import HEAD_ROWS, rate_records
from vivavoce.files.sources import MEGABYTE, check_file
from vivavoce.files.tables import Cells, ReadOptions, Table, UnsavedFormula, build_table, check_rows, measure_width
from vivavoce.messages import say

MAX_MEMBERS = 10_000
MAX_RATIO = 200
# Small parts may compress extremely well and do no harm.
MIN_SUSPECT_BYTES = 16 * MEGABYTE
PROLOGUE_BYTES = 65536
MAX_CELLS = 50_000_000
ROW_NUMBER = re.compile(rb"""<(?:\w+:)?row\s(?:[^<>]*?\s)?r=["'](\d+)["']""")
FORMULA = re.compile(rb"<(?:\w+:)?f[ >/]")
ONE_SHEET = say("{path}: only the sheet '{name}' is read, not {others}")
ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
OLE_MARK = b"\xd0\xcf\x11\xe0"
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
UNSAVED = UnsavedFormula()


def read_xlsx(path: Path, options: ReadOptions = ReadOptions()) -> Table:  # noqa: B008 - frozen
    """Read the sheet of a workbook that looks like a table, or the one named; of formulas, the value last stored."""
    check_file(path, options.max_bytes)
    _check_archive(path, options.max_bytes)
    try:
        return _read(path, options)
    except VivaError:
        raise
    except Exception as error:  # the parser of a damaged workbook raises nearly anything
        raise _refuse_damaged(path, f"{type(error).__name__}: {error}") from error


def _read(path: Path, options: ReadOptions) -> Table:
    from openpyxl import load_workbook  # heavy: only when a workbook is read

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # styles and validations that the library skips do not concern the data
        book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
        try:
            names = [page.title for page in book.worksheets]
            name = _choose_sheet(names, options.sheet or (_guess_sheet(book) if options.guess else None), path)
            others = [each for each in names if each != name]
            notes = [say(ONE_SHEET, path=path, name=name, others=", ".join(others))]
            notes = notes if others and not options.sheet else []
            table = build_table(
                _read_rows(book[name], path, options), str(path), pad=True, notes=notes, options=options
            )
            sheets = []
            for each in names if options.rename else ():
                with book[each]._get_source() as part:
                    sheets.append((each, _find_last_row(part)))
            return replace(table, sheet=name, sheets=tuple(sheets))
        finally:
            book.close()


def _guess_sheet(book: Any) -> str | None:
    """Return the sheet that looks most like a table, by the beginning of each; the first of several."""
    if len(book.worksheets) < 2:
        return None
    rated = []
    for page in book.worksheets:
        page.reset_dimensions()
        head = list(enumerate(page.iter_rows(max_row=HEAD_ROWS, values_only=True), 1))
        rated.append((rate_records(head), page.title))
    return str(max(rated, key=lambda pair: pair[0])[1])


def _read_rows(page: Any, path: Path, options: ReadOptions) -> list[tuple[int, Cells]]:
    """Return the rows; where a cell looks empty but holds a formula that was never calculated, they say so."""
    records = list(_list_records(page, path, options))
    if all(None not in cells for _, cells in records):
        return records
    with page._get_source() as part:
        if not _has_formulas(part):
            return records
    with page._get_source() as part:
        unsaved = set(_find_unsaved(part))
    return [
        (number, [UNSAVED if (number, place) in unsaved else cell for place, cell in enumerate(cells, 1)])
        for number, cells in records
    ]


def _has_formulas(part: IO[bytes]) -> bool:
    rest = b""
    while piece := part.read(MEGABYTE):
        if FORMULA.search(rest + piece):
            return True
        rest = piece[-20:]
    return False


def _find_unsaved(part: IO[bytes]) -> Iterator[tuple[int, int]]:
    """Yield row and column of each formula without a stored result.

    The library, asked for formulas, does not tell them from those whose result is an empty text. Definitions in
    the part were refused before: nothing can blow up here.
    """
    from openpyxl.utils import coordinate_to_tuple

    number = 0
    for _, row in ElementTree.iterparse(part):  # noqa: S314 - definitions were refused before
        if row.tag != f"{MAIN}row":
            continue
        number, place = int(row.get("r", number + 1)), 0
        for cell in row.iterfind(f"{MAIN}c"):
            place = coordinate_to_tuple(cell.get("r", ""))[1] if cell.get("r") else place + 1
            formula, stored = cell.find(f"{MAIN}f"), cell.find(f"{MAIN}v")
            if formula is not None and (stored is None or (not stored.text and cell.get("t") != "str")):
                yield number, place
        row.clear()


def _list_records(page: Any, path: Path, options: ReadOptions) -> Iterator[tuple[int, Cells]]:
    """Yield the rows, as wide as the widest at the beginning, whatever size the sheet claims to have."""
    with page._get_source() as part:
        # Before all the rows above the last one are made up.
        check_rows(_find_last_row(part, options.max_rows) - 1, options.max_rows, str(path))
    page.reset_dimensions()
    width = seen = 0
    for number, cells in enumerate(page.iter_rows(values_only=True), 1):
        seen += len(cells)
        check_rows(number - 1, options.max_rows, str(path))
        if seen > MAX_CELLS:
            raise _refuse_damaged(path, f"the sheet claims more than {MAX_CELLS:,} cells")
        if number <= max(HEAD_ROWS, options.header or 0) or options.rename:
            width = max(width, measure_width(cells))
        # The library keeps the escapes of the format (`_x000D_` is a carriage return).
        yield (
            number,
            [
                ESCAPE.sub(lambda match: chr(int(match[1], 16)), cell)
                if isinstance(cell, str) and "_x" in cell
                else cell
                for cell in cells[:width]
            ],
        )


def _find_last_row(part: IO[bytes], enough: int = 2**63) -> int:
    """Return the highest number that a row of a sheet has, or the first one that is more than enough."""
    rest, last = b"", 0
    while (piece := part.read(MEGABYTE)) and last <= enough:
        seen = rest + piece
        # 18 digits are more rows than any limit, and int() would refuse thousands of them.
        last = max([last, *(int(digits[:18]) for digits in ROW_NUMBER.findall(seen))])
        # The tag of a row may begin at the end of one piece and go on in the next.
        rest = seen[-1000:]
    return last


def _choose_sheet(names: list[str], wanted: str | None, path: Path) -> str:
    if not names:
        raise FileError(
            say("the workbook has no sheet with cells"), where=str(path), remedy=say("add one, or export as CSV")
        )
    if wanted is None:
        return names[0]
    if wanted in names:
        return wanted
    raise FileError(
        say("unknown sheet '{wanted}'.{nearest}", wanted=wanted, nearest=nearest(wanted, names)),
        where=str(path),
        remedy=say("choose one of: {names}", names=", ".join(names)),
    )


def _check_archive(path: Path, max_bytes: int) -> None:
    """Refuse zip bombs and document type definitions by what the archive says, before anything is unpacked.

    Declared sizes can be trusted: the unpacker stops at them.
    """
    try:
        with path.open("rb") as file:
            if file.read(4) == OLE_MARK:
                raise FileError(
                    say("this is an old (.xls) or password-protected workbook"),
                    where=str(path),
                    remedy=say("save it as .xlsx without a password"),
                )
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            total, count = sum(member.file_size for member in members), len(members)
            large = [member for member in members if member.file_size > MIN_SUSPECT_BYTES]
            dense = any(member.file_size / max(member.compress_size, 1) > MAX_RATIO for member in large)
            if count > MAX_MEMBERS or dense or total > max_bytes:
                what = say(
                    "the workbook unpacks to {total:,.1f} MB in {count:,} parts, more than a table needs",
                    total=total / MEGABYTE,
                    count=count,
                )
                raise FileError(what, where=str(path), remedy=say(Advice.SHEET_TOO_LARGE))
            for member in members:
                _check_prologue(archive, member, path)
    except VivaError:
        raise
    except Exception as error:  # so do the unpackers of a damaged archive
        raise _refuse_damaged(path, f"{type(error).__name__}: {error}") from None


def _check_prologue(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path) -> None:
    """Refuse a part that defines entities: no spreadsheet program writes them, only attacks do.

    Every part is looked at: a workbook may call its sheets whatever it likes. Pictures and the like are no XML.
    """
    if ".." in re.split(r"[/\\]", member.filename):
        raise _refuse_damaged(path, f"the part '{member.filename}' is outside the archive")
    elements: list[str] = []

    def refuse(*_: object) -> None:
        raise _refuse_damaged(path, f"{member.filename} has a document type definition")

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = lambda name, _: elements.append(name)
    try:
        with archive.open(member) as part:
            parser.Parse(part.read(PROLOGUE_BYTES), False)
    except expat.ExpatError as error:
        if not member.filename.lower().endswith((".xml", ".rels")):
            return
        raise _refuse_damaged(path, f"{member.filename}: {error}") from None
    if not elements and member.file_size > PROLOGUE_BYTES:  # a definition could still follow
        raise _refuse_damaged(path, f"{member.filename} does not start like a workbook")


def _refuse_damaged(path: Path, reason: str) -> FileError:
    return FileError(
        say("the workbook cannot be read: {reason}", reason=reason),
        where=str(path),
        remedy=say("open it in a spreadsheet program and save it again as .xlsx, or export as CSV"),
    )
