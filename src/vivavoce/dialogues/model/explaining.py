"""Scores with their grounds: what each message and each group of features moved.

The effect of a message is the score of the dialogue minus the score that it would get if this message were like the
other messages of its side. (Simply leaving it out would mostly show that longer dialogues get better ratings.) The
effect of a group is the score minus the score of a dialogue that is typical in this group and the same in all others.
All before the score is cut to the scale, so that a dialogue at its end has effects too. Effects do not add up to the
score: parts work together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.dialogue import Kind, View
from vivavoce.dialogues.model.features import dialogue_features
from vivavoce.dialogues.model.messages import EncodedDialogue
from vivavoce.dialogues.model.model import Model
from vivavoce.dialogues.model.reasons import GROUPS, WORDING, describe
from vivavoce.dialogues.result import Reason, TurnEffect
from vivavoce.messages import say

Floats = NDArray[np.float64]

# Longer dialogues: only the messages that the thumb model finds most remarkable are tried.
MAX_TRIED = 60
# Smaller effects are noise, and more reasons are not read.
MIN_EFFECT = 0.05
MAX_REASONS = 5


@dataclass(frozen=True)
class Grounds:
    """A score between 1 and 5, and what moved it."""

    score: float
    low: float
    high: float
    turns: tuple[TurnEffect, ...] = ()
    reasons: tuple[Reason, ...] = ()


def explain(model: Model, views: Sequence[View]) -> list[Grounds]:
    """Return the grounds of each view; all are predicted together."""
    if not views:
        return []
    trials = [_try_changes(model, model.parts.read(view)) for view in views]
    ends = np.cumsum([len(features) for _, features, _ in trials])[:-1]
    wording = np.vstack([wording for _, _, wording in trials])
    outputs = model.parts.combine(wording, np.vstack([features for _, features, _ in trials]), ends.tolist())
    return [
        _explain_view(model, view, tried, features[0], part)
        for view, (tried, features, _), part in zip(views, trials, np.split(outputs, ends), strict=True)
    ]


def _try_changes(model: Model, dialogue: EncodedDialogue) -> tuple[NDArray[np.intp], Floats, Floats]:
    """Return the tried messages, and features and wording of all rows to be predicted for one dialogue.

    These are the dialogue as it is, without each tried message, and with each group of features made typical.
    """
    liked = model.parts.thumbs.predict(dialogue)
    tried = np.arange(len(liked))
    if len(liked) > MAX_TRIED:
        tried = np.sort(np.argsort(-np.abs(liked - liked.mean()), kind="stable")[:MAX_TRIED])
    masks = np.vstack([np.ones(len(liked)), stand_ins(dialogue, tried)])
    features = dialogue_features(dialogue, liked, masks)
    wording = model.parts.wording.predict(dialogue, masks)
    typical = np.repeat(features[:1], len(GROUPS) + 1, axis=0)
    for row, columns in enumerate(GROUPS.values()):
        typical[row, columns] = model.parts.scales.typical[columns]
    own = np.repeat(wording[:1], len(GROUPS) + 1, axis=0)
    own[-1] = model.parts.kernel.intercept
    return tried, np.vstack([features, typical]), np.vstack([wording, own])


def stand_ins(dialogue: EncodedDialogue, tried: NDArray[np.intp]) -> Floats:
    """Return one mask for each tried message: it counts nothing, the others of its side a little more instead."""
    masks = np.ones((len(tried), len(dialogue.peer)))
    for row, message in enumerate(tried):
        own = dialogue.peer == dialogue.peer[message]
        masks[row, own] = own.sum() / max(1, own.sum() - 1)
        masks[row, message] = 0
    return masks


def _explain_view(model: Model, view: View, tried: NDArray[np.intp], features: Floats, outputs: Floats) -> Grounds:
    kind = view.dialogue.kind
    equation, human = model.equation(kind), model.human(kind, outputs)
    raw = equation.raw(outputs, human)
    effects = raw[0] - raw[1:]
    score = equation.apply(outputs[:1], human[:1])
    low, high = equation.interval(score)
    turns = tuple(
        TurnEffect(int(number) + 1, view.dialogue.turns[number].speaker, float(effect))
        for number, effect in zip(tried, effects, strict=False)
    )
    peer = say("the bot") if kind is Kind.HUMAN_BOT else say("the other side")
    reasons = [
        Reason(group, float(effect), describe(group, features, peer))
        for group, effect in zip((*GROUPS, WORDING), effects[len(tried) :], strict=True)
        if abs(effect) >= MIN_EFFECT
    ]
    reasons.sort(key=lambda reason: -abs(reason.effect))
    return Grounds(float(score[0]), float(low[0]), float(high[0]), turns, tuple(reasons[:MAX_REASONS]))
