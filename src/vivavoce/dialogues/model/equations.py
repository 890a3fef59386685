"""Learning the equations: how much each output counts, and how far ratings lie around the score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.dialogue import HIGHEST, LOWEST
from vivavoce.dialogues.model.model import OUTPUTS, Equation, Guess

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Split = tuple[NDArray[np.intp], NDArray[np.intp]]

# The logit of a chance that nobody needs to doubt.
_CERTAIN = 20.0
# Eight of ten ratings lie between these.
SHARES = (0.1, 0.9)
# Scores for each step of the interval; fewer would make its ends jump.
_MIN_IN_STEP = 60
_MAX_STEPS = 12


def learn_guess(outputs: Floats, human: Flags) -> Guess:
    """Learn the chance of a person from the output `human`; where there is one kind only, that kind is certain."""
    if human.all() or not human.any():
        return Guess(_CERTAIN if human.all() else -_CERTAIN, 0.0)
    from sklearn.linear_model import LogisticRegression

    fitted = LogisticRegression(C=1e3).fit(outputs[:, [OUTPUTS.index("human")]], human)
    return Guess(float(fitted.intercept_[0]), float(fitted.coef_[0, 0]))


def learn_equation(outputs: Floats, ratings: Floats, human: Floats) -> Equation:
    """Fit ratings by least squares; `human`: whether the peer was a person, or the chance of it."""
    # The shortest solution: where all peers are of one kind, nothing is added for the other.
    table = np.column_stack([np.ones(len(ratings)), human, outputs])
    solution = np.asarray(np.linalg.lstsq(table, ratings, rcond=1e-8)[0], dtype=np.float64)
    return Equation(float(solution[0]), float(solution[1]), solution[2:])


def cross_fit(outputs: Floats, ratings: Floats, human: Flags, folds: Sequence[Split], *, told: bool) -> Floats:
    """Return ratings of each fold by an equation learned from the outputs of the others."""
    scores = np.zeros(len(ratings))
    for learning, testing in folds:
        guess = learn_guess(outputs[learning], human[learning])
        known = human.astype(np.float64) if told else guess.chance(outputs)
        equation = learn_equation(outputs[learning], ratings[learning], known[learning])
        scores[testing] = equation.apply(outputs[testing], known[testing])
    return scores


def with_interval(equation: Equation, scores: Floats, ratings: Floats) -> Equation:
    """Learn where 8 of 10 ratings lie at each score, from scores of dialogues not learned from."""
    order = np.argsort(scores, kind="stable")
    steps = np.array_split(order, int(np.clip(len(order) // _MIN_IN_STEP, 1, _MAX_STEPS)))
    centres = np.array([scores[step].mean() for step in steps])
    gaps = np.array([np.quantile(ratings[step] - scores[step], SHARES) for step in steps])
    lows = np.clip(centres + gaps[:, 0], LOWEST, HIGHEST)
    highs = np.clip(centres + gaps[:, 1], LOWEST, HIGHEST)
    # A higher score never promises less.
    return replace(equation, scores=centres, lows=np.maximum.accumulate(lows), highs=np.maximum.accumulate(highs))
