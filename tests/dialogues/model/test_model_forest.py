"""Trees as plain arrays: they must say what scikit-learn's say."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

from vivavoce.dialogues.model.kernel import _BLOCK, Forest, from_sklearn


def grow(
    depth: int | None, *, kind: type = ExtraTreesRegressor, seed: int = 0, trees: int = 5
) -> tuple[object, Forest]:
    chance = np.random.default_rng(seed)
    rows = chance.normal(size=(300, 6))
    targets = np.stack([rows[:, 0] * rows[:, 1], np.sign(rows[:, 2])], axis=1) + chance.normal(size=(300, 2)) / 5
    fitted = kind(n_estimators=trees, max_depth=depth, random_state=seed).fit(rows, targets)
    return fitted, from_sklearn(list(fitted.estimators_))


@pytest.mark.parametrize("depth", [1, 3, None])
@pytest.mark.parametrize("kind", [ExtraTreesRegressor, RandomForestRegressor])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_copied_forest_predicts_what_scikit_learn_predicts(depth: int | None, kind: type, seed: int) -> None:
    fitted, forest = grow(depth, kind=kind, seed=seed)
    rows = np.random.default_rng(seed + 10).normal(size=(500, 6)) * 2
    np.testing.assert_allclose(forest.predict(rows), fitted.predict(rows), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("count", [0, 1, _BLOCK - 1, _BLOCK, _BLOCK + 1, 2 * _BLOCK + 3])
def test_the_border_of_a_block_changes_no_row(count: int) -> None:
    _, forest = grow(4)
    rows = np.random.default_rng(5).normal(size=(count, 6))
    alone = [forest.predict(row[None])[0] for row in rows]
    assert forest.predict(rows).shape == (count, 2)
    assert np.array_equal(forest.predict(rows), np.array(alone).reshape(count, 2))


def test_a_forest_of_leaves_alone_gives_their_mean() -> None:
    rows = np.zeros((10, 3))
    targets = np.arange(20.0).reshape(10, 2)
    fitted = ExtraTreesRegressor(n_estimators=3, random_state=0).fit(rows, targets)
    found = from_sklearn(list(fitted.estimators_)).predict(np.ones((2, 3)))
    np.testing.assert_allclose(found, np.repeat(targets.mean(axis=0)[None], 2, axis=0))


def test_values_as_near_as_numbers_can_be_are_still_parted() -> None:
    # Between two neighbouring single-precision numbers a threshold must not be rounded up to the upper one.
    low = np.float32(1000)
    high = np.nextafter(low, np.float32(2000))
    rows = np.array([[low], [high]] * 20, dtype=np.float64)
    fitted = RandomForestRegressor(n_estimators=1, bootstrap=False).fit(rows, np.array([0.0, 1.0] * 20))
    (tree,) = fitted.estimators_
    for share in (0.1, 0.5, 0.9):
        tree.tree_.threshold[0] = float(low) + share * (float(high) - float(low))
        assert from_sklearn([tree]).predict(rows[:2]).ravel().tolist() == [0.0, 1.0]


def test_infinite_features_arrive_somewhere() -> None:
    _, forest = grow(None)
    assert np.isfinite(forest.predict(np.array([[np.inf] * 6, [-np.inf] * 6]))).all()
