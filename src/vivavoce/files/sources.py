"""From a path to bytes and from bytes to text, refusing early and with a reason what cannot be read."""

from __future__ import annotations

import codecs
import os
from pathlib import Path

from vivavoce.errors import EmptyFileError, FileError, UsageError, nearest
from vivavoce.files.advice import Advice
from vivavoce.files.tables import ReadOptions
from vivavoce.messages import say

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
BINARY_KINDS = (
    (b"PK\x03\x04", "an Excel workbook or another zip archive", "name it .xlsx if it is a workbook"),
    (b"\xd0\xcf\x11\xe0", "an old (.xls) or protected Office file", "save it as .xlsx without a password"),
    (b"%PDF", "a PDF", "export the table as CSV or XLSX"),
    (b"\x1f\x8b", "compressed (gzip)", "unpack it first"),
    (b"PAR1", "a Parquet file", "export the table as CSV or JSON Lines"),
    (b"SQLite format 3", "an SQLite database", "export the table as CSV"),
)
MEGABYTE = 1024**2
HEAD_BYTES = 65536
NO_LIMIT = 2**63 - 1


def check_file(path: Path, max_bytes: int) -> None:
    """Refuse what is not a readable file of an acceptable size, before a byte is read."""
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        raise _missing(path) from None
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    if path.is_dir():
        raise FileError(say("this is a folder, not a file"), where=str(path), remedy=say("name one file inside it"))
    if not path.is_file():
        raise FileError(
            say("this is not a regular file"), where=str(path), remedy=say("save the data to a file first")
        )
    if size > max_bytes:
        raise _too_large(path, size, max_bytes)


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """Return the bytes of a file that is not empty."""
    check_file(path, max_bytes)
    try:
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except OSError as error:
        raise _unreadable(path, error) from error
    if len(data) > max_bytes:  # it grew since it was measured
        raise _too_large(path, len(data), max_bytes)
    if not data.strip(b" \t\r\n\xef\xbb\xbf"):
        raise EmptyFileError(
            say("the file is empty"), where=str(path), remedy=say("give a file with at least one example")
        )
    return data


def read_text(path: Path, options: ReadOptions) -> str:
    """Return the text of a file: UTF-8, or UTF-16 that says so, or the encoding the user names."""
    data = read_bytes(path, options.max_bytes)
    check_text(data, path, options.encoding)
    text = _decode(data, options.encoding or find_mark(data) or "utf-8", path)
    if "\0" in text:
        place = text.index("\0")
        row = text.count("\n", 0, place) + 1
        raise FileError(
            say("there is a NUL character in row {row}: the file is damaged or not text", row=row),
            where=str(path),
            remedy=say("export the file again as CSV (UTF-8)"),
        )
    return text


def row_at(data: bytes, offset: int) -> int:
    """Return the row that a byte belongs to; line ends inside quotes do not start a row."""
    outside = data[:offset].split(b'"')[::2]
    return 1 + sum(part.count(b"\n") for part in outside)


def read_head(path: Path, options: ReadOptions) -> str:
    """Return the beginning of a text file of any size, for a look at what it is."""
    data = read_head_bytes(path)
    check_text(data, path, options.encoding)
    try:
        text = data.decode(options.encoding or find_mark(data) or "utf-8", "replace")
    except LookupError:
        raise refuse_encoding(options.encoding) from None
    return text.removeprefix("\ufeff")


def read_head_bytes(path: Path) -> bytes:
    """Return the first bytes of a file of any size."""
    check_file(path, NO_LIMIT)
    try:
        with path.open("rb") as file:
            return file.read(HEAD_BYTES)
    except OSError as error:
        raise _unreadable(path, error) from error


def check_text(data: bytes, path: Path, encoding: str | None) -> None:
    """Refuse what is no text by its first bytes, and UTF-16 that does not say so."""
    for magic, kind, remedy in BINARY_KINDS:
        if data.startswith(magic):
            raise FileError(say("the content is {kind}, not text", kind=kind), where=str(path), remedy=remedy)
    if not encoding and not find_mark(data) and data[:1000].count(b"\0") >= max(len(data[:1000]) // 3, 1):
        order = "le" if data[1:2] == b"\0" else "be"
        raise FileError(
            say("the text looks like UTF-16 without its mark"),
            where=str(path),
            remedy=say(Advice.GIVE_UTF16, order=order),
        )


def find_mark(data: bytes) -> str | None:
    """Return the encoding that the mark at the beginning of a text names."""
    return next((encoding for mark, encoding in BYTE_ORDER_MARKS if data.startswith(mark)), None)


def refuse_encoding(encoding: str | None) -> UsageError:
    """Return the error about an encoding that does not exist."""
    return UsageError(
        say("there is no text encoding '{encoding}'", encoding=encoding),
        remedy=say("common ones: utf-8, cp1252, latin-1, utf-16"),
    )


def _decode(data: bytes, encoding: str, path: Path) -> str:
    try:
        text = data.decode(_with_order(data, encoding))
    except LookupError:
        raise refuse_encoding(encoding) from None
    except UnicodeDecodeError as error:
        raise _undecodable(data, error, path) from None
    except UnicodeError as error:
        raise FileError(
            say("the text is not {encoding}: {error}", encoding=encoding, error=error), where=str(path)
        ) from None
    return text.removeprefix("\ufeff")


def _with_order(data: bytes, encoding: str) -> str:
    """Return UTF-16 with the order of its bytes where the text has no mark that says it."""
    if encoding.lower().replace("_", "-") != "utf-16" or data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return encoding
    return "utf-16-be" if data[:1000:2].count(0) > data[1:1000:2].count(0) else "utf-16-le"


def _undecodable(data: bytes, error: UnicodeDecodeError, path: Path) -> FileError:
    excerpt = data[max(error.start - 20, 0) : error.start + 20].decode("cp1252", "replace")
    shown = " ".join(excerpt.split())
    return FileError(
        say(
            "the text is not {encoding}: byte {data:#04x} at offset {start}, row {row_at}",
            encoding=error.encoding,
            data=data[error.start],
            start=error.start,
            row_at=row_at(data, error.start),
        ),
        where=str(path),
        remedy=say(Advice.GIVE_CP1252, shown=shown),
    )


def _missing(path: Path) -> FileError:
    try:
        neighbours = sorted(os.listdir(path.parent))
    except OSError:
        return FileError(
            say("the folder {parent} does not exist", parent=path.parent),
            where=str(path),
            remedy=say("check the path"),
        )
    hint = nearest(path.name, neighbours)
    return FileError(
        say("there is no such file.{hint}", hint=hint), where=str(path), remedy=say("check the name and the folder")
    )


def _unreadable(path: Path, error: Exception) -> FileError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return FileError(
        say("the file cannot be read: {reason}", reason=reason),
        where=str(path),
        remedy=say("check its name and rights"),
    )


def _too_large(path: Path, size: int, max_bytes: int) -> FileError:
    needed = -(-size // MEGABYTE)
    return FileError(
        say(
            "the file has {size:,.1f} MB, the limit is {max_bytes:,.1f} MB",
            size=size / MEGABYTE,
            max_bytes=max_bytes / MEGABYTE,
        ),
        where=str(path),
        remedy=say(Advice.MORE_MEGABYTES, megabytes=needed),
    )
