"""Wrappers around an engine: training, self-test, and the way to any other exam."""

from types import SimpleNamespace

import numpy as np
import pytest

from vivavoce.classifiers import Classifier
from vivavoce.classifiers.api import FourMethodClassifier, guess_of
from vivavoce.errors import ClassifierError
from vivavoce.nexcv import APIClassifier
from vivavoce.records import NO_GUESS, Guess


def answer(label, confidence=0.9):
    return [{"intent_id": label, "confidence": confidence}]


# Training


class LiveList(APIClassifier):
    """Returns the very list that its deletions change."""

    def __init__(self, *intents):
        self.intents = list(intents)

    def all_intents(self):
        return self.intents

    def create_intent(self, intent, examples):
        self.intents.append(intent)

    def delete_intent(self, intent):
        self.intents.remove(intent)

    def classify(self, text):
        return []


def test_fit_deletes_every_intent_even_from_a_live_list():
    classifier = LiveList("a", "b", "c", "d", "e")
    classifier.fit(["x", "y"], ["c", "d"])
    assert classifier.intents == ["c", "d"]


def test_fit_works_on_a_live_view_of_a_dict(engine):
    classifier = engine(lambda text: [])
    classifier.fit(["x"], ["old"])
    classifier.fit(["x", "y", "z"], ["b", "a", "b"])
    assert list(classifier.intents.items()) == [("b", ["x", "z"]), ("a", ["y"])]


def test_fit_refuses_to_train_beside_leftovers(engine):
    classifier = engine(lambda text: [], delete_intent=lambda self, intent: None)
    classifier.intents["old"] = []
    with pytest.raises(ClassifierError, match="1 intents remain"):
        classifier.fit(["x"], ["new"])
    assert list(classifier.intents) == ["old"]


def test_the_four_methods_have_to_be_defined():
    with pytest.raises(TypeError):
        APIClassifier()


# Self-test


def test_a_sound_wrapper_passes_both_tests(jaccard):
    assert jaccard.test() == []
    assert jaccard.test(further=True) == []


def test_a_constant_answer_is_found_in_all_three_rounds_with_the_classic_words(engine):
    assert engine(lambda text: answer("A", 0.123)).test() == [
        "basic: encountered A (0.12) but expected B (bye bye)",
        "switched: encountered A (0.12) but expected B (hello hello)",
        "basic repeated: encountered A (0.12) but expected B (bye bye)",
    ]


def test_an_engine_that_keeps_its_first_training_is_found(engine):
    classifier = engine(lambda text: answer("A" if "hello" in text else "B", 1), fit=lambda self, X, y: None)
    assert classifier.test() == [
        "switched: encountered A (1) but expected B (hello hello)",
        "switched: encountered B (1) but expected A (bye bye)",
    ]


@pytest.mark.parametrize("nothing", [[], None, [{}], [{"intent_id": None, "confidence": 0.0}]])
def test_an_empty_answer_is_a_violation_and_no_crash(nothing, engine):
    violations = engine(lambda text: nothing).test()
    assert len(violations) == 6
    assert violations[0] == "basic: encountered None (0.0) but expected A (hello hello)"


def test_nonsense_in_the_classic_rounds_is_a_violation_and_no_crash(engine):
    assert engine(lambda text: "A").test()[0] == "basic: classify returned str, not a list (hello hello)"


def by_word(label, confidence):
    def classify(text):
        known = {"hello": "A", "hi": "A", "hey": "A", "greeting": "A"}.get(text.split()[0], "B")
        return [{"intent_id": label or known, "confidence": confidence}]

    return classify


@pytest.mark.parametrize(
    ("reply", "violation"),
    [
        (lambda text: None, "answer: NoneType instead of a list"),
        (lambda text: [], "answer: no guess for a text it was trained on"),
        (lambda text: ["A"], "answer: 'A' instead of a dict"),
        (lambda text: [{"intent_id": "A"}], "instead of a dict with intent_id and confidence"),
        (by_word(None, "high"), "confidence: 'high' is not a number"),
        (by_word(None, 55), "confidence: 55 is not between 0 and 1"),
        (by_word("Default", 0.9), "unknown id: 'Default' was never trained"),
        (lambda text: answer("A", 0.2) + answer("B", 0.8), "order: the best guess is not first"),
        (by_word(None, 0.9), "fallback: unrelated texts get a guess as confident"),
    ],
)
def test_further_checks_name_what_is_wrong(reply, violation, engine):
    assert any(violation in found for found in engine(reply).test(further=True))


def test_further_checks_find_leftovers_and_changing_answers(engine):
    confidences = iter(np.linspace(0.1, 0.9, 1000))
    classifier = engine(
        lambda text: answer("A", next(confidences)),
        delete_intent=lambda self, intent: None,
        fit=lambda self, X, y: self.intents.update({label: [] for label in [*y, "old"]}),
    )
    violations = classifier.test(further=True)
    assert any("there are 3 intents" in violation for violation in violations)
    assert any("two different answers (hello)" in violation for violation in violations)


# Answers


@pytest.mark.parametrize("nothing", [None, [], (), [None], [{}], answer(None, 0.9), [{"intent_id": None}]])
def test_every_way_to_say_no_guess_is_understood(nothing):
    assert guess_of(nothing, "text") is NO_GUESS


@pytest.mark.parametrize("confidence", [1, 0.5, np.float32(0.5), np.int64(1)])
def test_any_kind_of_number_is_a_confidence(confidence):
    found = guess_of(answer("a", confidence), "text")
    assert found == Guess("a", float(confidence))
    assert type(found.confidence) is float


@pytest.mark.parametrize(
    "nonsense",
    [
        "a",
        {"intent_id": "a", "confidence": 1},
        ["a"],
        [{"intent_id": "a"}],
        answer("a", None),
        answer("a", "0.9"),
        answer("a", True),
        answer("a", float("nan")),
        answer("a", float("inf")),
        answer(["a"], 0.9),
    ],
)
def test_an_answer_that_is_no_guess_is_refused_and_the_text_named(nonsense):
    with pytest.raises(ClassifierError, match="'where is my card'"):
        guess_of(nonsense, "where is my card")


# The way to any other exam


def test_a_wrapper_can_be_examined_like_any_classifier(jaccard):
    classifier = FourMethodClassifier(jaccard)
    assert isinstance(classifier, Classifier)
    assert classifier.name == "JaccardClassifier"
    classifier.fit(("blue sky", "green grass"), ("up", "down"))
    assert classifier.guess(["blue blue sky", "none of it"]) == [Guess("up", 1.0), NO_GUESS]


def test_any_object_with_the_four_methods_will_do():
    intents = {"old": []}
    plain = SimpleNamespace(
        all_intents=lambda: intents,
        create_intent=intents.__setitem__,
        delete_intent=intents.__delitem__,
        classify=lambda text: answer("a"),
        classify_batch=lambda texts: [answer("b"), []],
    )
    classifier = FourMethodClassifier(plain, "my engine")
    classifier.fit(["x", "y"], ["a", "b"])
    assert intents == {"a": ["x"], "b": ["y"]}
    assert classifier.guess(["one", "two"]) == [Guess("b", 0.9), NO_GUESS]
    assert classifier.name == "my engine"


def test_a_failing_engine_names_the_text(engine):
    def fail(text):
        raise ConnectionError("gone")

    with pytest.raises(ClassifierError, match="text 0 'x': classify failed: ConnectionError: gone"):
        FourMethodClassifier(engine(fail)).guess(["x"])


def test_intents_that_are_no_text_are_refused_by_the_adapter(engine):
    with pytest.raises(ClassifierError, match="3 is int, not text"):
        FourMethodClassifier(engine(lambda text: answer(3))).guess(["x"])


def test_a_long_text_is_quoted_shortly():
    with pytest.raises(ClassifierError) as caught:
        guess_of("nonsense", "word " * 1000)
    assert len(caught.value.where) < 100


def test_a_guess_under_another_key_is_named_not_taken_for_silence():
    from vivavoce.classifiers.api import guess_of

    with pytest.raises(ClassifierError, match="intent, confidence, but no intent_id"):
        guess_of([{"intent": "salary", "confidence": 0.9}], "how much")
