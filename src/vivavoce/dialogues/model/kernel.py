"""Dialogues like this one: smoothed averages over the dialogues that were learned from (kernel ridge regression)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

QUANTILES = 100
# The normal quantile of a value beyond all that was seen.
_FARTHEST = 3.0


@dataclass(frozen=True)
class Scales:
    """Turns each feature into its place among the learned ones, as a normal quantile: no outlier can dominate.

    `values`: for each feature (row) its quantiles among the learned dialogues; `places`: what they become.
    """

    values: Floats = field(repr=False)
    places: Floats = field(repr=False)

    @property
    def typical(self) -> Floats:
        """The median of each feature."""
        return np.asarray(self.values[:, self.values.shape[1] // 2])

    def apply(self, rows: Floats) -> Singles:
        """Return features on equal scales."""
        columns = [
            # The mean of both directions: a value that many dialogues share lies in the middle of its plateau.
            0.5 * (np.interp(rows[:, k], own, self.places) - np.interp(-rows[:, k], -own[::-1], self.places))
            if own[0] < own[-1]
            else np.zeros(len(rows))
            for k, own in enumerate(self.values)
        ]
        return np.stack(columns, axis=1).astype(np.float32)


@dataclass(frozen=True)
class KernelModel:
    """Weights of the learned dialogues (`talks`: features on equal scales) by their nearness to a new one."""

    examples: Singles = field(repr=False)
    weights: Singles = field(repr=False)
    intercept: Floats = field(repr=False)
    width: float = 0.001

    def predict(self, rows: Singles) -> Floats:
        """Return one row of outputs for each row of features."""
        near = nearness(rows, self.examples, self.width, self._squares)
        return np.asarray(near @ self.weights + self.intercept, dtype=np.float64)

    @cached_property
    def _squares(self) -> Singles:
        return squares_of(self.examples)


def learn_scales(rows: Floats) -> Scales:
    """Learn the quantiles of each feature."""
    from scipy.stats import norm

    shares = np.linspace(0, 1, QUANTILES)
    places = np.clip(norm.ppf(np.clip(shares, 1e-7, 1 - 1e-7)), -_FARTHEST, _FARTHEST)
    values = np.quantile(rows, shares, axis=0).T.astype(np.float32).astype(np.float64)
    return Scales(np.ascontiguousarray(values), places)


def learn_kernel(rows: Singles, targets: Floats, width: float, smoothing: float) -> KernelModel:
    """Solve for the weights; `smoothing` above 0 trusts single dialogues less."""
    from scipy.linalg import solve

    centre = targets.mean(axis=0)
    table = nearness(rows, rows, width).astype(np.float64) + smoothing * np.eye(len(rows))
    weights = solve(table, targets - centre, assume_a="pos")
    return KernelModel(rows, weights.astype(np.float32), centre, width)


def nearness(rows: Singles, others: Singles, width: float, squares: Singles | None = None) -> Singles:
    """Return exp(-width x squared distance) of every row to every other; `squares` of the others where known."""
    known = squares_of(others) if squares is None else squares
    distances = squares_of(rows)[:, None] + known[None, :] - 2 * rows @ others.T
    return np.asarray(np.exp(np.float32(-width) * np.maximum(distances, 0)), dtype=np.float32)


def squares_of(rows: Singles) -> Singles:
    """Return the squared length of each row."""
    return np.asarray((rows**2).sum(axis=1), dtype=np.float32)
