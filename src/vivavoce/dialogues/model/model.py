"""The learned quality model: three ways to read a dialogue, averaged, and an equation that turns them into a rating.

Each way gives two numbers: how far the rating lies from what is usual for this kind of peer (`relative`), and how
much the peer seems to be a person (`human`). People rate people higher than bots: a model of the bare rating spends
its strength on guessing the kind, and says little about which bot dialogue is better. Most logs say who is a bot;
where one does not, the chance of a person is guessed from `human`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.dialogue import HIGHEST, LOWEST, Kind, View
from vivavoce.dialogues.model.features import dialogue_features
from vivavoce.dialogues.model.kernel import Forest, KernelModel, Scales
from vivavoce.dialogues.model.linear import ThumbModel, WordingModel
from vivavoce.dialogues.model.messages import EncodedDialogue, encode_view
from vivavoce.dialogues.model.terms import Terms
from vivavoce.dialogues.result import Origin

Floats = NDArray[np.float64]

OUTPUTS = ("relative", "human")


@dataclass(frozen=True)
class Parts:
    """All that is learned from one set of dialogues before the equations."""

    words: Terms
    thumbs: ThumbModel
    wording: WordingModel
    forest: Forest
    scales: Scales
    kernel: KernelModel

    def read(self, view: View) -> EncodedDialogue:
        """Return the view as the model reads it."""
        return encode_view(view, self.words.rarities)

    def features(self, dialogue: EncodedDialogue) -> Floats:
        """Return the numbers of a whole dialogue."""
        return dialogue_features(dialogue, self.thumbs.predict(dialogue))

    def combine(self, wording: Floats, features: Floats, ends: Sequence[int] = ()) -> Floats:
        """Return the mean of the three ways to read: rows x outputs; `ends`: rows at which a dialogue begins."""
        # Single-precision products depend a little on how many rows they have: by dialogue, no batch changes a score.
        nearest = [self.kernel.predict(rows) for rows in np.split(self.scales.apply(features), list(ends))]
        return np.asarray((wording + self.forest.predict(features) + np.concatenate(nearest)) / 3)

    def predict(self, dialogues: Sequence[EncodedDialogue]) -> Floats:
        """Return the outputs of whole dialogues: rows x outputs."""
        wording = [self.wording.predict(dialogue, np.ones((1, len(dialogue.peer)))) for dialogue in dialogues]
        features = [self.features(dialogue) for dialogue in dialogues]
        return self.combine(np.vstack(wording), np.vstack(features)) if dialogues else np.zeros((0, len(OUTPUTS)))


@dataclass(frozen=True)
class Equation:
    """From the outputs of the parts to a rating: a weighted sum, and where ratings really fell around it.

    `human`: what is added where the peer is a person, or times the chance that it is one. `scores`, `lows`, `highs`:
    at these scores, 8 of 10 ratings of dialogues not learned from lay between low and high; linear between them.
    """

    intercept: float
    human: float
    weights: Floats
    scores: Floats = field(default_factory=lambda: np.array([LOWEST, HIGHEST]), repr=False)
    lows: Floats = field(default_factory=lambda: np.array([LOWEST, LOWEST]), repr=False)
    highs: Floats = field(default_factory=lambda: np.array([HIGHEST, HIGHEST]), repr=False)

    def raw(self, outputs: Floats, human: Floats) -> Floats:
        """Return the weighted sums, which may leave the scale."""
        return np.asarray(self.intercept + self.human * human + outputs @ self.weights)

    def apply(self, outputs: Floats, human: Floats) -> Floats:
        """Return ratings between 1 and 5."""
        return np.clip(self.raw(outputs, human), LOWEST, HIGHEST)

    def interval(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return where a person's rating falls in 8 of 10 cases."""
        low, high = np.interp(scores, self.scores, self.lows), np.interp(scores, self.scores, self.highs)
        return np.minimum(low, scores), np.maximum(high, scores)


@dataclass(frozen=True)
class Guess:
    """The chance that the peer is a person, from the output `human`: a logistic curve."""

    intercept: float
    slope: float

    def chance(self, outputs: Floats) -> Floats:
        """Return a number between 0 and 1 for each row of outputs."""
        return np.asarray(1 / (1 + np.exp(-(self.intercept + self.slope * outputs[:, OUTPUTS.index("human")]))))


@dataclass(frozen=True)
class Model:
    """The parts, one equation for dialogues whose peer is known and one for the others, and where it all comes from.

    `learned`: the fingerprints of the dialogues that it learnt from.
    """

    parts: Parts
    known: Equation
    unknown: Equation
    guess: Guess
    origin: Origin
    learned: frozenset[int] = field(default=frozenset(), repr=False)

    def equation(self, kind: Kind) -> Equation:
        """Return the equation for dialogues of this kind."""
        return self.unknown if kind is Kind.UNKNOWN else self.known

    def human(self, kind: Kind, outputs: Floats) -> Floats:
        """Return for each row of outputs whether the peer is a person (1 or 0), or the chance that it is."""
        if kind is Kind.UNKNOWN:
            return self.guess.chance(outputs)
        return np.full(len(outputs), float(kind is Kind.HUMAN_HUMAN))

    def predict(self, views: Sequence[View]) -> Floats:
        """Return one rating for each view."""
        outputs = self.parts.predict([self.parts.read(view) for view in views])
        kinds = [view.dialogue.kind for view in views]
        rows = [outputs[row : row + 1] for row in range(len(views))]
        ratings = [
            self.equation(kind).apply(row, self.human(kind, row)) for kind, row in zip(kinds, rows, strict=True)
        ]
        return np.concatenate(ratings) if ratings else np.zeros(0)
