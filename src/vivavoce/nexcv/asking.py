"""Train and ask a classifier, with a clock beside it, without losing everything to one failed call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Literal

import numpy as np

from vivavoce.classifiers.api import batch_answers, guess_of, shown
from vivavoce.errors import ClassifierError, UsageError
from vivavoce.records import Guess

OnError = Literal["raise", "record"]
ON_ERROR: tuple[OnError, ...] = ("raise", "record")


class EvaluationError(ClassifierError):
    """A classifier failed and the evaluation ended; `partial` is the result of the repetitions before."""

    partial: dict[str, Any]

    def __init__(self, what: str, *, partial: dict[str, Any] | None = None, **rest: Any) -> None:
        """Keep what was measured before the failure."""
        super().__init__(what, **rest)
        self.partial = partial or {}

    def __reduce__(self) -> tuple[object, ...]:
        # The result so far crosses process borders with the error.
        return (*super().__reduce__(), {"partial": self.partial})


class Stopwatch:
    """Seconds by a clock that never goes back, by the name of the work."""

    def __init__(self) -> None:
        """Start with nothing measured."""
        self.seconds: dict[str, float] = {}

    @contextmanager
    def time(self, name: str) -> Iterator[None]:
        """Measure the block, also when it fails."""
        start = perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = perf_counter() - start


@dataclass
class Answers:
    """One guess for each text (None: the call failed), the seconds each took, and the failures."""

    guesses: list[Guess | None] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    failures: list[dict[str, Any]] = field(default_factory=list)
    batch: bool = False

    def timing(self, total: float) -> dict[str, float | bool | None]:
        """Return total, mean and percentiles; a batch has no time for a single text."""
        asked = len(self.guesses)
        p50, p95 = (None, None) if self.batch or not self.seconds else np.percentile(self.seconds, (50, 95)).tolist()
        mean = total / asked if asked else None
        return {"total": total, "mean": mean, "p50": p50, "p95": p95, "batch": self.batch}


def check_on_error(on_error: str) -> OnError:
    """Return what to do with failures, or refuse it."""
    for known in ON_ERROR:
        if on_error == known:
            return known
    raise UsageError(f"on_error cannot be {on_error!r}", remedy="use 'raise' or 'record'")


def ask(classifier: Any, texts: Sequence[str], on_error: OnError) -> Answers:
    """Ask all texts: in one batch where the classifier can, else one by one."""
    try:
        replies = batch_answers(classifier, texts)
    except Exception as error:
        if on_error == "raise":
            raise ClassifierError(f"classify_batch failed: {describe_error(error)}") from error
        replies = None  # one text may be the cause: the others can still be asked singly
    answers = Answers(batch=replies is not None)
    for number, text in enumerate(texts):
        start = perf_counter()
        try:
            reply = classifier.classify(text) if replies is None else replies[number]
            answers.guesses.append(guess_of(reply, text))
        except Exception as error:
            if on_error == "raise":
                raise ClassifierError(describe_error(error), where=f"text {number} {shown(text)}") from error
            answers.guesses.append(None)
            answers.failures.append({"text_number": number, "text": text, "error": describe_error(error)})
        answers.seconds.append(perf_counter() - start)
    return answers


def describe_error(error: Exception) -> str:
    """Return what a classifier did wrong, in one line."""
    return error.what if isinstance(error, ClassifierError) else f"{type(error).__name__}: {error}"
