"""Few combinations that hold every pair: what is tried when several lists meet in one scenario."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product

Pair = tuple[int, int, int]
Row = list[int | None]


def cover_pairs(sizes: Sequence[int], seed: int = 0) -> list[tuple[int, ...]]:
    """Return combinations of places (from 0) so that any two places of any two factors occur together.

    For one factor that is each of its places, for two their product; for more it is far less than the product.
    The factors are taken one after the other: each is set where it makes most new pairs, then what is left over
    gets rows of its own.
    """
    if not sizes:
        return [()]
    if 0 in sizes:
        return []
    draw = random.Random(seed)  # noqa: S311 - a choice of tests, not a secret
    order = sorted(range(len(sizes)), key=lambda factor: -sizes[factor])
    rows: list[Row] = [list(row) for row in product(*(range(sizes[factor]) for factor in order[:2]))]
    for column in range(2, len(order)):
        _extend(rows, [sizes[factor] for factor in order[: column + 1]], draw)
    place = {factor: column for column, factor in enumerate(order)}
    return sorted(
        tuple(
            draw.randrange(size) if (value := row[place[factor]]) is None else value
            for factor, size in enumerate(sizes)
        )
        for row in rows
    )


def _extend(rows: list[Row], sizes: Sequence[int], draw: random.Random) -> None:
    """Give each row a value of the next factor, then add rows for the pairs that no row holds."""
    new = len(sizes) - 1
    open_pairs = {(old, a, b) for old in range(new) for a in range(sizes[old]) for b in range(sizes[new])}
    for row in rows:
        gains = [len(open_pairs & _pairs(row, b)) for b in range(sizes[new])]
        best = draw.choice([b for b, gain in enumerate(gains) if gain == max(gains)])
        open_pairs -= _pairs(row, best)
        row.append(best)
    added: list[Row] = []
    for old, a, b in sorted(open_pairs):
        free = next((row for row in added if row[new] == b and row[old] is None), None)
        if free is None:
            free = [None] * new + [b]
            added.append(free)
        free[old] = a
    rows += added


def _pairs(row: Row, value: int) -> set[Pair]:
    return {(old, a, value) for old, a in enumerate(row) if a is not None}
