"""Misspelt turns beside their clean twins, in the same talk or in the original of a misspelt copy."""

from __future__ import annotations

import numpy as np

from vivavoce.conversations.findings.columns import Columns, Ints
from vivavoce.conversations.result import Twins
from vivavoce.conversations.transcript import TalkKey
from vivavoce.outcomes import TurnOutcome
from vivavoce.statistics import paired_test


def pair_typos(columns: Columns) -> tuple[Ints, Ints]:
    """Return the places of misspelt lines and of their clean twins: same bot, same repeat, in scope, both counted."""
    place = {(line.key, line.number): index for index, line in enumerate(columns.lines)}
    pairs = []
    for index in np.flatnonzero(columns.typo & columns.counted & columns.in_scope).tolist():
        line = columns.lines[index]
        if line.twin is None:
            continue
        script, number = line.twin
        other = place.get((TalkKey(line.key.bot, script, line.key.repeat), number))
        if other is not None and columns.counted[other] and columns.in_scope[other]:
            pairs.append((index, other))
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def twins_of(columns: Columns, typo: Ints, clean: Ints) -> Twins:
    """Count the pairs of one bot's messages that were right on both sides, one or neither, with a test by scenario.

    Repeats of a pair are no new evidence: a message was right if it was so in most repeats, and a tie is not most.
    Where every pair is a scenario of its own and few differ, the test is McNemar's.
    """
    right = columns.is_outcome(TurnOutcome.RIGHT)
    _, first, pair = np.unique(columns.turn[typo], return_index=True, return_inverse=True)
    n = np.bincount(pair.ravel())
    with_typo, without = (2 * np.bincount(pair.ravel(), weights=right[side]) > n for side in (typo, clean))
    only_clean, only_typo = int((without & ~with_typo).sum()), int((with_typo & ~without).sum())
    both, neither = int((without & with_typo).sum()), int((~without & ~with_typo).sum())
    clusters = columns.clusters(np.ones(len(columns.scripts), dtype=bool))[columns.script[typo[first]]]
    p = paired_test(without.tolist(), with_typo.tolist(), clusters.tolist(), step=1.0).p
    return Twins(both, only_clean, only_typo, neither, p, int(n.min(initial=len(typo))), int(n.max(initial=0)))
