"""What a run could not check or time properly: turns that a bot leaves unchecked, and delays of this machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from vivavoce.conversations.findings.columns import Columns
from vivavoce.conversations.result import Delay, Gap, Unchecked
from vivavoce.messages import join, say, say_count
from vivavoce.outcomes import TurnOutcome

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
    bot, part, turns = one.bot, one.gap.part, say_count(one.of, "{n} turn", "{n} turns")
    rest = say("{turns} could be checked only in part", turns=say_count(one.partly, "{n} turn", "{n} turns"))
    if not one.turns:
        return say("{bot} reports no {part}: {rest}", bot=bot, part=part, rest=rest)
    left = say("{turns:,} of {turns2} could not be checked, so no number counts them", turns=one.turns, turns2=turns)
    unchecked = join("; ", (left, rest)) if one.partly else left
    return say(
        "{bot} reports no {part}: {unchecked}. Expect a reply in these turns too, or let the bot report {part}.",
        bot=bot,
        part=part,
        unchecked=unchecked,
    )


def warn_of_delays(delays: Iterable[Delay]) -> Iterator[str]:
    """Say whose response times are partly those of this machine."""
    for one in delays:
        if one.large:
            bot, share, p95, most = one.bot, 100 * one.share, one.p95_ms, one.max_ms
            yield say(
                "{bot}: response times include delays of this machine, {share:.0f} % of the time measured (95 % of "
                "replies up to {p95:,.0f} ms, at most {most:,.0f} ms): hold fewer conversations at once, or use a "
                "less busy machine",
                bot=bot,
                share=share,
                p95=p95,
                most=most,
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
