"""What people send: fields by name, read with a fault for each that cannot be used, and files put aside."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from fastapi import Depends, Request
from starlette.datastructures import FormData, UploadFile

from vivavoce.errors import Fault, UsageError, VivaError, nearest
from vivavoce.messages import join, say
from vivavoce.web.access import config_of
from vivavoce.web.security.uploads import read_form, saved_upload

# A reason is a sentence or two: the history shows it beside what was done.
MAX_WHY = 500


class Fields:
    """The fields of a form. Faults are collected; `check` refuses with all of them at once."""

    def __init__(self, data: FormData, max_upload_bytes: int) -> None:
        self._data = data
        self._max = max_upload_bytes
        self.faults: list[Fault] = []

    def text(self, name: str, *, most: int = 10_000) -> str:
        """Return a text without blanks around it; empty where it is missing."""
        text = self.secret(name).strip()
        if len(text) > most:
            self.faults.append(Fault(say("this is longer than {most:,} characters", most=most), name))
        return text

    def secret(self, name: str) -> str:
        """Return a password as it was typed, with the blanks around it."""
        value = self._data.get(name)
        return value if isinstance(value, str) else ""

    def all(self, name: str) -> tuple[str, ...]:
        """Return every value of a field that may stand several times."""
        return tuple(value for value in self._data.getlist(name) if isinstance(value, str) and value)

    def lines(self, name: str, *, most: int = 10_000, most_letters: int = 1_000_000) -> tuple[str, ...]:
        """Return the lines of a text that hold something."""
        text = self.secret(name)
        lines = tuple(line.strip() for line in text.splitlines() if line.strip())
        if len(lines) > most:
            self.faults.append(Fault(say("this has more than {most:,} lines", most=most), name))
        if len(text) > most_letters:
            message = say("this is longer than {most_letters:,} characters", most_letters=most_letters)
            self.faults.append(Fault(message, name))
        return lines

    def texts(self) -> tuple[tuple[str, str], ...]:
        """Return every field that is a text, with its name, to be sent once more."""
        return tuple((name, value) for name, value in self._data.multi_items() if isinstance(value, str))

    def flag(self, name: str) -> bool:
        """Tell whether a box is ticked."""
        return bool(self._data.get(name))

    def choice(self, name: str, known: Sequence[str], default: str = "") -> str:
        """Return one of the known values."""
        value = self.text(name) or default
        if value not in known:
            message = say("'{said}' is not an option here.{nearest}", said=value, nearest=nearest(value, known))
            self.faults.append(Fault(message, name))
        return value

    def number(self, name: str, default: float, *, low: float, high: float) -> float:
        """Return a number within its range; a comma is a point."""
        text = self.text(name).replace(",", ".")
        if not text:
            return default
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not low <= value <= high:
            message = say("'{said}' is not a number from {low:g} to {high:g}", said=text, low=low, high=high)
            self.faults.append(Fault(message, name))
            return default
        return value

    def whole(self, name: str, default: int, *, low: int, high: int) -> int:
        """Return a whole number within its range."""
        value = self.number(name, default, low=low, high=high)
        if value != int(value):
            self.faults.append(Fault(say("{value:g} is not a whole number", value=value), name))
        return int(value)

    def has_file(self, name: str) -> bool:
        """Tell whether a file was chosen."""
        value = self._data.get(name)
        return isinstance(value, UploadFile) and bool(value.filename)

    @contextmanager
    def file(self, name: str) -> Iterator[Path]:
        """Put the file that was sent aside under a safe name, until the block ends."""
        value = self._data.get(name)
        if not isinstance(value, UploadFile) or not value.filename:
            raise UsageError(say("no file selected"), where=name, remedy=say("choose a file and try again"))
        with TemporaryDirectory(prefix="viva-") as folder:
            yield saved_upload(value, Path(folder), max_bytes=self._max)

    def check(self) -> None:
        """Refuse the form where a field cannot be used, all faults at once."""
        if self.faults:
            raise UsageError(
                say("some fields are invalid"), faults=self.faults, remedy=say("correct them and try again")
            )

    def fault_of(self, name: str) -> str:
        """Return what is wrong with a field, for the place beside it."""
        return next((fault.message for fault in self.faults if fault.where == name), "")


async def fields_of(request: Request) -> AsyncIterator[Fields]:
    """Give the fields of the request; files that came with it are closed afterwards."""
    async with read_form(request) as data:
        yield Fields(data, config_of(request).max_upload_mb * 2**20)


Form = Annotated[Fields, Depends(fields_of)]


def fault_at(error: VivaError | None, name: str) -> str:
    """Return what an error says of a field, for the place beside it."""
    if error is None:
        return ""
    messages = [fault.message for fault in error.faults if fault.where == name]
    return join("; ", messages) or (error.what if error.where == name else "")
