"""The record of a judge: every answer as it came, one JSON line each, written down before the next is asked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, NamedTuple

from vivavoce.errors import DataError, Fault, FileError, WorkError
from vivavoce.records import Status

__all__ = ["AnswerKey", "JudgeRecord"]

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
        return {
            AnswerKey(str(row["model"]), str(row["rubric"]), str(row["dialogue"])): str(row["content"])
            for row in self._rows()
            if row["status"] == Status.OK
        }

    def write(self, key: AnswerKey, status: Status, content: str, **more: object) -> None:
        """Add one answer and hand it to the system at once."""
        row = {"format": FORMAT, **key._asdict(), "status": str(status), "content": content, **more}
        assert self._file is not None, "a record is opened before it is written"  # noqa: S101
        try:
            self._file.write(json.dumps(row).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise WorkError(
                f"the answer could not be recorded: {error.strerror or error}",
                where=str(self.path),
                remedy="make room on the disk, then run again with the same record: nothing is asked twice",
            ) from error

    def __enter__(self) -> JudgeRecord:
        data = self._bytes()
        whole = data.rfind(b"\n") + 1
        try:
            self._file = self.path.open("ab")
            if _row(data[whole:]) is not None:
                self._file.write(b"\n")
            else:
                # Half a line, left by a process that was killed, would spoil the next one.
                self._file.truncate(whole)
        except OSError as error:
            raise _unusable(self.path, error) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()

    # --- reading -------------------------------------------------------------------------------------------------

    def _bytes(self) -> bytes:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise _unusable(self.path, error) from error

    def _rows(self) -> Iterator[Mapping[str, object]]:
        lines = self._bytes().split(b"\n")
        if _row(lines[-1]) is None and _is_cut_short(lines[-1]):
            lines.pop()
        found = [(number, _row(line)) for number, line in enumerate(lines, 1) if line.strip()]
        faults = [Fault("this is not an answer of a judge", f"line {number}") for number, row in found if row is None]
        if faults:
            remedy = "give a file of its own for the record, or correct the lines"
            raise DataError("these lines cannot be used", where=str(self.path), faults=faults, remedy=remedy)
        return (row for _, row in found if row is not None)


def _is_cut_short(tail: bytes) -> bool:
    return tail.startswith(_BEGINNING) or _BEGINNING.startswith(tail)


def _row(line: bytes) -> Mapping[str, object] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    whole = isinstance(row, dict) and all(isinstance(row.get(key), str) for key in _KEYS)
    return row if whole and row["format"] == FORMAT else None


_KEYS = ("format", *AnswerKey._fields, "status", "content")


def _unusable(path: Path, error: OSError) -> FileError:
    return FileError(
        f"the record cannot be used: {error.strerror or error}",
        where=str(path),
        remedy="check that the folder exists and that you may read and write there",
    )
