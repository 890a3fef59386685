"""Intervals that are never without width, and comparisons of what belongs together."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from vivavoce.statistics import (
    Spread,
    agreement_of_raters,
    bounded_rate,
    compare_groups,
    items_to_decide,
    paired_test,
    ratio_spread,
    stratified_variance,
    wilson,
    with_width,
)

pytestmark = pytest.mark.slow

quick = settings(max_examples=100, deadline=None)
spreads = st.builds(
    Spread, st.floats(0, 0.25), st.integers(1, 500), st.integers(0, 500).map(float), st.integers(1, 500)
)
clusters = st.lists(
    st.integers(1, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=2, max_size=40
)


# --- numbers between 0 and 1


def test_an_interval_without_width_becomes_that_of_as_many_units() -> None:
    assert with_width(0.2, 0.1, 0.3, 15) == (0.1, 0.3)
    every = wilson(15, 15)
    assert with_width(1.0, 1.0, 1.0, 15) == pytest.approx((every.low, 1.0))


@quick
@example(1e-54, Spread(1e-54, 42, 1.0, 1))
@example(5e-324, Spread(0.0, 2, 0.0, 1))
@given(st.one_of(st.sampled_from([0.0, 1.0, 0.5]), st.floats(0, 1)), spreads)
def test_no_interval_is_without_width_or_outside_0_to_1(value: float, spread: Spread) -> None:
    rate = bounded_rate(value, spread, 10)
    assert rate.low is not None
    assert rate.high is not None
    assert 0 <= rate.low <= value <= rate.high <= 1
    assert rate.low < rate.high


@quick
@given(clusters)
def test_a_share_of_clustered_turns_always_has_an_interval_with_width(counts: list[tuple[int, int]]) -> None:
    hits, n = (np.array(column, dtype=float) for column in zip(*counts, strict=True))
    rate = bounded_rate(float(hits.sum() / n.sum()), ratio_spread(hits, n), int(n.sum()))
    assert rate.low is not None
    assert rate.high is not None
    assert rate.low < rate.high


@pytest.mark.parametrize("clusters", [2, 5, 15, 200])
def test_all_right_is_as_sure_as_so_many_independent_clusters(clusters: int) -> None:
    rate = bounded_rate(1.0, ratio_spread(np.full(clusters, 5.0), np.full(clusters, 5.0)), 5 * clusters)
    assert rate.low == pytest.approx(wilson(clusters, clusters).low)


def test_the_variance_of_a_ratio_is_that_of_the_textbook() -> None:
    hits, n = np.array([3.0, 5.0, 1.0, 4.0]), np.array([5.0, 5.0, 4.0, 5.0])
    ratio = hits.sum() / n.sum()
    expected = 4 / 3 * ((hits - ratio * n) ** 2).sum() / n.sum() ** 2
    assert ratio_spread(hits, n).variance == pytest.approx(expected)


def test_topics_that_differ_add_no_variance_and_near_duplicates_count_once() -> None:
    topics = np.repeat([0, 1], 4)
    influences = np.array([1.0, 1, 1, 1, -1, -1, -1, -1])
    assert stratified_variance(influences, np.arange(8), topics) == (0.0, 6, 6.0)
    mixed = np.array([1.0, -1, 1, -1, 0, 0, 0, 0])
    alone, freedom, _ = stratified_variance(mixed, np.arange(8), topics)
    assert alone == pytest.approx(4 / 3 * 4)
    assert freedom == 6
    paired = np.array([1.0, 1, -1, -1, 0, 0, 0, 0])
    together, freedom, _ = stratified_variance(paired, np.array([0, 0, 1, 1, 2, 3, 4, 5]), topics)
    assert together == pytest.approx(2 * 8)
    assert freedom == 4


def test_topics_of_one_example_are_taken_together() -> None:
    variance, freedom, effective = stratified_variance(np.array([1.0, -1, 0]), np.arange(3), np.arange(3))
    assert variance == pytest.approx(3 / 2 * 2)
    assert (freedom, effective) == (2, pytest.approx(2))


def test_a_variance_that_a_few_groups_make_up_is_as_unsure_as_they_are_few() -> None:
    many, few = np.tile([1.0, -1], 50), np.tile([30.0, -30], 2)
    strata = np.repeat([0, 1], [100, 4])
    _, freedom, effective = stratified_variance(np.concatenate([many, few]), np.arange(104), strata)
    assert freedom == 102
    assert effective == pytest.approx(3, abs=0.2)
    _, _, even = stratified_variance(np.tile([1.0, -1], 50), np.arange(100), np.repeat([0, 1], 50))
    assert even == pytest.approx(98)


def test_raters_who_agree_on_few_items_are_not_certain_to_agree() -> None:
    near = agreement_of_raters([[3, 4], [2, 2], [5, 4]] * 5, ordered=True).near
    assert (near.value, near.n) == (1.0, 15)
    assert near.low == pytest.approx(wilson(15, 15).low)


# --- pairs


@quick
@given(st.lists(st.integers(-4, 4), min_size=2, max_size=8))
def test_p_is_the_share_of_all_signs_of_whole_groups(gaps: list[int]) -> None:
    found = compare_groups(np.array(gaps, dtype=float), np.full(len(gaps), 5.0), step=1.0)
    totals = [
        abs(sum(s * g for s, g in zip(signs, gaps, strict=True))) for signs in product((1, -1), repeat=len(gaps))
    ]
    assert found.p == pytest.approx(np.mean([total >= abs(sum(gaps)) for total in totals]))
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.high


def test_many_groups_are_tested_with_students_t() -> None:
    gaps = np.random.default_rng(3).normal(0.1, 1, 400)
    found = paired_test(gaps.tolist(), [0.0] * 400)
    theirs = stats.ttest_1samp(gaps, 0)
    assert found.difference == pytest.approx(gaps.mean())
    assert found.p == pytest.approx(theirs.pvalue, rel=0.01)
    assert (found.low, found.high) == pytest.approx(theirs.confidence_interval(), rel=0.02)


def test_items_of_one_group_are_one_observation() -> None:
    gaps = np.repeat(np.random.default_rng(4).normal(size=30), 10)
    groups = np.repeat(np.arange(30), 10).tolist()
    alone, together = paired_test(gaps.tolist(), [0.0] * 300), paired_test(gaps.tolist(), [0.0] * 300, groups)
    assert together.standard_error > 2 * alone.standard_error  # type: ignore[operator]


def test_equals_do_not_differ_and_their_difference_is_not_certain() -> None:
    same = paired_test([1.0, 0.0, 1.0], [1.0, 0.0, 1.0], step=1.0)
    assert (same.difference, same.p) == (0.0, 1.0)
    assert same.low is not None
    assert same.low < 0 < (same.high or 0)
    # Without the step of the scale nothing is known of how far they might differ.
    assert paired_test([0.3, 0.4], [0.3, 0.4]).low is None


def test_unequal_lists_are_refused_and_one_group_says_nothing() -> None:
    with pytest.raises(ValueError, match="every item"):
        paired_test([1.0, 0.0], [1.0])
    with pytest.raises(ValueError, match="every item"):
        paired_test([1.0, 0.0], [1.0, 1.0], ["a"])
    assert paired_test([1.0], [0.0]).p is None
    assert paired_test([], []).difference is None


@pytest.mark.parametrize(("clusters", "turns", "alike"), [(12, 5, 0.4), (8, 5, 0.3), (40, 3, 0.1)])
def test_equally_good_bots_are_rarely_called_different_and_intervals_cover(
    clusters: int, turns: int, alike: float
) -> None:
    generator, size = np.random.default_rng(8), np.full(clusters, float(turns))
    wrong, missed, trials = 0, 0, 600
    for _ in range(trials):
        chance = generator.beta(0.7 * (1 / alike - 1), 0.3 * (1 / alike - 1), (2, clusters))
        a, b = generator.binomial(turns, chance).astype(float)
        wrong += (compare_groups(a - b, size, step=1.0).p or 0) < 0.05
        rate = bounded_rate(float(a.sum() / size.sum()), ratio_spread(a, size), 1)
        missed += not rate.low <= 0.7 <= rate.high  # type: ignore[operator]
    assert wrong / trials <= 0.06 + 0.02
    assert 0.03 - 0.02 <= missed / trials <= 0.07 + 0.02


def test_few_groups_need_more_items_than_the_normal_distribution_says() -> None:
    normal, few = items_to_decide(0.043, 0.01, 300), items_to_decide(0.043, 0.01, 300, freedom=1)
    assert normal == 0
    assert few is not None
    assert few > 0
