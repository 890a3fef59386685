"""Excel workbooks: one sheet, stored values only, and nothing that could blow up."""

from __future__ import annotations

import re
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from xml.etree import ElementTree
from xml.parsers import expat

from vivavoce.errors import FileError, VivaError, nearest
from vivavoce.files.advice import Advice
from vivavoce.files.sources import MEGABYTE, check_file
from vivavoce.files.tables import Cells, ReadOptions, Table, UnsavedFormula, build_table, check_rows
from vivavoce.messages import say

MAX_MEMBERS = 10_000
MAX_RATIO = 200
# Small parts may compress extremely well and do no harm.
MIN_SUSPECT_BYTES = 16 * MEGABYTE
PROLOGUE_BYTES = 65536
MAX_CELLS = 50_000_000
ROW_NUMBER = re.compile(rb"""<(?:\w+:)?row\s(?:[^<>]*?\s)?r=["'](\d+)["']""")
ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
OLE_MARK = b"\xd0\xcf\x11\xe0"
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
UNSAVED = UnsavedFormula()


def read_xlsx(path: Path, options: ReadOptions = ReadOptions()) -> Table:  # noqa: B008 - frozen
    """Read the first sheet of a workbook, or the one named; of formulas, the value last stored."""
    check_file(path, options.max_bytes)
    _check_archive(path, options.max_bytes)
    try:
        return _read(path, options)
    except VivaError:
        raise
    except Exception as error:  # the parser of a damaged workbook raises nearly anything
        raise _damaged(path, f"{type(error).__name__}: {error}") from error


def _read(path: Path, options: ReadOptions) -> Table:
    from openpyxl import load_workbook  # heavy: only when a workbook is read

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # styles and validations that the library skips do not concern the data
        book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
        try:
            name = _sheet_name([page.title for page in book.worksheets], options.sheet, path)
            others = [page.title for page in book.worksheets if page.title != name]
            notes = [f"{path}: only the sheet '{name}' is read, not {', '.join(others)}"]
            notes = notes if others and not options.sheet else []
            return build_table(_with_formulas(book[name], path, options), str(path), pad=True, notes=notes)
        finally:
            book.close()


def _with_formulas(page: object, path: Path, options: ReadOptions) -> list[tuple[int, Cells]]:
    """Return the rows; where a cell looks empty but holds a formula that was never calculated, they say so."""
    records = list(_records(page, path, options))
    if all(None not in cells for _, cells in records):
        return records
    with page._get_source() as part:  # type: ignore[attr-defined]
        unsaved = set(_unsaved(part))
    return (
        [
            (number, [UNSAVED if (number, place) in unsaved else cell for place, cell in enumerate(cells, 1)])
            for number, cells in records
        ]
        if unsaved
        else records
    )


def _unsaved(part: IO[bytes]) -> Iterator[tuple[int, int]]:
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
            if _is_unsaved(cell):
                yield number, place
        row.clear()


def _is_unsaved(cell: ElementTree.Element) -> bool:
    if cell.find(f"{MAIN}f") is None:
        return False
    stored = cell.find(f"{MAIN}v")
    return stored is None or (not stored.text and cell.get("t") != "str")


def _records(page: object, path: Path, options: ReadOptions) -> Iterator[tuple[int, Cells]]:
    """Yield the rows; their width is that of the header, whatever size the sheet claims to have."""
    with page._get_source() as part:  # type: ignore[attr-defined]
        _check_row_numbers(part, path, options.max_rows)
    page.reset_dimensions()  # type: ignore[attr-defined]
    width = seen = 0
    for number, cells in enumerate(page.iter_rows(values_only=True), 1):  # type: ignore[attr-defined]
        seen += len(cells)
        check_rows(number - 1, options.max_rows, str(path))
        if seen > MAX_CELLS:
            raise _damaged(path, f"the sheet claims more than {MAX_CELLS:,} cells")
        width = width or max((place for place, cell in enumerate(cells, 1) if cell not in (None, "")), default=0)
        yield number, [_unescape(cell) if isinstance(cell, str) and "_x" in cell else cell for cell in cells[:width]]


def _unescape(text: str) -> str:
    """Return a text without the escapes of the format (`_x000D_` is a carriage return), which the library keeps."""
    return ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)


def _check_row_numbers(part: IO[bytes], path: Path, max_rows: int) -> None:
    """Refuse by its number a row beyond the limit, before all the rows above it are made up."""
    rest = b""
    while piece := part.read(MEGABYTE):
        seen = rest + piece
        # 18 digits are more rows than any limit, and int() would refuse thousands of them.
        numbers = (int(digits[:18]) for digits in ROW_NUMBER.findall(seen))
        check_rows(max(numbers, default=1) - 1, max_rows, str(path))
        # The tag of a row may begin at the end of one piece and go on in the next.
        rest = seen[-1000:]


def _sheet_name(names: list[str], wanted: str | None, path: Path) -> str:
    if not names:
        raise FileError(
            say("the workbook has no sheet with cells"), where=str(path), remedy=say("add one, or export CSV")
        )
    if wanted is None:
        return names[0]
    if wanted in names:
        return wanted
    raise FileError(
        say("there is no sheet '{wanted}'.{nearest}", wanted=wanted, nearest=nearest(wanted, names)),
        where=str(path),
        remedy=say("name one of: {names}", names=", ".join(names)),
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
            _check_sizes(archive.infolist(), path, max_bytes)
            for member in archive.infolist():
                _check_prologue(archive, member, path)
    except VivaError:
        raise
    except Exception as error:  # so do the unpackers of a damaged archive
        raise _damaged(path, f"{type(error).__name__}: {error}") from None


def _check_sizes(members: list[zipfile.ZipInfo], path: Path, max_bytes: int) -> None:
    total = sum(member.file_size for member in members)
    dense = [member for member in members if member.file_size > MIN_SUSPECT_BYTES and _ratio(member) > MAX_RATIO]
    if len(members) > MAX_MEMBERS or dense or total > max_bytes:
        raise FileError(
            say(
                "the workbook would unpack to {total:,.1f} MB in {count:,} parts: that is more than a table needs",
                total=total / MEGABYTE,
                count=len(members),
            ),
            where=str(path),
            remedy=say(Advice.SHEET_TOO_LARGE),
        )


def _ratio(member: zipfile.ZipInfo) -> float:
    return member.file_size / max(member.compress_size, 1)


def _check_prologue(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path) -> None:
    """Refuse a part that defines entities: no spreadsheet program writes them, only attacks do.

    Every part is looked at: a workbook may call its sheets whatever it likes. Pictures and the like are no XML.
    """
    if ".." in re.split(r"[/\\]", member.filename):
        raise _damaged(path, f"the part '{member.filename}' lies outside of it")
    elements: list[str] = []

    def refuse(*_: object) -> None:
        raise _damaged(path, f"{member.filename} has a document type definition")

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = lambda name, _: elements.append(name)
    try:
        with archive.open(member) as part:
            parser.Parse(part.read(PROLOGUE_BYTES), False)
    except expat.ExpatError as error:
        if not member.filename.lower().endswith((".xml", ".rels")):
            return
        raise _damaged(path, f"{member.filename}: {error}") from None
    if not elements and member.file_size > PROLOGUE_BYTES:  # a definition could still follow
        raise _damaged(path, f"{member.filename} does not begin like a workbook")


def _damaged(path: Path, reason: str) -> FileError:
    return FileError(
        say("the workbook cannot be read: {reason}", reason=reason),
        where=str(path),
        remedy=say("open it in a spreadsheet program and save it again as .xlsx, or export CSV"),
    )
