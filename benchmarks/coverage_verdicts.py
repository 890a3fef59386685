"""Judge the lines of the coverage table together, so that looking at 150 lines condemns none by chance.

A line passes unless its count contradicts the bar: coverage below 93 % or above 97 %, or more than 6 % of equals
called different. Each claim has an exact binomial p; Holm's correction over all claims of the table keeps the chance
of even one false complaint at 5 %. To pass is no proof: `find_reach` says which coverage would have been noticed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from coverage_tally import Line
from scipy.stats import binom

from vivavoce.statistics import holm

BAR = (0.93, 0.97)
MAX_FALSE = 0.06
ALPHA = 0.05
# A coverage counts as noticeable if a table like this one finds it in 80 of 100 runs.
POWER = 0.8
PASS, LOW, HIGH, MANY = "pass", "too low", "too high", "too many"


@dataclass(frozen=True)
class Reach:
    """What a line of `n` draws can show: it fails at so many hits, and a coverage this far off is mostly found."""

    n: int
    fails_below: int
    fails_above: int
    finds_below: float
    finds_above: float


def judge(lines: Sequence[Line]) -> list[str]:
    """Return for each line whether it passes, with Holm's correction over both sides of all lines."""
    claims = [(place, word, p) for place, line in enumerate(lines) for word, p in contradictions(line).items()]
    adjusted = holm([p for _, _, p in claims])
    verdicts = [PASS] * len(lines)
    for (place, word, _), p in zip(claims, adjusted, strict=True):
        if p < ALPHA:
            verdicts[place] = word
    return verdicts


def contradictions(line: Line) -> dict[str, float]:
    """Return how likely a count at least as far off is, if the line just keeps its bar."""
    if line.verdict:
        return {MANY: float(binom.sf(line.hits - 1, line.n, MAX_FALSE))}
    low, high = BAR
    return {LOW: float(binom.cdf(line.hits, line.n, low)), HIGH: float(binom.sf(line.hits - 1, line.n, high))}


def find_reach(n: int, claims: int) -> Reach:
    """Return what a line of `n` draws can show when all other lines pass, so that Holm multiplies by `claims`."""
    level = ALPHA / claims
    below = max((hits for hits in range(n + 1) if binom.cdf(hits, n, BAR[0]) < level), default=-1)
    above = min((hits for hits in range(n + 1) if binom.sf(hits - 1, n, BAR[1]) < level), default=n + 1)
    shares = [share / 1000 for share in range(1001)]
    low = max((share for share in shares if binom.cdf(below, n, share) >= POWER), default=0.0)
    high = min((share for share in shares if binom.sf(above - 1, n, share) >= POWER), default=1.0)
    return Reach(n, below, above, low, high)


def count_outside(lines: Sequence[Line]) -> tuple[int, int]:
    """Return how many measured coverages lie below and above the bar, whatever chance did."""
    shares = [line.hits / line.n for line in lines if not line.verdict]
    return sum(share < BAR[0] for share in shares), sum(share > BAR[1] for share in shares)
