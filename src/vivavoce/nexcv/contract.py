"""Does a wrapper behave as evaluations expect? The three classic rounds, and further checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from vivavoce.classifiers.api import FourMethods, guess_of, shown
from vivavoce.errors import ClassifierError
from vivavoce.records import NO_GUESS, Guess

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "A": ("hello", "hi", "hey", "greeting"),
    "B": ("bye", "goodbye", "see you", "ok bye"),
}
# Words that no example has: an engine that can decline at all should be unsure here.
UNRELATED = ("quantum chromodynamics lattice", "zxqv wvut kjhg", "recette de tarte aux pommes")


class Trainable(FourMethods, Protocol):
    """The four methods and the training that builds on them."""

    def fit(self, X: list[str], y: list[Any], /) -> Any:
        """Train on these examples alone."""
        ...


def round_violations(classifier: Trainable) -> list[str]:
    """Train and ask three times, the second time with the labels exchanged; one string for each miss."""
    switched = {"A": "B", "B": "A"}
    return [
        *_round(classifier, "basic", {}),
        *_round(classifier, "switched", switched),
        *_round(classifier, "basic repeated", {}),
    ]


def _round(classifier: Trainable, name: str, renamed: Mapping[str, str]) -> Iterator[str]:
    _train(classifier, renamed)
    for label, examples in EXAMPLES.items():
        probe, expected = f"{examples[0]} {examples[0]}", renamed.get(label, label)
        answer = classifier.classify(probe)
        guess, broken = _guess(answer, probe)
        if broken:
            yield f"{name}: {broken}"
        elif guess.intent != expected:
            confidence = round(_confidence_as_given(answer), 2)
            yield f"{name}: encountered {guess.intent} ({confidence}) but expected {expected} ({probe})"


def _confidence_as_given(answer: Any) -> Any:
    # The classic message shows the engine's own number: 1 is not written as 1.0.
    given = answer[0].get("confidence") if answer and answer[0] else None
    return 0.0 if given is None else given


def _train(classifier: Trainable, renamed: Mapping[str, str]) -> None:
    rows = [(text, renamed.get(label, label)) for label, texts in EXAMPLES.items() for text in texts]
    classifier.fit([text for text, _ in rows], [label for _, label in rows])


def _guess(answer: Any, probe: str) -> tuple[Guess, str]:
    try:
        return guess_of(answer, probe), ""
    except ClassifierError as error:
        return NO_GUESS, f"{error.what} ({probe})"


def further_violations(classifier: Trainable) -> list[str]:
    """Train once more and check what the classic rounds leave out."""
    _train(classifier, {})
    texts = [text for examples in EXAMPLES.values() for text in examples]
    violations = list(_leftovers(classifier))
    for text in texts:
        violations += _answer_violations(classifier.classify(text), text)
    violations += _repeatability(classifier, texts)
    violations += _fallback(classifier)
    return violations


def _leftovers(classifier: FourMethods) -> Iterator[str]:
    known = sorted(map(str, classifier.all_intents()))
    if len(known) != len(EXAMPLES):
        yield f"leftovers: after fit there are {len(known)} intents ({', '.join(known)}), trained were A, B"


def _answer_violations(answer: Any, text: str) -> Iterator[str]:
    if not isinstance(answer, list | tuple):
        yield f"answer: {type(answer).__name__} instead of a list ({text})"
        return
    if not answer:
        yield f"answer: no guess for a text it was trained on ({text})"
        return
    confidences = []
    for item in answer:
        problem = _item_problem(item)
        if problem:
            yield f"{problem} ({text})"
        else:
            confidences.append(item["confidence"])
    if any(second > first for first, second in pairwise(confidences)):
        yield f"order: the best guess is not first ({text})"


def _item_problem(item: Any) -> str:
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


def _repeatability(classifier: FourMethods, texts: list[str]) -> Iterator[str]:
    for text in texts:
        if classifier.classify(text) != classifier.classify(text):
            yield f"repeat: the same text got two different answers ({text})"


def _fallback(classifier: FourMethods) -> Iterator[str]:
    trained = [text for texts in EXAMPLES.values() for text in texts]
    known = [_guess(classifier.classify(text), text)[0].confidence for text in trained]
    strange = [_guess(classifier.classify(text), text)[0] for text in UNRELATED]
    can_decline = any(guess.intent is None or guess.confidence < min(known) for guess in strange)
    if not can_decline:
        yield (
            "fallback: unrelated texts get a guess as confident as trained ones, "
            f"so no threshold can decline them ({'; '.join(UNRELATED)})"
        )
