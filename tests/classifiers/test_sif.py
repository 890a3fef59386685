"""The paper's classifier computes what the paper says."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

from vivavoce.classifiers import sif as module
from vivavoce.classifiers.sif import SifClassifier, common_direction, fit_head, sif
from vivavoce.errors import DataError, FileError, MissingPartError, UsageError
from vivavoce.text.glove import WordVectors

WORDS = ["the", "is", "pay", "salary", "money", "apply", "job", "form"]
TEXTS = [
    "the pay",
    "salary is money",
    "what is the salary",
    "apply the form",
    "job form",
    "apply job unheard",
]
INTENTS = ["pay", "pay", "pay", "apply", "apply", "apply"]


def vectors() -> WordVectors:
    rng = np.random.default_rng(5)
    topic = np.repeat([[0.0] * 6, [3.0, 0, 0, 0, 0, 0], [0, 3.0, 0, 0, 0, 0]], [2, 3, 3], axis=0)
    matrix = topic + rng.normal(size=(8, 6)) * 0.5 + 1.0
    return WordVectors({word: row for row, word in enumerate(WORDS)}, matrix.astype(np.float32))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = vectors()
    np.savez(tmp_path / "own.npz", words=np.array(WORDS), vectors=found.matrix)
    return tmp_path / "own.npz"


def trained(source: WordVectors | Path, **options: object) -> SifClassifier:
    classifier = SifClassifier(source, **options)  # type: ignore[arg-type]
    classifier.fit(TEXTS, INTENTS)
    return classifier


def test_words_that_were_never_in_the_training_are_understood_by_their_vectors() -> None:
    classifier = trained(vectors())
    assert [guess.intent for guess in classifier.guess(["money", "a form for the job"])] == ["pay", "apply"]


def test_a_file_and_the_same_vectors_in_memory_agree(path: Path) -> None:
    texts = ["money", "the job", "unheard"]
    assert trained(path).guess(texts) == trained(vectors()).guess(texts)


def test_the_mean_is_weighted_by_frequency() -> None:
    shares = {"the": 0.05, "pay": 0.0001}
    table = vectors()
    means, known = SifClassifier(table)._means([["the", "pay", "unheard"], ["unheard"], []], "en", shares)
    expected = (1e-3 / 0.051 * table.matrix[0] + 1e-3 / 0.0011 * table.matrix[2]) / 2
    assert means[0] == pytest.approx(expected)
    assert not means[1:].any()
    assert known.tolist() == [True, False, False]


def test_the_common_direction_is_the_first_singular_vector() -> None:
    means = np.random.default_rng(1).normal(size=(30, 5)) + 2
    direction = common_direction(means)
    assert abs(direction @ np.linalg.svd(means)[2][0]) == pytest.approx(1)


def test_the_common_direction_comes_from_the_training_alone() -> None:
    classifier = trained(vectors())
    before = classifier._model.direction.copy()  # type: ignore[union-attr]
    alone = [classifier.guess([text])[0] for text in TEXTS]
    together = classifier.guess([*TEXTS, *["money money"] * 50])[: len(TEXTS)]
    assert np.array_equal(before, classifier._model.direction)  # type: ignore[union-attr]
    for one, other in zip(alone, together, strict=True):
        assert one.intent == other.intent
        assert one.confidence == pytest.approx(other.confidence)


def test_a_text_of_unknown_words_has_the_lowest_confidence_there_is() -> None:
    classifier = trained(vectors())
    assert classifier.probabilities(["unheard of", ""]).rows.tolist() == [[0.5, 0.5]] * 2
    assert [guess.confidence for guess in classifier.guess(["unheard of", ""])] == [0.5, 0.5]


def test_without_wordfreq_the_training_texts_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    classifier = trained(vectors())
    assert classifier._model.frequencies["the"] == 3 / 17  # type: ignore[union-attr, index]
    assert [guess.intent for guess in classifier.guess(["money"])] == ["pay"]


def test_a_language_that_wordfreq_does_not_know_is_counted_too() -> None:
    classifier = trained(vectors(), language="und")
    assert classifier._model.frequencies is not None  # type: ignore[union-attr]


def test_a_file_is_read_again_only_for_words_not_met_before(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[set[str]] = []
    load = module.load_word_vectors

    def counting(source: Path, needed: set[str]) -> WordVectors:
        asked.append(needed)
        return load(source, needed)

    monkeypatch.setattr(module, "load_word_vectors", counting)
    classifier = trained(path)
    classifier.guess(["the job"])
    classifier.guess(["the post"])
    classifier.guess(["the post", "the job"])
    assert asked[1:] == [{"post"}]


def test_one_topic_is_certain_and_two_texts_are_enough() -> None:
    classifier = SifClassifier(vectors())
    classifier.fit(["the pay"], ["pay"])
    assert classifier.guess(["salary"])[0].confidence == 1.0
    classifier.fit(["the pay", "job form"], ["pay", "apply"])
    assert classifier.guess(["the pay"])[0].intent == "pay"


def test_a_trained_classifier_can_be_sent_to_another_process(path: Path) -> None:
    classifier = trained(path)
    assert pickle.loads(pickle.dumps(classifier)).guess(TEXTS) == classifier.guess(TEXTS)  # noqa: S301


def test_vectors_of_another_language_are_refused() -> None:
    with pytest.raises(UsageError, match="'zh'"):
        SifClassifier(vectors()).fit(["我想申请", "薪水多少"], ["a", "b"])


def test_nothing_to_learn_from_and_guessing_untrained_are_said() -> None:
    with pytest.raises(DataError, match="no examples to train on"):
        SifClassifier(vectors()).fit([], [])
    with pytest.raises(UsageError, match="not trained"):
        SifClassifier(vectors()).guess(["x"])


def test_a_failed_training_leaves_no_older_one_behind() -> None:
    classifier = trained(vectors())
    with pytest.raises(DataError):
        classifier.fit([], [])
    with pytest.raises(UsageError, match="not trained"):
        classifier.guess(["x"])


@pytest.mark.parametrize("topics", [1, 2, 4])
def test_the_head_gives_probabilities_that_scikit_learn_would_give(topics: int) -> None:
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), [str(n % topics) for n in range(40)]
    head = fit_head(X, y)
    assert head.intents == tuple(sorted(set(y)))
    rows = head.probabilities(X)
    if topics == 1:
        assert rows.tolist() == [[1.0]] * 40
    else:
        expected = LogisticRegression(C=module.HEAD_C, max_iter=1000).fit(X, y).predict_proba(X)
        assert rows == pytest.approx(expected, abs=5e-3)


def test_the_factory_takes_a_path(path: Path) -> None:
    assert sif(str(path)).name == "sif:own.npz"
    with pytest.raises(FileError, match="word vector file not found"):
        sif(str(path) + "x")


def test_the_factory_looks_into_the_environment_then_the_home(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VIVA_WORD_VECTORS", raising=False)
    monkeypatch.setenv("VIVA_HOME", str(tmp_path / "home"))
    with pytest.raises(MissingPartError, match="viva models get glove"):
        sif()
    home = tmp_path / "home" / "models" / "glove-100"
    home.mkdir(parents=True)
    (home / "glove-100.npz").write_bytes(path.read_bytes())
    assert sif().name == "sif"
    monkeypatch.setenv("VIVA_WORD_VECTORS", str(path))
    assert sif().name == "sif:own.npz"


def test_without_a_home_the_usual_folder_is_searched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("VIVA_WORD_VECTORS", raising=False)
    monkeypatch.delenv("VIVA_HOME", raising=False)
    monkeypatch.setattr("platformdirs.user_data_dir", lambda name, **_: str(tmp_path / name))
    with pytest.raises(MissingPartError):
        sif()


def test_a_language_that_ships_brings_its_own_word_vectors() -> None:
    classifier = sif("de")
    classifier.fit(
        ["Wie hoch ist das Gehalt?", "Lohn", "Wann habe ich Urlaub?", "Ferien"], ["geld", "geld", "frei", "frei"]
    )
    assert classifier.name == "sif:de"
    assert [guess.intent for guess in classifier.guess(["Was ist mein Einkommen?", "Reise"])] == ["geld", "frei"]
