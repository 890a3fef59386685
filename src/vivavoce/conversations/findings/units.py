"""Every rate as two sums for each bot on each script: what is hit and what is counted. Cells only add them up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from vivavoce.conversations.findings.columns import Columns, Flags, Floats, Ints, sum_by
from vivavoce.conversations.result import Unstable
from vivavoce.conversations.transcript import ConversationKey
from vivavoce.outcomes import TurnCounts, TurnOutcome


@dataclass(frozen=True, eq=False)
class TurnTable:
    """Each turn of a script with one bot over its repeats: how often it was counted and passed. `first`: a line."""

    unit: Ints
    first: Ints
    n: Floats
    passed: Floats


def tabulate_turns(columns: Columns, keep: Flags) -> TurnTable:
    """Gather the counted lines among those to keep by bot, script and turn."""
    rows = np.flatnonzero(columns.counted & keep)
    names = np.stack([columns.unit[rows], columns.turn[rows]], axis=1)
    _, first, inverse = np.unique(names, axis=0, return_index=True, return_inverse=True)
    n = sum_by(inverse.ravel(), None, len(first))
    passed = sum_by(inverse.ravel(), columns.passed[rows], len(first))
    return TurnTable(columns.unit[rows][first], rows[first], n, passed)


def pass_hat(n: Floats, passed: Floats, k: int) -> tuple[Floats, Floats]:
    """Return C(passed, k) / C(n, k), the chance that k of the n repeats all passed, and 1 where n is at least k."""
    enough = n >= k
    chance = np.ones_like(n)
    for step in range(k):
        chance *= np.maximum(passed - step, 0) / np.where(enough, n - step, 1)
    return np.where(enough, chance, 0.0), enough.astype(np.float64)


def find_unstable(columns: Columns) -> tuple[Unstable, ...]:
    """Return the turns that pass in some repeats and fail in others, those nearest to a coin toss first."""
    table = tabulate_turns(columns, np.ones(len(columns.lines), dtype=bool))
    mixed = np.flatnonzero((table.passed > 0) & (table.passed < table.n))
    order = mixed[np.argsort(np.abs(table.passed[mixed] / table.n[mixed] - 0.5), kind="stable")]
    rows = [(columns.lines[int(table.first[row])], row) for row in order.tolist()]
    return tuple(
        Unstable(line.key.bot, line.key.script, line.number, int(table.passed[row]), int(table.n[row]))
        for line, row in rows
    )


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
    conversations: Floats
    typo_out_of_scope: Floats
    guesses_known: Floats


def units_of(columns: Columns) -> Units:
    """Return the sums of each bot on each script."""

    def add(flags: Flags) -> Floats:
        return sum_by(columns.unit, flags, columns.units)

    lines = columns.lines
    # The counts are arrays, so that the shares of all units follow from the one definition.
    outcomes: dict[str, Any] = {str(outcome): add(columns.is_outcome(outcome)) for outcome in TurnOutcome}
    silent = columns.is_outcome(TurnOutcome.NO_REPLY)
    del outcomes[str(TurnOutcome.NO_REPLY)]
    outcomes |= {"no_reply_in": add(silent & columns.in_scope), "no_reply_out": add(silent & ~columns.in_scope)}
    counts = TurnCounts(**outcomes)
    ratios = {
        name: (np.asarray(share.hits, dtype=np.float64), np.asarray(share.n, dtype=np.float64))
        for name, share in counts.shares().items()
    }
    ratios[F1] = (
        2 * np.asarray(counts.right, dtype=np.float64),
        np.asarray(counts.answers + counts.in_scope, dtype=np.float64),
    )
    replied = np.array([line.verdict.replied for line in lines], dtype=bool)
    fallback = np.array([line.verdict.fallback for line in lines], dtype=bool)
    ratios["fallback_rate"] = (add(replied & fallback), add(replied))
    typo, clean = pair_typos(columns)
    ratios |= _typo_ratios(columns, typo, clean) | _conversation_ratios(columns)
    # Of the turns not answered, those in which the guess held back was wrong. No guess at all counts below only.
    deferred = columns.is_outcome(TurnOutcome.MISSED) | columns.is_outcome(TurnOutcome.DECLINED)
    wrong = np.array([line.verdict.guess_right is False for line in lines], dtype=bool)
    ratios["carefulness"] = (add(deferred & wrong), add(deferred))
    ratios[TIME] = _time_ratio(columns)
    return Units(
        counts=counts,
        ratios=ratios,
        typo=typo,
        clean=clean,
        conversations=sum_by(np.unique(columns.conversation) // columns.repeats, None, columns.units),
        typo_out_of_scope=add(columns.typo & columns.counted & ~columns.in_scope),
        guesses_known=add(np.array([line.verdict.guess_right is not None for line in lines], dtype=bool)),
    )


def pair_typos(columns: Columns) -> tuple[Ints, Ints]:
    """Return the places of misspelt lines and of their clean twins: same bot, same repeat, in scope, both counted."""
    place = {(line.key, line.number): index for index, line in enumerate(columns.lines)}
    pairs = []
    for index in np.flatnonzero(columns.typo & columns.counted & columns.in_scope).tolist():
        line = columns.lines[index]
        if line.twin is None:
            continue
        script, number = line.twin
        other = place.get((ConversationKey(line.key.bot, script, line.key.repeat), number))
        if other is not None and columns.counted[other] and columns.in_scope[other]:
            pairs.append((index, other))
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _typo_ratios(columns: Columns, typo: Ints, clean: Ints) -> dict[str, Pair]:
    right = columns.is_outcome(TurnOutcome.RIGHT)
    misspelt = columns.typo & columns.counted & columns.in_scope
    both, n = right[typo] & right[clean], np.ones(len(typo), dtype=bool)
    passed, asked = (sum_by(columns.unit, flags, columns.units) for flags in (misspelt & right, misspelt))
    after, before, pairs = (sum_by(columns.unit[typo], flags, columns.units) for flags in (both, right[clean], n))
    return {"comprehension_rate": (passed, asked), "clean_twin_rate": (before, pairs), "retention": (after, before)}


def _conversation_ratios(columns: Columns) -> dict[str, Pair]:
    """Return the rates of conversations that can be judged as a whole: something was counted, nothing failed to run.

    One that broke off although all went well is left out too: nobody knows how it would have gone on.
    """

    def add(flags: Flags) -> Floats:
        return sum_by(columns.conversation, flags, columns.units * columns.repeats)

    counted, right = add(columns.counted), add(columns.counted & columns.passed)
    broken, cut = (add(columns.is_outcome(outcome)) for outcome in (TurnOutcome.ERROR, TurnOutcome.NOT_REACHED))
    whole = (counted > 0) & (broken == 0) & ((cut == 0) | (right < counted))
    held = np.flatnonzero(whole)
    unit, shares = held // columns.repeats, right[held] / counted[held]
    n, share, passed = (sum_by(unit, part, columns.units) for part in (None, shares, shares == 1))
    # The lowest share of repeats in which one of its turns passed; with a single repeat 1 where every turn passed.
    turns = tabulate_turns(columns, whole[columns.conversation])
    lowest = np.full(columns.units, np.inf)
    np.minimum.at(lowest, turns.unit, turns.passed / turns.n)
    weakest = np.where(np.isfinite(lowest), lowest, 0.0), np.isfinite(lowest).astype(np.float64)
    ratios = {"conversations_passed": (passed, n), "mean_turn": (share, n), "weakest_turn": weakest}
    if columns.repeats > 1:
        turns = tabulate_turns(columns, np.ones(len(columns.lines), dtype=bool))
        again = turns.n > 1
        same = again & ((turns.passed == 0) | (turns.passed == turns.n))
        stable, repeated = (sum_by(turns.unit, flags, columns.units) for flags in (same, again))
        ratios["stability"] = (stable, repeated)
        ratios |= {f"pass_hat_{k}": pass_hat(n, passed, k) for k in range(1, columns.repeats + 1)}
    return ratios


def _time_ratio(columns: Columns) -> Pair:
    """Return the sum of the mean times of conversations, and how many have one."""
    first = times_of_lines(columns)
    timed = ~np.isnan(first)
    size = columns.units * columns.repeats
    n = sum_by(columns.conversation[timed], None, size)
    total = sum_by(columns.conversation[timed], first[timed], size)
    mean = np.divide(total, n, out=np.zeros(size), where=n > 0)
    shape = (columns.units, columns.repeats)
    return mean.reshape(shape).sum(axis=1), (n > 0).reshape(shape).sum(axis=1).astype(np.float64)


def times_of_lines(columns: Columns, *, last: bool = False) -> Floats:
    """Return the time of each answered turn in milliseconds, NaN elsewhere: what ran out of time is no time."""
    times = ((line.last_ms if last else line.first_ms) if line.verdict.replied else None for line in columns.lines)
    return np.array([np.nan if time is None else time for time in times], dtype=np.float64)
