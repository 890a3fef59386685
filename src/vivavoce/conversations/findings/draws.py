"""Sums by whole scenarios, and intervals by drawing scenarios again for what is no ratio of sums."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from vivavoce.conversations.findings.columns import Floats, Ints

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
    """Return the ends of the middle 95 % of the values that are defined; none where they do not vary."""
    known = values[~np.isnan(values)]
    if not known.size:
        return None, None
    low, high = np.quantile(known, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return (float(low), float(high)) if low < high else (None, None)
