"""The one error tree.

    VivaError                       anything vivavoce refuses to do
    ├── InputError                  the material or the call is wrong (exit code 2)
    │   ├── FileError               a file cannot be read: path, encoding, format
    │   │   └── EmptyFileError      it holds nothing
    │   ├── DataError               the rows are wrong: every fault at once, with its row
    │   ├── UsageError              an option, a name or a combination is wrong
    │   ├── AbsentError             what was asked for is not there (any more)
    │   ├── StaleError              somebody else changed it meanwhile: look again
    │   └── AccessError             the person or the key may not do this
    ├── MissingPartError            an optional part is not installed (exit code 2)
    ├── GateError                   a gate given by the user was not met (exit code 1)
    └── WorkError                   the work could not be completed and can be resumed (exit code 3)
        ├── StoreError              the database of a workspace does not serve: each cause has its own trouble
        ├── ClassifierError         a classifier failed, timed out or answered nonsense
        └── BotError                a bot could not be talked to: each cause has its own status

Every error says what happened, where, and what to do next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, ClassVar, TypedDict, Unpack

from vivavoce.messages import Message, join, say

MAX_SHOWN_FAULTS = 20


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with the input, and its place."""

    message: str
    where: str = ""

    def __str__(self) -> str:
        return str(self.as_message())

    def as_message(self) -> str:
        """Return the fault with its place."""
        return join(": ", (self.where, self.message)) if self.where else self.message


class Details(TypedDict, total=False):
    """What every error may say beside what happened."""

    where: str
    remedy: str
    faults: Sequence[Fault]


class VivaError(Exception):
    """Anything vivavoce refuses to do, said so that the reader can act on it."""

    exit_code = 3
    # The arguments that a kind of error takes beside the details.
    extras: ClassVar[tuple[str, ...]] = ()

    def __init__(self, what: str, *, where: str = "", remedy: str = "", faults: Sequence[Fault] = ()) -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        self.faults = tuple(faults)
        super().__init__(self.__str__())

    def __str__(self) -> str:
        return str(self.as_message())

    def as_message(self) -> Message:
        """Return all that the error says as one message."""
        lines = [join("", ("\n  - ", fault.as_message())) for fault in self.faults[:MAX_SHOWN_FAULTS]]
        if len(self.faults) > MAX_SHOWN_FAULTS:
            lines.append(say("\n  - ... and {count} more", count=len(self.faults) - MAX_SHOWN_FAULTS))
        head = "{where}: {what}{faults}" if self.where else "{what}{faults}"
        problem = say(head, where=self.where, what=self.what, faults=join("", lines))
        return say("{problem}\nWhat to do: {remedy}", problem=problem, remedy=self.remedy) if self.remedy else problem

    def __reduce__(self) -> tuple[object, ...]:
        # Errors cross process borders: keyword-only arguments need an explicit recipe.
        arguments = {name: getattr(self, name) for name in ("where", "remedy", "faults", *self.extras)}
        return (_rebuild, (type(self), self.what, arguments))


def _rebuild(kind: type[VivaError], what: str, arguments: dict[str, Any]) -> VivaError:
    return kind(what, **arguments)


class InputError(VivaError):
    """The material or the call is wrong."""

    exit_code = 2


class FileError(InputError):
    """A file cannot be read: path, encoding or format."""


class EmptyFileError(FileError):
    """A file holds nothing."""


class DataError(InputError):
    """The rows are wrong: every fault at once, each with its row."""


class UsageError(InputError):
    """An option, a name or a combination of them is wrong."""


class AbsentError(InputError):
    """What was asked for is not there, or not any more."""


class StaleError(InputError):
    """Somebody else changed it meanwhile; nothing was lost, nothing overwritten."""


class AccessError(InputError):
    """The person or the key may not do this."""


class MissingPartError(VivaError):
    """An optional part (an extra, the weights of a model) is not installed."""

    exit_code = 2


class GateError(VivaError):
    """A gate given by the user (for instance `--fail-under`) was not met."""

    exit_code = 1


class WorkError(VivaError):
    """The work could not be completed; what is recorded is kept and the run can be resumed."""


class StoreError(WorkError):
    """The database of a workspace does not serve. `trouble` says why (a value of `store.troubles.Trouble`).

    `where` and the faults name the database: they are for those who run it.
    """

    extras = ("trouble",)

    def __init__(self, what: str, *, trouble: str = "away", **details: Unpack[Details]) -> None:
        self.trouble = trouble
        super().__init__(what, **details)


class ClassifierError(WorkError):
    """A classifier failed, timed out or answered something that is not a guess."""


class BotError(WorkError):
    """A bot could not be talked to. `status` says why (a value of `records.Status`), never "wrong answer".

    `retry_after`: seconds that the bot asked to wait, if it did. `code`: that of HTTP, where it refused with one.
    """

    code: int = 0
    extras: ClassVar[tuple[str, ...]] = ("status", "retry_after")

    def __init__(
        self, what: str, *, status: str = "failed", retry_after: float | None = None, **details: Unpack[Details]
    ) -> None:
        self.status = status
        self.retry_after = retry_after
        super().__init__(what, **details)


def without_remedy(reason: str, place: str = "") -> str:
    """Return what `as_message` said without what to do next, and without this place."""
    if not isinstance(reason, Message):
        # As older releases stored it.
        return reason.partition("\nWhat to do:")[0].removeprefix(f"{place}: " if place else "")
    problem = reason.values.get("problem", reason)
    if place and isinstance(problem, Message) and problem.values.get("where") == place:
        return Message("{what}{faults}", problem.values)
    return problem if isinstance(problem, str) else reason


def nearest(name: str, known: Sequence[str]) -> str:
    """Return ` Did you mean 'x'?` for the nearest known name, or nothing."""
    matches = get_close_matches(name, list(known), n=1, cutoff=0.5)
    return say(" Did you mean '{name}'?", name=matches[0]) if matches else ""


def plural(n: int, noun: str) -> str:
    """Write a count with its noun."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
