"""JSON out of logs: whole files and single lines, also of files too large for the memory."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

from vivavoce.errors import FileError
from vivavoce.files.advice import Advice
from vivavoce.files.encodings import GUESS, find_mark, guess_encoding
from vivavoce.files.jsons import refuse_repeated_keys
from vivavoce.files.sources import check_text, read_bytes, read_head_bytes, read_text, refuse_encoding
from vivavoce.files.tables import ReadOptions
from vivavoce.messages import say

# Encodings in which a line end is not the one byte that it is everywhere else.
WIDE = ("utf-16", "utf-32", "utf16", "utf32", "utf_16", "utf_32")


class BrokenJsonError(ValueError):
    """A text that is not JSON; the message says what and where in it."""


def parse_json(text: str) -> object:
    """Return the value of a JSON text; a key that occurs twice in one object is refused, not dropped."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if "\n" in text.strip() else ""
        raise BrokenJsonError(f"{error.msg.removesuffix(' at')} at {line}character {error.colno}") from None
    except RecursionError:
        raise BrokenJsonError(say("nested too deeply")) from None
    except ValueError as error:  # a key twice, a number of thousands of digits
        raise BrokenJsonError(str(error)) from None


_DECODER = json.JSONDecoder(object_pairs_hook=refuse_repeated_keys)


def read_lines(path: Path, options: ReadOptions) -> Iterator[tuple[int, str | BrokenJsonError]]:
    """Yield number and text of each line that is not blank, one at a time; a line that is no text is an error.

    `max_bytes` limits a line, not the file. Only a line feed ends a line: JSON may hold other line ends.
    """
    head = read_head_bytes(path)
    check_text(head, path, options.encoding)
    if not head.strip(b" \t\r\n\xef\xbb\xbf"):
        read_text(path, options)  # says that the file is empty, or passes where text comes later
    guessed = options.encoding == GUESS and guess_encoding(read_bytes(path, options.max_bytes))
    encoding = guessed or options.encoding or find_mark(head) or "utf-8-sig"
    if encoding.casefold().startswith(WIDE):
        yield from _read_wide_lines(path, encoding)
        return
    limit, number = options.max_bytes, 0
    with path.open("rb") as file:
        while line := file.readline(limit + 1):
            number += 1
            if len(line) > limit:
                raise FileError(
                    say("the line has more than {limit:,} bytes", limit=limit),
                    where=say("{path}, line {number}", path=path, number=number),
                    remedy=say(Advice.LINE_TOO_LONG),
                )
            if line.strip():
                yield number, _decode(line, encoding if number == 1 else encoding.removesuffix("-sig"))


def _read_wide_lines(path: Path, encoding: str) -> Iterator[tuple[int, str | BrokenJsonError]]:
    try:
        with path.open("rb") as file:
            text = io.TextIOWrapper(file, encoding, newline="\n")
            for number, line in enumerate(text, 1):
                if line.strip():
                    yield number, line.removeprefix("\ufeff")
    except UnicodeError as error:
        raise FileError(
            say("the text is not {encoding}: {error}", encoding=encoding, error=error),
            where=str(path),
            remedy=say("save the file as UTF-8"),
        ) from None


def _decode(line: bytes, encoding: str) -> str | BrokenJsonError:
    try:
        return line.decode(encoding)
    except LookupError:
        raise refuse_encoding(encoding) from None
    except UnicodeDecodeError as error:
        excerpt = " ".join(line[max(error.start - 20, 0) : error.start + 20].decode("cp1252", "replace").split())
        return BrokenJsonError(
            say(
                "the text is not {encoding}: byte {byte:#04x}; {advice}",
                encoding=error.encoding,
                byte=line[error.start],
                advice=say(Advice.GIVE_CP1252, shown=excerpt),
            )
        )
