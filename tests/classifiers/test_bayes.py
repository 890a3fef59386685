"""Naive Bayes is scikit-learn's, on TF-IDF weights that know the training rows alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import hstack
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.naive_bayes import MultinomialNB

from vivavoce.classifiers import bayes
from vivavoce.classifiers.bayes import SMOOTHING, NaiveBayes, count, sharpen

TEXTS = [
    "how do i apply for the job",
    "where can i send my application form",
    "apply apply apply for this job now",
    "how much money is the pay",
    "what is the salary for this job",
    "hello there my friend",
    "hello hello hello there there",
]
LABELS = np.array([0, 0, 0, 1, 1, 2, 2])
ASKED = ["hello salary", "apply for unknown things", "send money now", "qqqq zzzz", ""]
some_texts = st.lists(
    st.lists(st.sampled_from(["card", "cart", "pay", "payment", "lost", "my", "id7"]), max_size=4).map(" ".join)
)


def by_hand(texts: list[str], labels: NDArray[np.intp], asked: list[str]) -> NDArray[np.float64]:
    """The same model from scikit-learn's parts, words and letters weighed alike."""
    words = TfidfVectorizer(token_pattern=r"\w+", ngram_range=(1, 2), sublinear_tf=True)  # noqa: S106 - a pattern
    letters = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True)
    trained = hstack([part.fit_transform(texts) for part in (words, letters)]) * np.sqrt(0.5)
    model = MultinomialNB(alpha=SMOOTHING, fit_prior=False).fit(trained, labels)
    rows = hstack([part.transform(asked) for part in (words, letters)]) * np.sqrt(0.5)
    return np.asarray(model.predict_proba(rows))


def answers(texts: list[str], labels: NDArray[np.intp], asked: list[str]) -> NDArray[np.float32]:
    counts = count(texts)
    return NaiveBayes.fit(counts, labels, int(labels.max()) + 1).probabilities(count(asked, like=counts.ids))


def test_it_equals_scikit_learn_when_nothing_is_tempered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bayes, "TEMPERATURE", 1.0)
    expected = by_hand(TEXTS, LABELS, TEXTS + ASKED)
    assert answers(TEXTS, LABELS, TEXTS + ASKED) == pytest.approx(expected, abs=1e-4)


@settings(deadline=None, max_examples=25)
@given(st.lists(some_texts, min_size=2, max_size=4), some_texts)
def test_it_equals_scikit_learn_on_any_small_data(topics: list[list[str]], asked: list[str]) -> None:
    texts = [text for topic in topics for text in ["card", *topic]]
    labels = np.repeat(np.arange(len(topics)), [len(topic) + 1 for topic in topics])
    expected = by_hand(texts, labels, ["pay", *asked]) ** (1 / bayes.TEMPERATURE)
    expected /= expected.sum(axis=1, keepdims=True)
    assert answers(texts, labels, ["pay", *asked]) == pytest.approx(expected, abs=1e-3)


def test_temperature_tames_but_does_not_reorder(monkeypatch: pytest.MonkeyPatch) -> None:
    tame = answers(TEXTS, LABELS, ASKED)
    monkeypatch.setattr(bayes, "TEMPERATURE", 1.0)
    wild = answers(TEXTS, LABELS, ASKED)
    assert (tame.argmax(axis=1) == wild.argmax(axis=1)).all()
    assert (tame.max(axis=1) <= wild.max(axis=1) + 1e-6).all()
    assert tame[0].max() < wild[0].max()


def test_words_that_training_never_saw_change_nothing() -> None:
    # "zzqxx" shares no sequence of letters with training, and "salary job" is no pair that it knows.
    known, with_stranger = answers(TEXTS, LABELS, ["salary job", "salary zzqxx job"])
    assert with_stranger == pytest.approx(known, abs=1e-6)


def test_training_on_some_rows_is_blind_to_the_others() -> None:
    rows = np.array([0, 1, 3, 4, 5])
    shared = count(TEXTS + ["something else altogether"] * 5)
    part = NaiveBayes.fit(shared.rows(rows), LABELS[rows], 3).probabilities(shared.rows(np.arange(7)))
    alone = answers([TEXTS[row] for row in rows], LABELS[rows], TEXTS)
    assert part == pytest.approx(alone, abs=1e-6)


def test_only_columns_in_use_are_kept() -> None:
    assert count(TEXTS + ASKED).blocks[0].shape[1] < 100


def test_texts_counted_like_earlier_ones_get_the_same_answers_as_texts_counted_with_them() -> None:
    together = count(TEXTS + ASKED)
    train, test = np.arange(7), np.arange(7, 12)
    one = NaiveBayes.fit(together.rows(train), LABELS, 3).probabilities(together.rows(test))
    before = count(TEXTS)
    other = NaiveBayes.fit(before, LABELS, 3).probabilities(count(ASKED, like=before.ids))
    assert one == pytest.approx(other, abs=1e-6)


@pytest.mark.parametrize("text", ["", "???", "🙂"])
def test_a_text_without_words_fits_every_topic_alike(text: str) -> None:
    assert answers(TEXTS, LABELS, [text, "hello"])[0] == pytest.approx(np.full(3, 1 / 3))


def test_empty_texts_can_be_trained_on_and_take_nothing_away() -> None:
    with_empties = answers([*TEXTS[:3], "", *TEXTS[3:], ""], np.r_[LABELS[:3], 0, LABELS[3:], 2], ASKED)
    assert np.isfinite(with_empties).all()
    assert with_empties.argmax(axis=1)[:3].tolist() == answers(TEXTS, LABELS, ASKED).argmax(axis=1)[:3].tolist()
    nothing = answers(["", ""], np.array([0, 1]), ["", "hello"])
    assert nothing == pytest.approx(np.full((2, 2), 0.5))


def test_every_row_of_features_has_length_one_or_is_empty() -> None:
    counts = count(TEXTS)
    model = NaiveBayes.fit(counts, LABELS, 3)
    lengths = np.sqrt(np.asarray(model.features(count(TEXTS + ASKED, like=counts.ids)).power(2).sum(axis=1))).ravel()
    assert lengths[:7] == pytest.approx(np.ones(7), abs=1e-5)
    assert lengths[-1] == 0


def test_a_word_said_often_is_not_evidence_as_often() -> None:
    once, thrice = answers(TEXTS, LABELS, ["hello job", "hello hello hello job"])[:, 2]
    assert once < thrice < 3 * once


def test_sharpening_raises_the_best_and_keeps_the_order() -> None:
    rows = np.array([[0.5, 0.3, 0.2], [1 / 3, 1 / 3, 1 / 3]], dtype=np.float32)
    sharp = sharpen(rows.copy(), 1.6)
    assert sharp.sum(axis=1) == pytest.approx([1, 1], abs=1e-6)
    assert sharp[0, 0] > rows[0, 0]
    assert rows[0, 1] > sharp[0, 1] > sharp[0, 2]
    assert sharp[1] == pytest.approx(rows[1], abs=1e-6)
