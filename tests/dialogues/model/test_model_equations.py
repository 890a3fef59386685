"""From the outputs of the parts to marks, and where marks fall around them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.dialogues.dialogue import HIGHEST, LOWEST
from vivavoce.dialogues.model.model import Equation
from vivavoce.dialogues.model.training import cross_fit, learn_equation, learn_guess, with_interval
from vivavoce.dialogues.splits import grouped_folds


def simulate(count: int = 600, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return outputs, marks and kinds: marks follow the outputs, people get one point more."""
    chance = np.random.default_rng(seed)
    human = chance.random(count) < 0.3
    outputs = np.stack([chance.normal(size=count) / 2, human + chance.normal(size=count) / 3], axis=1)
    marks = np.clip(2.5 + outputs[:, 0] + human + chance.normal(size=count) / 2, LOWEST, HIGHEST)
    return outputs, marks, human


def test_an_equation_finds_the_weights_that_made_the_marks() -> None:
    outputs, _, human = simulate()
    marks = 2.0 + 1.5 * human + outputs @ [0.5, -0.25]
    found = learn_equation(outputs, marks, human.astype(float))
    assert (found.intercept, found.human) == pytest.approx((2.0, 1.5))
    assert found.weights == pytest.approx([0.5, -0.25])


@pytest.mark.parametrize("kind", [True, False])
def test_with_one_kind_only_that_kind_is_certain_and_the_equation_has_a_solution(kind: bool) -> None:
    outputs, marks, _ = simulate(200)
    human = np.full(200, kind)
    guess = learn_guess(outputs, human)
    assert guess.chance(outputs) == pytest.approx(np.full(200, float(kind)), abs=1e-6)
    equation = learn_equation(outputs, marks, human.astype(float))
    assert np.corrcoef(equation.apply(outputs, human.astype(float)), marks)[0, 1] > 0.5


def test_what_looks_like_a_person_is_guessed_to_be_one() -> None:
    outputs, _, human = simulate()
    chance = learn_guess(outputs, human).chance(outputs)
    assert ((chance >= 0) & (chance <= 1)).all()
    assert chance[human].mean() > 0.8
    assert chance[~human].mean() < 0.2
    assert chance.mean() == pytest.approx(human.mean(), abs=0.02)


@pytest.mark.parametrize("told", [True, False])
def test_a_fold_is_predicted_without_its_own_marks(told: bool) -> None:
    outputs, marks, human = simulate(100)
    folds = grouped_folds(range(100), 4, 0)
    before = cross_fit(outputs, marks, human, folds, is_known=told)
    own = folds[1][1]
    changed = marks.copy()
    changed[own] = 6 - changed[own]
    after = cross_fit(outputs, changed, human, folds, is_known=told)
    assert np.array_equal(before[own], after[own])
    others = np.setdiff1d(np.arange(100), own)
    assert not np.allclose(before[others], after[others])


def test_an_untold_kind_is_not_looked_at_in_the_fold_that_is_predicted() -> None:
    outputs, marks, human = simulate(100)
    folds = grouped_folds(range(100), 4, 0)
    own = folds[0][1]
    changed = human.copy()
    changed[own] = ~changed[own]
    found = [cross_fit(outputs, marks, kinds, folds, is_known=False)[own] for kinds in (human, changed)]
    assert np.array_equal(*found)


def test_eight_of_ten_new_marks_lie_in_their_interval() -> None:
    outputs, marks, human = simulate(3000)
    equation = learn_equation(outputs, marks, human.astype(float))
    equation = with_interval(equation, equation.apply(outputs, human.astype(float)), marks)
    outputs, marks, human = simulate(3000, seed=1)
    low, high = equation.interval(equation.apply(outputs, human.astype(float)))
    assert np.mean((low <= marks) & (marks <= high)) == pytest.approx(0.8, abs=0.04)


@given(st.lists(st.floats(LOWEST, HIGHEST), min_size=1, max_size=20), st.integers(1, 400), st.integers(0, 5))
def test_a_score_lies_in_its_interval_and_the_interval_on_the_scale(
    scores: list[float], count: int, seed: int
) -> None:
    chance = np.random.default_rng(seed)
    marks = chance.integers(1, 6, count).astype(float)
    plain = Equation(0.0, 0.0, np.zeros(2))
    equation = with_interval(plain, np.clip(marks + chance.normal(size=count), LOWEST, HIGHEST), marks)
    ordered = np.sort(scores)
    low, high = equation.interval(ordered)
    assert (low <= ordered).all()
    assert (ordered <= high).all()
    assert (low >= LOWEST).all()
    assert (high <= HIGHEST).all()
    assert (np.diff(low) >= 0).all(), "a higher score never promises less"
    assert (np.diff(high) >= 0).all()


def test_marks_stay_on_the_scale() -> None:
    equation = Equation(3.0, 0.0, np.array([10.0, 0.0]))
    outputs = np.array([[-5.0, 0.0], [0.0, 0.0], [5.0, 0.0]])
    assert equation.apply(outputs, np.zeros(3)).tolist() == [LOWEST, 3.0, HIGHEST]
    assert equation.raw(outputs, np.zeros(3)).tolist() == [-47.0, 3.0, 53.0]
