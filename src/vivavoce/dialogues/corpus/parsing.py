"""JSON out of logs: whole files and single lines, also of files too large for the memory."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from vivavoce.dialogues.corpus.entries import LogOptions
from vivavoce.errors import FileError, UsageError
from vivavoce.files.sources import BINARY_KINDS, BYTE_ORDER_MARKS, check_file, read_text

HEAD_BYTES = 65536
# Encodings in which a line end is not the one byte that it is everywhere else.
WIDE = ("utf-16", "utf-32", "utf16", "utf32", "utf_16", "utf_32")
NO_LIMIT = 2**63 - 1


class BrokenJsonError(ValueError):
    """A text that is not JSON; the message says what and where in it."""


def parse_json(text: str) -> object:
    """Return the value of a JSON text; a key that stands twice in one object is refused, not dropped."""
    try:
        value: object = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        place = (
            f"line {error.lineno}, character {error.colno}" if "\n" in text.strip() else f"character {error.colno}"
        )
        raise BrokenJsonError(f"{error.msg.removesuffix(' at')} at {place}") from None
    except RecursionError:
        raise BrokenJsonError("it is nested too deeply") from None
    except ValueError as error:  # a key twice, a number of thousands of digits
        raise BrokenJsonError(str(error)) from None
    return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key '{next(key for key in keys if keys.count(key) > 1)}' stands twice in one object")
    return result


_DECODER = json.JSONDecoder(object_pairs_hook=_unique)


def read_head(path: Path, options: LogOptions) -> str:
    """Return the beginning of a text file, for a look at what it is."""
    check_file(path, NO_LIMIT)
    data = _head_bytes(path)
    _check_text(data, path, options.encoding)
    try:
        text = data.decode(options.encoding or _marked(data) or "utf-8", "replace")
    except LookupError:
        raise _unknown_encoding(options.encoding) from None
    return text.removeprefix("\ufeff")


def read_lines(path: Path, options: LogOptions) -> Iterator[tuple[int, str | BrokenJsonError]]:
    """Yield number and text of each line that is not blank, one at a time; a line that is no text is an error.

    `max_bytes` limits a line, not the file. Only a line feed ends a line: JSON may hold other line ends.
    """
    check_file(path, NO_LIMIT)
    head = _head_bytes(path)
    _check_text(head, path, options.encoding)
    if not head.strip(b" \t\r\n\xef\xbb\xbf"):
        read_text(path, options.reading)  # says that the file is empty, or passes where text comes later
    encoding = options.encoding or _marked(head) or "utf-8-sig"
    if encoding.casefold().startswith(WIDE):
        yield from _wide_lines(path, encoding)
        return
    with path.open("rb") as file:
        for number, line in enumerate(_limited(file, path, options.max_bytes), 1):
            if line.strip():
                yield number, _decoded(line, encoding if number == 1 else encoding.removesuffix("-sig"))


def _limited(file: IO[bytes], path: Path, limit: int) -> Iterator[bytes]:
    number = 0
    while line := file.readline(limit + 1):
        number += 1
        if len(line) > limit:
            raise FileError(
                f"the line has more than {limit:,} bytes",
                where=f"{path!s}, line {number}",
                remedy="write one dialogue on each line; if it is right, raise --max-file-mb",
            )
        yield line


def _wide_lines(path: Path, encoding: str) -> Iterator[tuple[int, str | BrokenJsonError]]:
    try:
        with path.open("rb") as file:
            text = io.TextIOWrapper(file, encoding, newline="\n")
            for number, line in enumerate(text, 1):
                if line.strip():
                    yield number, line.removeprefix("\ufeff")
    except UnicodeError as error:
        raise FileError(f"the text is not {encoding}: {error}", where=str(path), remedy="save it as UTF-8") from None


def _decoded(line: bytes, encoding: str) -> str | BrokenJsonError:
    try:
        return line.decode(encoding)
    except LookupError:
        raise _unknown_encoding(encoding) from None
    except UnicodeDecodeError as error:
        shown = " ".join(line[max(error.start - 20, 0) : error.start + 20].decode("cp1252", "replace").split())
        return BrokenJsonError(
            f"the text is not {error.encoding}: byte {line[error.start]:#04x}; save the file as UTF-8, "
            f"or give --encoding cp1252, with which the place reads: {shown}"
        )


def _head_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(HEAD_BYTES)
    except OSError as error:
        raise FileError(
            f"the file cannot be read: {error.strerror or error}", where=str(path), remedy="check its rights"
        ) from error


def _check_text(head: bytes, path: Path, encoding: str | None) -> None:
    for magic, kind, remedy in BINARY_KINDS:
        if head.startswith(magic):
            raise FileError(f"the content is {kind}, not text", where=str(path), remedy=remedy)
    if not encoding and not _marked(head) and head[:1000].count(b"\0") >= max(len(head[:1000]) // 3, 1):
        order = "le" if head[1:2] == b"\0" else "be"
        raise FileError(
            "the text looks like UTF-16 without its mark", where=str(path), remedy=f"try --encoding utf-16-{order}"
        )


def _marked(head: bytes) -> str | None:
    return next((encoding for mark, encoding in BYTE_ORDER_MARKS if head.startswith(mark)), None)


def _unknown_encoding(encoding: str | None) -> UsageError:
    return UsageError(f"there is no text encoding '{encoding}'", remedy="common ones: utf-8, cp1252, latin-1, utf-16")
