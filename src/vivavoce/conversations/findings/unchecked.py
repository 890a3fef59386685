"""What a run could not check or time properly: turns that a bot leaves unchecked, and delays of this machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from vivavoce.conversations.findings.columns import Columns
from vivavoce.conversations.result import Delay, Gap, Unchecked
from vivavoce.errors import plural
from vivavoce.outcomes import TurnOutcome
from vivavoce.sentences import say

__all__ = ["find_delays", "find_unchecked", "warn_of_delays", "warn_of_gap"]


def find_unchecked(columns: Columns) -> tuple[Unchecked, ...]:
    """Return what could not be checked with each bot, what costs most turns first."""
    of = Counter(line.key.bot for line in columns.lines)
    turns: Counter[tuple[str, Gap]] = Counter()
    partly: Counter[tuple[str, Gap]] = Counter()
    for line in columns.lines:
        gap = line.verdict.gap
        if gap is not None and not gap.by_choice:
            counter = turns if line.verdict.outcome is TurnOutcome.UNCHECKED else partly
            counter[line.key.bot, gap] += 1
    found = [Unchecked(bot, gap, turns[bot, gap], partly[bot, gap], of[bot]) for bot, gap in {**turns, **partly}]
    place = {bot: number for number, bot in enumerate(columns.bots)}
    return tuple(sorted(found, key=lambda one: (place[one.bot], -one.turns, -one.partly, one.gap)))


def warn_of_gap(one: Unchecked) -> str:
    """Say what could not be checked with a bot, and what to do about it."""
    bot, part, turns = one.bot, one.gap.part, plural(one.of, "turn")
    rest = say(f"{plural(one.partly, 'turn')} could be checked only in part")
    if not one.turns:
        return say(f"{bot!s} reports no {part}: {rest}")
    left = say(f"{one.turns:,} of {turns} could not be checked, so no number counts them")
    unchecked = f"{left}; {rest}" if one.partly else left
    return say(
        f"{bot!s} reports no {part}: {unchecked}. Expect a reply in these turns too, or let the bot report {part}."
    )


def warn_of_delays(delays: Iterable[Delay]) -> Iterator[str]:
    """Say whose response times are partly those of this machine."""
    for one in delays:
        if one.large:
            bot, share, p95, most = one.bot, 100 * one.share, one.p95_ms, one.max_ms
            yield say(
                f"{bot!s}: response times include delays of this machine, {share:.0f} % of the time measured"
                f" (95 % of replies up to {p95:,.0f} ms, at most {most:,.0f} ms): hold fewer conversations at once,"
                " or use a less busy machine"
            )


def find_delays(columns: Columns) -> tuple[Delay, ...]:
    """Return how busy this machine was while it waited for each bot, where it was busy at all."""
    return tuple(_delays(columns))


def _delays(columns: Columns) -> Iterator[Delay]:
    for bot in columns.bots:
        timed = [
            (line.lag_ms, line.first_ms)
            for line in columns.lines
            if line.key.bot == bot and line.first_ms is not None and line.verdict.replied
        ]
        lags, times = np.array(timed, dtype=np.float64).reshape(-1, 2).T
        if lags.any() and times.sum() > 0:
            share = float(np.minimum(lags, times).sum() / times.sum())
            yield Delay(bot, float(np.percentile(lags, 95)), float(lags.max()), share)
