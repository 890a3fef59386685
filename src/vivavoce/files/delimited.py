"""Tables with delimiters: CSV as spreadsheets write it, and TSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from vivavoce.errors import FileError
from vivavoce.files.columns import is_known
from vivavoce.files.sources import read_text
from vivavoce.files.tables import ReadOptions, Table, build_table, check_rows
from vivavoce.messages import say

DELIMITERS = (",", ";", "\t", "|")
SAMPLE_CHARACTERS = 65536
SAMPLE_RECORDS = 30
HINT = "sep="


def read_csv(path: Path, options: ReadOptions = ReadOptions()) -> Table:  # noqa: B008 - frozen
    """Read a CSV file; the delimiter is found out: comma, semicolon, tab or bar."""
    text = read_text(path, options)
    # A first line may name the delimiter, like `sep=;`, which Excel writes and does not count as a row.
    first = text[:20].partition("\n")[0].rstrip("\r")
    named = first.strip('"').removeprefix(HINT)
    hinted = named if first.strip('"').startswith(HINT) and len(named) == 1 else ""
    if hinted:
        text = text.partition("\n")[2]
    return _read(text, hinted or sniff(text), path, options)


def read_tsv(path: Path, options: ReadOptions = ReadOptions()) -> Table:  # noqa: B008 - frozen
    """Read a file of columns parted by tabs."""
    return _read(read_text(path, options), "\t", path, options)


def sniff(text: str) -> str:
    """Return the delimiter of a table: the one that gives known column names and rows of equal width."""
    sample = text[:SAMPLE_CHARACTERS]
    return max(DELIMITERS, key=lambda delimiter: _plausibility(sample, delimiter))


def _plausibility(sample: str, delimiter: str) -> tuple[int, float, int]:
    records = [cells for cells in islice(_reader(sample, delimiter, strict=False), SAMPLE_RECORDS) if cells]
    width = len(records[0]) if records else 0
    if width < 2:
        return 0, 0.0, 0
    known = sum(is_known(name) for name in records[0])
    return known, sum(len(cells) == width for cells in records) / len(records), width


def _reader(text: str, delimiter: str, *, strict: bool) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict)


def _read(text: str, delimiter: str, path: Path, options: ReadOptions) -> Table:
    # Counted before anything is parsed: a row of four bytes becomes some 600 bytes of memory.
    if text.count("\n") > options.max_rows:
        # Count the rows below the header by the line ends outside quotes: a quoted cell may have many lines.
        check_rows(sum(part.count("\n") for part in text.rstrip("\r\n").split('"')[::2]), options.max_rows, str(path))
    records: list[list[str]] = []
    try:
        records.extend(_reader(text, delimiter, strict=True))
    except csv.Error as error:
        raise _broken(error, len(records) + 1, path) from None
    return build_table(enumerate(records, 1), str(path))


def _broken(error: csv.Error, row: int, path: Path) -> FileError:
    reason = str(error)
    if "unexpected end" in reason:
        what = say("a quote that opens in row {row} is never closed", row=row)
    elif "field limit" in reason:
        what = say("a cell in row {row} is far too long: most likely a quote that is never closed", row=row)
    else:
        what = say("a quote in row {row} is closed in the middle of a cell", row=row)
    return FileError(what, where=str(path), remedy=say('write a quote inside a quoted cell twice: "say ""hi"" "'))
