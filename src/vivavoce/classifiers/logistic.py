"""L2 multinomial logistic regression on dense vectors, fitted to its unique optimum in float32.

The objective is scikit-learn's: mean log loss + |W|² / (2 C n), the intercept not penalised. It is strictly
convex up to a shift of the intercepts, so where a fit starts changes the time it takes, not what it finds;
`tolerance` bounds how far from the optimum it may stop.

Why an own solver: thousands of small fits on vectors that stay the same. The rows are rotated once into the
eigenbasis of their Gram matrix, in which the Hessian at zero is diagonal and serves as the preconditioner of
L-BFGS; the rows are visited in blocks that fit the cache; every split of an exam starts from the solution on
all rows and from the curvature learnt there (a start, not a result: see `Start`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Labels = NDArray[np.intp]

BLOCK = 768
MEMORY = 12
MAX_STEPS = 300
TOLERANCE = 1e-4
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
        return self.rotation[-1]


def _with_intercept(vectors: Matrix) -> Matrix:
    ones = np.ones((len(vectors), 1), dtype=np.float32)
    return np.hstack([np.asarray(vectors, dtype=np.float32), ones])


@dataclass(frozen=True, eq=False)
class Start:
    """Where a fit may begin: weights and the curvature pairs met on the way to them."""

    weights: Matrix
    steps: tuple[Matrix, ...] = ()
    changes: tuple[Matrix, ...] = ()

    def columns(self, keep: Labels) -> Start:
        """Keep the columns of some classes: a start for a problem without the others."""
        return Start(
            np.ascontiguousarray(self.weights[:, keep]),
            tuple(np.ascontiguousarray(step[:, keep]) for step in self.steps),
            tuple(np.ascontiguousarray(change[:, keep]) for change in self.changes),
        )


@dataclass(frozen=True, eq=False)
class Solution:
    """Fitted weights in the rotated basis, and what it took to find them."""

    weights: Matrix
    evaluations: int
    decrement: float
    start: Start

    def probabilities(self, rotated: Matrix) -> Matrix:
        """Return one row of class probabilities for each rotated row."""
        return softmax(rotated @ self.weights)


def softmax(logits: Matrix) -> Matrix:
    """Return the probabilities of these logits, row by row, in place."""
    logits -= logits.max(axis=1, keepdims=True)
    np.exp(logits, out=logits)
    logits /= logits.sum(axis=1, keepdims=True)
    return logits


class _Objective:
    """Mean log loss with penalty over rotated rows, and its gradient."""

    def __init__(self, rows: Matrix, labels: Labels, n_classes: int, basis: Basis, penalty: float) -> None:
        self.rows, self.labels, self.n_classes = rows, labels, n_classes
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
        along = self.intercept @ weights
        gradient += self.penalty * (weights - np.outer(self.intercept, along))
        norm = float(np.vdot(weights, weights)) - float(np.vdot(along, along))
        return loss / n + 0.5 * float(self.penalty) * norm, gradient

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
    """The last pairs of L-BFGS on top of a diagonal seed."""

    def __init__(self, seed: Matrix, start: Start | None) -> None:
        self.seed = seed
        self.steps: list[Matrix] = []
        self.changes: list[Matrix] = []
        self.scales: list[float] = []
        for step, change in zip(start.steps, start.changes, strict=True) if start else ():
            self.add(step, change)

    def add(self, step: Matrix, change: Matrix) -> None:
        """Remember one pair; pairs without positive curvature teach nothing."""
        product = float(np.vdot(step, change))
        if product <= 1e-12 * float(np.vdot(change, change)) ** 0.5:
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
        for step, change, scale in self._newest_first():
            factor = np.float32(scale * float(np.vdot(step, result)))
            factors.append(factor)
            result -= factor * change
        result *= self.seed
        if self.steps:
            newest = self.changes[-1]
            result *= np.float32(1.0 / (self.scales[-1] * float(np.vdot(newest, self.seed * newest))))
        pairs = zip(self.steps, self.changes, self.scales, reversed(factors), strict=True)
        for step, change, scale, factor in pairs:
            result += (factor - np.float32(scale * float(np.vdot(change, result)))) * step
        return result

    def _newest_first(self) -> Iterator[tuple[Matrix, Matrix, float]]:
        return zip(reversed(self.steps), reversed(self.changes), reversed(self.scales), strict=True)


def fit(
    rows: Matrix,
    labels: Labels,
    n_classes: int,
    basis: Basis,
    *,
    C: float,
    tolerance: float = TOLERANCE,
    start: Start | None = None,
) -> Solution:
    """Fit rotated rows to labels 0..n_classes-1 and return the optimum.

    Stops when the expected fall of the objective (half the squared gradient in the metric of the seed) is
    below `tolerance` times the objective: a bound that does not depend on where the fit began.
    """
    penalty = 1.0 / (C * len(rows))
    objective = _Objective(rows, labels, n_classes, basis, penalty)
    weights = start.weights.copy() if start else np.zeros((rows.shape[1], n_classes), dtype=np.float32)
    spread = (n_classes - 1) / n_classes**2
    seed = (1.0 / (basis.eigenvalues * np.float32(spread) + np.float32(penalty)))[:, None].astype(np.float32)
    curvature = _Curvature(seed, start)
    value, gradient = objective(weights)
    decrement = 0.5 * float(np.vdot(gradient, seed * gradient))
    while decrement > tolerance * value and objective.evaluations < MAX_STEPS:
        moved = _step(objective, curvature, weights, value, gradient)
        if moved is None:
            break
        weights, value, gradient = moved
        decrement = 0.5 * float(np.vdot(gradient, seed * gradient))
    learnt = Start(weights, tuple(curvature.steps), tuple(curvature.changes))
    return Solution(weights, objective.evaluations, decrement, learnt)


def _step(
    objective: _Objective, curvature: _Curvature, weights: Matrix, value: float, gradient: Matrix
) -> tuple[Matrix, float, Matrix] | None:
    """Take one L-BFGS step with halving; None when float32 can fall no further."""
    direction = curvature.direction(gradient)
    slope = float(np.vdot(gradient, direction))
    if slope <= 0:
        direction = curvature.seed * gradient
        slope = float(np.vdot(gradient, direction))
    length = 1.0
    for _ in range(20):
        trial = weights - np.float32(length) * direction
        new_value, new_gradient = objective(trial)
        if new_value <= value - _ARMIJO * length * slope + _FLOAT32_SLACK * abs(value):
            curvature.add(trial - weights, new_gradient - gradient)
            return trial, new_value, new_gradient
        length *= 0.5
    return None
