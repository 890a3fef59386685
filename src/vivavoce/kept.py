"""Things that take long to make and are needed again: the last few of them are kept in the process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """The last few things that were made, by their keys: none of them is made again."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._things: OrderedDict[Hashable, T] = OrderedDict()
        self._making: dict[Hashable, Future[T]] = {}

    def peek(self, key: Hashable) -> T | None:
        """Return the thing of this key if it is made already."""
        with self._lock:
            return self._things.get(key)

    def drop(self, key: Hashable) -> None:
        """Forget the thing of this key."""
        with self._lock:
            self._things.pop(key, None)

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the thing of this key; a caller who wants it while it is made waits, and nobody else does."""
        with self._lock:
            if key in self._things:
                self._things.move_to_end(key)
                return self._things[key]
            is_made = key in self._making
            promise = self._making.setdefault(key, Future())
        if is_made:
            return promise.result()
        try:
            thing = make()
        except BaseException as error:
            with self._lock:
                del self._making[key]
            promise.set_exception(error)
            raise
        with self._lock:
            del self._making[key]
            self._things[key] = thing
            while len(self._things) > self._most:
                self._things.popitem(last=False)
        promise.set_result(thing)
        return thing
