"""What every exam in units needs: things kept between two units, units by their keys, what was not done and why."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from concurrent.futures import Future
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
        self._making: dict[Hashable, Future[T]] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the thing of this key; whoever asks for it while it is made waits, and nobody else does."""
        with self._lock:
            if key in self._things:
                self._things.move_to_end(key)
                return self._things[key]
            others = self._making.get(key)
            if others is None:
                mine = self._making[key] = Future()
        return others.result() if others is not None else self._made(key, make, mine)

    def _made(self, key: Hashable, make: Callable[[], T], promise: Future[T]) -> T:
        try:
            thing = make()
        except BaseException as error:
            self._settle(key)
            promise.set_exception(error)
            raise
        with self._lock:
            self._things[key] = thing
            while len(self._things) > self._most:
                self._things.popitem(last=False)
        self._settle(key)
        promise.set_result(thing)
        return thing

    def _settle(self, key: Hashable) -> None:
        with self._lock:
            del self._making[key]


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
