"""L2 multinomial logistic regression on dense vectors, fitted to its unique optimum in float32.

The objective is scikit-learn's for three classes or more: mean log loss + |W|² / (2 C n), the intercept not
penalised. (For two classes scikit-learn keeps one column of weights: the same C penalises half as much here.) It is
strictly convex up to a shift of the intercepts, so where a fit starts changes the time it takes, not what it finds;
`tolerance` bounds how far from the optimum it may stop.

Why an own solver: an exam fits dozens of models to vectors that stay the same. Rows are rotated once into the
eigenbasis of their Gram matrix, in which the Hessian at zero is diagonal: a good metric for L-BFGS when nothing
else is known. Once all rows have been fitted, the Hessian of each class at that solution is inverted and serves
as the metric of every split (`Landmark`): a split then takes about ten evaluations instead of a hundred.
Rows are visited in blocks that fit the cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Labels = NDArray[np.intp]
Logits = TypeVar("Logits", NDArray[np.float32], NDArray[np.float64])

BLOCK = 768
MEMORY = 10
MAX_EVALUATIONS = 500
MAX_HALVINGS = 12
TOLERANCE = 2e-5
# How near the solution on all rows must be before its Hessian is worth inverting.
NEAR = 1e-3
# Rows whose weight p(1-p) in a class is lighter than this count only in sum.
LIGHT = 2e-3
RIDGE = np.float32(1e-7)
MAX_METRIC_BYTES = 600_000_000
_ARMIJO = 1e-4
_FLOAT32_SLACK = 1e-7


@dataclass(frozen=True, eq=False)
class Basis:
    """Rows with an intercept column, rotated into the eigenbasis of their Gram matrix."""

    rotation: Matrix
    eigenvalues: Matrix

    @classmethod
    def of(cls, vectors: Matrix) -> Basis:
        """Find the eigenbasis of these rows (with their intercept column)."""
        rows = _with_intercept(vectors)
        gram = (rows.T @ rows).astype(np.float64) / max(len(rows), 1)
        values, rotation = np.linalg.eigh(gram)
        return cls(rotation.astype(np.float32), np.maximum(values, 0.0).astype(np.float32))

    def rotate(self, vectors: Matrix) -> Matrix:
        """Return the rows in this basis."""
        return np.ascontiguousarray(_with_intercept(vectors) @ self.rotation)

    @property
    def intercept(self) -> Matrix:
        """The direction of the intercept in this basis."""
        return np.asarray(self.rotation[-1])


def _with_intercept(vectors: Matrix) -> Matrix:
    ones = np.ones((len(vectors), 1), dtype=np.float32)
    return np.hstack([np.asarray(vectors, dtype=np.float32), ones])


class Metric(Protocol):
    """An approximate inverse Hessian: turns a gradient into a direction."""

    def apply(self, gradient: Matrix) -> Matrix:
        """Return the inverse Hessian times the gradient."""


@dataclass(frozen=True, eq=False)
class DiagonalMetric:
    """The inverse Hessian at zero weights, diagonal in the eigenbasis.

    `free`: what the intercept is spared of a heavy penalty.
    """

    scale: Matrix
    free: Matrix | None = None

    @classmethod
    def of(cls, basis: Basis, n_classes: int, penalty: float) -> DiagonalMetric:
        """Build the metric of a problem with this many classes."""
        curvature = basis.eigenvalues * np.float32((n_classes - 1) / n_classes**2)
        scale = 1.0 / (curvature + np.float32(penalty))
        free = None
        if penalty > curvature.max() > 0:
            # The intercept pays no penalty: without this rank-one correction (Sherman-Morrison) it would hardly move.
            share = float((basis.intercept**2 * curvature * scale).sum())
            free = (scale * basis.intercept * np.sqrt(penalty / share)).astype(np.float32)
        return cls(scale[:, None].astype(np.float32), free)

    def apply(self, gradient: Matrix) -> Matrix:
        """Return the inverse Hessian times the gradient."""
        direction = self.scale * gradient
        return direction if self.free is None else direction + np.outer(self.free, self.free @ gradient)


@dataclass(frozen=True, eq=False)
class ClassMetric:
    """The inverse Hessian of each class for itself, the coupling of classes left out."""

    inverses: Matrix

    def apply(self, gradient: Matrix) -> Matrix:
        """Return the inverse Hessian times the gradient."""
        columns = np.ascontiguousarray(gradient.T)[:, :, None]
        return np.ascontiguousarray(np.matmul(self.inverses, columns)[:, :, 0].T)


@dataclass(frozen=True, eq=False)
class Landmark:
    """The solution on all rows, from which the fit to any part of them begins.

    It decides where a fit starts and how fast it arrives, not where it ends: a test compares with cold starts.
    """

    weights: Matrix
    inverses: Matrix | None

    @classmethod
    def of(cls, rows: Matrix, labels: Labels, n_classes: int, basis: Basis, *, C: float) -> Landmark:
        """Fit all rows and invert the Hessian of each class there, memory permitting."""
        near = fit(rows, labels, n_classes, basis, C=C, tolerance=NEAR)
        if n_classes * rows.shape[1] ** 2 * 4 > MAX_METRIC_BYTES:
            return cls(fit(rows, labels, n_classes, basis, C=C, start=near.weights).weights, None)
        inverses = _class_inverses(rows, near.probabilities(rows), basis, 1.0 / (C * len(rows)))
        there = fit(rows, labels, n_classes, basis, C=C, start=near.weights, metric=ClassMetric(inverses))
        return cls(there.weights, inverses)

    def follow(self, before: Labels, after: Labels, n_classes: int) -> Landmark:
        """Return a landmark for other labels of the rows, given for those that have one before and after.

        A class starts where the classes that its rows had were, and has the metric of the one that most of them had.
        Classes without such a row start at zero.
        """
        shared = np.zeros((n_classes, self.weights.shape[1]), dtype=np.float32)
        np.add.at(shared, (after, before), 1)
        weights = self.weights @ (shared / np.maximum(shared.sum(axis=1, keepdims=True), 1)).T
        return Landmark(weights, None if self.inverses is None else self.inverses[shared.argmax(axis=1)])

    def part(self, classes: Labels) -> tuple[Matrix, Metric | None]:
        """Return start and metric of a problem with some of the classes."""
        weights = np.ascontiguousarray(self.weights[:, classes])
        if self.inverses is None:
            return weights, None
        whole = len(classes) == len(self.inverses)
        return weights, ClassMetric(self.inverses if whole else self.inverses[classes])


def _class_inverses(rows: Matrix, chances: Matrix, basis: Basis, penalty: float) -> Matrix:
    """Invert, for each class, the Hessian sum p(1-p) xx' / n + penalty; rows of little weight share one Gram."""
    n, width = rows.shape
    spread = chances * (1 - chances)
    gram = np.diag(basis.eigenvalues)
    shrink = penalty * (np.eye(width, dtype=np.float32) - np.outer(basis.intercept, basis.intercept))
    shrink[np.diag_indices(width)] += RIDGE
    inverses = np.empty((chances.shape[1], width, width), dtype=np.float32)
    for place, weight in enumerate(spread.T):
        heavy = np.flatnonzero(weight > LIGHT)
        rest = np.float32((weight.sum() - weight[heavy].sum()) / n)
        scaled = rows[heavy] * np.sqrt(weight[heavy] / n)[:, None]
        inverses[place] = np.linalg.inv(scaled.T @ scaled + rest * gram + shrink)
    return inverses


@dataclass(frozen=True, eq=False)
class Solution:
    """Fitted weights in the rotated basis, and what it took to find them."""

    weights: Matrix
    evaluations: int
    decrement: float

    def probabilities(self, rotated: Matrix) -> Matrix:
        """Return one row of class probabilities for each rotated row."""
        return softmax(rotated @ self.weights)


def softmax(logits: Logits) -> Logits:
    """Return the probabilities of these logits, row by row, in place."""
    logits -= logits.max(axis=1, keepdims=True)
    np.exp(logits, out=logits)
    logits /= logits.sum(axis=1, keepdims=True)
    return logits


class _Objective:
    """Mean log loss with penalty over rotated rows, and its gradient."""

    def __init__(self, rows: Matrix, labels: Labels, basis: Basis, penalty: float) -> None:
        self.rows, self.labels = rows, labels
        self.intercept = basis.intercept
        self.penalty = np.float32(penalty)
        self.evaluations = 0

    def __call__(self, weights: Matrix) -> tuple[float, Matrix]:
        self.evaluations += 1
        gradient = np.zeros_like(weights)
        loss = 0.0
        for begin in range(0, len(self.rows), BLOCK):
            loss += self._block(slice(begin, begin + BLOCK), weights, gradient)
        n = len(self.rows)
        gradient /= np.float32(n)
        # The difference of two norms would lose, under a heavy penalty, all that the last steps gain.
        penalised = weights - np.outer(self.intercept, self.intercept @ weights)
        gradient += self.penalty * penalised
        return loss / n + 0.5 * float(self.penalty) * float(np.vdot(penalised, penalised)), gradient

    def _block(self, block: slice, weights: Matrix, gradient: Matrix) -> float:
        rows, labels = self.rows[block], self.labels[block]
        places = np.arange(len(rows))
        logits = rows @ weights
        logits -= logits.max(axis=1, keepdims=True)
        true = logits[places, labels].astype(np.float64).sum()
        np.exp(logits, out=logits)
        sums = logits.sum(axis=1, keepdims=True)
        logits /= sums
        logits[places, labels] -= 1
        gradient += rows.T @ logits
        return float(np.log(sums, dtype=np.float64).sum() - true)


class _Curvature:
    """The last pairs of L-BFGS on top of a metric."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self.steps: list[Matrix] = []
        self.changes: list[Matrix] = []
        self.scales: list[float] = []

    def add(self, step: Matrix, change: Matrix) -> None:
        """Remember one pair; pairs without positive curvature teach nothing."""
        product = float(np.vdot(step, change))
        if product <= 0:
            return
        self.steps.append(step)
        self.changes.append(change)
        self.scales.append(1.0 / product)
        if len(self.steps) > MEMORY:
            del self.steps[0], self.changes[0], self.scales[0]

    def direction(self, gradient: Matrix) -> Matrix:
        """Return the inverse curvature times the gradient (the two-loop recursion)."""
        result = gradient.copy()
        factors = []
        newest_first = zip(reversed(self.steps), reversed(self.changes), reversed(self.scales), strict=True)
        for step, change, scale in newest_first:
            factor = np.float32(scale * float(np.vdot(step, result)))
            factors.append(factor)
            result -= factor * change
        result = self.metric.apply(result)
        if self.steps and isinstance(self.metric, DiagonalMetric):
            # Far from zero weights the Hessian at zero is too steep: rescale by the newest pair.
            newest = self.changes[-1]
            result *= np.float32(1.0 / (self.scales[-1] * float(np.vdot(newest, self.metric.apply(newest)))))
        pairs = zip(self.steps, self.changes, self.scales, reversed(factors), strict=True)
        for step, change, scale, factor in pairs:
            result += (factor - np.float32(scale * float(np.vdot(change, result)))) * step
        return result


def fit(
    rows: Matrix,
    labels: Labels,
    n_classes: int,
    basis: Basis,
    *,
    C: float,
    tolerance: float = TOLERANCE,
    start: Matrix | None = None,
    metric: Metric | None = None,
) -> Solution:
    """Fit rotated rows to labels 0..n_classes-1 and return the optimum.

    Stops when the fall of the objective expected of the next step is below `tolerance` times the objective:
    a bound that does not depend on where the fit began.
    """
    penalty = 1.0 / (C * len(rows))
    objective = _Objective(rows, labels, basis, penalty)
    weights = np.zeros((rows.shape[1], n_classes), dtype=np.float32) if start is None else start.copy()
    curvature = _Curvature(metric or DiagonalMetric.of(basis, n_classes, penalty))
    value, gradient = objective(weights)
    while True:
        direction = curvature.direction(gradient)
        decrement = 0.5 * float(np.vdot(gradient, direction))
        if decrement <= tolerance * value or objective.evaluations >= MAX_EVALUATIONS:
            break
        step = _step(objective, weights, value, direction, 2 * decrement)
        if step is None:
            break
        curvature.add(step[0] - weights, step[2] - gradient)
        weights, value, gradient = step
    return Solution(weights, objective.evaluations, decrement)


def _step(
    objective: _Objective, weights: Matrix, value: float, direction: Matrix, slope: float
) -> tuple[Matrix, float, Matrix] | None:
    """Go along the direction, halving until the objective falls; None when float32 can fall no further."""
    length = 1.0
    for _ in range(MAX_HALVINGS):
        trial = weights - np.float32(length) * direction
        new_value, new_gradient = objective(trial)
        if new_value <= value - _ARMIJO * length * slope + _FLOAT32_SLACK * abs(value):
            return trial, new_value, new_gradient
        length *= 0.5
    return None
