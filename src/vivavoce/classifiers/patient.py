"""Patience with engines that live elsewhere: a time limit for every call, and a second chance."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from vivavoce.classifiers.protocol import Classifier
from vivavoce.errors import ClassifierError, UsageError
from vivavoce.records import Guess

T = TypeVar("T")
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0


class PatientClassifier:
    """Calls an engine with a time limit and asks again after an error, pausing longer each time.

    `repeated` counts the calls that had to be made again: the exam puts it in its notes. A call that ran out of
    time is left alone in a thread of its own, since nothing can stop it from outside.
    """

    def __init__(
        self, inner: Classifier, *, timeout: float | None = None, attempts: int = 1, pause: float = FIRST_PAUSE
    ) -> None:
        if attempts < 1:
            raise UsageError(f"attempts must be at least 1, not {attempts}")
        if timeout is not None and timeout <= 0:
            raise UsageError(f"the time limit must be above 0 seconds, not {timeout}")
        self._inner, self._timeout, self._attempts, self._pause = inner, timeout, attempts, pause
        self.notes: tuple[str, ...] = tuple(getattr(inner, "notes", ()))
        self.repeated = 0

    @property
    def name(self) -> str:
        """The name of the engine itself."""
        return self._inner.name

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Train the engine."""
        self._call("training", lambda: self._inner.fit(texts, intents))

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        """Ask the engine."""
        return self._call(f"an answer to {len(texts)} texts", lambda: self._inner.guess(texts))

    def _call(self, what: str, call: Callable[[], T]) -> T:
        for attempt in range(1, self._attempts + 1):
            try:
                return within(self._timeout, call, what)
            except Exception as error:
                if attempt == self._attempts:
                    raise _tired(error, what, self._attempts) from error
                self.repeated += 1
                time.sleep(min(LONGEST_PAUSE, self._pause * 2 ** (attempt - 1)))
        raise AssertionError("unreachable")


def within(seconds: float | None, call: Callable[[], T], what: str) -> T:
    """Return what the call returns, or raise when it takes longer."""
    if seconds is None:
        return call()
    outcome: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(call())
        except BaseException as error:
            errors.append(error)

    # A daemon: an engine that hangs for good must not keep the program from ending.
    worker = threading.Thread(target=run, daemon=True, name="viva-engine")
    worker.start()
    worker.join(seconds)
    if worker.is_alive():
        raise ClassifierError(f"the engine took longer than {seconds:g} s for {what}", remedy="raise --timeout")
    if errors:
        raise errors[0]
    return outcome[0]


def _tired(error: Exception, what: str, attempts: int) -> Exception:
    if attempts == 1:
        return error
    return ClassifierError(f"the engine failed {attempts} times at {what}; the last time: {error}")
