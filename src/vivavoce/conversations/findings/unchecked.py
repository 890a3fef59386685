"""What a run could not check or time properly: turns that a bot leaves unchecked, and delays of this machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from vivavoce.conversations.findings.columns import Columns
from vivavoce.conversations.result import Delay, Gap, Unchecked
from vivavoce.messages import join, say, say_count
from vivavoce.outcomes import TurnOutcome


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
    rows = [Unchecked(bot, gap, turns[bot, gap], partly[bot, gap], of[bot]) for bot, gap in {**turns, **partly}]
    return tuple(sorted(rows, key=lambda row: (columns.bots.index(row.bot), -row.turns, -row.partly, row.gap)))


def warn_of_gap(row: Unchecked) -> str:
    """Say what could not be checked with a bot, and what to do about it."""
    bot, part, turns = row.bot, row.gap.part, say_count(row.of, "{n} turn", "{n} turns")
    rest = say("{turns} checked only in part", turns=say_count(row.partly, "{n} turn", "{n} turns"))
    if not row.turns:
        return say("{bot} reports no {part}: {rest}", bot=bot, part=part, rest=rest)
    left = say("{turns:,} of {turns2} could not be checked and are not counted", turns=row.turns, turns2=turns)
    unchecked = join("; ", (left, rest)) if row.partly else left
    return say(
        "{bot} reports no {part}: {unchecked}. Expect a reply in these turns too, or make the bot report {part}.",
        bot=bot,
        part=part,
        unchecked=unchecked,
    )


def warn_of_delays(delays: Iterable[Delay]) -> Iterator[str]:
    """Say whose response times are partly those of this machine."""
    for delay in delays:
        if delay.large:
            yield say(
                "{bot}: response times include delays on this machine, {share:.0f} % of the "
                "measured time (up to {p95:,.0f} ms for 95 % of replies, at most {most:,.0f} ms): "
                "run fewer conversations at once, or use a less busy machine",
                bot=delay.bot,
                share=100 * delay.share,
                p95=delay.p95_ms,
                most=delay.max_ms,
            )


def find_delays(columns: Columns) -> tuple[Delay, ...]:
    """Return how busy this machine was while it waited for each bot, where it was busy at all."""
    delays = []
    for bot in columns.bots:
        timed = [
            (line.lag_ms, line.first_ms)
            for line in columns.lines
            if line.key.bot == bot and line.first_ms is not None and line.verdict.replied
        ]
        lags, times = np.array(timed, dtype=np.float64).reshape(-1, 2).T
        if lags.any() and times.sum() > 0:
            share = float(np.minimum(lags, times).sum() / times.sum())
            delays.append(Delay(bot, float(np.percentile(lags, 95)), float(lags.max()), share))
    return tuple(delays)
