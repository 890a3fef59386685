"""Words and letters alone: the contract, and the same answers prepared or not."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from contract import ASKED, INTENTS, TEXTS, Contract
from sklearn.linear_model import LogisticRegression

from vivavoce.classifiers import lexical
from vivavoce.classifiers.bayes import NaiveBayes, count
from vivavoce.classifiers.lexical import LexicalClassifier, segmented, tfidf
from vivavoce.classifiers.protocol import PreparingClassifier, ProbabilisticClassifier
from vivavoce.errors import UsageError
from vivavoce.text import ngrams

pytestmark = pytest.mark.slow

CODES = np.unique(INTENTS, return_inverse=True)[1]


class TestTfidf(Contract):
    @pytest.fixture
    def classifier(self) -> LexicalClassifier:
        return tfidf()


def test_it_can_prepare_and_say_probabilities() -> None:
    assert isinstance(tfidf(), PreparingClassifier)
    assert isinstance(tfidf(), ProbabilisticClassifier)


@pytest.mark.parametrize("language", ["auto", "en", "zh"])
def test_prepared_answers_are_those_of_fit_and_guess(language: str) -> None:
    texts = [*TEXTS, *ASKED]
    classifier = LexicalClassifier(language=language)
    labels = np.r_[CODES, np.full(len(ASKED), -1)]
    prepared = classifier.prepare(texts, labels)
    for train in (np.arange(9), np.array([0, 1, 3, 4, 6]), np.array([8, 3, 5, 7])):
        rest = np.setdiff1d(np.arange(len(texts)), train)
        columns, rows = prepared.train(train).probabilities(rest)
        classifier.fit([texts[row] for row in train], [INTENTS[row] for row in train])
        found = classifier.probabilities([texts[row] for row in rest])
        assert [sorted(set(INTENTS))[code] for code in columns] == list(found.intents)
        assert rows == pytest.approx(found.rows, abs=1e-4)


@pytest.fixture
def _projected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Project the features of small data too, out of fewer columns than usual."""
    monkeypatch.setattr(lexical, "EXACT_ROWS", 4)
    monkeypatch.setattr(ngrams, "COLUMNS", 1 << 12)


@pytest.mark.usefixtures("_projected")
def test_prepared_answers_are_those_of_fit_also_when_features_are_projected() -> None:
    classifier = tfidf()
    prepared = classifier.prepare([*TEXTS, *ASKED], np.r_[CODES, np.full(6, -1)])
    _, rows = prepared.train(np.arange(9)).probabilities(np.arange(9, 15))
    classifier.fit(TEXTS, INTENTS)
    assert rows == pytest.approx(classifier.probabilities(ASKED).rows, abs=1e-3)


@pytest.mark.usefixtures("_projected")
def test_projected_features_answer_nearly_as_exact_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    projected, exact = tfidf(), tfidf()
    projected.fit(TEXTS, INTENTS)
    monkeypatch.setattr(lexical, "EXACT_ROWS", 2000)
    exact.fit(TEXTS, INTENTS)
    for one, other in zip(exact.guess(ASKED), projected.guess(ASKED), strict=True):
        assert abs(one.confidence - other.confidence) < 0.1


def test_the_gram_matrix_gives_the_regression_on_all_features() -> None:
    counts = count(TEXTS)
    bayes = NaiveBayes.fit(counts, CODES, 3)
    features = bayes.features(counts)
    used = np.unique(features.indices)
    peer = LogisticRegression(C=lexical.ENGLISH.strength, tol=1e-8, max_iter=5000).fit(
        features[:, used].toarray(), CODES
    )
    asked = count(ASKED, like=counts.ids)
    trained = lexical._Trained.fit(counts, CODES, lexical.ENGLISH)
    dense = trained.space(trained.bayes.features(asked))
    found = trained.solution.probabilities(trained.basis.rotate(dense))
    assert found == pytest.approx(peer.predict_proba(bayes.features(asked)[:, used].toarray()), abs=0.02)


def test_nothing_dense_is_as_wide_as_the_hashed_features() -> None:
    # Two million columns times the training rows would fill any memory.
    space = lexical._Trained.fit(count(TEXTS), CODES, lexical.ENGLISH).space
    dense = [part.shape for part in space.keywords.values() if isinstance(part, np.ndarray)]
    assert dense
    assert max(max(shape) for shape in dense) <= len(TEXTS)


def test_it_learns_what_the_words_say() -> None:
    classifier = tfidf()
    classifier.fit(TEXTS, INTENTS)
    assert [guess.intent for guess in classifier.guess(ASKED)[:3]] == ["greet", "pay", "apply"]
    # A typing mistake keeps most letters.
    assert classifier.guess(["helo freind"])[0].intent == "greet"


def test_strangers_and_empty_texts_are_less_sure_than_familiar_ones() -> None:
    classifier = tfidf()
    classifier.fit(TEXTS, INTENTS)
    familiar, stranger, empty = classifier.guess(["hello friend", "qqqq zzzz", ""])
    assert stranger.confidence < 0.6 < familiar.confidence
    assert empty.confidence < 0.6


def test_texts_without_words_can_be_trained_on() -> None:
    classifier = tfidf()
    classifier.fit(["", "???"], ["a", "b"])
    assert classifier.probabilities(["", "x"]).rows == pytest.approx(np.full((2, 2), 0.5), abs=1e-5)


def test_chinese_is_cut_into_words_and_other_texts_stay() -> None:
    assert segmented(TEXTS) is TEXTS
    assert all(" " in text for text in segmented(["我想申请这个职位", "工资是多少钱"]))
    classifier = tfidf()
    classifier.fit(["我想申请职位", "如何申请工作", "工资是多少", "薪水和工资"], ["申请", "申请", "工资", "工资"])
    assert [guess.intent for guess in classifier.guess(["申请职位", "工资多少"])] == ["申请", "工资"]


def test_the_option_names_the_language() -> None:
    assert tfidf("de").language == "de"
    assert tfidf().language == "auto"
    assert "TF-IDF" in tfidf().notes[0]


def test_asking_before_training_is_refused() -> None:
    with pytest.raises(UsageError, match="the classifier is not trained"):
        tfidf().guess(["hello"])


def test_it_crosses_process_borders_trained_and_prepared() -> None:
    classifier = tfidf()
    classifier.fit(TEXTS, INTENTS)
    twin = pickle.loads(pickle.dumps(classifier))  # noqa: S301 - our own bytes
    assert twin.guess(ASKED) == classifier.guess(ASKED)
    prepared = classifier.prepare(TEXTS, CODES)
    copied = pickle.loads(pickle.dumps(prepared))  # noqa: S301 - our own bytes
    train, test = np.arange(6), np.arange(6, 9)
    one, other = (p.train(train).probabilities(test)[1] for p in (prepared, copied))
    assert (one == other).all()
