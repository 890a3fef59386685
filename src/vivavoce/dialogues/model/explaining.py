"""Scores with their grounds: what each message and each group of features moved.

The effect of a message is the score of the talk minus the score that it would get if this message were like the other
messages of its side. (Simply leaving it out would mostly show that longer talks get better marks.) The effect of a
group is the score minus the score of a talk that is typical in this group and the same in all others. All before the
score is cut to the scale, so that a talk at its end has effects too. Effects do not add up to the score: parts work
together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.dialogue import Kind, View
from vivavoce.dialogues.model.features import talk_features
from vivavoce.dialogues.model.messages import Talk
from vivavoce.dialogues.model.model import Model
from vivavoce.dialogues.model.reasons import GROUPS, WORDING, describe
from vivavoce.dialogues.result import Reason, TurnEffect
from vivavoce.messages import say

Floats = NDArray[np.float64]

# Longer talks: only the messages that the thumb model finds most remarkable are tried.
MOST_TRIED = 60
# Smaller effects are noise, and more reasons are not read.
LEAST_EFFECT = 0.05
MOST_REASONS = 5


@dataclass(frozen=True)
class Grounds:
    """A score between 1 and 5, and what moved it."""

    score: float
    low: float
    high: float
    turns: tuple[TurnEffect, ...] = ()
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class _Trial:
    """All rows to be predicted for one talk: as it is, without each tried message, with each group made typical."""

    tried: NDArray[np.intp]
    features: Floats = field(repr=False)
    wording: Floats = field(repr=False)

    @property
    def rows(self) -> int:
        """How many rows this talk takes."""
        return len(self.features)


def explain(model: Model, views: Sequence[View]) -> list[Grounds]:
    """Return the grounds of each view; all are predicted together."""
    if not views:
        return []
    trials = [_trial(model, model.parts.read(view)) for view in views]
    ends = np.cumsum([trial.rows for trial in trials])[:-1]
    outputs = model.parts.combine(
        np.vstack([trial.wording for trial in trials]), np.vstack([trial.features for trial in trials]), ends.tolist()
    )
    parts = np.split(outputs, ends)
    return [_grounds(model, *one) for one in zip(views, trials, parts, strict=True)]


def _trial(model: Model, talk: Talk) -> _Trial:
    liked = model.parts.thumbs.predict(talk)
    tried = _tried(liked)
    masks = np.vstack([np.ones(len(liked)), stand_ins(talk, tried)])
    features = talk_features(talk, liked, masks)
    wording = model.parts.wording.predict(talk, masks)
    typical = np.repeat(features[:1], len(GROUPS) + 1, axis=0)
    for row, columns in enumerate(GROUPS.values()):
        typical[row, columns] = model.parts.scales.typical[columns]
    own = np.repeat(wording[:1], len(GROUPS) + 1, axis=0)
    own[-1] = model.parts.kernel.intercept
    return _Trial(tried, np.vstack([features, typical]), np.vstack([wording, own]))


def stand_ins(talk: Talk, tried: NDArray[np.intp]) -> Floats:
    """Return one mask for each tried message: it counts nothing, the others of its side a little more instead."""
    masks = np.ones((len(tried), len(talk.peer)))
    for row, message in enumerate(tried):
        own = talk.peer == talk.peer[message]
        masks[row, own] = own.sum() / max(1, own.sum() - 1)
        masks[row, message] = 0
    return masks


def _tried(liked: Floats) -> NDArray[np.intp]:
    if len(liked) <= MOST_TRIED:
        return np.arange(len(liked))
    return np.sort(np.argsort(-np.abs(liked - liked.mean()), kind="stable")[:MOST_TRIED])


def _grounds(model: Model, view: View, trial: _Trial, outputs: Floats) -> Grounds:
    equation, human = model.equation(view.dialogue.kind), model.human(view.dialogue.kind, outputs)
    raw = equation.raw(outputs, human)
    effects = raw[0] - raw[1:]
    score = equation.apply(outputs[:1], human[:1])
    low, high = equation.interval(score)
    turns = tuple(
        TurnEffect(int(number) + 1, view.dialogue.turns[number].speaker, float(effect))
        for number, effect in zip(trial.tried, effects, strict=False)
    )
    peer = say("the bot") if view.dialogue.kind is Kind.HUMAN_BOT else say("the other side")
    reasons = _reasons(effects[len(trial.tried) :], trial.features[0], peer)
    return Grounds(float(score[0]), float(low[0]), float(high[0]), turns, reasons)


def _reasons(effects: Floats, features: Floats, peer: str) -> tuple[Reason, ...]:
    found = [
        Reason(group, float(effect), describe(group, features, peer))
        for group, effect in zip((*GROUPS, WORDING), effects, strict=True)
        if abs(effect) >= LEAST_EFFECT
    ]
    return tuple(sorted(found, key=lambda reason: -abs(reason.effect))[:MOST_REASONS])
