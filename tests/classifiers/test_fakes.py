"""The fake classifiers do exactly what they say."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.classifiers.fakes import (
    EchoClassifier,
    FailingClassifier,
    JaccardClassifier,
    MajorityClassifier,
    NearestExample,
    NullClassifier,
    SlowClassifier,
)
from vivavoce.errors import ClassifierError
from vivavoce.records import NO_GUESS, Guess

TEXTS = ["how do I apply", "where can I apply", "what is the pay", "thanks"]
INTENTS = ["apply", "apply", "pay", "thanks"]


def test_null_never_guesses() -> None:
    classifier = NullClassifier()
    classifier.fit(TEXTS, INTENTS)
    assert classifier.guess(TEXTS) == [NO_GUESS] * 4


def test_majority_says_the_largest_topic_with_its_share() -> None:
    classifier = MajorityClassifier()
    assert classifier.guess(["x"]) == [NO_GUESS]
    classifier.fit(TEXTS, INTENTS)
    assert classifier.guess(["x"]) == [Guess("apply", 0.5)]
    classifier.fit(["1", "2"], ["b", "a"])
    assert classifier.guess(["x"]) == [Guess("a", 0.5)]


def test_echo_answers_from_its_table() -> None:
    classifier = EchoClassifier({"a": Guess("x", 0.3), "b": "y", "c": None})
    assert classifier.guess(["a", "b", "c", "d"]) == [Guess("x", 0.3), Guess("y", 1.0), NO_GUESS, NO_GUESS]


def test_failing_fails_at_that_training_alone() -> None:
    classifier = FailingClassifier(MajorityClassifier(), fail_at=2)
    classifier.fit(TEXTS, INTENTS)
    with pytest.raises(ClassifierError, match="training 2"):
        classifier.fit(TEXTS, INTENTS)
    classifier.fit(["1"], ["b"])
    assert classifier.guess(["x"]) == [Guess("b", 1.0)]
    assert classifier.name == "failing(majority)"


def test_failing_fails_at_the_seventh_training_unless_told() -> None:
    classifier = FailingClassifier(NullClassifier())
    for _ in range(6):
        classifier.fit(TEXTS, INTENTS)
    with pytest.raises(ClassifierError, match="training 7"):
        classifier.fit(TEXTS, INTENTS)


def test_failing_fails_at_a_text() -> None:
    classifier = FailingClassifier(NullClassifier(), lambda text: "boom" in text)
    classifier.fit(TEXTS, INTENTS)
    assert classifier.guess(["fine"]) == [NO_GUESS]
    with pytest.raises(ClassifierError, match="big boom"):
        classifier.guess(["fine", "big boom"])


def test_slow_waits_and_then_answers_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    slow = SlowClassifier(MajorityClassifier(), 30.0)
    slow.fit(TEXTS, INTENTS)
    assert waits == [30.0]
    assert slow.guess(["x"]) == [Guess("apply", 0.5)]
    assert waits == [30.0, 30.0]


def test_jaccard_counts_shared_words() -> None:
    classifier = JaccardClassifier()
    classifier.fit(TEXTS, INTENTS)
    expected = [Guess("apply", 1.0), Guess("pay", 0.25), NO_GUESS]
    assert classifier.guess(["Apply I DO how!", "pay", "unheard"]) == expected


def test_jaccard_gives_ties_to_the_smallest_topic() -> None:
    classifier = JaccardClassifier()
    classifier.fit(["a b", "b a", "a c"], ["z", "y", "x"])
    assert classifier.guess(["a b", "a"]) == [Guess("y", 1.0), Guess("x", 0.5)]


def by_definition(text: str, texts: list[str], intents: list[str]) -> Guess:
    def found(each: str) -> set[str]:
        return set(re.findall(r"\w+", each.lower()))

    scored = [
        (-len(found(text) & found(known)) / len(found(text) | found(known)), intent)
        for known, intent in zip(texts, intents, strict=True)
        if found(text) & found(known)
    ]
    return Guess(min(scored)[1], -min(scored)[0]) if scored else NO_GUESS


SENTENCES = st.lists(st.sampled_from("abcde"), max_size=5).map(" ".join)


@given(st.lists(st.tuples(SENTENCES, st.sampled_from("xyz")), max_size=8), SENTENCES)
def test_jaccard_is_exactly_its_definition(examples: list[tuple[str, str]], text: str) -> None:
    texts, intents = [example[0] for example in examples], [example[1] for example in examples]
    classifier = JaccardClassifier()
    classifier.fit(texts, intents)
    assert classifier.guess([text]) == [by_definition(text, texts, intents)]


def test_nearest_bears_a_typing_error() -> None:
    classifier = NearestExample()
    classifier.fit(TEXTS, INTENTS)
    first, second, third = classifier.guess(["what iz teh pya", "THANKS", "###"])
    assert first.intent == "pay"
    assert 0.5 < first.confidence < 1
    assert second == Guess("thanks", 1.0)
    assert third == NO_GUESS


def test_nearest_gives_ties_to_the_smallest_topic() -> None:
    classifier = NearestExample()
    classifier.fit(["same", "same", "same"], ["c", "a", "b"])
    assert classifier.guess(["Same"]) == [Guess("a", 1.0)]
