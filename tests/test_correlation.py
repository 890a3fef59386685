"""Correlations and their intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from vivavoce.statistics import (
    correlate,
    draw_weights,
    kendall,
    paired_correlation_difference,
    pearson,
    resamples,
    spearman,
)

pytestmark = pytest.mark.slow

quick = settings(max_examples=80, deadline=None)
# Few distinct values, so that ties are the rule.
pairs = st.lists(st.tuples(st.integers(-4, 4), st.integers(1, 5)), min_size=3, max_size=60)
Pairs = list[tuple[int, int]]


def columns(rows: Pairs) -> tuple[list[float], list[float]]:
    x, y = [float(a) for a, _ in rows], [float(b) for _, b in rows]
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    return x, y


def follower(n: int, noise: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    x = draw.normal(size=n)
    return x, x + draw.normal(0, noise, n)


# --- values


@quick
@given(pairs)
def test_correlations_are_those_of_scipy(rows: Pairs) -> None:
    x, y = columns(rows)
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-9)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-9)
    assert kendall(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-9)


@pytest.mark.parametrize("decimals", [0, 1, 9])
def test_kendall_of_many_rows_is_that_of_scipy(decimals: int) -> None:
    x, y = (np.round(column, decimals) for column in follower(3000, 2.0))
    assert kendall(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


@quick
@given(pairs, st.floats(0.01, 100), st.floats(-100, 100))
def test_correlations_do_not_notice_another_scale_and_turn_with_the_sign(
    rows: Pairs, scale: float, shift: float
) -> None:
    x, y = columns(rows)
    moved = [scale * value + shift for value in x]
    for measure in (pearson, spearman, kendall):
        assert measure(moved, y) == pytest.approx(measure(x, y), abs=1e-6)
        assert measure([-value for value in x], y) == pytest.approx(-measure(x, y), abs=1e-9)
        assert measure(y, x) == pytest.approx(measure(x, y), abs=1e-9)
        assert measure(x, x) == pytest.approx(1)


@pytest.mark.parametrize("measure", [pearson, spearman, kendall])
def test_too_few_rows_and_a_constant_side_have_no_correlation(measure) -> None:
    assert measure([], []) is None
    assert measure([1, 2], [1, 2]) is None
    assert measure([0.1] * 7, range(7)) is None
    assert measure(range(7), [0.1] * 7) is None
    assert measure([1, 2, 3], [1, 2, 3]) == pytest.approx(1)


@pytest.mark.parametrize(("x", "y"), [([1, 2, 3], [1, 2]), ([1, 2, float("nan")], [1, 2, 3]), ([[1, 2]], [[1, 2]])])
def test_rows_that_cannot_be_compared_are_refused(x: list[float], y: list[float]) -> None:
    with pytest.raises(ValueError, match="a correlation needs"):
        pearson(x, y)


# --- intervals


def test_the_fast_resamples_are_those_that_one_would_write_by_hand() -> None:
    x, y = (np.round(column, 1) for column in follower(40, 1.0))
    groups = [row // 3 for row in range(40)]
    weights = np.concatenate(list(draw_weights(groups, 25, seed=3)))
    rows = list(resamples(groups, 25, seed=3))
    assert [np.bincount(some, minlength=40).tolist() for some in rows] == weights.astype(int).tolist()
    found = correlate(x, y, groups, seed=3, draws=25)
    by_hand = {
        "pearson": lambda some: float(stats.pearsonr(x[some], y[some]).statistic),
        "spearman": lambda some: float(stats.spearmanr(x[some], y[some]).statistic),
        "kendall": lambda some: float(stats.kendalltau(x[some], y[some]).statistic),
        "mse": lambda some: float(((x[some] - y[some]) ** 2).mean()),
    }
    for name, statistic in by_hand.items():
        drawn, rate = np.array([statistic(some) for some in rows]), getattr(found, name)
        scale = (np.log, np.exp) if name == "mse" else (np.arctanh, np.tanh)
        error = drawn.std(ddof=1) * np.sqrt(14 / 13) / rate.value if name == "mse" else scale[0](drawn).std(ddof=1)
        half = stats.t.ppf(0.975, 13 if name == "mse" else 12) * error
        expected = scale[1](scale[0](rate.value) - half), scale[1](scale[0](rate.value) + half)
        assert (rate.low, rate.high) == pytest.approx(expected, abs=1e-9), name


def test_groups_are_drawn_whole_and_within_their_stratum() -> None:
    groups, strata = [0, 0, 1, 1, 2, 3, 3, 4], ["a"] * 5 + ["b"] * 3
    for block in draw_weights(groups, 50, seed=0, strata=strata):
        assert (block[:, 0] == block[:, 1]).all()
        assert (block[:, [0, 2, 4]].sum(axis=1) == 3).all()
        assert (block[:, [5, 7]].sum(axis=1) == 2).all()


def test_intervals_hold_the_truth_about_as_often_as_promised() -> None:
    truth, held = 1 / np.sqrt(2), []
    for seed in range(120):
        found = correlate(*follower(80, 1.0, seed), seed=seed, draws=200).pearson
        held.append(found.low <= truth <= found.high)
    assert 0.87 <= np.mean(held) <= 0.99


def test_rows_that_come_in_copies_do_not_make_the_interval_narrower() -> None:
    x, y = follower(60, 1.0)
    once = correlate(x, y, range(60), seed=1).spearman
    copied = correlate(np.repeat(x, 5), np.repeat(y, 5), np.repeat(range(60), 5).tolist(), seed=1).spearman
    assert copied.value == pytest.approx(once.value)
    assert copied.high - copied.low == pytest.approx(once.high - once.low, rel=0.05)


def test_few_groups_give_values_without_interval_and_few_rows_no_value() -> None:
    few = correlate(*follower(9, 1.0))
    assert few.pearson.value is not None
    assert few.pearson.low is None
    two = correlate([1.0, 2.0], [2.0, 4.0])
    assert (two.n, two.pearson.value, two.kendall.value) == (2, None, None)
    assert two.mse.value == pytest.approx(2.5)
    nothing = correlate([], [])
    assert (nothing.n, nothing.mse.value, nothing.mse.n) == (0, None, 0)


def test_a_constant_score_has_an_error_but_no_correlation() -> None:
    found = correlate([3.0] * 50, [float(1 + i % 5) for i in range(50)])
    assert (found.pearson.value, found.pearson.low, found.kendall.high) == (None, None, None)
    assert found.mse.low < found.mse.value < found.mse.high


def test_many_rows_have_an_interval_of_kendall_like_that_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = (np.round(column, 1) for column in follower(300, 1.0))
    quickly = correlate(x, y, seed=5, draws=400).kendall
    monkeypatch.setattr("vivavoce.statistics.correlation.KENDALL_TABLE", 100)
    slowly = correlate(x, y, seed=5, draws=400).kendall
    assert (quickly.low, quickly.high) == pytest.approx((slowly.low, slowly.high), abs=1e-9)


# --- differences


def test_a_better_rater_is_told_from_a_worse_one_and_equals_are_not() -> None:
    draw = np.random.default_rng(1)
    target = draw.normal(size=400)
    good, poor = target + draw.normal(0, 1, 400), target + draw.normal(0, 3, 400)
    for measure in ("pearson", "spearman"):
        found = paired_correlation_difference(good, poor, target, measure=measure)
        assert found.low > 0
        assert found.p < 0.01
        turned = paired_correlation_difference(poor, good, target, measure=measure)
        assert (turned.difference, turned.high) == pytest.approx((-found.difference, -found.low))
    same = paired_correlation_difference(good, good, target)
    assert (same.difference, same.low, same.high, same.p) == (0, None, None, 1)


def test_a_difference_of_equal_raters_is_rarely_called_real() -> None:
    called = 0
    for seed in range(60):
        draw = np.random.default_rng(seed)
        target = draw.normal(size=100)
        a, b = target + draw.normal(0, 1, 100), target + draw.normal(0, 1, 100)
        called += paired_correlation_difference(a, b, target, seed=seed, draws=200).p < 0.05
    assert called <= 9


def test_a_difference_needs_two_correlations_and_ten_groups() -> None:
    x, y = follower(30, 1.0)
    assert paired_correlation_difference(x, [1.0] * 30, y).difference is None
    few = paired_correlation_difference(x, -x, y, [row % 5 for row in range(30)])
    assert few.difference > 0
    assert few.p is None
    with pytest.raises(ValueError, match="one group per row"):
        paired_correlation_difference(x, x, y, [1, 2])
