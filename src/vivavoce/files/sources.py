"""From a path to bytes and from bytes to text, refusing early and with a reason what cannot be read."""

from __future__ import annotations

import codecs
import os
from contextlib import suppress
from pathlib import Path

from vivavoce.errors import EmptyFileError, FileError, UsageError, nearest
from vivavoce.files.advice import Advice
from vivavoce.files.encodings import GUESS, find_mark, guess_encoding, is_wide, wide_order
from vivavoce.files.tables import ReadOptions
from vivavoce.messages import say

BINARY_KINDS = (
    (b"PK\x03\x04", "an Excel workbook or another zip archive", "rename it to .xlsx if it is a workbook"),
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
        what, remedy = say("the folder {parent} does not exist", parent=path.parent), say("check the path")
        with suppress(OSError):
            hint = nearest(path.name, sorted(os.listdir(path.parent)))
            what, remedy = say("the file does not exist.{hint}", hint=hint), say("check the file name and folder")
        raise FileError(what, where=str(path), remedy=remedy) from None
    except (OSError, ValueError) as error:
        raise _refuse_unreadable(path, error) from error
    if path.is_dir():
        raise FileError(say("this is a folder, not a file"), where=str(path), remedy=say("choose one file inside it"))
    if not path.is_file():
        raise FileError(
            say("this is not a regular file"), where=str(path), remedy=say("save the data to a file first")
        )
    _check_size(path, size, max_bytes)


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """Return the bytes of a file that is not empty."""
    check_file(path, max_bytes)
    data = _read(path, max_bytes + 1)
    _check_size(path, len(data), max_bytes)  # it may have grown since it was measured
    if not data.strip(b" \t\r\n\xef\xbb\xbf"):
        raise EmptyFileError(
            say("the file is empty"), where=str(path), remedy=say("use a file with at least one example")
        )
    return data


def read_text(path: Path, options: ReadOptions) -> str:
    """Return the text of a file: UTF-8, or UTF-16 that says so, or the encoding the user names."""
    data = read_bytes(path, options.max_bytes)
    check_text(data, path, options.encoding)
    text = _decode(data, _choose_encoding(data, options), path)
    if "\0" in text:
        row = text.count("\n", 0, text.index("\0")) + 1
        raise FileError(
            say("row {row} contains a NUL character: the file is damaged or not text", row=row),
            where=str(path),
            remedy=say("export the file again as CSV (UTF-8)"),
        )
    return text


def read_head(path: Path, options: ReadOptions) -> str:
    """Return the beginning of a text file of any size, for a look at what it is."""
    data = read_head_bytes(path)
    check_text(data, path, options.encoding)
    try:
        text = data.decode(_choose_encoding(data, options), "replace")
    except LookupError:
        raise refuse_encoding(options.encoding) from None
    return text.removeprefix("\ufeff")


def _choose_encoding(data: bytes, options: ReadOptions) -> str:
    if options.encoding == GUESS:
        return guess_encoding(data, cut=len(data) == HEAD_BYTES)
    return options.encoding or find_mark(data) or "utf-8"


def read_head_bytes(path: Path) -> bytes:
    """Return the first bytes of a file of any size."""
    check_file(path, NO_LIMIT)
    return _read(path, HEAD_BYTES)


def _read(path: Path, most: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(most)
    except OSError as error:
        raise _refuse_unreadable(path, error) from error


def check_text(data: bytes, path: Path, encoding: str | None) -> None:
    """Refuse what is no text by its first bytes, and UTF-16 that does not say so."""
    for magic, kind, remedy in BINARY_KINDS:
        if data.startswith(magic):
            raise FileError(say("the content is {kind}, not text", kind=kind), where=str(path), remedy=remedy)
    if not encoding and not find_mark(data) and is_wide(data):
        order = "le" if data[1:2] == b"\0" else "be"
        raise FileError(
            say("the text looks like UTF-16 without a byte order mark"),
            where=str(path),
            remedy=say(Advice.GIVE_UTF16, order=order),
        )


def refuse_encoding(encoding: str | None) -> UsageError:
    """Return the error about an encoding that does not exist."""
    return UsageError(
        say("unknown text encoding '{encoding}'", encoding=encoding),
        remedy=say("common encodings: utf-8, cp1252, latin-1, utf-16"),
    )


def _decode(data: bytes, encoding: str, path: Path) -> str:
    codec = encoding
    has_mark = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if encoding.lower().replace("_", "-") == "utf-16" and not has_mark:
        codec = wide_order(data)
    try:
        text = data.decode(codec)
    except LookupError:
        raise refuse_encoding(encoding) from None
    except UnicodeDecodeError as error:
        raise _explain_byte(data, error, path) from None
    except UnicodeError as error:
        raise FileError(
            say("the text is not {encoding}: {error}", encoding=encoding, error=error), where=str(path)
        ) from None
    return text.removeprefix("\ufeff")


def _explain_byte(data: bytes, error: UnicodeDecodeError, path: Path) -> FileError:
    excerpt = data[max(error.start - 20, 0) : error.start + 20].decode("cp1252", "replace")
    # Line ends inside quotes do not start a row.
    row = 1 + sum(part.count(b"\n") for part in data[: error.start].split(b'"')[::2])
    what = say(
        "the text is not {encoding}: byte {data:#04x} at offset {start}, row {row_at}",
        encoding=error.encoding,
        data=data[error.start],
        start=error.start,
        row_at=row,
    )
    return FileError(what, where=str(path), remedy=say(Advice.GIVE_CP1252, shown=" ".join(excerpt.split())))


def _refuse_unreadable(path: Path, error: Exception) -> FileError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    what = say("the file cannot be read: {reason}", reason=reason)
    return FileError(what, where=str(path), remedy=say("check its name and permissions"))


def _check_size(path: Path, size: int, max_bytes: int) -> None:
    if size > max_bytes:
        sizes = {"size": size / MEGABYTE, "max_bytes": max_bytes / MEGABYTE}
        what = say("the file has {size:,.1f} MB, the limit is {max_bytes:,.1f} MB", **sizes)
        raise FileError(what, where=str(path), remedy=say(Advice.MORE_MEGABYTES, megabytes=-(-size // MEGABYTE)))
