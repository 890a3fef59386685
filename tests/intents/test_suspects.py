"""Label suspects: what is planted is found, and judged by others than itself."""

from __future__ import annotations

import numpy as np
import pytest

from vivavoce.errors import UsageError
from vivavoce.intents.label_odds import compare_topics
from vivavoce.intents.suspects import (
    LEFT_OUT_FROM,
    MAX_LEFT_OUT,
    find_nearest,
    find_suspects,
    leave_out,
    vote,
)
from vivavoce.records import Dataset

WORDS = {
    "parking": ("park", "car", "garage", "vehicle", "bicycle"),
    "lunch": ("lunch", "canteen", "food", "vegan", "meal"),
    "salary": ("salary", "pay", "wage", "money", "bonus"),
}
FRAMES = ("where is the {}", "tell me about {} please", "is there any {}", "I have a question on {}", "{} at work?")


def build_data(wrong: int | None) -> Dataset:
    texts, topics = [], []
    for topic, words in WORDS.items():
        for word in words:
            for frame in FRAMES:
                texts.append(frame.format(f"{word} {words[0]}"))
                topics.append(topic)
    if wrong is not None:
        topics[wrong] = "salary"
    return Dataset.of(texts, topics)


def test_an_example_under_the_wrong_topic_is_the_first_suspect_with_its_topic_and_neighbours():
    data = build_data(wrong=7)
    result = find_suspects(data, "tfidf", workers=1)
    first = result.suspects[0]
    assert (first.row, first.text, first.intent) == (data.number(7), data.texts[7], "salary")
    assert first.suggested == "parking"
    assert first.score >= 0.95
    assert first.agreeing > first.own
    assert first.nearest[0].intent == "parking"
    assert result.judged == len(data)


def test_clean_data_have_no_suspects():
    result = find_suspects(build_data(wrong=None), "tfidf", workers=1)
    assert (result.found, result.suspects) == (0, ())


def test_the_same_seed_gives_the_same_suspects_whatever_the_workers():
    data = build_data(wrong=30)
    first, second = (find_suspects(data, "tfidf", seed=3, workers=workers).to_json() for workers in (1, 2))
    assert first == second
    assert (first["kind"], first["seed"]) == ("intents-suspects", 3)
    assert {"row", "text", "intent", "suggested", "score"} <= first["suspects"][0].keys()


def test_out_of_scope_questions_are_not_judged():
    clean = build_data(wrong=None)
    data = Dataset.of([*clean.texts, "will it rain"], [*clean.intents, None])
    assert find_suspects(data, "tfidf", workers=1).judged == len(clean)


def test_at_least_one_suspect_must_be_asked_for():
    with pytest.raises(UsageError):
        find_suspects(build_data(wrong=1), "tfidf", most=0)


def test_the_odds_compare_the_best_other_topic_with_the_own_one():
    chances = np.array([[0.8, 0.1, 0.1], [0.1, 0.7, 0.2], [np.nan] * 3, [0.3, 0.3, 0.4]])
    odds, suggested = compare_topics(chances, np.array([0, 0, 1, -1]))
    assert odds[0] < 0 < odds[1] == pytest.approx(np.log(7), abs=1e-4)
    assert suggested[1] == 1
    assert np.isneginf(odds[2:]).all()


def test_no_topic_loses_more_than_a_third_of_its_examples():
    labels = np.repeat([0, 1], 9)
    odds = np.where(labels == 0, LEFT_OUT_FROM + np.arange(18), -1.0)
    left_out = leave_out(odds, labels)
    assert left_out.tolist() == [6, 7, 8]
    assert len(left_out) == int(MAX_LEFT_OUT * 9)


def test_a_copy_in_the_same_topic_is_no_second_opinion_but_one_in_another_topic_is():
    vectors = np.array([[1, 0], [1, 0], [1, 0], [0, 1]], dtype=np.float32)
    labels, groups = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])
    nearest, similarity = find_nearest(vectors, labels, groups)
    assert nearest[0, 0] == 2
    assert vote(nearest, similarity, labels, 2, np.empty(0, dtype=np.intp))[0, 1] == pytest.approx(1)
