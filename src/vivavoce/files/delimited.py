"""Tables with delimiters: CSV as spreadsheets write it, and TSV."""

from __future__ import annotations

import csv
import io
from itertools import islice
from pathlib import Path

from vivavoce.errors import FileError
from vivavoce.files.columns import is_known
from vivavoce.files.headers import guess_header
from vivavoce.files.sources import read_text
from vivavoce.files.tables import ReadOptions, Table, build_table, check_rows
from vivavoce.messages import say

DELIMITERS = (",", ";", "\t", "|")
SAMPLE_CHARACTERS = 65536
# The share of rows as wide as the header above which it is taken for one.
MOSTLY_ALIKE = 0.9
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

    def rate(delimiter: str, *, titled: bool = False) -> tuple[int, float, int]:
        reader = csv.reader(io.StringIO(text[:SAMPLE_CHARACTERS], newline=""), delimiter=delimiter)
        records = [cells for cells in islice(reader, SAMPLE_RECORDS) if cells]
        below = records[guess_header(list(enumerate(records))) :] if titled else records
        width = len(below[0]) if below else 0
        if width < 2:
            return 0, 0.0, 0
        known = sum(is_known(name) for name in below[0])
        return known, sum(len(cells) == width for cells in below) / len(below), width

    best = max(DELIMITERS, key=rate)
    known, alike, _ = rate(best)
    # Where the first row does not look like the header of the others, a title or notes may stand above it.
    return best if known or alike > MOSTLY_ALIKE else max(DELIMITERS, key=lambda sign: rate(sign, titled=True))


def _read(text: str, delimiter: str, path: Path, options: ReadOptions) -> Table:
    # Counted before anything is parsed: a row of four bytes becomes some 600 bytes of memory.
    if text.count("\n") > options.max_rows:
        # Count the rows below the header by the line ends outside quotes: a quoted cell may have many lines.
        check_rows(sum(part.count("\n") for part in text.rstrip("\r\n").split('"')[::2]), options.max_rows, str(path))
    records: list[list[str]] = []
    try:
        records.extend(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        row = len(records) + 1
        if "unexpected end" in str(error):
            what = say("the quote opened in row {row} is never closed", row=row)
        elif "field limit" in str(error):
            what = say("a cell in row {row} is far too long: a quote is probably not closed", row=row)
        else:
            what = say("a quote in row {row} is closed in the middle of a cell", row=row)
        remedy = say('double each quote inside a quoted cell: "say ""hi"" "')
        raise FileError(what, where=str(path), remedy=remedy) from None
    return build_table(enumerate(records, 1), str(path), options=options)
