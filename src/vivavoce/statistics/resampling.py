"""Resampling of groups: rows of one user or one duplicate are drawn together."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.intp]
Interval = tuple[float | None, float | None]

# Draws held in memory at once by the vectorised bootstrap: 1 million of 8 bytes.
BLOCK = 1_000_000


def resamples(
    groups: Sequence[Hashable], n: int, seed: int, strata: Sequence[Hashable] | None = None
) -> Iterator[Rows]:
    """Yield `n` bootstrap samples as row numbers: whole groups are drawn with replacement.

    With `strata` (for instance the topic of each row) groups are drawn within their stratum, so that
    no topic vanishes; a group belongs to the stratum of its first row.
    """
    members = list_members(groups)
    if not members:
        raise ValueError("nothing to resample: there are no rows")
    pools = pool_groups(members, strata)
    generator = np.random.default_rng(seed)
    rows, sizes = np.concatenate(members), np.array([len(group) for group in members])
    starts = sizes.cumsum() - sizes
    order, widths = np.concatenate(pools), np.array([len(pool) for pool in pools])
    width = np.repeat(widths, widths)
    begin = np.repeat(widths.cumsum() - widths, widths)
    for _ in range(n):
        drawn = order[begin + generator.integers(width)]
        # Row numbers of all drawn groups without a loop: each group's start, then counting up.
        shift = starts[drawn] - (sizes[drawn].cumsum() - sizes[drawn])
        yield rows[np.repeat(shift, sizes[drawn]) + np.arange(sizes[drawn].sum())]


def list_members(groups: Sequence[Hashable]) -> list[Rows]:
    """Return the row numbers of each group, groups in order of first appearance."""
    rows: dict[Hashable, list[int]] = {}
    for row, group in enumerate(groups):
        rows.setdefault(group, []).append(row)
    return [np.asarray(members, dtype=np.intp) for members in rows.values()]


def pool_groups(members: Sequence[Rows], strata: Sequence[Hashable] | None) -> list[Rows]:
    """Return the groups that may replace each other: all of them, or those of one stratum."""
    return list_members([None if strata is None else strata[int(rows[0])] for rows in members])
