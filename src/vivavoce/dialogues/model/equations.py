"""Learning the equations: how much each output counts, and how far marks lie around the score."""

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
# Eight of ten marks lie between these.
SHARES = (0.1, 0.9)
# Scores for each step of the interval; fewer would make its ends jump.
_LEAST_IN_STEP = 60
_MOST_STEPS = 12


def learn_guess(outputs: Floats, human: Flags) -> Guess:
    """Learn the chance of a person from the output `human`; where there is one kind only, that kind is certain."""
    if human.all() or not human.any():
        return Guess(_CERTAIN if human.all() else -_CERTAIN, 0.0)
    from sklearn.linear_model import LogisticRegression

    fitted = LogisticRegression(C=1e3).fit(outputs[:, [OUTPUTS.index("human")]], human)
    return Guess(float(fitted.intercept_[0]), float(fitted.coef_[0, 0]))


def learn_equation(outputs: Floats, marks: Floats, human: Floats) -> Equation:
    """Fit marks by least squares; `human`: whether the peer was a person, or the chance of it."""
    # The shortest solution: where all peers are of one kind, nothing is added for the other.
    table = np.column_stack([np.ones(len(marks)), human, outputs])
    solution = np.asarray(np.linalg.lstsq(table, marks, rcond=1e-8)[0], dtype=np.float64)
    return Equation(float(solution[0]), float(solution[1]), solution[2:])


def cross_fit(outputs: Floats, marks: Floats, human: Flags, folds: Sequence[Split], *, told: bool) -> Floats:
    """Return marks of each fold by an equation learned from the outputs of the others."""
    found = np.zeros(len(marks))
    for learning, testing in folds:
        guess = learn_guess(outputs[learning], human[learning])
        known = human.astype(np.float64) if told else guess.chance(outputs)
        equation = learn_equation(outputs[learning], marks[learning], known[learning])
        found[testing] = equation.apply(outputs[testing], known[testing])
    return found


def with_interval(equation: Equation, scores: Floats, marks: Floats) -> Equation:
    """Learn where 8 of 10 marks lie at each score, from scores of talks not learned from."""
    order = np.argsort(scores, kind="stable")
    steps = np.array_split(order, int(np.clip(len(order) // _LEAST_IN_STEP, 1, _MOST_STEPS)))
    centres = np.array([scores[step].mean() for step in steps])
    gaps = np.array([np.quantile(marks[step] - scores[step], SHARES) for step in steps])
    lows = np.clip(centres + gaps[:, 0], LOWEST, HIGHEST)
    highs = np.clip(centres + gaps[:, 1], LOWEST, HIGHEST)
    # A higher score never promises less.
    return replace(equation, scores=centres, lows=np.maximum.accumulate(lows), highs=np.maximum.accumulate(highs))
