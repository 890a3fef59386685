from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from vivavoce import statistics
from vivavoce.records import Rate
from vivavoce.statistics import (
    agreement_of_raters,
    holm,
    items_to_decide,
    mcnemar_exact,
    mean_rate,
    rank_auc,
    resamples,
    wilson,
)

pytestmark = pytest.mark.slow

quick = settings(max_examples=60, deadline=None)
counts = st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
levels = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])
scores = st.floats(-5, 5, allow_nan=False).map(lambda value: round(value, 1))


def test_public_names_exist_and_have_a_docstring() -> None:
    for name in statistics.__all__:
        assert getattr(statistics, name).__doc__, name


def test_importing_statistics_does_not_import_scipy() -> None:
    code = "import sys, vivavoce.statistics; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- one share


@quick
@given(counts, levels)
def test_wilson_is_the_interval_of_scipy(count: tuple[int, int], confidence: float) -> None:
    hits, n = count
    ours = wilson(hits, n, confidence)
    theirs = stats.binomtest(hits, n).proportion_ci(confidence, "wilson")
    assert ours.value == hits / n
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@quick
@given(counts, levels)
def test_wilson_contains_the_share_and_stays_between_zero_and_one(count: tuple[int, int], confidence: float) -> None:
    rate = wilson(*count, confidence)
    assert 0 <= rate.low <= rate.value <= rate.high <= 1  # type: ignore[operator]


def test_wilson_of_nothing_has_no_value() -> None:
    assert wilson(0, 0) == Rate(None, None, None, 0)


@pytest.mark.parametrize(("hits", "n"), [(-1, 5), (6, 5), (0, -1)])
def test_an_impossible_count_is_refused(hits: int, n: int) -> None:
    with pytest.raises(ValueError, match="not a valid count"):
        wilson(hits, n)


@pytest.mark.parametrize(("share", "n"), [(0.5, 30), (0.9, 50), (0.97, 200)])
def test_wilson_covers_the_truth_about_as_often_as_promised(share: float, n: int) -> None:
    drawn = np.random.default_rng(3).binomial(n, share, size=4000)
    rates = [wilson(hits, n) for hits in range(n + 1)]
    covered = [rates[hits].low <= share <= rates[hits].high for hits in drawn]
    assert 0.92 <= np.mean(covered) <= 0.98


# --- repeated splits


def test_mean_rate_follows_the_published_formula() -> None:
    values = [0.6, 0.7, 0.8, 0.7]
    rate = mean_rate(values, [20] * 4, [80] * 4)
    half = stats.t.ppf(0.975, 3) * np.std(values, ddof=1) * math.sqrt(1 / 4 + 20 / 80)
    assert rate.value == pytest.approx(0.7)
    assert (rate.low, rate.high) == pytest.approx((0.7 - half, 0.7 + half))
    assert rate.n == 80


def test_mean_rate_leaves_out_retries_without_a_value_and_their_items() -> None:
    with_gap = mean_rate([0.5, None, 0.7], [10, 99, 10], [40, 1, 40])
    assert with_gap == mean_rate([0.5, 0.7], [10, 10], [40, 40])
    assert with_gap.n == 20


def test_mean_rate_of_one_retry_has_no_interval_and_of_none_no_value() -> None:
    assert mean_rate([0.5], [10], [40]) == Rate(0.5, None, None, 10)
    assert mean_rate([None, None], [10, 10], [40, 40]) == Rate(None, None, None, 0)
    assert mean_rate([], [], []) == Rate(None, None, None, 0)


def test_mean_rate_is_clipped_to_its_bounds() -> None:
    assert mean_rate([0.0, 1.0], [10, 10], [10, 10]).high == 1.0
    assert mean_rate([0.0, 1.0], [10, 10], [10, 10], bounds=(-9.0, 9.0)).high > 1.0  # type: ignore[operator]


def test_mean_rate_refuses_lists_that_do_not_belong_together_and_splits_without_training() -> None:
    with pytest.raises(ValueError):
        mean_rate([0.5, 0.6], [10], [40, 40])
    with pytest.raises(ValueError, match="without training items"):
        mean_rate([0.5, 0.6], [10, 10], [0, 0])


@quick
@given(st.lists(scores, min_size=2, max_size=12), st.integers(1, 50), st.integers(1, 200))
def test_more_overlap_never_narrows_the_interval(values: list[float], n_test: int, n_train: int) -> None:
    def width(test: int) -> float:
        rate = mean_rate(values, [test] * len(values), [n_train] * len(values), bounds=(-99, 99))
        return rate.high - rate.low  # type: ignore[operator]

    assert width(n_test + 1) >= width(n_test) - 1e-12


def _holdout_accuracies(trials: int, retries: int, n: int, n_test: int) -> tuple[np.ndarray, float]:
    """Accuracy of nearest-mean on repeated random hold-outs of `trials` data sets, and its true mean."""
    generator = np.random.default_rng(11)
    labels = np.arange(n) % 2
    points = generator.normal(labels * 1.5, 1.0, size=(trials, 1, n))
    rank = generator.random((trials, retries, n)).argsort(axis=2).argsort(axis=2)
    test = rank < n_test

    def centre(label: int) -> np.ndarray:
        used = ~test & (labels == label)
        return np.asarray((points * used).sum(axis=2) / used.sum(axis=2))

    low, high = centre(0), centre(1)
    border, sign = (low + high) / 2, np.sign(high - low)
    right = ((points - border[..., None]) * sign[..., None] > 0) == (labels == 1)
    exact = 0.5 + sign * (stats.norm.cdf(border) - stats.norm.cdf(border - 1.5)) / 2
    return (right & test).sum(axis=2) / n_test, float(exact.mean())


def test_the_corrected_interval_covers_where_the_naive_one_does_not() -> None:
    retries, n, n_test = 10, 60, 12
    accuracies, truth = _holdout_accuracies(1000, retries, n, n_test)
    rates = [mean_rate(list(row), [n_test] * retries, [n - n_test] * retries) for row in accuracies]
    corrected = np.mean([rate.low <= truth <= rate.high for rate in rates])  # type: ignore[operator]
    half = stats.t.ppf(0.975, retries - 1) * accuracies.std(axis=1, ddof=1) / math.sqrt(retries)
    naive = np.mean(np.abs(accuracies.mean(axis=1) - truth) <= half)
    assert 0.90 <= corrected <= 0.99
    assert naive < 0.85


# --- resampling


def test_a_resample_draws_whole_groups_as_many_as_there_are() -> None:
    groups = ["a", "b", "a", "c", "b", "a"]
    for rows in resamples(groups, 50, seed=1):
        drawn = [groups[row] for row in rows]
        assert drawn.count("a") % 3 == 0
        assert drawn.count("b") % 2 == 0
        assert drawn.count("a") / 3 + drawn.count("b") / 2 + drawn.count("c") == 3


def test_strata_keep_their_number_of_groups() -> None:
    strata = ["x", "x", "y", "y", "y", "x"]
    for rows in resamples(range(6), 50, 1, strata):
        assert [strata[row] for row in rows].count("x") == 3


def test_resamples_are_repeatable() -> None:
    first, again, other = (np.concatenate(list(resamples(range(20), 9, seed=seed))) for seed in (5, 5, 6))
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()


def test_no_rows_cannot_be_resampled() -> None:
    with pytest.raises(ValueError, match="no rows"):
        next(resamples([], 1, 0))


def test_groups_cover_clustered_data_where_rows_do_not() -> None:
    generator = np.random.default_rng(7)
    users, each, trials = 40, 5, 120
    groups = np.repeat(np.arange(users), each)

    def covered(values: np.ndarray, by: Sequence[int], seed: int) -> bool:
        low, high = np.quantile([values[rows].mean() for rows in resamples(by, 200, seed)], [0.025, 0.975])
        return bool(low <= 0 <= high)

    hits = np.zeros(2)
    for trial in range(trials):
        values = np.repeat(generator.normal(size=users), each) + generator.normal(size=users * each) / 2
        hits += [covered(values, groups.tolist(), trial), covered(values, range(users * each), trial)]
    by_group, by_row = hits / trials
    assert 0.88 <= by_group <= 0.99
    assert by_row < 0.75


# --- decisions


@quick
@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_is_the_exact_binomial_test_of_scipy(only_a: int, only_b: int) -> None:
    expected = stats.binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0
    assert mcnemar_exact(only_a, only_b) == pytest.approx(expected, rel=1e-9)
    assert mcnemar_exact(only_a, only_b) == mcnemar_exact(only_b, only_a)


def test_mcnemar_refuses_negative_counts() -> None:
    with pytest.raises(ValueError, match="negative"):
        mcnemar_exact(-1, 3)


def _holm_by_closed_testing(p_values: list[float]) -> list[float]:
    """Adjusted p of one hypothesis: the worst Bonferroni p of all sets of hypotheses that contain it."""
    adjusted = []
    for index in range(len(p_values)):
        sets = [s for s in range(1, 2 ** len(p_values)) if s >> index & 1]
        members = [[p for i, p in enumerate(p_values) if s >> i & 1] for s in sets]
        adjusted.append(max(min(1.0, len(group) * min(group)) for group in members))
    return adjusted


@quick
@given(st.lists(st.floats(0, 1), max_size=7))
def test_holm_is_closed_testing_with_bonferroni(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(_holm_by_closed_testing(p_values))


def test_items_to_decide_gives_the_promised_power() -> None:
    more = items_to_decide(0.1, 0.08, 100)
    assert more is not None
    error = 0.08 * math.sqrt(100 / (100 + more))
    draws = np.random.default_rng(1).normal(0.1, error, size=20_000)
    assert np.mean(np.abs(draws) > 1.96 * error) == pytest.approx(0.8, abs=0.01)


def test_items_to_decide_knows_when_it_is_decided_and_when_it_never_will_be() -> None:
    assert items_to_decide(0.1, 0.001, 100) == 0
    assert items_to_decide(0.0, 0.1, 100) is None
    assert items_to_decide(1e-300, 0.1, 100) is None


@quick
@given(st.lists(scores, min_size=1, max_size=40), st.lists(scores, min_size=1, max_size=40))
def test_rank_auc_is_mann_whitney_with_ties_as_one_half(positive: list[float], negative: list[float]) -> None:
    expected = stats.mannwhitneyu(positive, negative, method="asymptotic").statistic
    area = rank_auc(positive, negative)
    assert area == pytest.approx(expected / len(positive) / len(negative))
    assert area == pytest.approx(1 - rank_auc(negative, positive))  # type: ignore[operator]


def test_rank_auc_needs_both_sides() -> None:
    assert rank_auc([], [1.0]) is None
    assert rank_auc([1.0], []) is None


# --- agreement

# Krippendorff (2011), "Computing Krippendorff's alpha-reliability", example C, as used by Gwet (2014):
# four observers, twelve units, missing values. Published: alpha 0.743, agreement 0.818.
FOUR_OBSERVERS: list[list[int | None]] = [
    [1, 1, None, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [None, 5, 5, 5],
    [None, None, 1, 1],
    [None, 3, None, None],
]


def agree(ratings: list[tuple[str, str]]) -> tuple[float | None, float | None]:
    """Return alpha and the share of agreeing pairs of unordered values."""
    agreement = agreement_of_raters([[float(ord(value)) for value in pair] for pair in ratings], ordered=False)
    return agreement.alpha.value, agreement.same.value


def test_points_of_four_observers_agree_as_krippendorff_published() -> None:
    items = [[float(value) for value in item if value is not None] for item in FOUR_OBSERVERS]
    points, names = (agreement_of_raters(items, ordered=ordered) for ordered in (True, False))
    assert points.alpha.value == pytest.approx(0.849, abs=5e-4)
    assert names.alpha.value == pytest.approx(0.743, abs=5e-4)
    assert names.same.value == pytest.approx(0.8181818)
    assert points.alpha.n == 11
    assert points.alpha.low is not None
    assert points.alpha.low <= 0.849 <= (points.alpha.high or 0)


def test_few_items_have_no_interval_and_none_have_no_value() -> None:
    few = agreement_of_raters([(1.0, 2.0), (3.0, 3.0), (5.0,)], ordered=True)
    assert few.near == wilson(2, 2)
    assert few.alpha.low is None
    assert agreement_of_raters([(1.0,)], ordered=True).alpha.value is None
    assert agreement_of_raters([(2.0, 2.0)], ordered=True).alpha.value is None


def test_two_observers_agree_as_krippendorff_published() -> None:
    assert agree(list(zip("aabbdcccedda", "babbbccceddd", strict=True)))[0] == pytest.approx(0.692, abs=5e-4)
    assert agree(list(zip("0100000010", "1110010000", strict=True)))[0] == pytest.approx(0.095, abs=5e-4)


def test_three_by_three_table_agrees_as_gwet_published() -> None:
    cells = {"ee": 13, "aa": 20, "an": 7, "na": 4, "nn": 56}
    ratings = [(pair[0], pair[1]) for pair, count in cells.items() for _ in range(count)]
    assert agree(ratings) == pytest.approx((0.7972585, 0.89), abs=5e-8)


def test_alpha_collapses_where_nearly_all_ratings_are_alike() -> None:
    alpha, same = agree([("+", "+")] * 118 + [("+", "-")] * 5 + [("-", "+")] * 2)
    assert same == pytest.approx(118 / 125)
    assert alpha is not None and alpha < 0  # noqa: PT018
    assert agree([("y", "y")] * 5) == (None, 1.0)


@quick
@given(st.lists(st.lists(st.sampled_from([1.0, 2.0, 3.0]), max_size=3), max_size=12), st.booleans())
def test_agreement_does_not_depend_on_who_is_who_or_on_order(ratings: list[list[float]], ordered: bool) -> None:
    turned = [item[::-1] for item in reversed(ratings)]
    first, second = (agreement_of_raters(items, ordered=ordered) for items in (ratings, turned))
    for name in ("same", "near", "alpha"):
        value = getattr(first, name).value
        assert value == pytest.approx(getattr(second, name).value)
        assert value is None or value <= 1 + 1e-12
