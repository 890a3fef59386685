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


def subset(labels: Labels, keep: int, share: float, seed: int) -> tuple[NDArray[np.intp], Labels, Labels]:
    """Choose some classes and some of their rows: the rows, the classes and the new label of each row."""
    rng = np.random.default_rng(seed)
    chosen = rng.choice(int(labels.max()) + 1, keep, replace=False)
    rows = np.flatnonzero(np.isin(labels, chosen))
    rows = rows[rng.random(len(rows)) < share]
    classes, codes = np.unique(labels[rows], return_inverse=True)
    return rows, classes, codes


@pytest.mark.parametrize(("rows", "features", "classes", "C"), PROBLEMS)
def test_it_agrees_with_scikit_learn(rows: int, features: int, classes: int, C: float) -> None:
    vectors, labels = problem(rows, features, classes)
    asked = np.r_[vectors, problem(rows, features, classes, seed=1)[0]]
    basis, solution = solved(vectors, labels, C, tolerance=1e-9)
    # For two classes scikit-learn fits one weight vector, which halves the penalty of the same model.
    expected = reference(vectors, labels, C if classes > 2 else 2 * C).predict_proba(asked)
    found = solution.probabilities(basis.rotate(asked))
    assert np.abs(found - expected).max() < 1e-3
    assert (found.argmax(axis=1) == expected.argmax(axis=1)).all()


@pytest.mark.parametrize(("rows", "features", "classes", "C"), PROBLEMS)
def test_the_default_tolerance_chooses_as_scikit_learn_does(rows: int, features: int, classes: int, C: float) -> None:
    vectors, labels = problem(rows, features, classes)
    basis, solution = solved(vectors, labels, C, tolerance=logistic.TOLERANCE)
    expected = reference(vectors, labels, C if classes > 2 else 2 * C).predict_proba(vectors)
    found = solution.probabilities(basis.rotate(vectors))
    assert np.abs(found - expected).max() < 0.02
    assert (found.argmax(axis=1) == expected.argmax(axis=1)).mean() > 0.98


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("rows", "features", "classes", "C"), PROBLEMS[1:])
def test_a_warm_start_on_part_of_classes_and_rows_ends_where_a_cold_start_ends(
    rows: int, features: int, classes: int, C: float, seed: int
) -> None:
    vectors, labels = problem(rows, features, classes)
    basis = Basis.of(vectors)
    rotated = basis.rotate(vectors)
    landmark = Landmark.of(rotated, labels, classes, basis, C=C)
    chosen, columns, codes = subset(labels, max(2, classes - 2), 0.8, seed)
    start, metric = landmark.part(columns)
    assert start.shape == (features + 1, len(columns))
    warm = fit(rotated[chosen], codes, len(columns), basis, C=C, tolerance=1e-8, start=start, metric=metric)
    cold = fit(rotated[chosen], codes, len(columns), basis, C=C, tolerance=1e-8)
    asked = basis.rotate(problem(rows, features, classes, seed=1)[0])
    one, other = warm.probabilities(asked), cold.probabilities(asked)
    assert np.abs(one - other).max() < 5e-3
    assert (one.argmax(axis=1) == other.argmax(axis=1)).all()


def test_a_warm_start_saves_evaluations() -> None:
    vectors, labels = problem(600, 30, 20)
    basis = Basis.of(vectors)
    rotated = basis.rotate(vectors)
    landmark = Landmark.of(rotated, labels, 20, basis, C=20.0)
    chosen, columns, codes = subset(labels, 18, 0.8, 0)
    start, metric = landmark.part(columns)
    warm = fit(rotated[chosen], codes, len(columns), basis, C=20.0, start=start, metric=metric)
    cold = fit(rotated[chosen], codes, len(columns), basis, C=20.0)
    assert warm.evaluations < cold.evaluations


def test_without_memory_for_the_metric_the_landmark_is_a_start_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, labels = problem(120, 10, 5)
    basis = Basis.of(vectors)
    rotated = basis.rotate(vectors)
    monkeypatch.setattr(logistic, "MAX_METRIC_BYTES", 0)
    landmark = Landmark.of(rotated, labels, 5, basis, C=20.0)
    start, metric = landmark.part(np.arange(5))
    assert metric is None
    warm = fit(rotated, labels, 5, basis, C=20.0, tolerance=1e-8, start=start)
    cold = fit(rotated, labels, 5, basis, C=20.0, tolerance=1e-8)
    assert np.abs(warm.probabilities(rotated) - cold.probabilities(rotated)).max() < 2e-3


def test_a_fit_leaves_its_start_untouched() -> None:
    vectors, labels = problem(60, 5, 3)
    basis = Basis.of(vectors)
    start = np.ones((6, 3), dtype=np.float32)
    fit(basis.rotate(vectors), labels, 3, basis, C=1.0, start=start)
    assert (start == 1).all()


def test_the_intercept_is_not_penalised() -> None:
    # All vectors are alike, so only the intercepts can tell: they must reach the shares of the classes.
    labels = np.array([0] * 70 + [1] * 25 + [2] * 5)
    vectors = np.zeros((100, 4), dtype=np.float32)
    basis, solution = solved(vectors, labels, C=1e-6)
    assert solution.probabilities(basis.rotate(vectors[:1]))[0] == pytest.approx([0.7, 0.25, 0.05], abs=1e-3)


def test_everything_but_the_intercept_is_penalised() -> None:
    vectors, labels = problem(100, 5, 3)
    basis, solution = solved(vectors, labels, C=1e-6)
    shares = np.bincount(labels) / len(labels)
    assert solution.probabilities(basis.rotate(vectors)) == pytest.approx(np.tile(shares, (100, 1)), abs=5e-3)


@pytest.mark.parametrize(("rows", "features", "classes", "C"), PROBLEMS)
def test_the_tolerance_bounds_the_distance_to_the_optimum(rows: int, features: int, classes: int, C: float) -> None:
    vectors, labels = problem(rows, features, classes)
    basis, best = solved(vectors, labels, C, tolerance=1e-9)
    optimum = objective(vectors, labels, basis, best, C)
    for tolerance in (1e-3, 1e-4, 1e-5, 1e-6):
        _, solution = solved(vectors, labels, C, tolerance)
        value = objective(vectors, labels, basis, solution, C)
        assert solution.decrement <= tolerance * value * 1.001
        # The decrement is an estimate by the metric; the true distance is of its order.
        assert value - optimum <= 30 * tolerance * optimum


def test_a_tighter_tolerance_takes_more_evaluations_and_gets_nearer() -> None:
    vectors, labels = problem(200, 8, 12)
    basis, _ = solved(vectors, labels, 5.0)
    runs = [solved(vectors, labels, 5.0, tolerance)[1] for tolerance in (1e-2, 1e-4, 1e-6)]
    values = [objective(vectors, labels, basis, run, 5.0) for run in runs]
    assert runs[0].evaluations < runs[1].evaluations < runs[2].evaluations
    assert values[0] > values[1] > values[2]


@pytest.mark.parametrize("C", [1e4, 1e6, 1e8])
@pytest.mark.parametrize(("rows", "features", "classes"), [(40, 90, 4), (120, 10, 5), (60, 5, 2)])
def test_hardly_any_penalty_stays_within_single_precision(rows: int, features: int, classes: int, C: float) -> None:
    vectors, labels = problem(rows, features, classes)
    basis = Basis.of(vectors)
    rotated = basis.rotate(vectors)
    landmark = Landmark.of(rotated, labels, classes, basis, C=C)
    start, metric = landmark.part(np.arange(classes))
    for solution in (
        fit(rotated, labels, classes, basis, C=C),
        fit(rotated, labels, classes, basis, C=C, start=start, metric=metric),
    ):
        chances = solution.probabilities(rotated)
        assert np.isfinite(solution.weights).all()
        assert chances.sum(axis=1) == pytest.approx(np.ones(rows), abs=1e-5)
        assert (chances.argmax(axis=1) == labels).mean() > 0.95
        assert solution.evaluations <= logistic.MAX_EVALUATIONS + logistic.MAX_HALVINGS


def test_vectors_of_any_size_are_borne() -> None:
    vectors, labels = problem(100, 5, 3)
    for scale in (1e-4, 1e3):
        basis, solution = solved(vectors * np.float32(scale), labels, C=20.0)
        assert np.isfinite(solution.probabilities(basis.rotate(vectors * np.float32(scale)))).all()


def test_the_same_problem_gives_the_same_bits() -> None:
    vectors, labels = problem(900, 20, 6)
    basis, one = solved(vectors, labels, 20.0)
    _, other = solved(vectors, labels, 20.0)
    assert one.weights.tobytes() == other.weights.tobytes()
    marks = [Landmark.of(basis.rotate(vectors), labels, 6, basis, C=20.0) for _ in range(2)]
    assert marks[0].weights.tobytes() == marks[1].weights.tobytes()


def test_one_class_is_certain() -> None:
    vectors, _ = problem(10, 3, 2)
    basis, solution = solved(vectors, np.zeros(10, dtype=np.intp), 20.0)
    assert (solution.probabilities(basis.rotate(vectors)) == 1).all()


def test_rotating_keeps_all_distances() -> None:
    vectors, _ = problem(30, 7, 3)
    basis = Basis.of(vectors)
    rotated = basis.rotate(vectors)
    assert rotated @ rotated.T == pytest.approx(vectors @ vectors.T + 1, abs=1e-4)
    assert basis.intercept @ basis.intercept == pytest.approx(1, abs=1e-5)
    # In this basis the Gram matrix is diagonal: that is what the metric is built on.
    assert rotated.T @ rotated / 30 == pytest.approx(np.diag(basis.eigenvalues), abs=1e-4)


def test_the_metric_is_the_inverse_hessian_at_zero() -> None:
    vectors, _ = problem(50, 4, 3)
    basis = Basis.of(vectors)
    gradient = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    hessian = basis.eigenvalues[:, None] * (2 / 9) + 0.01
    assert DiagonalMetric.of(basis, 3, 0.01).apply(gradient) == pytest.approx(gradient / hessian, rel=1e-4)


def test_probabilities_bear_enormous_scores() -> None:
    rows = softmax(np.array([[1e30, 0, -1e30], [5, 5, 5]], dtype=np.float32))
    assert rows == pytest.approx(np.array([[1, 0, 0], [1 / 3, 1 / 3, 1 / 3]]))
