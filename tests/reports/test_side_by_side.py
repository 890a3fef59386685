"""A comparison in words: what is the same is called the same, and what is close is called close."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from vivavoce.classifiers.fakes import JaccardClassifier
from vivavoce.intents import ComparisonResult, compare_classifiers
from vivavoce.intents.differences import Difference, Verdict
from vivavoce.records import Dataset
from vivavoce.reports.intents.comparison import (
    comparison_headline,
    difference_sentence,
    points_text,
    render_comparison,
    show_comparison,
)

WORDS = {"pay": "salary wage money bonus raise", "leave": "holiday days vacation rest sick"}


@pytest.fixture(scope="module")
def twins() -> ComparisonResult:
    return compared("linear", "tfidf")


def compared(*names: str) -> ComparisonResult:
    rows = [
        (f"{word} number {n}", topic) for topic, words in WORDS.items() for word in words.split() for n in range(3)
    ]
    data = Dataset.of([text for text, _ in rows], [topic for _, topic in rows])
    engines = [(name, JaccardClassifier()) for name in names]
    return compare_classifiers(data, engines, settings=[(0, 0.0)], retries=2, workers=1, threshold=0.2)


def changed(one: Difference, **test: float) -> Difference:
    return replace(one, pooled=replace(one.pooled, test=replace(one.pooled.test, **test)))


def test_the_same_answers_are_called_the_same(twins: ComparisonResult) -> None:
    assert comparison_headline(twins) == "linear and tfidf are right on the same messages."
    assert difference_sentence(twins.differences[0]) == "linear and tfidf are right on the same messages."
    console = Console(file=io.StringIO(), width=80, color_system=None)
    show_comparison(console, twins)
    for shown in (console.file.getvalue(), render_comparison(twins)):  # type: ignore[attr-defined]
        assert "too close to call" not in shown


def test_three_of_a_kind_are_called_the_same() -> None:
    assert comparison_headline(compared("a", "b", "c")) == "All classifiers are right on the same messages."


def test_one_gained_and_one_lost_is_close_and_not_the_same(twins: ComparisonResult) -> None:
    one = twins.differences[0]
    close = replace(one, pooled=replace(one.pooled, improved=1, broken=1))
    assert difference_sentence(close).startswith("linear and tfidf are too close to call (+0.0 points")
    assert "too close to call" in comparison_headline(replace(twins, differences=(close,)))


def test_an_interval_without_width_is_not_printed(twins: ComparisonResult) -> None:
    one = twins.differences[0]
    assert points_text(changed(one, difference=0.02, low=0.02, high=0.02)) == "+2.0 points"
    assert points_text(changed(one, difference=0.02, low=0.01, high=0.03)) == "+2.0 points, +1.0 to +3.0"


def test_one_example_is_not_called_examples(twins: ComparisonResult) -> None:
    one = changed(twins.differences[0], difference=0.02, low=0.01, high=0.03)
    better = replace(one, pooled=replace(one.pooled, verdict=Verdict.BETTER, improved=1, broken=1200))
    assert "1 example gained, 1,200 lost" in difference_sentence(better)
    worse = replace(one, pooled=replace(one.pooled, verdict=Verdict.WORSE, improved=0, broken=1))
    assert "1 example gained, 0 lost" in difference_sentence(worse)
