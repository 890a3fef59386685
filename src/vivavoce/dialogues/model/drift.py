"""How far the dialogues of a log lie from those that the model learned from.

Each dialogue is compared with the ten learned ones that are most like it, on the scales of the model (normal
quantiles of its features). What is left between both, averaged over the log, is 0 for dialogues of the learned kind,
whatever bot they are with, and grows where no learned one is like them. The distance is the root mean square over all
features, in standard deviations of the learned dialogues; what chance adds in a small log is taken off.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vivavoce.dialogues.dialogue import Dialogue, View, judge_of
from vivavoce.dialogues.model.model import Model
from vivavoce.dialogues.model.reasons import GROUPS
from vivavoce.dialogues.refusals import shorten
from vivavoce.dialogues.result import Drift

# Held-out dialogues of the learned kind have 0.08, those of a single bot up to 0.29; other small talk has 0.30 to
# 0.36, scripted ones about a task 0.57 and more. Measured by benchmarks/dialogue_trust.py.
LIMIT = 0.3
NEIGHBOURS = 10
# Fewer dialogues do not show what kind they are; more would not say more.
MIN_DIALOGUES = 10
MAX_DIALOGUES = 200
MAX_TRAITS = 2


def measure_drift(model: Model, dialogues: Sequence[Dialogue]) -> Drift | None:
    """Return how far dialogues lie from the learned ones; None below ten. Each of them can be scored and is new."""
    if len(dialogues) < MIN_DIALOGUES:
        return None
    sample, parts = dialogues[:: -(-len(dialogues) // MAX_DIALOGUES)], model.parts
    views = [View(shorten(dialogue)[0], judge_of(dialogue)) for dialogue in sample]
    features = np.vstack([parts.features(parts.read(view)) for view in views])
    rows, learned = parts.scales.apply(features).astype(np.float64), parts.kernel.examples.astype(np.float64)
    # What a row has in its own square is the same for all of its neighbours.
    distances = (learned**2).sum(axis=1)[None, :] - 2 * rows @ learned.T
    count = min(NEIGHBOURS, len(learned))
    nearest = np.argpartition(distances, count - 1, axis=1)[:, :count]
    spread = learned.std(axis=0)
    # What each dialogue has more or less than the learned ones that are most like it.
    gaps = np.asarray((rows - learned[nearest].mean(axis=1)) / np.where(spread > 0, spread, 1.0))
    # The square of a mean is too large by its variance.
    squares = gaps.mean(axis=0) ** 2 - gaps.var(axis=0) / len(gaps)
    distance = float(np.sqrt(max(0.0, squares.mean())))
    means = {name: float(squares[columns].mean()) for name, columns in GROUPS.items()}
    traits = sorted((name for name in means if means[name] > LIMIT**2), key=lambda name: -means[name])
    return Drift(distance, LIMIT, len(sample), tuple(traits[:MAX_TRAITS]))
