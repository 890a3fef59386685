"""Things that take long to make and are asked for again: the last few of them are kept in the process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

__all__ = ["Kept"]

T = TypeVar("T")


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
