"""What repeats of the same conversation tell: turns that flicker, and the chance to pass several times in a row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vivavoce.conversations.findings.columns import Columns, Flags, Floats, Ints, sum_by
from vivavoce.conversations.result import Unstable
from vivavoce.outcomes import TurnOutcome


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


@dataclass(frozen=True, eq=False)
class ConversationTable:
    """Each conversation that can be judged as a whole: something was counted in it and nothing failed to run.

    One that broke off although all went well is left out too: nobody knows how it would have gone on.
    """

    unit: Ints
    share: Floats
    whole: Flags


def tabulate_conversations(columns: Columns) -> ConversationTable:
    """Gather lines by conversation. `whole` tells of each line whether its conversation is in the table."""
    size = columns.units * columns.repeats
    n = sum_by(columns.conversation, columns.counted, size)
    passed = sum_by(columns.conversation, columns.counted & columns.passed, size)
    broken = sum_by(columns.conversation, columns.is_outcome(TurnOutcome.ERROR), size)
    cut = sum_by(columns.conversation, columns.is_outcome(TurnOutcome.NOT_REACHED), size)
    good = (n > 0) & (broken == 0) & ((cut == 0) | (passed < n))
    held = np.flatnonzero(good)
    return ConversationTable(held // columns.repeats, passed[held] / n[held], good[columns.conversation])


def weakest_turns(turns: TurnTable, units: int) -> tuple[Floats, Floats]:
    """Return for each bot on each script the lowest share of repeats in which one of its turns passed, and its count.

    With a single repeat it is 1 where every turn passed and 0 elsewhere.
    """
    lowest = np.full(units, np.inf)
    np.minimum.at(lowest, turns.unit, turns.passed / turns.n)
    seen = np.isfinite(lowest)
    return np.where(seen, lowest, 0.0), seen.astype(np.float64)


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
