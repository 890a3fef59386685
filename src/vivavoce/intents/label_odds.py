"""How doubtful the topic of each example is: how many times likelier the best other topic is than its own.

The chances come from models that were not trained on the example. Why the ratio: docs/decisions/suspects.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vivavoce.intents.splits import Rows

Matrix = NDArray[np.float64]

# An example is suspect if another topic is at least 19 times likelier than its own.
MIN_SCORE = 0.95
# So much do the texts nearest to an example count beside the models.
TEXT_WEIGHT = 0.02
# A list to read may hold doubtful ones; a problem that is shown to everybody may not: it asks for 999 times likelier.
MIN_EXAM_SCORE = 0.999
FLOOR = 1e-6


def compare_topics(chances: NDArray[np.floating], labels: Rows) -> tuple[Matrix, Rows]:
    """Return the log odds of the best other topic against the row's own, and that topic; -inf where not judged."""
    rows = np.arange(len(labels))
    judged = (labels >= 0) & ~np.isnan(chances).any(axis=1)
    others = np.array(chances, dtype=np.float64)
    own = others[rows, labels]
    others[rows, labels] = -1.0
    others[~judged] = 0.0
    suggested = others.argmax(axis=1)
    with np.errstate(invalid="ignore"):
        odds = np.log(others[rows, suggested] + FLOOR) - np.log(own + FLOOR)
    return np.where(judged, odds, -np.inf), suggested


def order_by_odds(odds: Matrix) -> Rows:
    """Return the judged rows, most suspect first."""
    rows = np.argsort(-odds, kind="stable")
    return np.asarray(rows[np.isfinite(odds[rows])])


def odds_to_scores(odds: Matrix) -> Matrix:
    """Return log odds as shares, 0 to 1."""
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -50, 50))))
