"""The default classifier: the contract with real sentence vectors, and when it goes without them."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from contract import ASKED, INTENTS, TEXTS, Contract, trained
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from vivavoce import demo
from vivavoce.classifiers import linear as module
from vivavoce.classifiers.calibration import Calibration
from vivavoce.classifiers.lexical import PreparedLexical
from vivavoce.classifiers.linear import (
    SHARPNESS_ALONE,
    DefaultClassifier,
    LinearClassifier,
    PreparedLinear,
    linear,
    vectors,
)
from vivavoce.classifiers.protocol import PreparingClassifier, ProbabilisticClassifier
from vivavoce.errors import UsageError
from vivavoce.text import find_weights, get_weights

CODES = np.unique(INTENTS, return_inverse=True)[1]
NAMES = sorted(set(INTENTS))
RECRUITING = {
    "how do i apply for the job": "apply",
    "where can i send my application": "apply",
    "can i hand in my cv by email": "apply",
    "what is the salary": "pay",
    "how much money will i earn": "pay",
    "do you pay for overtime": "pay",
    "how many days of holiday do i get": "holiday",
    "can i take unpaid leave": "holiday",
    "when may i go on vacation": "holiday",
}
GERMAN = ["Wie kann ich mich bewerben", "Wo ist die Bewerbung", "Wie hoch ist das Gehalt", "Was ist mein Gehalt"]
STRANGER = "purple elephants dance on the moon"


@pytest.fixture(scope="session", autouse=True)
def _weights() -> None:
    """Real weights in the default place, fetched once."""
    if find_weights() is None:
        get_weights()


class DampedContract(Contract):
    """What a row lacks to 1 is the chance that no topic fits."""

    def test_probabilities_sum_to_1_and_agree_with_the_guesses(self, classifier: LinearClassifier) -> None:
        trained(classifier)
        found = classifier.probabilities(ASKED)
        assert set(found.intents) == set(INTENTS)
        assert found.rows.shape == (len(ASKED), 3)
        assert (found.rows >= 0).all()
        assert (found.rows.sum(axis=1) <= 1 + 1e-6).all()
        assert found.guesses() == classifier.guess(ASKED)
        assert classifier.probabilities([]).guesses() == []


class TestLinear(DampedContract):
    @pytest.fixture
    def classifier(self) -> DefaultClassifier:
        return linear()


class TestVectors(DampedContract):
    @pytest.fixture
    def classifier(self) -> LinearClassifier:
        return vectors()


def splits() -> list[NDArray[np.intp]]:
    """Rows to train on: all, some, without a topic, one row for a topic."""
    return [np.arange(9), np.array([0, 1, 3, 4, 6, 7]), np.array([3, 4, 5, 6, 7]), np.array([8, 2, 1, 0, 4])]


@pytest.mark.parametrize("make", [linear, vectors])
def test_prepared_answers_are_those_of_fit_and_guess(make) -> None:
    classifier, texts = make(), [*TEXTS, *ASKED]
    prepared = classifier.prepare(texts, np.r_[CODES, np.full(len(ASKED), -1)])
    assert isinstance(prepared, PreparedLinear)
    for train in splits():
        rest = np.setdiff1d(np.arange(len(texts)), train)
        columns, rows = prepared.train(train).probabilities(rest)
        classifier.fit([texts[row] for row in train], [INTENTS[row] for row in train])
        found = classifier.probabilities([texts[row] for row in rest])
        assert [NAMES[code] for code in columns] == list(found.intents)
        assert rows == pytest.approx(found.rows, abs=5e-3)


def test_the_landmark_tells_nothing_about_rows_that_are_not_trained() -> None:
    # The solution on all rows is only where a fit starts: other labels of the test rows change no answer.
    classifier, texts = vectors(), [*TEXTS, *ASKED[:3]]
    train, test = np.arange(0, 12, 2), np.arange(1, 12, 2)
    labels = np.r_[CODES, 0, 1, 2]
    lying = labels.copy()
    lying[test] = (lying[test] + 1) % 3
    honest, other = (
        classifier.prepare(texts, given).train(train).probabilities(test)[1] for given in (labels, lying)
    )
    assert honest == pytest.approx(other, abs=5e-3)
    assert (honest.argmax(axis=1) == other.argmax(axis=1)).all()


def test_the_half_of_vectors_is_a_logistic_regression_damped_by_strangeness() -> None:
    classifier = vectors()
    classifier.fit(list(RECRUITING), list(RECRUITING.values()))
    asked = ["what will i earn", "holiday please", STRANGER]
    rows, known = classifier.encoder.encode(asked), classifier.encoder.encode(list(RECRUITING))
    peer = LogisticRegression(C=module.STRENGTH, tol=1e-8, max_iter=5000).fit(known, list(RECRUITING.values()))
    labels = np.array(list(RECRUITING.values()))
    calibration = Calibration.of([known[labels == topic] for topic in peer.classes_])
    chances = peer.predict_proba(rows) ** (SHARPNESS_ALONE * calibration.sharpness)
    chances /= chances.sum(axis=1, keepdims=True)
    for row, best in enumerate(chances.argmax(axis=1)):
        own = labels == peer.classes_[best]
        nearest = float((known[own] @ rows[row]).max())
        chances[row] /= 1 + np.exp((calibration.familiar_at - nearest) / 0.1)
    assert classifier.probabilities(asked).rows == pytest.approx(chances, abs=0.01)


@pytest.mark.parametrize("make", [linear, vectors])
def test_a_stranger_gets_less_confidence_than_a_familiar_message(make) -> None:
    classifier = make()
    classifier.fit(list(RECRUITING), list(RECRUITING.values()))
    familiar, stranger, empty = classifier.guess(["how much will i be paid", STRANGER, ""])
    assert familiar.intent == "pay"
    assert familiar.confidence > 0.5
    assert stranger.confidence < 0.3
    assert empty.confidence < familiar.confidence


def test_meaning_counts_where_no_word_is_shared() -> None:
    for make in (linear, vectors):
        classifier = make()
        classifier.fit(list(RECRUITING), list(RECRUITING.values()))
        assert [guess.intent for guess in classifier.guess(["wages", "resume submission"])] == ["pay", "apply"]


def test_it_prepares_and_says_probabilities() -> None:
    for classifier in (linear(), vectors()):
        assert isinstance(classifier, PreparingClassifier)
        assert isinstance(classifier, ProbabilisticClassifier)
    assert (linear().name, vectors().name) == ("linear", "vectors")


def test_english_texts_get_sentence_vectors_and_a_note_that_says_so() -> None:
    classifier = linear()
    classifier.fit(TEXTS, INTENTS)
    assert any("minilm" in note.lower() for note in classifier.notes)


def test_german_texts_get_german_vectors_and_a_note_that_says_so() -> None:
    classifier = linear()
    assert isinstance(classifier.prepare(GERMAN, np.array([0, 0, 1, 1])), PreparedLinear)
    assert "+de@" in classifier.notes[0]
    classifier.fit(GERMAN, ["bewerben", "bewerben", "gehalt", "gehalt"])
    # "Lohn" shares no word with the examples.
    assert [guess.intent for guess in classifier.guess(["mein Gehalt", "der Lohn"])] == ["gehalt", "gehalt"]


def test_english_examples_keep_the_english_model_for_every_question() -> None:
    chosen, plain = linear(), module.LinearClassifier()
    for classifier in (chosen, plain):
        classifier.fit(list(RECRUITING), list(RECRUITING.values()))
    asked = ["Wie hoch ist das Gehalt, das ich verdiene?", "what will i earn"]
    np.testing.assert_array_equal(chosen.probabilities(asked).rows, plain.probabilities(asked).rows)


def test_topics_share_examples_of_two_languages() -> None:
    classifier = linear()
    german = {"Wie hoch ist mein Gehalt?": "pay", "Wie kann ich mich bewerben?": "apply"}
    classifier.fit([*RECRUITING, *german], [*RECRUITING.values(), *german.values()])
    assert [guess.intent for guess in classifier.guess(["Was ist der Lohn für mich?", "wages"])] == ["pay"] * 2


def test_a_text_is_read_in_its_own_language_on_request() -> None:
    classifier = linear("mixed")
    classifier.fit(list(RECRUITING), list(RECRUITING.values()))
    asked = ["Wie hoch ist das Gehalt, das ich verdiene?", "我的工资是多少？"]
    assert [guess.intent for guess in classifier.guess(asked)] == ["pay", "pay"]
    alone, together = classifier.guess(asked[1:])[0], classifier.guess(asked)[1]
    assert alone.confidence == pytest.approx(together.confidence, abs=1e-5)


def test_a_language_without_vectors_goes_by_words_and_letters_and_a_note_says_so() -> None:
    dutch = ["Hoe kan ik solliciteren", "Waar stuur ik mijn brief", "Wat is het salaris", "Hoeveel verdien ik"]
    classifier = linear()
    prepared = classifier.prepare(dutch, np.array([0, 0, 1, 1]))
    assert isinstance(prepared, PreparedLexical)
    assert len(classifier.notes) == 1
    assert "train-languages" in classifier.notes[0]
    assert "linear:FOLDER" in classifier.notes[0]
    classifier.fit(dutch, ["a", "a", "b", "b"])
    assert classifier.guess(["het salaris"])[0].intent == "b"


def test_the_choice_is_made_anew_for_each_set_of_texts() -> None:
    classifier = linear()
    classifier.fit(GERMAN, ["a", "a", "b", "b"])
    classifier.fit(TEXTS, INTENTS)
    assert "German" not in " ".join(classifier.notes)
    assert set(classifier.probabilities(["hello"]).intents) == set(INTENTS)


def test_without_weights_it_goes_by_words_and_letters_and_says_so_without_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIVA_HOME", str(tmp_path))
    if find_weights() is not None:
        pytest.skip("weights are also found outside VIVA_HOME")
    classifier = linear()
    assert isinstance(classifier.prepare(TEXTS, CODES), PreparedLexical)
    assert "no sentence vectors are installed" in classifier.notes[0]
    assert "viva " not in classifier.notes[0]
    classifier.fit(TEXTS, INTENTS)
    assert classifier.guess(["hello friend"])[0].intent == "greet"


def test_asking_before_training_is_refused() -> None:
    for classifier in (linear(), vectors()):
        with pytest.raises(UsageError, match="the classifier is not trained"):
            classifier.guess(["hello"])


def test_it_crosses_process_borders_trained_and_prepared() -> None:
    classifier = linear()
    classifier.fit(TEXTS, INTENTS)
    twin = pickle.loads(pickle.dumps(classifier))  # noqa: S301 - our own bytes
    assert twin.guess(ASKED) == classifier.guess(ASKED)
    prepared = classifier.prepare(TEXTS, CODES)
    copied = pickle.loads(pickle.dumps(prepared))  # noqa: S301 - our own bytes
    train, test = np.arange(8), np.array([8])
    one, other = (p.train(train).probabilities(test)[1] for p in (prepared, copied))
    assert (one == other).all()


def test_progress_is_told_while_texts_are_read() -> None:
    told: list[tuple[int, int]] = []
    fresh = [f"a sentence that nobody has read before, number {np.random.default_rng().integers(1 << 60)}"]
    vectors().prepare([*TEXTS, *fresh], np.r_[CODES, 0], lambda done, total: told.append((done, total)))
    assert told
    assert told[-1][0] == told[-1][1]


def test_the_german_faq_that_ships_is_read_with_german_vectors() -> None:
    data = demo.load("recruiting-de")
    classifier = linear()
    classifier.fit(data.texts, [str(example.intent) for example in data])
    assert "+de@" in str(classifier.notes)


def test_a_language_without_vectors_is_noted_once_for_all_texts() -> None:
    polish = ["Gdzie mogę wysłać podanie?", "Jakie jest wynagrodzenie?", "Czy jest stołówka?"] * 20
    classifier = linear()
    classifier.fit(polish, ["send", "pay", "food"] * 20)
    classifier.guess(polish)
    assert len(classifier.notes) == 1
    assert "no sentence vectors fit" in str(classifier.notes[0])
