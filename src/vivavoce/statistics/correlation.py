"""How well one row of numbers follows another, and how sure that is when rows come in groups.

Standard errors come from one vectorised bootstrap: a resample is a row of weights (how often each row was drawn), and
ranks are those within the resample. Kendall compares all pairs of rows; above 1,000 rows it is redrawn fewer times.
Intervals are Student's t with that error: of a correlation on Fisher's z, of a squared error on the logarithm.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vivavoce.records import Rate
from vivavoce.statistics.intervals import student, student_p
from vivavoce.statistics.paired import PairedTest
from vivavoce.statistics.resampling import BLOCK, Interval, list_members, pool_groups, resamples

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Measure = Literal["pearson", "spearman"]

DRAWS = 1000
# Two points always lie on a line: below this a correlation says nothing.
MIN_ROWS = 3
# Few groups repeat themselves in every resample, and the interval would be far too narrow.
MIN_GROUPS = 10
# Up to this many rows all signs of all pairs fit into memory, and Kendall is as quick as the others.
KENDALL_TABLE = 1000
# Above that it is redrawn between these many times: fewer the more rows there are.
KENDALL_DRAWS = (100, 400)
KENDALL_ROWS = 1_500_000
# A spread below this share of the size of the numbers is rounding, not spread.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Correlations:
    """How well scores follow a target, each with a 95 % interval; `mse` is the mean squared distance."""

    n: int
    pearson: Rate
    spearman: Rate
    kendall: Rate
    mse: Rate


def pearson(x: ArrayLike, y: ArrayLike) -> float | None:
    """Return Pearson's r; None when undefined: fewer than 3 rows, or one side constant.

    r = Σ(x - mean x)(y - mean y) / sqrt(Σ(x - mean x)²·Σ(y - mean y)²). Meaning: how near the points lie to a
    straight line, from -1 to 1.
    """
    first, second = _columns(x, y)
    if len(first) < MIN_ROWS or not _varies(first) or not _varies(second):
        return None
    a, b = (
        np.asarray(centred / np.linalg.norm(centred)) for centred in (first - first.mean(), second - second.mean())
    )
    return float(np.clip(a @ b, -1.0, 1.0))


def spearman(x: ArrayLike, y: ArrayLike) -> float | None:
    """Return Spearman's rho: Pearson's r of the ranks, ties sharing their mean rank; None when undefined.

    Meaning: how well one side puts the rows in the order of the other, whatever the scale.
    """
    first, second = _columns(x, y)
    return pearson(_mid_ranks(first), _mid_ranks(second))


def kendall(x: ArrayLike, y: ArrayLike) -> float | None:
    """Return Kendall's tau-b; None when undefined.

    (concordant - discordant pairs) / sqrt(pairs untied in x · pairs untied in y). Meaning: of two rows, how much
    more often both sides order them alike than not. Time grows about as n·log² n.
    """
    first, second = _columns(x, y)
    if len(first) < MIN_ROWS or not _varies(first) or not _varies(second):
        return None
    a, b = _codes(first), _codes(second)
    pairs = len(a) * (len(a) - 1) // 2
    tied_a, tied_b, tied_both = _count_ties(a), _count_ties(b), _count_ties(a * (int(b.max()) + 1) + b)
    discordant = _count_inversions(b[np.lexsort((b, a))])
    ahead = pairs - tied_a - tied_b + tied_both - 2 * discordant
    return ahead / math.sqrt((pairs - tied_a) * (pairs - tied_b))


def correlate(
    x: ArrayLike,
    y: ArrayLike,
    groups: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
    draws: int = DRAWS,
    confidence: float = 0.95,
) -> Correlations:
    """Return how well `x` follows `y`, with intervals over resampled groups (default: rows).

    Fewer than 10 groups give values without intervals. Kendall's interval rests on 400 resamples above 1,000
    rows, on fewer above 3,750 rows, never on less than 100.
    """
    first, second = _columns(x, y)
    names = _groups(first, groups)
    mse = float(((first - second) ** 2).mean()) if len(first) else None
    values = (pearson(first, second), spearman(first, second), kendall(first, second), mse)
    ends: list[Interval] = [(None, None)] * 4
    count = len(set(names))
    if count >= MIN_GROUPS:
        resampled = _measure_resamples(first, second, names, draws, seed)
        *ranks, square = [column[~np.isnan(column)] for column in resampled]
        ends = [_fisher_ends(value, column, count, confidence) for value, column in zip(values, ranks, strict=False)]
        ends.append(_log_ends(values[3], square, count, confidence))
    rates = [
        Rate(value, *((None, None) if value is None else end), len(first))
        for value, end in zip(values, ends, strict=True)
    ]
    return Correlations(len(first), *rates)


def paired_correlation_difference(
    a: ArrayLike,
    b: ArrayLike,
    target: ArrayLike,
    groups: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
    measure: Measure = "pearson",
    draws: int = 2 * DRAWS,
    confidence: float = 0.95,
) -> PairedTest:
    """Compare how well two raters follow the same target on the same rows: corr(a) - corr(b).

    Both are measured on the same resamples of groups, so what makes a resample easy or hard falls out of the
    difference. Interval and p: Student's t. No interval below 10 groups, nothing where one side is undefined.
    """
    (first, goal), (second, _) = _columns(a, target), _columns(b, target)
    names = _groups(goal, groups)
    whole, weighted = (pearson, _pearsons) if measure == "pearson" else (spearman, _spearmans)
    values = whole(first, goal), whole(second, goal)
    if values[0] is None or values[1] is None:
        return PairedTest(None, None, None, None)
    difference = values[0] - values[1]
    if len(set(names)) < MIN_GROUPS:
        return PairedTest(difference, None, None, None)
    blocks = [weighted(first, goal, w) - weighted(second, goal, w) for w in draw_weights(names, draws, seed)]
    resampled, count = np.concatenate(blocks), len(set(names))
    resampled = resampled[~np.isnan(resampled)]
    error = float(resampled.std(ddof=1)) * math.sqrt(count / (count - 1)) if len(resampled) > 1 else 0.0
    if error <= ROUNDING:
        return PairedTest(difference, None, None, 1.0 if abs(difference) <= ROUNDING else None)
    half, p = student(count - 2, confidence) * error, student_p(difference / error, count - 2)
    return PairedTest(difference, difference - half, difference + half, p, error)


def draw_weights(
    groups: Sequence[Hashable], draws: int, seed: int, strata: Sequence[Hashable] | None = None
) -> Iterator[Floats]:
    """Yield resamples in blocks: one row for each resample, holding how often each row of the data was drawn.

    Whole groups are drawn with replacement, with `strata` only among the groups of the same stratum.
    """
    members = list_members(groups)
    pools = pool_groups(members, strata)
    order, widths = np.concatenate(pools), np.array([len(pool) for pool in pools])
    width, begin = np.repeat(widths, widths), np.repeat(widths.cumsum() - widths, widths)
    place = np.empty(len(groups), dtype=np.intp)
    for number, rows in enumerate(members):
        place[rows] = number
    generator, count = np.random.default_rng(seed), len(members)
    step = max(1, BLOCK // len(groups))
    for start in range(0, draws, step):
        size = min(step, draws - start)
        drawn = order[begin + generator.integers(width, size=(size, count))]
        flat = (drawn + count * np.arange(size)[:, None]).ravel()
        counts = np.bincount(flat, minlength=size * count).reshape(size, count)
        yield counts[:, place].astype(np.float64)


def _fisher_ends(value: float | None, resampled: Floats, groups: int, confidence: float) -> Interval:
    """Return the ends on Fisher's z; a perfect correlation is taken for one that is perfect but for half a row."""
    if value is None or len(resampled) < 2:
        return None, None
    most = 1 - 1 / (2 * groups)
    middle = math.atanh(min(most, max(-most, value)))
    # Resamples of a perfect sample are perfect: then the error of a normal sample.
    error = float(np.arctanh(np.clip(resampled, -most, most)).std(ddof=1)) or 1 / math.sqrt(groups - 3)
    half = student(groups - 2, confidence) * error
    return min(value, math.tanh(middle - half)), max(value, math.tanh(middle + half))


def _log_ends(value: float | None, resampled: Floats, groups: int, confidence: float) -> Interval:
    error = float(resampled.std(ddof=1)) * math.sqrt(groups / (groups - 1)) if len(resampled) > 1 else 0.0
    if not value or not error:
        return None, None
    reach = math.exp(student(groups - 1, confidence) * error / value)
    return value / reach, value * reach


def _columns(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError("a correlation needs two rows of numbers of the same length")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("a correlation needs finite numbers: remove the rows without a value")
    return first, second


def _groups(rows: Floats, groups: Sequence[Hashable] | None) -> Sequence[Hashable]:
    if groups is not None and len(groups) != len(rows):
        raise ValueError("there must be exactly one group per row")
    return range(len(rows)) if groups is None else groups


def _varies(values: Floats) -> bool:
    centred = values - values.mean()
    return bool((centred @ centred) > ROUNDING**2 * (values @ values))


def _codes(values: Floats) -> Ints:
    return np.asarray(np.unique(values, return_inverse=True)[1].ravel(), dtype=np.int64)


def _mid_ranks(values: Floats) -> Floats:
    codes = _codes(values)
    counts = np.bincount(codes)
    return np.asarray((counts.cumsum() - (counts - 1) / 2)[codes], dtype=np.float64)


def _count_ties(codes: Ints) -> int:
    counts = np.unique(codes, return_counts=True)[1].astype(np.int64)
    return int((counts * (counts - 1) // 2).sum())


def _count_inversions(codes: Ints) -> int:
    """Count the pairs in which the larger code comes first, one bit of the codes at a time.

    Two codes differ first in one bit, counted from the highest: that bit decides which of them is larger.
    """
    total = 0
    for bit in range(int(codes.max()).bit_length()):
        alike = codes >> (bit + 1)
        order = np.argsort(alike, kind="stable")
        alike, ones = alike[order], (codes[order] >> bit) & 1
        before = ones.cumsum() - ones
        fresh = np.concatenate(([True], alike[1:] != alike[:-1]))
        start = np.maximum.accumulate(np.where(fresh, before, 0))
        total += int(((before - start) * (1 - ones)).sum())
    return total


def _measure_resamples(x: Floats, y: Floats, groups: Sequence[Hashable], draws: int, seed: int) -> list[Floats]:
    """Return Pearson, Spearman, Kendall and squared error of every resample; nan where undefined."""
    small = len(x) <= KENDALL_TABLE
    measures: list[Callable[[Floats, Floats, Floats], Floats]] = [_pearsons, _spearmans, _mses]
    if small:
        measures.insert(2, _kendalls)
    blocks = [[measure(x, y, weights) for measure in measures] for weights in draw_weights(groups, draws, seed)]
    columns = [np.concatenate(column) for column in zip(*blocks, strict=True)]
    if not small:
        least, most = KENDALL_DRAWS
        fewer = min(draws, max(least, min(most, KENDALL_ROWS // len(x))))
        taus = [kendall(x[rows], y[rows]) for rows in resamples(groups, fewer, seed)]
        columns.insert(2, np.asarray([np.nan if tau is None else tau for tau in taus]))
    return columns


def _pearsons(x: Floats, y: Floats, weights: Floats) -> Floats:
    a, b = x - x.mean(), y - y.mean()
    sums = weights @ np.stack([np.ones_like(a), a, b, a * a, b * b, a * b], axis=1)
    return _from_sums(sums.T)


def _spearmans(x: Floats, y: Floats, weights: Floats) -> Floats:
    # Centred ranks: half of all drawn rows lie below the middle.
    half = weights.sum(axis=1, keepdims=True) / 2
    a, b = _weighted_ranks(x, weights) - half, _weighted_ranks(y, weights) - half
    wa, wb = weights * a, weights * b
    plain = [table.sum(axis=1) for table in (weights, wa, wb)]
    return _from_sums(np.stack([*plain, _dots(wa, a), _dots(wb, b), _dots(wa, b)]))


def _kendalls(x: Floats, y: Floats, weights: Floats) -> Floats:
    signs = np.sign(x[:, None] - x) * np.sign(y[:, None] - y)
    # How many ordered pairs of drawn rows differ.
    alike = (_sum_by_value(_codes(values), weights) for values in (x, y))
    untied_x, untied_y = (np.asarray(weights.sum(axis=1) ** 2 - _dots(table, table)) for table in alike)
    scale = np.sqrt(untied_x * untied_y)
    ahead = _dots(weights @ signs, weights)
    return np.asarray(np.divide(ahead, scale, out=np.full(len(weights), np.nan), where=scale > 0))


def _mses(x: Floats, y: Floats, weights: Floats) -> Floats:
    return np.asarray(weights @ (x - y) ** 2 / weights.sum(axis=1))


def _weighted_ranks(values: Floats, weights: Floats) -> Floats:
    """Return the mid rank of each row within each resample (less one half, which no correlation notices)."""
    codes = _codes(values)
    sums = _sum_by_value(codes, weights)
    return np.asarray((sums.cumsum(axis=1) - sums / 2)[:, codes])


def _sum_by_value(codes: Ints, weights: Floats) -> Floats:
    """Return how many rows of each distinct value each resample holds, lowest value first."""
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(int(codes.max()) + 1))
    return np.asarray(np.add.reduceat(weights[:, order], starts, axis=1))


def _dots(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", a, b))


def _from_sums(sums: Floats) -> Floats:
    """Return Pearson's r from Σ1, Σa, Σb, Σa², Σb², Σab of each resample; nan where a side is constant."""
    n, a, b, aa, bb, ab = sums
    spread_a, spread_b = aa - a * a / n, bb - b * b / n
    known = (spread_a > ROUNDING * aa) & (spread_b > ROUNDING * bb)
    scale = np.sqrt(np.where(known, spread_a * spread_b, 1.0))
    return np.where(known, np.clip((ab - a * b / n) / scale, -1.0, 1.0), np.nan)
