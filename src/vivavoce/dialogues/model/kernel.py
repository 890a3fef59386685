"""Dialogues like this one: smoothed averages over the dialogues that were learned from (kernel ridge regression)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

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


# Rows walked at once: the walkers of one block fit in the cache.
_BLOCK = 256
# Walkers that have arrived are taken off the road once in so many steps.
_STRIDE = 4


@dataclass(frozen=True)
class Forest:
    """All nodes of all trees in one row; `roots`: where each tree starts.

    At a node a row goes to `children` where its feature is at most the threshold, else to the node after that. A leaf
    is its own child, and its threshold is infinite: what arrives stays. `values`: nodes x outputs.
    """

    roots: NDArray[np.int32] = field(repr=False)
    features: NDArray[np.int16] = field(repr=False)
    thresholds: NDArray[np.float32] = field(repr=False)
    children: NDArray[np.int32] = field(repr=False)
    values: NDArray[np.float32] = field(repr=False)

    def predict(self, rows: Floats) -> Floats:
        """Return one row of outputs for each row of features: the mean over the trees."""
        blocks = [self._mean(rows[start : start + _BLOCK]) for start in range(0, len(rows), _BLOCK)]
        return np.concatenate(blocks) if blocks else np.zeros((0, self.values.shape[1]))

    def _mean(self, rows: Floats) -> Floats:
        flat = rows.astype(np.float32).ravel()
        starts = np.repeat(np.arange(len(rows), dtype=np.int32) * rows.shape[1], len(self.roots))
        arrived = self._walk(flat, starts, np.tile(self.roots, len(rows)))
        return np.asarray(self.values[arrived].reshape(len(rows), len(self.roots), -1).mean(axis=1), dtype=np.float64)

    def _walk(
        self, flat: NDArray[np.float32], starts: NDArray[np.int32], node: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """Return the leaf of each walker; `starts` says where its row of features begins."""
        arrived = node.copy()
        walking = np.arange(len(node))
        while walking.size:
            for _ in range(_STRIDE):
                node = self.children[node] + (flat[starts + self.features[node]] > self.thresholds[node])
            arrived[walking] = node
            moving = self.children[node] != node
            walking, starts, node = walking[moving], starts[moving], node[moving]
        return arrived


def from_sklearn(estimators: list[Any]) -> Forest:
    """Copy fitted scikit-learn trees, brothers beside each other."""
    trees = [_copy(estimator.tree_) for estimator in estimators]
    sizes = [len(tree[0]) for tree in trees]
    roots = (np.cumsum(sizes) - sizes).astype(np.int32)
    return Forest(
        roots,
        np.concatenate([tree[0] for tree in trees]).astype(np.int16),
        _round_down(np.concatenate([tree[1] for tree in trees])),
        np.concatenate([tree[2] + root for tree, root in zip(trees, roots, strict=True)]).astype(np.int32),
        np.concatenate([tree[3] for tree in trees]).astype(np.float32),
    )


def _round_down(thresholds: Floats) -> NDArray[np.float32]:
    """Return single-precision thresholds that part single-precision features exactly as these do."""
    nearest = thresholds.astype(np.float32)
    return np.where(nearest > thresholds, np.nextafter(nearest, np.float32(-np.inf)), nearest)


def _copy(tree: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return features, thresholds, first children and values of one tree, level by level."""
    order = [0]
    children: list[int] = []
    for node in order:
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        children.append(len(order) if left >= 0 else len(children))
        order += [left, right] if left >= 0 else []
    leaf = tree.children_left[order] < 0
    features = np.where(leaf, 0, tree.feature[order])
    thresholds = np.where(leaf, np.inf, tree.threshold[order])
    values = np.where(leaf[:, None], tree.value[order][:, :, 0], 0.0)
    return features, thresholds, np.array(children), values
