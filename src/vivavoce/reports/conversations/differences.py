"""Which differences are real: each two bots as a dot and a range on one axis with a zero line."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from vivavoce.conversations.result import ALL, Comparison, ConversationsResult
from vivavoce.messages import say
from vivavoce.reports.conversations import wording
from vivavoce.reports.conversations.meanings import MIN_TURNS
from vivavoce.reports.conversations.verdicts import few_scenarios, winner

# Distances between ticks in points, of which the first that gives few enough is taken.
STEPS = (5, 10, 20, 25, 50)
MAX_TICKS = 6
# Room at both ends, in percent of the width, so that the outermost dots are whole.
ROOM = 2.0


class Tick(NamedTuple):
    """A line of the axis: its place in percent of the width, and its text."""

    x: float
    text: str
    zero: bool


class Gap(NamedTuple):
    """How far one bot is ahead of another: places in percent of the width, and the same in words."""

    name: str
    at: float
    low: float | None
    high: float | None
    points: str
    around: str
    real: bool
    verdict: str


class Gaps(NamedTuple):
    """All differences on one axis."""

    rows: tuple[Gap, ...]
    ticks: tuple[Tick, ...]


def draw_differences(result: ConversationsResult, domain: str = ALL, word: Callable[[str], str] = str) -> Gaps:
    """Return the differences in correct turns in a domain, each seen from the bot that is ahead.

    `word` translates a text. Intervals end where two shares cannot lie further apart.
    """
    order = [cell.bot for cell in wording.rank_cells(result)]
    pairs = [
        (_see_from_ahead(each), each)
        for each in result.comparisons
        if (each.domain, each.level) == (domain, ALL) and each.difference is not None
    ]
    pairs.sort(key=lambda pair: [order.index(bot) if bot in order else len(order) for bot in pair[0][:2]])
    ends = [0.0, *(end for seen, _ in pairs for end in seen[2:] if end is not None)]
    step = next((step for step in STEPS if (max(ends) - min(ends)) * 100 / step <= MAX_TICKS - 1), STEPS[-1])
    first, last = math.floor(min(ends) * 100 / step) * step, max(step, math.ceil(max(ends) * 100 / step) * step)

    def place(points: float) -> float:
        return round(ROOM + (100 - 2 * ROOM) * (100 * points - first) / (last - first), 2)

    rows = tuple(
        Gap(
            f"{ahead} − {behind}",
            place(value),
            None if low is None else place(low),
            None if high is None else place(high),
            word(_points(value)),
            word(_write_ends(low, high)),
            winner(comparison) is not None,
            word(_judge(comparison)),
        )
        for (ahead, behind, value, low, high), comparison in pairs
    )
    ticks = tuple(
        Tick(place(points / 100), word(_points(points / 100)), points == 0) for points in range(first, last + 1, step)
    )
    return Gaps(rows, ticks)


def _see_from_ahead(comparison: Comparison) -> tuple[str, str, float, float | None, float | None]:
    """Return both bots, the one ahead first, and how far, with an interval that leaves out what cannot be."""
    value, low, high = comparison.difference or 0.0, comparison.low, comparison.high
    if comparison.turns < MIN_TURNS or low == high:
        low = high = None
    if value < 0:
        low, high = (None if high is None else -high), (None if low is None else -low)
    ahead, behind = (comparison.a, comparison.b) if value >= 0 else (comparison.b, comparison.a)
    low, high = (None if low is None else max(-1.0, low)), (None if high is None else min(1.0, high))
    return ahead, behind, abs(value), low, high


def _write_ends(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return ""
    return say("{low:.0f} to {high:.0f}", low=100 * low, high=100 * high)


def _judge(comparison: Comparison) -> str:
    if winner(comparison):
        return say("real")
    return say("too few scenarios to tell") if few_scenarios(comparison) else say("may be chance")


def _points(value: float) -> str:
    return "0" if round(100 * value) == 0 else say("{points:+.0f}", points=100 * value)
