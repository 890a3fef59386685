"""What is wrong with JSON, as faults with their places."""

from __future__ import annotations

from collections.abc import Iterable

from cattrs.errors import IterableValidationError

from vivavoce.errors import Fault, VivaError, nearest
from vivavoce.messages import say


class MisreadError(Exception):
    """What cannot be read, as faults with their places inside the value; it never leaves `from_json`."""

    def __init__(self, *faults: Fault) -> None:
        self.faults = faults
        super().__init__("; ".join(map(str, faults)))


def wrong(value: object, wanted: str) -> MisreadError:
    """Return the error for a value of the wrong kind."""
    shown = repr(value)
    return MisreadError(
        Fault(say("is {shown}, not {wanted}", shown=shown if len(shown) <= 60 else f"{shown[:57]}...", wanted=wanted))
    )


def missing(key: str, unknown: Iterable[str]) -> Fault:
    """Return the fault of a key that is not there; `unknown`: keys that may be this one, misspelt."""
    return Fault(say("is missing.{nearest}", nearest=nearest(key, list(unknown))), key)


def faults_of(error: Exception) -> list[Fault]:
    """Return what an error says, with places as they are seen from the value that was read."""
    if isinstance(error, MisreadError):
        return list(error.faults)
    if isinstance(error, IterableValidationError):
        noted, _ = error.group_exceptions()
        places = [(f"[{note.index}]" if isinstance(note.index, int) else note.index, cause) for cause, note in noted]
        return [fault for place, cause in places for fault in inside(place, faults_of(cause))]
    if isinstance(error, VivaError):
        return list(error.faults) or [Fault(error.what)]
    return [Fault(say("cannot be read ({kind}: {error})", kind=type(error).__name__, error=error))]


def inside(place: str, faults: Iterable[Fault]) -> list[Fault]:
    """Return faults as they are seen from one step further out."""
    return [
        Fault(fault.message, f"{place}{'.' if place and fault.where[:1] not in ('', '[') else ''}{fault.where}")
        for fault in faults
    ]
