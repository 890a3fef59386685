"""Intervals by drawing whole scenarios again: all rates of all bots from the same draws, in a few matrix products."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from vivavoce.conversations.findings.columns import Floats, Ints
from vivavoce.records import Rate
from vivavoce.statistics import wilson

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# Numbers held in memory at once: a million of 8 bytes.
BLOCK = 1_000_000
CONFIDENCE = 0.95


def draw_weights(clusters: int, draws: int, seed: int) -> Iterator[Floats]:
    """Yield how often each cluster is drawn, in blocks of rows; each row is one draw with replacement."""
    generator = np.random.default_rng(seed)
    step = max(1, BLOCK // max(1, clusters))
    for start in range(0, draws, step):
        rows = min(step, draws - start)
        drawn = generator.integers(clusters, size=(rows, clusters)) + np.arange(rows)[:, None] * clusters
        counted = np.bincount(drawn.ravel(), minlength=rows * clusters)
        yield counted.reshape(rows, clusters).astype(np.float64)


def redraw(dense: Floats, sparse: csr_array | None, draws: int, seed: int) -> tuple[Floats, Floats]:
    """Return the sums of both tables (a row for each cluster) over each draw of clusters."""
    turned = None if sparse is None else sparse.T.tocsr()
    whole, parts = [], []
    for weights in draw_weights(dense.shape[0], draws, seed):
        whole.append(weights @ dense)
        parts.append(np.zeros((len(weights), 0)) if turned is None else np.asarray(turned @ weights.T).T)
    return np.concatenate(whole), np.concatenate(parts)


def gather(rows: Ints, clusters: int, table: Floats) -> Floats:
    """Return the sums of a table's rows by cluster."""
    sums = np.zeros((clusters, table.shape[1]))
    np.add.at(sums, rows, table)
    return sums


def quotients(hits: Floats, n: Floats) -> Floats:
    """Return hits / n, and NaN for 0/0."""
    return np.asarray(np.divide(hits, n, out=np.full(np.broadcast(hits, n).shape, np.nan), where=n > 0))


def percentiles(values: Floats) -> tuple[float | None, float | None]:
    """Return the ends of the middle 95 % of the values that are defined."""
    known = values[~np.isnan(values)]
    if not known.size:
        return None, None
    low, high = np.quantile(known, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def rate_of(hits: Floats, n: Floats, drawn: Floats, *, share: bool = True) -> Rate:
    """Return a share (or another mean) with its interval: from what each cluster adds to it, and its redrawn values.

    Wilson's where each cluster adds one item at most, else percentiles of the draws. Draws that are all 0 or all 1
    know no spread: then Wilson's again, with one item for each cluster, which is the careful end. A mean of other
    things than hits has percentiles only.
    """
    total, items = float(hits.sum()), float(n.sum())
    shown = round(items)
    if not items:
        return Rate(None, None, None, shown)
    if share and n.max() <= 1 and np.isin(hits, (0, 1)).all():
        return wilson(total, shown)
    value, several = total / items, int((n > 0).sum())
    if several < 2:
        return Rate(value, None, None, shown)
    low, high = percentiles(drawn)
    if share and low == high and value in (0.0, 1.0):
        careful = wilson(value * several, several)
        low, high = careful.low, careful.high
    return Rate(value, low, high, shown)
