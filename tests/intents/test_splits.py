"""Splits with plausible negatives: what must hold for every division of any data."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from vivavoce.errors import UsageError
from vivavoce.intents.splits import (
    PAPER_SETTINGS,
    Design,
    Partition,
    Setting,
    Singletons,
    Split,
    SplitPlan,
)

Rows = NDArray[np.intp]
labels_of_rows = st.lists(st.integers(-1, 6), min_size=4, max_size=40).map(lambda x: np.array(x, dtype=np.intp))
settings = st.builds(Setting, k=st.integers(0, 8)) | st.builds(Setting, p=st.sampled_from([0.0, 0.1, 0.15, 0.3, 0.5]))
designs = st.builds(
    Design,
    setting=settings,
    retries=st.just(6),
    test_fraction=st.sampled_from([0.1, 0.2, 0.25, 0.34, 0.5]),
    partition=st.sampled_from(Partition),
    singletons=st.sampled_from(Singletons),
    seed=st.integers(0, 5),
)
PLAIN = Setting()
FLAT = np.repeat(np.arange(8), 5)
TAIL = np.repeat(np.arange(6), [20, 10, 6, 4, 3, 2])


@st.composite
def plans(draw: st.DrawFn, chosen: st.SearchStrategy[Design] = designs, *, grouped: bool = True) -> SplitPlan:
    labels = draw(labels_of_rows)
    few = st.lists(st.integers(0, len(labels)), min_size=len(labels), max_size=len(labels))
    groups = np.array(draw(few), dtype=np.intp) if grouped and draw(st.booleans()) else None
    try:
        return SplitPlan(labels, draw(chosen), groups)
    except UsageError:
        assume(False)
        raise


def trained_topics(plan: SplitPlan, split: Split) -> set[int]:
    return set(plan.labels[split.train].tolist())


# What holds for every split


@given(plans())
def test_no_row_is_trained_and_tested(plan: SplitPlan) -> None:
    for split in plan:
        assert not set(split.train) & set(split.test)
        for rows in (split.train, split.test, split.excluded):
            assert len(set(rows)) == len(rows)


@given(plans())
def test_no_group_stands_on_both_sides(plan: SplitPlan) -> None:
    for split in plan:
        assert not set(plan.groups[split.train]) & set(plan.groups[split.test])


@given(plans())
def test_no_topic_is_tested_that_was_not_trained(plan: SplitPlan) -> None:
    for split in plan:
        tested = set(plan.labels[split.test[~split.negative]].tolist())
        untrained = tested - trained_topics(plan, split)
        if plan.design.singletons is Singletons.TEST:
            untrained -= set(plan.singletons.tolist())
        assert not untrained


@given(plans())
def test_the_topic_of_a_negative_has_no_training_row(plan: SplitPlan) -> None:
    for split in plan:
        held_out = set(plan.labels[split.test[split.negative]].tolist())
        assert not held_out & trained_topics(plan, split)


@given(plans())
def test_out_of_scope_rows_are_never_trained_and_always_negative(plan: SplitPlan) -> None:
    for split in plan:
        assert -1 not in plan.labels[split.train]
        assert split.negative[plan.labels[split.test] == -1].all()


@given(plans())
def test_only_small_topics_and_out_of_scope_rows_are_negatives(plan: SplitPlan) -> None:
    smallest_large = max((plan.sizes[topic] for topic in plan.low_topics()), default=0)
    for split in plan:
        origins = plan.labels[split.test[split.negative]]
        assert all(origin == -1 or plan.sizes[origin] <= smallest_large for origin in origins)
        assert split.negative.sum() == len(origins)


@given(plans())
def test_every_topic_that_is_not_held_out_or_dropped_is_trained(plan: SplitPlan) -> None:
    leaves = plan.design.singletons in (Singletons.TEST, Singletons.DROP)
    for split in plan:
        held_out = set(plan.labels[np.r_[split.test[split.negative], split.excluded]].tolist())
        gone = set(plan.singletons.tolist()) if leaves else set()
        expected = set(np.flatnonzero(plan.sizes).tolist()) - held_out - gone
        assert expected <= trained_topics(plan, split)


@given(plans())
def test_what_is_excluded_has_its_duplicate_in_training(plan: SplitPlan) -> None:
    for split in plan:
        assert set(plan.groups[split.excluded]) <= set(plan.groups[split.train])
        assert not set(split.excluded) & (set(split.train) | set(split.test))


@given(plans())
def test_a_split_is_the_same_bytes_however_often_it_is_drawn(plan: SplitPlan) -> None:
    again = list(SplitPlan(plan.labels, plan.design, plan.groups))
    assert len(again) == len(plan) == plan.design.retries
    # Also out of order: a unit of work draws its own split.
    for retry in (5, 0, 3):
        one, other = plan.split(retry), again[retry]
        assert other.retry == retry
        for name in ("train", "test", "negative", "excluded"):
            assert getattr(one, name).tobytes() == getattr(other, name).tobytes()


@pytest.mark.parametrize("partition", Partition)
def test_another_seed_draws_other_splits(partition: Partition) -> None:
    design = Design(Setting(0, 0.15), retries=3, partition=partition)
    one, other = (SplitPlan(TAIL, replace(design, seed=seed)) for seed in (0, 1))
    assert any(a.test.tolist() != b.test.tolist() for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("partition", Partition)
def test_retries_differ_from_each_other(partition: Partition) -> None:
    splits = list(SplitPlan(TAIL, Design(retries=10, partition=partition)))
    assert len({split.test.tobytes() for split in splits}) > 8


# Rotating folds


@given(
    plans(designs.map(lambda d: replace(d, partition=Partition.KFOLD, setting=Setting(d.setting.k))), grouped=False)
)
def test_each_row_of_a_large_topic_is_tested_exactly_once_in_a_turn(plan: SplitPlan) -> None:
    plan = SplitPlan(plan.labels, replace(plan.design, retries=2 * plan.design.folds))
    large = np.setdiff1d(np.flatnonzero(plan.sizes > 1), plan.low_topics())
    expected = np.isin(plan.labels, large)
    splits = list(plan)
    for turn in (splits[: plan.design.folds], splits[plan.design.folds :]):
        times = np.zeros(len(plan.labels), dtype=int)
        for split in turn:
            times[split.test[~split.negative]] += 1
        assert (times[expected] == 1).all()


@hypothesis_settings(deadline=None, max_examples=60)
@given(plans(designs.map(lambda d: replace(d, partition=Partition.KFOLD, setting=Setting(d.setting.k)))))
def test_no_row_is_tested_as_itself_twice_in_a_turn_and_what_is_not_tested_has_a_reason(plan: SplitPlan) -> None:
    plan = SplitPlan(plan.labels, replace(plan.design, retries=plan.design.folds), plan.groups)
    times, trained, excluded = (np.zeros(len(plan.labels), dtype=int) for _ in range(3))
    for split in plan:
        times[split.test[~split.negative]] += 1
        trained[split.train] += 1
        excluded[split.excluded] += 1
    if plan.design.singletons is not Singletons.TEST:
        assert times.max() <= 1
    large = np.isin(plan.labels, np.setdiff1d(np.flatnonzero(plan.sizes > 1), plan.low_topics()))
    # Never tested: it was needed for training every time, or its duplicate stood on the other side.
    assert ((times > 0) | (trained == plan.design.folds) | (excluded > 0))[large].all()


@pytest.mark.parametrize("setting", [Setting(4), Setting(0, 0.15)])
def test_each_small_topic_is_a_negative_in_its_turn(setting: Setting) -> None:
    labels = np.repeat(np.arange(16), [3] * 10 + [30] * 6)
    plan = SplitPlan(labels, Design(setting, retries=5))
    held_out = [set(labels[split.test[split.negative]].tolist()) for split in plan]
    assert all(held_out)
    for one in range(5):
        for other in range(one):
            assert not held_out[one] & held_out[other]
    if setting.k:
        assert set().union(*held_out) == set(range(10))


def test_fewer_small_topics_than_folds_take_turns() -> None:
    plan = SplitPlan(TAIL, Design(Setting(4), retries=10))
    held_out = [set(TAIL[split.test[split.negative]].tolist()) for split in plan]
    assert all(len(topics) == 1 for topics in held_out)
    assert set().union(*held_out) == {4, 5}


def test_folds_are_even_and_stratified() -> None:
    labels = np.repeat(np.arange(10), 7)
    splits = list(SplitPlan(labels, Design(retries=5)))
    assert {len(split.test) for split in splits} == {14}
    for split in splits:
        assert set(np.bincount(labels[split.test], minlength=10)) <= {1, 2}


@pytest.mark.parametrize(("fraction", "folds"), [(0.2, 5), (0.1, 10), (0.5, 2), (0.34, 3), (0.9, 2)])
def test_the_test_fraction_says_how_many_folds_there_are(fraction: float, folds: int) -> None:
    assert Design(test_fraction=fraction).folds == folds


# Independent draws


@given(
    st.lists(st.integers(2, 120), min_size=1, max_size=5),
    st.integers(1, 99).map(lambda percent: percent / 100),
    st.integers(0, 3),
)
@example([100, 50], 0.29, 0)
def test_a_random_draw_tests_the_whole_part_of_n_t_and_at_least_one(sizes: list[int], t: float, seed: int) -> None:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    plan = SplitPlan(labels, Design(retries=2, test_fraction=t, partition=Partition.RANDOM, seed=seed))
    exact = Fraction(str(t))
    expected = [max(1, int(exact * size)) for size in sizes]
    for split in plan:
        assert np.bincount(labels[split.test], minlength=len(sizes)).tolist() == expected
        assert len(split.train) + len(split.test) == len(labels)


def test_a_random_draw_gives_the_test_counts_of_the_paper() -> None:
    sizes = [2, 3, 4, 5, 9, 10, 14, 15]
    labels = np.repeat(np.arange(8), sizes)
    split = SplitPlan(labels, Design(partition=Partition.RANDOM)).split(0)
    assert np.bincount(labels[split.test]).tolist() == [1, 1, 1, 1, 1, 2, 2, 3]


def test_a_random_draw_holds_out_its_share_of_small_topics() -> None:
    labels = np.repeat(np.arange(13), [2] * 11 + [30, 30])
    for split in SplitPlan(labels, Design(Setting(3), partition=Partition.RANDOM)):
        assert len(set(labels[split.test[split.negative]].tolist())) == 2


# Classes of two and duplicates


@pytest.mark.parametrize("partition", Partition)
def test_a_topic_of_two_keeps_one_row_for_training(partition: Partition) -> None:
    labels = np.array([0, 0, 1, 1, 2, 2, 2])
    for split in SplitPlan(labels, Design(retries=20, partition=partition)):
        assert trained_topics(SplitPlan(labels, Design()), split) == {0, 1, 2}


@pytest.mark.parametrize("partition", Partition)
def test_a_topic_that_is_one_group_is_trained_and_never_tested(partition: Partition) -> None:
    labels, groups = np.array([0, 0, 0, 1, 1, 1, 1, 1]), np.array([0, 0, 0, 1, 2, 3, 4, 5])
    for split in SplitPlan(labels, Design(retries=10, partition=partition), groups):
        assert {0, 1, 2} <= set(split.train)


def test_group_numbers_may_be_anything() -> None:
    labels = np.array([0, 0, 0, 1, 1, 1])
    plan = SplitPlan(labels, Design(), np.array([900, -5, 900, 7, 7, 3]))
    for split in plan:
        assert not {0, 2} & set(split.train) or not {0, 2} & set(split.test)


# Which topics are small


def test_k_takes_topics_with_fewer_examples_than_k() -> None:
    for k, low in ((2, []), (3, [5]), (4, [4, 5]), (5, [3, 4, 5]), (6, [3, 4, 5]), (7, [2, 3, 4, 5])):
        assert SplitPlan(TAIL, Design(Setting(k))).low_topics().tolist() == low


def test_p_takes_the_rarest_until_the_share_is_reached_and_the_last_crosses_it() -> None:
    # 45 rows; the rarest topics have 2, 3, 4, 6 of them: running shares 4 %, 11 %, 20 %, 33 %.
    for p, low in ((0.0, []), (0.01, [5]), (2 / 45, [5]), (0.05, [4, 5]), (0.15, [3, 4, 5]), (0.21, [2, 3, 4, 5])):
        plan = SplitPlan(TAIL, Design(Setting(0, p)))
        assert sorted(plan.low_topics()) == low
        assert plan.share_low == pytest.approx(sum(plan.sizes[low]) / 45)


@given(plans(designs.map(lambda d: replace(d, singletons=Singletons.TRAIN)), grouped=False))
def test_the_share_reached_is_at_least_p_and_without_the_last_topic_below(plan: SplitPlan) -> None:
    p = plan.design.setting.p
    assume(p > 0)
    low = plan.low_topics()
    known = plan.sizes.sum()
    assert plan.sizes[low].sum() >= p * known
    assert plan.sizes[low].sum() - plan.sizes[low].max() < p * known


def test_out_of_scope_rows_do_not_count_towards_p() -> None:
    labels = np.r_[TAIL, np.full(400, -1)]
    assert sorted(SplitPlan(labels, Design(Setting(0, 0.15))).low_topics()) == [3, 4, 5]


def test_ties_at_the_border_are_broken_by_the_seed_for_each_turn() -> None:
    def negatives(seed: int) -> list[frozenset[int]]:
        plan = SplitPlan(FLAT, Design(Setting(0, 0.15), retries=50, seed=seed))
        return [frozenset(FLAT[split.test[split.negative]].tolist()) for split in plan]

    assert negatives(0) == negatives(0)
    assert negatives(0) != negatives(1)
    # All eight topics are alike, so that each of them is a negative now and then.
    assert len(frozenset().union(*negatives(0))) == 8


def test_ties_change_which_topics_are_small_but_not_how_many_rows() -> None:
    plan = SplitPlan(FLAT, Design(Setting(0, 0.15)))
    drawn = [plan.low_topics(np.random.default_rng(seed)) for seed in range(20)]
    assert {plan.sizes[low].sum() for low in drawn} == {10}
    assert len({tuple(sorted(low)) for low in drawn}) > 1


@pytest.mark.parametrize(("setting", "plain"), [(Setting(), True), (Setting(2), True), (Setting(3), False)])
def test_a_setting_without_small_topics_says_that_it_is_plain(setting: Setting, plain: bool) -> None:
    plan = SplitPlan(TAIL, Design(setting))
    assert plan.is_plain == plain
    assert any(split.negative.any() for split in plan) != plain


# Topics with one example


@pytest.fixture
def lonely() -> Rows:
    return np.array([0] * 6 + [1] * 6 + [2] + [3])


def seen(labels: Rows, policy: Singletons, setting: Setting = PLAIN) -> dict[str, set[int]]:
    """Where the two lonely rows were found over two turns."""
    found: dict[str, set[int]] = {"trained": set(), "tested": set(), "negative": set()}
    for split in SplitPlan(labels, Design(setting, singletons=policy)):
        found["trained"] |= set(split.train.tolist()) & {12, 13}
        found["tested"] |= set(split.test[~split.negative].tolist()) & {12, 13}
        found["negative"] |= set(split.test[split.negative].tolist()) & {12, 13}
    return found


@pytest.mark.parametrize(
    ("policy", "where"),
    [
        (Singletons.TRAIN, {"trained"}),
        (Singletons.TEST, {"tested"}),
        (Singletons.NEGATIVE, {"trained", "negative"}),
        (Singletons.DROP, set()),
    ],
)
def test_each_policy_puts_lonely_rows_in_their_place(lonely: Rows, policy: Singletons, where: set[str]) -> None:
    found = seen(lonely, policy)
    assert {place for place, rows in found.items() if rows == {12, 13}} == where
    assert all(not rows for place, rows in found.items() if place not in where)


def test_under_the_test_policy_lonely_rows_are_tested_in_every_split(lonely: Rows) -> None:
    for split in SplitPlan(lonely, Design(singletons=Singletons.TEST)):
        assert {12, 13} <= set(split.test.tolist())


def test_small_lonely_topics_are_negatives_like_any_other(lonely: Rows) -> None:
    found = seen(lonely, Singletons.TRAIN, Setting(2))
    assert found["negative"] == found["trained"] == {12, 13}
    assert not found["tested"]


@pytest.mark.parametrize("labels", [np.arange(5), np.full(5, -1), np.empty(0, dtype=np.intp)])
@pytest.mark.parametrize("setting", [Setting(), Setting(0, 0.15), Setting(5)])
def test_lonely_topics_alone_or_no_topics_at_all_are_refused(labels: Rows, setting: Setting) -> None:
    with pytest.raises(UsageError, match="leaves no topic to test"):
        SplitPlan(labels, Design(setting))


@pytest.mark.parametrize("setting", [Setting(6), Setting(0, 0.95)])
def test_a_setting_that_leaves_no_large_topic_is_refused(setting: Setting) -> None:
    with pytest.raises(UsageError, match="lower K or P"):
        SplitPlan(FLAT, Design(setting))


# What is refused


@pytest.mark.parametrize(
    ("k", "p", "what"),
    [
        (5, 0.15, "sets both K and P, but only one is allowed"),
        (0, 1.0, "P must be"),
        (0, 1.5, "P must be"),
        (0, -0.1, "P must be"),
        (0, float("nan"), "P must be"),
        (-1, 0.0, "K must be"),
        (2.5, 0.0, "K must be"),
    ],
)
def test_settings_that_mean_nothing_are_refused(k: int, p: float, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        Setting(k, p)


@pytest.mark.parametrize(
    "options", [{"retries": 0}, {"test_fraction": 0.0}, {"test_fraction": 1.0}, {"test_fraction": float("nan")}]
)
def test_designs_that_mean_nothing_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        Design(**options)  # type: ignore[arg-type]


@given(settings)
def test_a_setting_can_be_read_back_as_it_is_written(setting: Setting) -> None:
    assert Setting.parse(str(setting)) == setting
    assert Setting.parse(f"{setting.k},{setting.p}") == setting


@pytest.mark.parametrize("text", ["", "5", "a,b", "5;0", "0.15,5.5.5"])
def test_what_is_no_setting_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match="is not a setting") as caught:
        Setting.parse(text)
    assert "0,0.15" in caught.value.remedy


def test_the_settings_of_the_paper() -> None:
    assert [(setting.k, setting.p) for setting in PAPER_SETTINGS] == [(0, 0.0), (0, 0.15), (5, 0.0)]
