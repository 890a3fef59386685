"""How far the talks of a log lie from those that the model learned from.

Each talk is set beside the ten learned talks that are most like it, on the scales of the model (normal quantiles of
its features). What is left between both, averaged over the log, is 0 for talks of the learned kind, whatever bot they
are with, and grows where no learned talk is like them. The distance is the root mean square over all features, in
standard deviations of the learned talks; what chance adds in a small log is taken off.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.dialogue import Dialogue, View, judge_of
from vivavoce.dialogues.model.model import Model
from vivavoce.dialogues.model.reasons import GROUPS
from vivavoce.dialogues.refusals import shorten
from vivavoce.dialogues.result import Drift

Floats = NDArray[np.float64]

# Held-out talks of the learned kind have 0.08, those of a single bot up to 0.29; other small talk has 0.30 to 0.36,
# scripted talks about a task 0.57 and more. Measured by benchmarks/dialogue_trust.py.
LIMIT = 0.3
NEIGHBOURS = 10
# Fewer talks do not show what kind they are; more would not say more.
LEAST_TALKS = 10
MOST_TALKS = 200
MOST_TRAITS = 2


def measure_drift(model: Model, dialogues: Sequence[Dialogue]) -> Drift | None:
    """Return how far talks lie from the learned ones; None below ten talks. Each of them can be scored and is new."""
    if len(dialogues) < LEAST_TALKS:
        return None
    talks = dialogues[:: -(-len(dialogues) // MOST_TALKS)]
    parts = model.parts
    features = np.vstack([parts.features(parts.read(View(shorten(talk)[0], judge_of(talk)))) for talk in talks])
    gaps = _gaps(parts.scales.apply(features).astype(np.float64), parts.kernel.talks.astype(np.float64))
    # The square of a mean is too large by its variance.
    squares = gaps.mean(axis=0) ** 2 - gaps.var(axis=0) / len(gaps)
    distance = float(np.sqrt(max(0.0, squares.mean())))
    return Drift(distance, LIMIT, len(talks), _traits(squares))


def _gaps(rows: Floats, learned: Floats) -> Floats:
    """Return what each talk has more or less than the learned talks that are most like it."""
    # What a row has in its own square is the same for all of its neighbours.
    distances = (learned**2).sum(axis=1)[None, :] - 2 * rows @ learned.T
    count = min(NEIGHBOURS, len(learned))
    nearest = np.argpartition(distances, count - 1, axis=1)[:, :count]
    spread = learned.std(axis=0)
    return np.asarray((rows - learned[nearest].mean(axis=1)) / np.where(spread > 0, spread, 1.0))


def _traits(squares: Floats) -> tuple[str, ...]:
    """Return the groups of features that differ most, of those that differ."""
    means = {name: float(squares[features].mean()) for name, features in GROUPS.items()}
    differing = [name for name, mean in means.items() if mean > LIMIT**2]
    return tuple(sorted(differing, key=lambda name: -means[name])[:MOST_TRAITS])
