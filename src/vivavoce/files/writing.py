"""Results into files: all or nothing, and harmless when opened in a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
import os
import secrets
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from vivavoce.errors import FileError
from vivavoce.messages import say
from vivavoce.records import Example, Guess

PREDICTION_COLUMNS = ("text", "intent", "guess", "confidence")
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
STANDARD_OUTPUT = "-"
# Windows would turn line ends around.
BINARY = getattr(os, "O_BINARY", 0)


def write_predictions(path: str | Path, rows: Iterable[tuple[Example, Guess]], *, out_of_scope: str = "oos") -> None:
    """Write one CSV row for each example and its guess; an empty guess means the classifier made none."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(PREDICTION_COLUMNS)
    for example, guess in rows:
        intent = out_of_scope if example.intent is None else example.intent
        cells = (guard_cell(example.text), guard_cell(intent), guard_cell(guess.intent or ""))
        writer.writerow((*cells, repr(float(guess.confidence))))
    write_text(path, buffer.getvalue())


def write_csv(path: str | Path, columns: Iterable[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a table as CSV, harmless when opened in a spreadsheet; `-` is standard output."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([guard_cell(cell) for cell in row] for row in rows)
    write_text(path, buffer.getvalue())


def write_json(path: str | Path, data: object, *, private: bool = False) -> None:
    """Write JSON to a file, or to standard output if the path is `-`; keys stay in the order given.

    `private`: nobody but the owner may read the file.
    """
    # Not-a-number is no JSON: a result that has it is wrong, and saying so beats a file nobody can read.
    text = json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False, default=_plain)
    write_text(path, text + "\n", private=private)


def guard_cell(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula: an apostrophe goes before a risky beginning."""
    return f"'{cell}" if cell.startswith(FORMULA_STARTS) else cell


def _plain(value: object) -> object:
    # Numbers of NumPy know how to become plain ones; anything else is a mistake of the caller.
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def write_text(path: str | Path, text: str, *, private: bool = False) -> None:
    """Write a text, all or nothing; `-` is standard output."""
    # Half a character (a lone surrogate) has no UTF-8 form; written as \udXXX it is at least visible.
    data = text.encode("utf-8", "backslashreplace")
    if str(path) == STANDARD_OUTPUT:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    write_bytes(path, data, private=private)


def write_bytes(path: str | Path, data: bytes, *, private: bool = False) -> None:
    """Write a file, all or nothing."""
    target, mode = Path(path).resolve(), 0o600 if private else 0o666
    # Written beside the target and renamed: a reader, or a crash, never sees half a file.
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        if target.exists() and not target.is_file() and not target.is_dir():
            target.write_bytes(data)  # a pipe or a device cannot be replaced
            return
        try:
            with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY, mode), "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, target)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(
            say("the file cannot be written: {strerror}", strerror=error.strerror or error),
            where=str(path),
            remedy=say("check that the folder exists and that you have write access"),
        ) from error
