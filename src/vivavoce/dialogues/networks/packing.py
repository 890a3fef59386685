"""Sequences of different lengths side by side without padding: first all first items, then all second ones.

The longest sequence comes first, so the sequences that are still running at a step are always the first rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Packing:
    """Where the items of many sequences go.

    `order`: the sequences, longest first. `sizes`: how many sequences still run at each step. `items`: for each
    place of the packed row, its item. `last`: for each sequence (in the order given) the place
    of its last item, counted from `len(order)` on; 0 for an empty sequence.
    """

    order: Numbers
    sizes: tuple[int, ...]
    items: Numbers
    last: Numbers


def pack(starts: Numbers, lengths: Numbers, *, backwards: bool = False) -> Packing:
    """Return the packing of the sequences that start at these items and have these lengths."""
    order = np.argsort(-lengths, kind="stable")
    sorted_lengths = lengths[order]
    steps = int(sorted_lengths[0]) if len(order) else 0
    sizes = len(order) - np.searchsorted(sorted_lengths[::-1], np.arange(steps), side="right")
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    step = np.repeat(np.arange(steps), sizes)
    row = np.arange(offsets[-1]) - np.repeat(offsets[:-1], sizes)
    within = sorted_lengths[row] - 1 - step if backwards else step
    last = np.zeros(len(order), dtype=np.int64)
    full = int((sorted_lengths > 0).sum())
    last[order[:full]] = len(order) + offsets[sorted_lengths[:full] - 1] + np.arange(full)
    return Packing(order, tuple(sizes.tolist()), starts[order][row] + within, last)


def spans(starts: Numbers, lengths: Numbers) -> Numbers:
    """Return all items of these stretches, one stretch after another."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(starts - ends + lengths, lengths)


def starts_of(lengths: Numbers | Sequence[int]) -> Numbers:
    """Return where each of these stretches starts when they follow one another."""
    counted = np.asarray(lengths, dtype=np.int64)
    return np.concatenate([[0], np.cumsum(counted)[:-1]]).astype(np.int64) if len(counted) else counted
