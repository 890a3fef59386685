"""Learning the equations: how much each output counts, and how far marks lie around the score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.dialogue import HIGHEST, LOWEST
from vivavoce.dialogues.model.model import Equation

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Split = tuple[NDArray[np.intp], NDArray[np.intp]]

# Eight of ten marks lie between these.
SHARES = (0.1, 0.9)
# Scores for each step of the interval; fewer would make its ends jump.
_LEAST_IN_STEP = 60
_MOST_STEPS = 12


def learn_equation(outputs: Floats, marks: Floats, human: Flags, *, told: bool) -> Equation:
    """Fit marks by least squares; without `told` nobody knows who is human."""
    columns = [np.ones(len(marks)), human * float(told), outputs[:, 0], outputs[:, 1]]
    # The shortest solution: where all peers are of one kind, nothing is added for the other.
    solution = np.linalg.lstsq(np.stack(columns, axis=1), marks, rcond=1e-8)[0]
    return Equation(float(solution[0]), float(solution[1]), np.asarray(solution[2:], dtype=np.float64))


def cross_fit(outputs: Floats, marks: Floats, human: Flags, folds: Sequence[Split], *, told: bool) -> Floats:
    """Return marks of each fold by an equation learned from the outputs of the others."""
    found = np.zeros(len(marks))
    for learning, testing in folds:
        equation = learn_equation(outputs[learning], marks[learning], human[learning], told=told)
        found[testing] = equation.apply(outputs[testing], human[testing])
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
