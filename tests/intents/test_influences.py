"""How much an example moves a number, and the intervals that follow from it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.classifiers.fakes import EchoClassifier, JaccardClassifier, NullClassifier
from vivavoce.classifiers.lexical import tfidf
from vivavoce.intents import examine_intents, intervals
from vivavoce.intents.influences import folded_variance, influences, share_parts, typical_scores
from vivavoce.intents.intervals import measure_spread, shift_negatives
from vivavoce.intents.measures import Items, measures
from vivavoce.records import Dataset
from vivavoce.statistics import stratified_variance

THRESHOLD = 0.5


def items(n: int = 300) -> Items:
    generator = np.random.default_rng(0)
    truth = generator.integers(-1, 6, n)
    guess = np.where(generator.random(n) < 0.7, np.maximum(truth, 0), generator.integers(0, 6, n))
    confidence = np.clip(generator.beta(4, 2, n) - 0.2 * (guess != truth), 0, 1)
    return Items(truth, guess, confidence)


def without(whole: Items, row: int) -> Items:
    return Items(*(np.delete(column, row) for column in (whole.truth, whole.guess, whole.confidence)))


@pytest.mark.parametrize("name", ["recall_macro", "f1_macro", "f1_weighted", "oos_auroc", "aurc", "augrc"])
def test_the_influence_of_an_item_is_what_the_number_loses_without_it(name: str) -> None:
    whole = items()
    typical = typical_scores([whole], THRESHOLD, 7)
    found = influences(whole, THRESHOLD, *typical)[name]
    value, rows = measures(whole, THRESHOLD)[name], range(0, len(whole), 5)
    lost = np.array([(value or 0) - (measures(without(whole, row), THRESHOLD)[name] or 0) for row in rows])
    assert found[list(rows)] == pytest.approx(lost, abs=0.05 * np.abs(lost).max())


def test_what_items_add_to_a_share_sums_to_the_share() -> None:
    whole = items()
    values = measures(whole, THRESHOLD)
    for name, (hits, n) in share_parts(whole, THRESHOLD).items():
        assert hits.sum() / n.sum() == pytest.approx(values[name])


def data(sizes: list[int]) -> Dataset:
    rows = [
        (f"topic{t} {'abcdefghij'[w % 10]}{w} word{w}", f"t{t}") for t, size in enumerate(sizes) for w in range(size)
    ]
    return Dataset.of([text for text, _ in rows], [topic for _, topic in rows])


@settings(max_examples=12, deadline=None)
@given(st.lists(st.integers(2, 8), min_size=2, max_size=4), st.integers(1, 6), st.booleans())
def test_no_number_of_an_exam_has_an_interval_without_width(sizes: list[int], retries: int, knowing: bool) -> None:
    rows = data(sizes)
    answers = dict(zip(rows.texts, rows.intents, strict=True))
    engine = EchoClassifier(answers) if knowing else NullClassifier()
    result = examine_intents(rows, engine, settings=[(0, 0), (0, 0.15)], retries=retries, text_view=False, workers=1)
    for findings in result.settings:
        for name, rate in findings.rates.items():
            if rate.value is not None:
                assert rate.low is not None, name
                assert rate.high is not None, name
                assert rate.low <= rate.value <= rate.high, name
                assert rate.low < rate.high, name


def test_an_interval_speaks_of_the_exam_and_promises_nothing_of_a_bot_trained_on_all_examples() -> None:
    rows = data([12, 12, 12])
    result = examine_intents(rows, JaccardClassifier(), settings=[(0, 0)], threshold=0.2, text_view=False, workers=1)
    rate = result.settings[0].rates["accuracy"]
    assert rate.value is not None
    assert rate.low is not None
    assert rate.high is not None
    # Wilson's interval is drawn towards one half; nothing but that makes its ends uneven.
    far, near = max(rate.value, 1 - rate.value), min(rate.value, 1 - rate.value)
    low, high = rate.value - rate.low, rate.high - rate.value
    assert (low >= high) is (rate.value >= 0.5)
    assert max(low, high) / min(low, high) <= far / near


@pytest.mark.parametrize(("outside", "wider"), [(4, True), (120, False)])
def test_few_out_of_scope_questions_make_the_numbers_of_confidence_unsure(outside: int, wider: bool) -> None:
    generator = np.random.default_rng(1)
    truth = np.repeat([0, 1, -1], [100, 100, outside])
    confidence = np.where(truth < 0, generator.beta(3, 3, len(truth)), generator.beta(8, 2, len(truth)))
    whole = Items(truth, np.maximum(truth, 0), confidence)
    moved = influences(whole, THRESHOLD, np.ones(3), np.ones(3))["oos_auroc"]
    _, freedom, effective = stratified_variance(moved, np.arange(len(truth)), truth)
    assert (effective < 6) is wider
    assert freedom >= len(truth) - 3


def test_a_gap_that_is_mostly_noise_varies_less_than_a_clear_one() -> None:
    assert folded_variance(0.5) == pytest.approx(1 - 2 / np.pi)
    assert folded_variance(8) == pytest.approx(1, abs=1e-6)
    sizes = np.abs(np.random.default_rng(0).normal(np.sqrt(3), 1, 200_000))
    assert folded_variance(2) == pytest.approx(sizes.var(), rel=0.02)


def test_an_interval_allows_for_other_training_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = data([8, 8, 8])
    answers = {
        text: topic if place % 3 else None
        for place, (text, topic) in enumerate(zip(rows.texts, rows.intents, strict=True))
    }

    def measure_width() -> float:
        rate = examine_intents(rows, EchoClassifier(answers), settings=[(0, 0)], workers=1).settings[0].accuracy
        assert rate.low is not None
        assert rate.high is not None
        return rate.high - rate.low

    width = measure_width()
    monkeypatch.setattr(intervals, "TRAINING", 0.0)
    assert width > 1.1 * measure_width()


def test_means_of_errors_allow_for_surer_and_less_sure_classifiers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = data([8, 8, 8, 8])

    def measure_widths() -> dict[str, float]:
        (findings,) = examine_intents(rows, tfidf(), settings=[(0, 0.3)], workers=1).settings
        rates = {name: findings.rates[name] for name in intervals.ERROR_MEANS}
        assert all(rate.low <= rate.value <= rate.high for rate in rates.values())
        return {name: rate.high - rate.low for name, rate in rates.items()}

    widths = measure_widths()
    monkeypatch.setattr(intervals, "SHIFT", 0.0)
    assert all(widths[name] > width for name, width in measure_widths().items())


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.floats(-3, 3))
def test_a_shift_moves_out_of_scope_questions_alone_and_keeps_their_order(chances: list[float], shift: float) -> None:
    confidence = np.array([*chances, 0.5])
    truth = np.array([-1] * len(chances) + [0])
    shifted = shift_negatives(Items(truth, np.zeros_like(truth), confidence), shift).confidence
    assert shifted[-1] == 0.5
    assert ((shifted >= 0) & (shifted <= 1)).all()
    assert (np.diff(shifted[np.argsort(chances)]) >= -1e-12).all()
    assert ((shifted == confidence) | (confidence > 0) & (confidence < 1)).all()


def test_confidences_that_never_vary_have_no_spread() -> None:
    truth = np.array([-1, -1, -1, -1])
    assert measure_spread([Items(truth, truth, np.array([0.6, 0.6, 0.0, 1.0]))]) == 0.0
    assert measure_spread([Items(truth, truth, np.array([0.0, 1.0, 0.0, 1.0]))]) == 0.0
    assert measure_spread([Items(truth, truth, np.array([0.2, 0.8, 0.2, 0.8]))]) == pytest.approx(np.log(4))
