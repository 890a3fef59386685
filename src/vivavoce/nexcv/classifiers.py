"""The wrapper that a user writes around a classifier."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from vivavoce.classifiers.api import FourMethods, guess_of, retrain, shown
from vivavoce.errors import ClassifierError
from vivavoce.records import NO_GUESS, Guess

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
    """Wrap any classifier by four methods.

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

        It trains and asks the classifier, which loses what it knew. `further` adds checks to the classic three
        rounds: shape, type, range and order of answers, leftovers, unknown ids, repeatability, fallback.
        """
        with as_published():
            violations = round_violations(self)
            return violations + further_violations(self) if further else violations


EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "A": ("hello", "hi", "hey", "greeting"),
    "B": ("bye", "goodbye", "see you", "ok bye"),
}
# Words that no example has: a classifier that can decline should be unsure here.
UNRELATED = ("quantum chromodynamics lattice", "zxqv wvut kjhg", "recette de tarte aux pommes")


class Trainable(FourMethods, Protocol):
    """The four methods and the training that builds on them."""

    def fit(self, X: list[str], y: list[Any], /) -> Any:
        """Train on these examples alone."""
        ...


def round_violations(classifier: Trainable) -> list[str]:
    """Train and ask three times, the second time with the labels exchanged; one string for each miss."""
    switched = {"A": "B", "B": "A"}
    violations = []
    for name, names in (("basic", {}), ("switched", switched), ("basic repeated", {})):
        _train(classifier, names)
        for label, examples in EXAMPLES.items():
            probe, expected = f"{examples[0]} {examples[0]}", names.get(label, label)
            answer = classifier.classify(probe)
            guess, broken = _read_guess(answer, probe)
            if broken:
                violations.append(f"{name}: {broken}")
            elif guess.intent != expected:
                # The classic message shows the classifier's own number: 1 is not written as 1.0.
                own = answer[0].get("confidence") if answer and answer[0] else None
                confidence = round(0.0 if own is None else own, 2)
                violations.append(
                    f"{name}: encountered {guess.intent} ({confidence}) but expected {expected} ({probe})"
                )
    return violations


def _train(classifier: Trainable, names: Mapping[str, str]) -> None:
    rows = [(text, names.get(label, label)) for label, texts in EXAMPLES.items() for text in texts]
    classifier.fit([text for text, _ in rows], [label for _, label in rows])


def _read_guess(answer: Any, probe: str) -> tuple[Guess, str]:
    try:
        return guess_of(answer, probe), ""
    except ClassifierError as error:
        return NO_GUESS, f"{error.what} ({probe})"


def further_violations(classifier: Trainable) -> list[str]:
    """Train once more and check what the classic rounds leave out."""
    _train(classifier, {})
    texts = [text for examples in EXAMPLES.values() for text in examples]
    violations, known = [], sorted(map(str, classifier.all_intents()))
    if len(known) != len(EXAMPLES):
        names = ", ".join(known)
        violations.append(
            f"leftovers: after fit there are {len(known)} intents ({names}), but only A and B were trained"
        )
    for text in texts:
        violations += _check_answer(classifier.classify(text), text)
    for text in texts:
        if classifier.classify(text) != classifier.classify(text):
            violations.append(f"repeat: the same text got two different answers ({text})")
    least = min(_read_guess(classifier.classify(text), text)[0].confidence for text in texts)
    guesses = [_read_guess(classifier.classify(text), text)[0] for text in UNRELATED]
    if not any(guess.intent is None or guess.confidence < least for guess in guesses):
        violations.append(
            "fallback: unrelated texts get a guess as confident as trained ones, "
            f"so no threshold can decline them ({'; '.join(UNRELATED)})"
        )
    return violations


def _check_answer(answer: Any, text: str) -> Iterator[str]:
    if not isinstance(answer, list | tuple):
        yield f"answer: {type(answer).__name__} instead of a list ({text})"
        return
    if not answer:
        yield f"answer: no guess for a text it was trained on ({text})"
        return
    confidences = []
    for item in answer:
        problem = _check_item(item)
        if problem:
            yield f"{problem} ({text})"
        else:
            confidences.append(item["confidence"])
    if any(second > first for first, second in pairwise(confidences)):
        yield f"order: the best guess is not first ({text})"


def _check_item(item: Any) -> str:
    if not isinstance(item, Mapping) or not {"intent_id", "confidence"} <= item.keys():
        return f"answer: {shown(item)} instead of a dict with intent_id and confidence"
    confidence = item["confidence"]
    if isinstance(confidence, bool) or not isinstance(confidence, int | float | np.number):
        return f"confidence: {confidence!r} is not a number"
    if not 0 <= confidence <= 1:
        return f"confidence: {confidence} is not between 0 and 1"
    if item["intent_id"] is not None and item["intent_id"] not in EXAMPLES:
        return f"unknown id: {item['intent_id']!r} was never trained"
    return ""
