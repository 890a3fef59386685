from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline

from vivavoce.errors import DataError, UsageError
from vivavoce.intents import PlausibleNegativeSplit
from vivavoce.intents.material import Material
from vivavoce.intents.splits import Design, Setting, SplitPlan
from vivavoce.records import Dataset

TOPICS = ["pay"] * 12 + ["leave"] * 9 + ["parking"] * 5 + ["dogs"] * 3
SIZES = st.lists(st.integers(2, 12), min_size=2, max_size=6)


def rows_of(topics: list[str]) -> list[str]:
    return [f"{topic} {row}" for row, topic in enumerate(topics)]


def of_sizes(sizes: list[int]) -> list[int]:
    return [topic for topic, size in enumerate(sizes) for _ in range(size)]


@given(SIZES, st.integers(0, 1000))
def test_every_example_is_tested_exactly_once_in_a_turn(sizes: list[int], seed: int) -> None:
    y = of_sizes(sizes)
    splitter = PlausibleNegativeSplit(n_splits=10, random_state=seed)
    tests = [test for _, test in splitter.split(y, y)]
    for turn in (tests[:5], tests[5:]):
        assert sorted(np.concatenate(turn).tolist()) == list(range(len(y)))


@given(SIZES, st.integers(0, 1000))
def test_training_and_test_are_disjoint_and_every_tested_topic_is_trained(sizes: list[int], seed: int) -> None:
    y = np.array(of_sizes(sizes))
    for train, test in PlausibleNegativeSplit(random_state=seed).split(y, y):
        assert not set(train) & set(test)
        assert set(y[test]) <= set(y[train])


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 6)), min_size=12, max_size=40), st.integers(0, 99))
@settings(max_examples=60)
def test_no_group_stands_on_both_sides(rows: list[tuple[int, int]], seed: int) -> None:
    y, groups = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    y[:4] = [0, 0, 1, 1]
    for splitter in (PlausibleNegativeSplit(random_state=seed), PlausibleNegativeSplit(partition="random")):
        for train, test in splitter.split(y, y, groups):
            assert not set(groups[train]) & set(groups[test])


@given(st.lists(st.integers(2, 15), min_size=3, max_size=8), st.integers(0, 99))
def test_negatives_are_the_rows_of_untrained_topics(sizes: list[int], seed: int) -> None:
    y = np.array(of_sizes(sizes))
    for split in PlausibleNegativeSplit(p=0.15, random_state=seed).splits_with_negatives(y, y):
        untrained = ~np.isin(y[split.test], y[split.train])
        assert np.array_equal(untrained, split.negative)
        assert split.negative.sum() > 0


def test_plain_folds_are_as_stratified_as_those_of_scikit_learn() -> None:
    y = np.array(of_sizes([23, 11, 7, 40, 5]))
    for seed in range(20):
        splits = list(PlausibleNegativeSplit(n_splits=5, random_state=seed).split(y, y))
        assert max(len(test) for _, test in splits) - min(len(test) for _, test in splits) <= 1
        for _, test in splits:
            for topic, count in Counter(y.tolist()).items():
                assert math.floor(count / 5) <= (y[test] == topic).sum() <= math.ceil(count / 5)


def test_plain_scores_are_those_of_stratified_folds() -> None:
    rng = np.random.default_rng(0)
    y = np.array(of_sizes([60, 40, 30]))
    X = rng.normal(size=(len(y), 3)) + y[:, None] * 0.7
    ours = [
        cross_val_score(GaussianNB(), X, y, cv=PlausibleNegativeSplit(n_splits=5, random_state=seed)).mean()
        for seed in range(30)
    ]
    theirs = [
        cross_val_score(GaussianNB(), X, y, cv=StratifiedKFold(5, shuffle=True, random_state=seed)).mean()
        for seed in range(30)
    ]
    error = math.sqrt((np.var(ours, ddof=1) + np.var(theirs, ddof=1)) / 30)
    assert abs(np.mean(ours) - np.mean(theirs)) < 3.5 * error


def test_scikit_learn_can_use_it_with_a_pipeline_and_text_labels() -> None:
    texts = [f"{topic} question number {row % 4}" for row, topic in enumerate(TOPICS)]
    model = make_pipeline(CountVectorizer(), MultinomialNB())
    cv = PlausibleNegativeSplit(n_splits=5)
    scores = cross_validate(model, texts, TOPICS, cv=cv, return_indices=True)
    assert scores["test_score"].mean() > 0.9
    assert len(scores["indices"]["test"]) == cv.get_n_splits() == 5
    assert cross_val_predict(model, texts, TOPICS, cv=cv).tolist().count("dogs") >= 2


def test_with_negatives_a_plain_scorer_counts_every_answer_to_them_as_wrong() -> None:
    X, y = np.zeros((len(TOPICS), 1)), np.array(TOPICS)
    cv = PlausibleNegativeSplit(k=4, n_splits=5)
    shares = [1 - split.negative.sum() / len(split.test) for split in cv.splits_with_negatives(X, y)]
    scores = cross_val_score(DummyClassifier(), X, y, cv=cv)
    assert all(score <= share for score, share in zip(scores, shares, strict=True))


@pytest.mark.parametrize("missing", [None, float("nan"), np.float32("nan")])
def test_rows_without_a_topic_are_tested_as_negatives_and_never_trained(missing: object) -> None:
    y = np.array([*TOPICS, *[missing] * 6], dtype=object)
    seen: set[int] = set()
    for split in PlausibleNegativeSplit(n_splits=5).splits_with_negatives(y, y):
        assert split.train.max() < len(TOPICS)
        assert np.array_equal(split.negative, split.test >= len(TOPICS))
        seen |= set(split.test[split.negative].tolist())
    assert seen == set(range(len(TOPICS), len(y)))


def test_labels_may_be_numbers_texts_or_both() -> None:
    names = {"pay": 3, "leave": 1.5, "parking": "p", "dogs": np.int64(7)}
    y = np.array([names[topic] for topic in TOPICS], dtype=object)
    assert sum(len(test) for _, test in PlausibleNegativeSplit(n_splits=5).split(y, y)) == len(y)


def test_an_exam_with_the_same_seed_has_the_same_splits() -> None:
    data = Dataset.of(rows_of(TOPICS), TOPICS)
    material = Material.of(data, leak_proof=False)
    plan = SplitPlan(material.labels, Design(Setting(0, 0.15), seed=4), material.groups)
    ours = PlausibleNegativeSplit(p=0.15, random_state=4).split(data.texts, TOPICS)
    for split, (train, test) in zip(plan, ours, strict=True):
        assert np.array_equal(split.train, train)
        assert np.array_equal(split.test, test)


def test_the_same_seed_gives_the_same_splits_and_another_seed_others() -> None:
    def drawn(seed: int) -> list[list[int]]:
        cv = PlausibleNegativeSplit(p=0.15, partition="random", random_state=seed)
        return [test.tolist() for _, test in cv.split(TOPICS, TOPICS)]

    assert drawn(1) == drawn(1) != drawn(2)


@pytest.mark.parametrize(
    "options",
    [
        {"k": 5, "p": 0.1},
        {"k": -1},
        {"p": 1.0},
        {"n_splits": 0},
        {"test_fraction": 1.0},
        {"partition": "folds"},
        {"singletons": "keep"},
        {"random_state": None},
        {"random_state": -1},
    ],
)
def test_wrong_options_are_refused_when_it_is_made(options: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        PlausibleNegativeSplit(**options)  # type: ignore[arg-type]


def test_wrong_input_is_refused_in_words() -> None:
    cv = PlausibleNegativeSplit()
    with pytest.raises(UsageError, match="topics are missing"):
        next(cv.split(TOPICS))
    with pytest.raises(DataError, match="X has 3 rows, but there are 29 topics"):
        next(cv.split([1, 2, 3], TOPICS))
    with pytest.raises(DataError, match="groups has 3 rows"):
        next(cv.split(TOPICS, TOPICS, [1, 2, 3]))
    with pytest.raises(DataError, match="no row has a topic"):
        next(cv.split([1, 2], [None, None]))
    with pytest.raises(UsageError, match="leaves no topic to test"):
        next(PlausibleNegativeSplit(k=100).split(TOPICS, TOPICS))
    with pytest.raises(DataError, match="cannot be compared or sorted"):
        next(cv.split([1, 2], [["a"], ["b"]]))


def test_its_repr_can_be_typed_again() -> None:
    cv = PlausibleNegativeSplit(0, 0.15, n_splits=5, random_state=3)
    assert repr(eval(repr(cv))) == repr(cv)  # noqa: S307
