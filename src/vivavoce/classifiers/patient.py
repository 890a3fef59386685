"""Patience with remote classifiers: a time limit for every call, and a second chance."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from vivavoce.classifiers.protocol import Classifier
from vivavoce.errors import ClassifierError, UsageError
from vivavoce.records import Guess
from vivavoce.retries import backoff, retry

T = TypeVar("T")
FIRST_PAUSE = 1.0


class PatientClassifier:
    """Calls a classifier with a time limit and asks again after an error, pausing longer each time.

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
        """The name of the classifier itself."""
        return self._inner.name

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Train the classifier."""
        self._call("training", lambda: self._inner.fit(texts, intents))

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        """Ask the classifier."""
        return self._call(f"answering {len(texts)} texts", lambda: self._inner.guess(texts))

    def _call(self, what: str, call: Callable[[], T]) -> T:
        waits = [backoff(attempt, first_s=self._pause) for attempt in range(1, self._attempts)]
        try:
            return retry(lambda: within(self._timeout, call, what), waits, before=self._count_repeat)
        except Exception as error:
            if self._attempts == 1:
                raise
            message = f"the classifier failed {self._attempts} times when {what}; the last error: {error}"
            raise ClassifierError(message) from error

    def _count_repeat(self) -> None:
        self.repeated += 1


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

    # A daemon: a classifier that hangs must not keep the program from ending.
    worker = threading.Thread(target=run, daemon=True, name="viva-engine")
    worker.start()
    worker.join(seconds)
    if worker.is_alive():
        raise ClassifierError(f"the classifier timed out after {seconds:g} s when {what}", remedy="raise --timeout")
    if errors:
        raise errors[0]
    return outcome[0]
