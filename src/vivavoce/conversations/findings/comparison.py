"""Which of two bots is better: the same turns, compared by whole scenarios."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from vivavoce.conversations.findings.columns import Columns, Ints
from vivavoce.conversations.result import ALL, Comparison
from vivavoce.statistics import PairedTest, compare_groups, holm, items_to_decide, mcnemar_exact

ALPHA = 0.05
CLOSE = "too close to call"
NEVER_MET = "cannot be compared"
MEASURE = "accuracy"


@dataclass(frozen=True, slots=True)
class Tested:
    """A comparison before its verdict, the standard error of its difference, and the scenarios behind both."""

    comparison: Comparison
    error: float | None
    scenarios: int


def pair_lines(columns: Columns, a: int, b: int) -> tuple[Ints, Ints]:
    """Return the places of the lines of two bots, for the turns that were counted for both."""
    own, other = (np.flatnonzero(columns.counted & (columns.bot == bot)) for bot in (a, b))
    _, left, right = np.intersect1d(columns.key[own], columns.key[other], return_indices=True)
    return own[left], other[right]


def compare_bots(columns: Columns, sources: Mapping[str, str]) -> tuple[Comparison, ...]:
    """Compare every pair of bots: overall, then in each domain, then at each level.

    Each of the three is a family of its own, within which p values are adjusted (Holm).
    """
    pairs = list(combinations(range(len(columns.bots)), 2))
    lines = {pair: pair_lines(columns, *pair) for pair in pairs}
    families: list[list[tuple[str, str]]] = [
        [(ALL, ALL)],
        [(domain, ALL) for domain in columns.domains],
        [(ALL, level) for level in columns.levels],
    ]
    comparisons: list[Comparison] = []
    for family in families:
        comparisons += decide([_test(columns, pair, lines[pair], place) for place in family for pair in pairs])
    return tuple(replace(each, mixed_sources=sources.get(each.a) != sources.get(each.b)) for each in comparisons)


def compare_two(columns: Columns) -> Tested:
    """Compare the first two bots of a table over everything, without a verdict: `decide` puts it."""
    return _test(columns, (0, 1), pair_lines(columns, 0, 1), (ALL, ALL))


def _test(columns: Columns, bots: tuple[int, int], lines: tuple[Ints, Ints], place: tuple[str, str]) -> Tested:
    scripts = columns.scripts_in(*place)
    own, other = (each[scripts[columns.script[lines[0]]]] for each in lines)
    a, b = columns.passed[own], columns.passed[other]
    # For each scenario: how many more turns the first bot passed, and how many there are.
    _, groups = np.unique(columns.clusters(scripts)[columns.script[own]], return_inverse=True)
    sums = np.bincount(groups.ravel(), weights=a.astype(np.float64) - b.astype(np.float64)).astype(np.float64)
    sizes = np.bincount(groups.ravel()).astype(np.float64)
    if len(sums) < 2:
        test = PairedTest(float(sums.sum() / sizes.sum()) if len(sums) else None, None, None, None)
    else:
        test = compare_groups(sums, sizes, step=1.0)
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    comparison = Comparison(
        a=columns.bots[bots[0]],
        b=columns.bots[bots[1]],
        domain=place[0],
        level=place[1],
        measure=MEASURE,
        difference=test.difference,
        # Two shares cannot lie further apart than this, whatever few scenarios suggest.
        low=None if test.low is None else max(-1.0, test.low),
        high=None if test.high is None else min(1.0, test.high),
        p=test.p,
        verdict=CLOSE if len(a) else NEVER_MET,
        more=None,
        conversations=len(np.unique(columns.script[own])),
        turns=len(a),
        only_a=only_a,
        only_b=only_b,
        mcnemar_p=mcnemar_exact(only_a, only_b) if len(a) else None,
        differing=int((sums != 0).sum()),
    )
    return Tested(comparison, test.standard_error, len(sums))


def decide(tests: Sequence[Tested]) -> list[Comparison]:
    """Adjust the p values of one family of comparisons and put the verdicts."""
    known = [test.comparison.p for test in tests if test.comparison.p is not None]
    family, adjusted = len(known), iter(holm(known))
    comparisons = []
    for test in tests:
        result = test.comparison
        if result.p is not None:
            result = replace(result, p=next(adjusted), family=family)
        if result.p is not None and result.difference and result.p < ALPHA:
            better = result.a if result.difference > 0 else result.b
            result = replace(result, verdict=f"{better} better", more=0)
        elif result.p is not None and result.difference:
            more = items_to_decide(
                result.difference,
                test.error or 0.0,
                result.conversations,
                freedom=max(1, test.scenarios - 1),
                confidence=1 - ALPHA / family,
            )
            # The least p of k scenarios that differ is 2 / 2^k, however clear the difference is.
            short = math.floor(math.log2(2 * family / ALPHA)) + 1 - result.differing
            result = replace(result, more=None if more is None else max(1, more, short))
        comparisons.append(result)
    return comparisons
