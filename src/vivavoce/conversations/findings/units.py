"""Every rate as two sums for each bot on each script: what is hit and what is counted. Cells only add them up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from vivavoce.conversations.findings.columns import Columns, Flags, Floats, Ints, sum_by
from vivavoce.conversations.findings.repeats import TalkTable, pass_hat, tabulate_talks, tabulate_turns, weakest_turns
from vivavoce.conversations.findings.typo_pairs import pair_typos
from vivavoce.outcomes import TurnCounts, TurnOutcome

Pair = tuple[Floats, Floats]
TIME = "response_time"
F1 = "f1"


@dataclass(frozen=True, eq=False)
class Units:
    """Sums for each bot on each script, by the name of the rate; and the pairs of misspelt and clean lines."""

    counts: TurnCounts
    ratios: Mapping[str, Pair]
    typo: Ints
    clean: Ints
    talks: Floats
    lines: Floats
    typo_out_of_scope: Floats
    guesses_known: Floats


def units_of(columns: Columns) -> Units:
    """Return the sums of each bot on each script."""
    counts = _counts(columns)
    typo, clean = pair_typos(columns)
    ratios = {name: (_f(share.hits), _f(share.n)) for name, share in counts.shares().items()}
    ratios[F1] = (2 * _f(counts.right), _f(counts.answers + counts.in_scope))
    ratios |= _replies(columns) | _typos(columns, typo, clean) | _talks(columns) | _guesses(columns)
    ratios[TIME] = _time(columns)
    known = np.array([line.verdict.guess_right is not None for line in columns.lines], dtype=bool)
    return Units(
        counts=counts,
        ratios=ratios,
        typo=typo,
        clean=clean,
        talks=sum_by(np.unique(columns.talk) // columns.repeats, None, columns.units),
        lines=_sum(columns, np.ones(len(columns.lines), dtype=bool)),
        typo_out_of_scope=_sum(columns, columns.typo & columns.counted & ~columns.in_scope),
        guesses_known=_sum(columns, known),
    )


def _f(value: object) -> Floats:
    return np.asarray(value, dtype=np.float64)


def _sum(columns: Columns, flags: Flags | Floats) -> Floats:
    return sum_by(columns.unit, flags, columns.units)


def _counts(columns: Columns) -> TurnCounts:
    """Count outcomes; the fields are arrays, so that the shares of all units follow from the one definition."""
    by_name: dict[str, Any] = {
        str(outcome): _sum(columns, columns.is_outcome(outcome))
        for outcome in TurnOutcome
        if outcome is not TurnOutcome.NO_REPLY
    }
    silent = columns.is_outcome(TurnOutcome.NO_REPLY)
    by_name["no_reply_in"] = _sum(columns, silent & columns.in_scope)
    by_name["no_reply_out"] = _sum(columns, silent & ~columns.in_scope)
    return TurnCounts(**by_name)


def _replies(columns: Columns) -> dict[str, Pair]:
    replied = np.array([line.verdict.replied for line in columns.lines], dtype=bool)
    fallback = np.array([line.verdict.fallback for line in columns.lines], dtype=bool)
    return {"fallback_rate": (_sum(columns, replied & fallback), _sum(columns, replied))}


def _guesses(columns: Columns) -> dict[str, Pair]:
    """Of the turns not answered, those in which the guess held back was wrong. No guess at all counts below only."""
    deferred = columns.is_outcome(TurnOutcome.MISSED) | columns.is_outcome(TurnOutcome.DECLINED)
    wrong = np.array([line.verdict.guess_right is False for line in columns.lines], dtype=bool)
    return {"carefulness": (_sum(columns, deferred & wrong), _sum(columns, deferred))}


def _typos(columns: Columns, typo: Ints, clean: Ints) -> dict[str, Pair]:
    right = columns.is_outcome(TurnOutcome.RIGHT)
    misspelt = columns.typo & columns.counted & columns.in_scope

    def paired(flags: Flags) -> Floats:
        return sum_by(columns.unit[typo], flags, columns.units)

    return {
        "comprehension_rate": (_sum(columns, misspelt & right), _sum(columns, misspelt)),
        "clean_twin_rate": (paired(right[clean]), paired(np.ones(len(typo), dtype=bool))),
        "retention": (paired(right[typo] & right[clean]), paired(right[clean])),
    }


def _talks(columns: Columns) -> dict[str, Pair]:
    talks = tabulate_talks(columns)
    n = sum_by(talks.unit, None, columns.units)
    share = sum_by(talks.unit, talks.share, columns.units)
    passed = sum_by(talks.unit, talks.passed, columns.units)
    weakest = weakest_turns(tabulate_turns(columns, talks.whole), columns.units)
    return {
        "conversations_passed": (passed, n),
        "mean_turn": (share, n),
        "weakest_turn": weakest,
        **(_repeats(columns, talks, n, passed) if columns.repeats > 1 else {}),
    }


def _repeats(columns: Columns, talks: TalkTable, n: Floats, passed: Floats) -> dict[str, Pair]:
    turns = tabulate_turns(columns, np.ones(len(columns.lines), dtype=bool))
    again = turns.n > 1
    same = again & ((turns.passed == 0) | (turns.passed == turns.n))
    stability = tuple(sum_by(turns.unit, flags, columns.units) for flags in (same, again))
    hats = {f"pass_hat_{k}": pass_hat(n, passed, k) for k in range(1, columns.repeats + 1)}
    return {"stability": (stability[0], stability[1]), **hats}


def _time(columns: Columns) -> Pair:
    """Return the sum of the mean times of conversations, and how many have one."""
    first = times_of_lines(columns)
    timed = ~np.isnan(first)
    size = columns.units * columns.repeats
    n = sum_by(columns.talk[timed], None, size)
    total = sum_by(columns.talk[timed], first[timed], size)
    mean = np.divide(total, n, out=np.zeros(size), where=n > 0)
    shape = (columns.units, columns.repeats)
    return mean.reshape(shape).sum(axis=1), (n > 0).reshape(shape).sum(axis=1).astype(np.float64)


def times_of_lines(columns: Columns, *, last: bool = False) -> Floats:
    """Return the time of each answered turn in milliseconds, NaN elsewhere: what ran out of time is no time."""
    times = ((line.last_ms if last else line.first_ms) if line.verdict.replied else None for line in columns.lines)
    return np.array([np.nan if time is None else time for time in times], dtype=np.float64)
