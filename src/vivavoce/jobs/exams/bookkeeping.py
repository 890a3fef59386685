"""What every exam in units needs: things kept between two units, units by their keys, what was not done and why."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from threading import Lock
from typing import Generic, TypeVar

from vivavoce.errors import UsageError, nearest, plural
from vivavoce.jobs.exams.protocol import Finished

__all__ = ["NOT_DONE", "Kept", "find_unit", "reasons_of", "remarks_on"]

T = TypeVar("T")
NOT_DONE = "it was not done"
# Where an error begins to say what to do next; a list of failures has its own place for that.
ADVICE = "\nWhat to do:"


class Kept(Generic[T]):
    """The last few things that were made, by their keys; what is asked for again is not made again."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._things: OrderedDict[Hashable, T] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the thing of this key; others wait while one makes it."""
        with self._lock:
            if key not in self._things:
                self._things[key] = make()
            self._things.move_to_end(key)
            while len(self._things) > self._most:
                self._things.popitem(last=False)
            return self._things[key]


def find_unit(units: Mapping[str, T], name: str) -> T:
    """Return the unit of this key; refuse one that the exam does not have."""
    if name not in units:
        raise UsageError(
            f"the exam has no unit '{name}'.{nearest(name, list(units))}",
            remedy="plan the run again and start it anew",
        )
    return units[name]


def reasons_of(finished: Finished) -> dict[str, str]:
    """Return why units failed, by their keys, without the advice."""
    return {failure.key: failure.reason.partition(ADVICE)[0] for failure in finished.failures}


def remarks_on(finished: Finished, keys: Iterable[str]) -> Iterator[str]:
    """Say which results belong to no unit of the plan: they were passed over."""
    strange = sorted(set(finished.results) - set(keys))
    if strange:
        said = f"{plural(len(strange), 'result')} of no unit of this exam passed over"
        yield f"{said}: {', '.join(strange[:5])}{', ...' if len(strange) > 5 else ''}."
