"""Three or more bots on one scale: who wins conversations against whom."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from vivavoce.conversations.findings.columns import Columns, Floats, sum_by
from vivavoce.conversations.findings.comparison import meet
from vivavoce.conversations.findings.draws import percentiles, redraw
from vivavoce.conversations.result import Strength
from vivavoce.statistics import bradley_terry

DRAWS = 500
LEAST_BOTS = 3


def rank_bots(columns: Columns, *, seed: int = 0, draws: int = DRAWS) -> tuple[Strength, ...]:
    """Return the strengths of three or more bots, strongest first; nothing for fewer."""
    if len(columns.bots) < LEAST_BOTS:
        return ()
    wins = count_wins(columns)
    total = wins.sum(axis=0)
    strengths = bradley_terry(total)
    ends = _intervals(wins, seed, draws)
    rows = [
        Strength(
            bot, float(strengths[i]), *ends[i], float(total[i].sum()), round(float((total[i] + total[:, i]).sum()))
        )
        for i, bot in enumerate(columns.bots)
    ]
    return tuple(sorted(rows, key=lambda row: -row.strength))


def count_wins(columns: Columns) -> Floats:
    """Return for each cluster how often bot i won a conversation against bot j, a draw half a win for both.

    The winner passed more of the turns counted for both; each repeat is a conversation.
    """
    clusters = columns.clusters(np.ones(len(columns.scripts), dtype=bool))
    size = len(columns.bots)
    wins = np.zeros((int(clusters.max(initial=-1)) + 1, size, size))
    for a, b in combinations(range(size), 2):
        meeting = meet(columns, a, b)
        gap = columns.passed[meeting.lines_a].astype(np.int64) - columns.passed[meeting.lines_b]
        talks, place = np.unique(columns.talk[meeting.lines_a], return_inverse=True)
        ahead = sum_by(place.ravel(), gap, len(talks))
        script = talks // columns.repeats % len(columns.scripts)
        won = (np.sign(ahead) + 1) / 2
        wins[:, a, b] = sum_by(clusters[script], won, len(wins))
        wins[:, b, a] = sum_by(clusters[script], 1 - won, len(wins))
    return wins


def _intervals(wins: Floats, seed: int, draws: int) -> list[tuple[float | None, float | None]]:
    size = wins.shape[-1]
    met = wins[wins.sum(axis=(1, 2)) > 0]
    if len(met) < 2:
        return [(None, None)] * size
    tables, _ = redraw(met.reshape(len(met), size * size), None, draws, seed)
    drawn = bradley_terry(tables.reshape(draws, size, size))
    return [percentiles(drawn[:, bot]) for bot in range(size)]
