"""The record of a judge: every answer as it came, one JSON line each, written down before the next is asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import IO, NamedTuple

from vivavoce.errors import DataError, Fault, FileError, WorkError
from vivavoce.records import Status

FORMAT = "vivavoce-judge-1"
# How each line begins; what is left of one that was cut short is known by it.
_BEGINNING = json.dumps({"format": FORMAT})[:-1].encode()


class AnswerKey(NamedTuple):
    """What an answer is an answer to: who was asked, by which rubric, about which dialogue."""

    model: str
    rubric: str
    dialogue: str


class JudgeRecord:
    """A file of answers that is added to; open for writing inside a `with` block alone."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: IO[bytes] | None = None

    def read(self) -> dict[AnswerKey, str]:
        """Return the answers by what they answer; requests that failed are not among them."""
        lines = self._read_bytes().split(b"\n")
        tail = lines[-1]
        # Half a line was left by a process that was killed.
        if _parse_row(tail) is None and (tail.startswith(_BEGINNING) or _BEGINNING.startswith(tail)):
            lines.pop()
        rows = {number: _parse_row(line) for number, line in enumerate(lines, 1) if line.strip()}
        faults = [
            Fault("this is not a judge's answer", f"line {number}") for number, row in rows.items() if row is None
        ]
        if faults:
            remedy = "use a separate file for the record, or fix the lines"
            raise DataError("these lines are invalid", where=str(self.path), faults=faults, remedy=remedy)
        return {
            AnswerKey(row["model"], row["rubric"], row["dialogue"]): row["content"]
            for row in rows.values()
            if row is not None and row["status"] == Status.OK
        }

    def write(self, key: AnswerKey, status: Status, content: str, **more: object) -> None:
        """Add one answer and hand it to the system at once."""
        row = {"format": FORMAT, **key._asdict(), "status": str(status), "content": content, **more}
        assert self._file is not None, "a record must be opened before it is written"  # noqa: S101
        try:
            self._file.write(json.dumps(row).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise WorkError(
                f"cannot record the answer: {error.strerror or error}",
                where=str(self.path),
                remedy="free up disk space, then run again with the same record: nothing is asked twice",
            ) from error

    def __enter__(self) -> JudgeRecord:
        data = self._read_bytes()
        whole = data.rfind(b"\n") + 1
        try:
            self._file = self.path.open("ab")
            if _parse_row(data[whole:]) is not None:
                self._file.write(b"\n")
            else:
                # Half a line, left by a process that was killed, would spoil the next one.
                self._file.truncate(whole)
        except OSError as error:
            raise _refuse(self.path, error) from error
        return self

    def __exit__(self, *error: object) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def _read_bytes(self) -> bytes:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise _refuse(self.path, error) from error


def _parse_row(line: bytes) -> Mapping[str, str] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    keys = ("format", *AnswerKey._fields, "status", "content")
    is_whole = isinstance(row, dict) and all(isinstance(row.get(key), str) for key in keys)
    return row if is_whole and row["format"] == FORMAT else None


def _refuse(path: Path, error: OSError) -> FileError:
    return FileError(
        f"cannot use the record: {error.strerror or error}",
        where=str(path),
        remedy="check that the folder exists and that you can read and write there",
    )
