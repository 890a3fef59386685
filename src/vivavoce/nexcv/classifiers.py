"""The wrapper that a user writes around a classification engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from vivavoce.classifiers.api import retrain
from vivavoce.nexcv.contract import further_violations, round_violations

__all__ = ["APIClassifier", "as_published"]

_AS_PUBLISHED: ContextVar[bool] = ContextVar("as_published", default=False)


@contextmanager
def as_published() -> Iterator[None]:
    """Let `fit` train beside intents that survive their deletion, as the original does."""
    token = _AS_PUBLISHED.set(True)
    try:
        yield
    finally:
        _AS_PUBLISHED.reset(token)


class APIClassifier(ABC):
    """Wrap any engine by four methods.

    A subclass may also define `classify_batch(texts)`, which returns one answer of `classify` for each text:
    evaluations then ask all texts at once. Override `fit` to sleep, throttle or start a training.
    """

    def __str__(self) -> str:
        return type(self).__name__

    @abstractmethod
    def all_intents(self) -> Iterable[Any]:
        """Return everything that `delete_intent` has to delete before a new training."""

    @abstractmethod
    def create_intent(self, intent: Any, examples: list[str]) -> Any:
        """Create the intent and train it with the examples."""

    @abstractmethod
    def delete_intent(self, intent: Any) -> Any:
        """Delete the intent."""

    @abstractmethod
    def classify(self, input_text: str) -> Any:
        """Return `[{"intent_id": ..., "confidence": ...}, ...]`, best first; an empty list for no guess."""

    def fit(self, X: Sequence[str], y: Sequence[Any]) -> None:
        """Forget every intent, then create one for each label of `y` in the order of first occurrence.

        Intents that are left after their deletion are refused, but for `test` and for evaluations in mode "exact".
        """
        retrain(self, X, y, leftovers=_AS_PUBLISHED.get())

    def test(self, further: bool = False) -> list[str]:
        """Return how the wrapper breaks its contract; empty when it passes.

        It trains and asks the engine, which loses what it knew. `further` adds checks to the classic three
        rounds: shape, type, range and order of answers, leftovers, unknown ids, repeatability, fallback.
        """
        with as_published():
            violations = round_violations(self)
            return violations + further_violations(self) if further else violations
