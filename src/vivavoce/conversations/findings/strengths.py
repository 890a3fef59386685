"""Three or more bots on one scale: who wins conversations against whom."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from vivavoce.conversations.findings.columns import Columns, Floats, sum_by
from vivavoce.conversations.findings.comparison import pair_lines
from vivavoce.conversations.result import Strength
from vivavoce.statistics import bradley_terry

DRAWS = 500
# Numbers held in memory at once: a million of 8 bytes.
BLOCK = 1_000_000
CONFIDENCE = 0.95
MIN_BOTS = 3


def rank_bots(columns: Columns, *, seed: int = 0, draws: int = DRAWS) -> tuple[Strength, ...]:
    """Return the strengths of three or more bots, strongest first; nothing for fewer."""
    if len(columns.bots) < MIN_BOTS:
        return ()
    wins = count_wins(columns)
    total = wins.sum(axis=0)
    strengths = bradley_terry(total)
    ends = _draw_intervals(wins, seed, draws)
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
        own, other = pair_lines(columns, a, b)
        gap = columns.passed[own].astype(np.int64) - columns.passed[other]
        held, place = np.unique(columns.conversation[own], return_inverse=True)
        ahead = sum_by(place.ravel(), gap, len(held))
        script = held // columns.repeats % len(columns.scripts)
        won = (np.sign(ahead) + 1) / 2
        wins[:, a, b] = sum_by(clusters[script], won, len(wins))
        wins[:, b, a] = sum_by(clusters[script], 1 - won, len(wins))
    return wins


def _draw_intervals(wins: Floats, seed: int, draws: int) -> list[tuple[float | None, float | None]]:
    """Return the middle 95 % of each bot's strengths when clusters are drawn again; none where they do not vary."""
    size = wins.shape[-1]
    met = wins[wins.sum(axis=(1, 2)) > 0]
    clusters = len(met)
    if clusters < 2:
        return [(None, None)] * size
    generator = np.random.default_rng(seed)
    step = max(1, BLOCK // clusters)
    sums = []
    for start in range(0, draws, step):
        rows = min(step, draws - start)
        drawn = generator.integers(clusters, size=(rows, clusters)) + np.arange(rows)[:, None] * clusters
        weights = np.bincount(drawn.ravel(), minlength=rows * clusters).reshape(rows, clusters)
        sums.append(weights.astype(np.float64) @ met.reshape(clusters, size * size))
    strengths = bradley_terry(np.concatenate(sums).reshape(draws, size, size))
    ends: list[tuple[float | None, float | None]] = []
    for values in strengths.T:
        known = values[~np.isnan(values)]
        low, high = np.quantile(known, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]) if known.size else (0.0, 0.0)
        ends.append((float(low), float(high)) if low < high else (None, None))
    return ends
