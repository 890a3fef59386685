"""One scale for many players from who beat whom."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PRIOR = 0.5
ROUNDS = 200
# The longest step on the log scale: Newton's method must not leap where wins are lopsided.
STRIDE = 2.0


def bradley_terry(wins: Floats, prior: float = PRIOR) -> Floats:
    """Return the log strengths of players, mean 0, from a table of wins; many tables at once are welcome.

    `wins[..., i, j]` is how often i beat j, a draw half a win for both. P(i beats j) = 1 / (1 + exp(s_j - s_i));
    the strengths maximise the likelihood after `prior` wins are added to both sides of every pair. Without them
    an unbeaten player would be infinitely strong; with 0.5 each pair is given one drawn contest more.
    """
    if prior <= 0:
        raise ValueError("the prior must be above 0: without it an unbeaten player has no finite strength")
    players = wins.shape[-1]
    table = np.asarray(wins, dtype=np.float64) + prior * (1 - np.eye(players))
    contests, strengths = table + np.swapaxes(table, -1, -2), np.zeros(table.shape[:-1])
    for _ in range(ROUNDS):
        chance = 1 / (1 + np.exp(strengths[..., None, :] - strengths[..., :, None]))
        slope = (table - contests * chance).sum(axis=-1)
        spread = contests * chance * (1 - chance)
        curve = np.eye(players) * spread.sum(axis=-1)[..., None] - spread
        # All strengths may move together without a change: adding 1 everywhere pins their sum.
        step = np.linalg.solve(curve + 1.0, slope[..., None])[..., 0]
        longest = np.abs(step).max(axis=-1, initial=0.0, keepdims=True)
        strengths = strengths + step * np.minimum(1.0, STRIDE / np.maximum(longest, STRIDE))
        if not longest.size or longest.max() < 1e-9:
            break
    return np.asarray(strengths - strengths.mean(axis=-1, keepdims=True))
