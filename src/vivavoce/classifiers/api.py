"""Engines with nex-cv's four methods: list, create and delete intents, classify one text.

`FourMethodClassifier` makes a `Classifier` of any such object; `retrain` and `guess_of` are its two rules,
and the drop-in evaluators of `vivavoce.nexcv` use the same ones.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, Protocol, cast

import numpy as np

from vivavoce.errors import ClassifierError
from vivavoce.records import NO_GUESS, Guess

MAX_SHOWN_TEXT = 80
_ANSWER_REMEDY = "return a list of dicts with intent_id and confidence, best first, or an empty list for no guess"


class FourMethods(Protocol):
    """A classifier as nex-cv knows it. It may also define `fit(X, y)` and `classify_batch(texts)`."""

    def all_intents(self) -> Iterable[Any]:
        """Return everything that `delete_intent` has to delete."""

    def create_intent(self, intent: Any, examples: list[str], /) -> Any:
        """Create an intent and train it with the examples."""

    def delete_intent(self, intent: Any, /) -> Any:
        """Delete the intent."""

    def classify(self, text: str, /) -> Any:
        """Return `[{"intent_id": ..., "confidence": ...}, ...]`, best first; empty for no guess."""


def shown(text: object) -> str:
    """Return a text as errors quote it: in one line, not too long."""
    quoted = repr(text)
    return quoted if len(quoted) <= MAX_SHOWN_TEXT else quoted[: MAX_SHOWN_TEXT - 4] + "...'"


def retrain(
    engine: FourMethods, texts: Iterable[str], intents: Iterable[Hashable], *, leftovers: bool = False
) -> None:
    """Delete every intent of the classifier, make sure that none is left, then create the new ones.

    `leftovers` trains beside intents that survive their deletion, or are deleted later.
    """
    # A copy: a classifier may return the very list or view that its deletions change.
    for intent in list(engine.all_intents() or ()):
        engine.delete_intent(intent)
    left = [] if leftovers else list(engine.all_intents() or ())
    if left:
        raise ClassifierError(
            f"{len(left)} intents remain after deleting all, such as {left[0]!r}",
            where=str(engine),
            remedy="make delete_intent wait until the intent is deleted, or define fit yourself",
        )
    examples: dict[Hashable, list[str]] = {}
    for text, intent in zip(texts, intents, strict=True):
        examples.setdefault(intent, []).append(text)
    for intent, own in examples.items():
        engine.create_intent(intent, own)


def guess_of(answer: Any, text: object) -> Guess:
    """Return the best guess in a classifier's answer; `NO_GUESS` for None, an empty list or an empty dict."""
    # The plain case first: it is passed for every single text of an evaluation.
    plain = type(answer) is list and answer and type(answer[0]) is dict
    best = answer[0] if plain else _best(answer, text)
    if not best:
        return NO_GUESS
    if "intent_id" not in best:
        raise _nonsense(f"the guess has {', '.join(map(str, best))}, but no intent_id", text)
    if best["intent_id"] is None:
        return NO_GUESS
    return Guess(_intent(best["intent_id"], text), _confidence(best, text))


def _best(answer: Any, text: object) -> Mapping[str, Any] | None:
    if answer is None:
        return None
    if not isinstance(answer, list | tuple):
        raise _nonsense(f"classify returned {type(answer).__name__}, not a list", text)
    best = answer[0] if answer else None
    if best is not None and not isinstance(best, Mapping):
        raise _nonsense(f"the best guess is {type(best).__name__}, not a dict", text)
    return best


def _intent(intent: Any, text: object) -> str:
    if type(intent) is str:
        return intent
    if isinstance(intent, np.generic):
        intent = intent.item()
    if not isinstance(intent, Hashable):
        raise _nonsense(f"the intent_id is {type(intent).__name__}, which is not a valid type", text)
    # nex-cv allows any label; only the adapter below insists on text.
    return cast(str, intent)


def _confidence(best: Mapping[str, Any], text: object) -> float:
    confidence = best.get("confidence")
    if type(confidence) is float and math.isfinite(confidence):
        return confidence
    if confidence is None:
        raise _nonsense("the guess has no confidence", text)
    if isinstance(confidence, bool) or not isinstance(confidence, Real | np.number):
        raise _nonsense(f"the confidence {confidence!r} is not a number", text)
    number = float(confidence)
    if not math.isfinite(number):
        raise _nonsense(f"the confidence is {number}", text)
    return number


def _nonsense(what: str, text: object) -> ClassifierError:
    return ClassifierError(what, where=f"text {shown(text)}", remedy=_ANSWER_REMEDY)


def batch_answers(engine: FourMethods, texts: Sequence[str]) -> list[Any] | None:
    """Return one answer for each text by `classify_batch`, or None when the classifier has no such method."""
    batch = getattr(engine, "classify_batch", None)
    if batch is None:
        return None
    answers = list(batch(list(texts)))
    if len(answers) != len(texts):
        raise ClassifierError(
            f"classify_batch returned {len(answers)} answers for {len(texts)} texts",
            where=str(engine),
            remedy="return exactly one answer per text, in order; an empty list for no guess",
        )
    return answers


class FourMethodClassifier:
    """Examine a classifier with nex-cv's four methods like any other classifier."""

    def __init__(self, engine: FourMethods, name: str | None = None) -> None:
        """Wrap `engine`; results call it `name`, or what it calls itself."""
        self.engine = engine
        self._name = name

    @property
    def name(self) -> str:
        """How results call this classifier."""
        if self._name is not None:
            return self._name
        named = type(self.engine).__str__ is not object.__str__
        return str(self.engine) if named else type(self.engine).__name__

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Train by the classifier's own `fit` if it has one, else by deleting and creating intents."""
        own = getattr(self.engine, "fit", None)
        if own is None:
            retrain(self.engine, texts, intents)
        else:
            own(list(texts), list(intents))

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        """Return the best guess for each text, in one batch when the classifier can."""
        answers = batch_answers(self.engine, texts)
        if answers is None:
            return [self._ask(number, text) for number, text in enumerate(texts)]
        return [_with_text_intent(guess_of(*pair), pair[1]) for pair in zip(answers, texts, strict=True)]

    def _ask(self, number: int, text: str) -> Guess:
        try:
            answer = self.engine.classify(text)
        except Exception as error:
            raise ClassifierError(
                f"classify failed: {type(error).__name__}: {error}",
                where=f"text {number} {shown(text)}",
                remedy="check that the classifier is reachable, then try again",
            ) from error
        return _with_text_intent(guess_of(answer, text), text)


def _with_text_intent(guess: Guess, text: str) -> Guess:
    if guess.intent is not None and not isinstance(guess.intent, str):
        raise _nonsense(f"the intent_id {guess.intent!r} is {type(guess.intent).__name__}, not text", text)
    return guess
