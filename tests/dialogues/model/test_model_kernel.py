"""Talks like this one: scales and kernel ridge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.kernel_ridge import KernelRidge

from vivavoce.dialogues.model.kernel import Scales, learn_kernel, learn_scales, nearness

NUMBERS = st.floats(-1e6, 1e6)


def spread(seed: int = 0, count: int = 200) -> np.ndarray:
    """Return features of different kinds: normal, skewed, counted with many equal values, constant."""
    chance = np.random.default_rng(seed)
    columns = [
        chance.normal(size=count),
        chance.lognormal(size=count),
        chance.poisson(0.5, count),
        np.full(count, 3.0),
    ]
    return np.stack([np.asarray(column, dtype=float) for column in columns], axis=1)


SCALES = learn_scales(spread())


@pytest.mark.parametrize(("width", "smoothing"), [(0.001, 2.0), (0.1, 0.5), (1.0, 1.0)])
def test_the_kernel_predicts_what_scikit_learn_predicts(width: float, smoothing: float) -> None:
    chance = np.random.default_rng(1)
    rows, new = chance.normal(size=(120, 7)).astype(np.float32), chance.normal(size=(40, 7)).astype(np.float32)
    targets = np.stack([rows[:, 0] ** 2, rows[:, 1] + 5], axis=1).astype(float)
    found = learn_kernel(rows, targets, width, smoothing).predict(new)
    centre = targets.mean(axis=0)
    fitted = KernelRidge(alpha=smoothing, kernel="rbf", gamma=width).fit(rows, targets - centre)
    np.testing.assert_allclose(found, fitted.predict(new) + centre, rtol=1e-3, atol=1e-3)


def test_a_row_is_as_near_as_can_be_to_itself_and_less_to_others() -> None:
    rows = np.random.default_rng(2).normal(size=(20, 5)).astype(np.float32)
    table = nearness(rows, rows, 0.1)
    np.testing.assert_allclose(np.diag(table), 1, atol=1e-6)
    np.testing.assert_allclose(table, table.T, atol=1e-6)
    assert (table <= 1).all()
    assert (table > 0).all()


@given(NUMBERS, NUMBERS)
def test_a_larger_value_never_gets_a_lower_place(one: float, other: float) -> None:
    low, high = SCALES.apply(np.array([[min(one, other)] * 4, [max(one, other)] * 4]))
    assert (low <= high).all()


@given(st.lists(NUMBERS, min_size=4, max_size=4))
def test_no_value_lies_farther_out_than_the_farthest_one_seen(values: list[float]) -> None:
    found = SCALES.apply(np.array([values]))
    assert (np.abs(found) <= np.float32(SCALES.places[-1])).all()


def test_an_outlier_is_placed_with_the_farthest_one_seen() -> None:
    rows = spread()
    most, beyond = SCALES.apply(np.array([rows.max(axis=0), rows.max(axis=0) * 1e9]))
    np.testing.assert_allclose(beyond[:2], most[:2], atol=1e-5)
    assert (beyond <= np.float32(SCALES.places[-1])).all()


def test_places_are_about_normal_and_a_feature_that_never_varies_says_nothing() -> None:
    found = SCALES.apply(spread())
    assert abs(found[:, :2].mean()) < 0.05
    assert found[:, :2].std() == pytest.approx(1, abs=0.1)
    assert (found[:, 3] == 0).all()
    assert (SCALES.apply(np.full((1, 4), 99.0))[:, 3] == 0).all()


def test_a_value_that_many_talks_share_lies_in_the_middle_of_them() -> None:
    rows = np.repeat([0.0, 1.0], [100, 100])[:, None]
    low, high = learn_scales(rows).apply(np.array([[0.0], [1.0]])).ravel()
    assert low == pytest.approx(-high, abs=0.1)
    assert high > 0


def test_the_typical_value_lies_in_the_middle() -> None:
    rows = spread()
    assert (np.mean(rows <= SCALES.typical, axis=0) >= 0.5).all()
    assert (np.mean(rows >= SCALES.typical, axis=0) >= 0.45).all()
    assert isinstance(SCALES, Scales)
