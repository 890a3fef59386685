"""Which of two bots is better: the same turns, compared by whole scenarios."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from vivavoce.conversations.findings.columns import Columns, Flags, Floats, Ints
from vivavoce.conversations.result import ALL, Comparison
from vivavoce.statistics import PairedTest, compare_groups, holm, items_to_decide, mcnemar_exact

ALPHA = 0.05
CLOSE = "too close to call"
NEVER_MET = "cannot be compared"
MEASURE = "accuracy"


@dataclass(frozen=True, eq=False)
class Meeting:
    """The turns counted for both of two bots: the places of their lines, turn by turn."""

    a: int
    b: int
    lines_a: Ints
    lines_b: Ints

    def within(self, columns: Columns, scripts: Flags) -> Meeting:
        """Return the part that lies in some of the scripts."""
        keep = scripts[columns.script[self.lines_a]]
        return Meeting(self.a, self.b, self.lines_a[keep], self.lines_b[keep])


@dataclass(frozen=True, slots=True)
class Tested:
    """A comparison before its verdict, the standard error of its difference, and the scenarios behind both."""

    shown: Comparison
    error: float | None
    scenarios: int


def meet(columns: Columns, a: int, b: int) -> Meeting:
    """Pair the turns that were counted for both bots."""
    own, other = (np.flatnonzero(columns.counted & (columns.bot == bot)) for bot in (a, b))
    _, left, right = np.intersect1d(columns.key[own], columns.key[other], return_indices=True)
    return Meeting(a, b, own[left], other[right])


def compare_bots(columns: Columns, sources: Mapping[str, str]) -> tuple[Comparison, ...]:
    """Compare every pair of bots: overall, then in each domain, then at each level.

    Each of the three is a family of its own, within which p values are adjusted (Holm).
    """
    meetings = [meet(columns, a, b) for a, b in combinations(range(len(columns.bots)), 2)]
    families: list[list[tuple[str, str]]] = [
        [(ALL, ALL)],
        [(domain, ALL) for domain in columns.domains],
        [(ALL, level) for level in columns.levels],
    ]
    found: list[Comparison] = []
    for family in families:
        tested = [_test(columns, one, place) for place in family for one in meetings]
        found += decide(tested)
    return tuple(replace(one, mixed_sources=sources.get(one.a) != sources.get(one.b)) for one in found)


def _test(columns: Columns, meeting: Meeting, place: tuple[str, str]) -> Tested:
    part = meeting.within(columns, scripts := columns.scripts_in(*place))
    a, b = columns.passed[part.lines_a], columns.passed[part.lines_b]
    groups = columns.clusters(scripts)[columns.script[part.lines_a]]
    sums, sizes = _gaps(groups, a, b)
    test = _compare(sums, sizes)
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    shown = Comparison(
        a=columns.bots[meeting.a],
        b=columns.bots[meeting.b],
        domain=place[0],
        level=place[1],
        measure=MEASURE,
        difference=test.difference,
        low=test.low,
        high=test.high,
        p=test.p,
        verdict=CLOSE if len(a) else NEVER_MET,
        more=None,
        conversations=len(np.unique(columns.script[part.lines_a])),
        turns=len(a),
        only_a=only_a,
        only_b=only_b,
        mcnemar_p=mcnemar_exact(only_a, only_b) if len(a) else None,
        differing=int((sums != 0).sum()),
    )
    return Tested(shown, test.standard_error, len(sums))


def _gaps(groups: Ints, a: Flags, b: Flags) -> tuple[Floats, Floats]:
    """Return for each scenario how many more turns the first bot passed, and how many there are."""
    _, places = np.unique(groups, return_inverse=True)
    sums = np.bincount(places.ravel(), weights=a.astype(np.float64) - b.astype(np.float64)).astype(np.float64)
    return sums, np.bincount(places.ravel()).astype(np.float64)


def _compare(sums: Floats, sizes: Floats) -> PairedTest:
    if len(sums) < 2:
        return PairedTest(float(sums.sum() / sizes.sum()) if len(sums) else None, None, None, None)
    return compare_groups(sums, sizes, step=1.0)


def decide(tested: Sequence[Tested]) -> list[Comparison]:
    """Adjust the p values of one family of comparisons and put the verdicts."""
    known = [one.shown.p for one in tested if one.shown.p is not None]
    adjusted = iter(holm(known))
    return [one.shown if one.shown.p is None else _decided(one, next(adjusted), len(known)) for one in tested]


def _decided(one: Tested, p: float, family: int) -> Comparison:
    shown = replace(one.shown, p=p, family=family)
    if not shown.difference:
        return shown
    if p < ALPHA:
        better = shown.a if shown.difference > 0 else shown.b
        return replace(shown, verdict=f"{better} better", more=0)
    more = items_to_decide(
        shown.difference,
        one.error or 0.0,
        shown.conversations,
        freedom=max(1, one.scenarios - 1),
        confidence=1 - ALPHA / family,
    )
    # The least p of k scenarios that differ is 2 / 2^k, however clear the difference is.
    short = math.floor(math.log2(2 * family / ALPHA)) + 1 - shown.differing
    return replace(shown, more=None if more is None else max(1, more, short))


def compare_two(columns: Columns) -> Tested:
    """Compare the first two bots of a table over everything, without a verdict: `decide` puts it."""
    return _test(columns, meet(columns, 0, 1), (ALL, ALL))
