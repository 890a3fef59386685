"""Two linear models on the terms of a dialogue: how a message would be liked, and what the wording says.

The first is learned from thumbs given during the dialogue. It sees a message with the other side's message before it
and the one after it: an answer that is met with "what?" was hardly a good one. Each message is read once, in its
three roles. The second is learned from the ratings, on the terms of each side.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.model.messages import COLUMN, EncodedDialogue, likeness
from vivavoce.dialogues.model.terms import Terms, count_rows, weigh

Floats = NDArray[np.float64]

ROLES = ("own", "before", "after")
NUMBERS = (
    *(f"{role}_words" for role in ROLES),
    *(f"{role}_question" for role in ROLES),
    "echoes",
    "echoed",
    "no_after",
    "no_before",
)
# Numbers weigh less than words; lengths count up to 30 words.
_SCALE = 0.3
_LONG = 30.0


@dataclass(frozen=True)
class ThumbModel:
    """Weights for the terms of a message in each of its roles (rows of `weights`), and for a few numbers."""

    terms: Terms
    weights: Floats = field(repr=False)
    numbers: Floats = field(repr=False)
    intercept: float = 0.5

    def predict(self, dialogue: EncodedDialogue) -> Floats:
        """Return for each message how well it would be liked: about 0 (not at all) to 1."""
        met, counts = count_rows(self.terms, dialogue.terms)
        parts = weigh(counts, self.terms.rarity[met]) @ self.weights[:, met].T
        # Message -1 stands for a missing neighbour and has no words.
        parts = np.vstack([parts, np.zeros(len(ROLES))])
        neighbours = parts[list(dialogue.before), 1] + parts[list(dialogue.after), 2]
        return np.asarray(self.intercept + parts[:-1, 0] + neighbours + message_numbers(dialogue) @ self.numbers)


def message_numbers(dialogue: EncodedDialogue) -> Floats:
    """Return the numbers that stand beside the words: lengths, questions, echoes, missing neighbours."""
    before, after = np.array(dialogue.before, dtype=np.intp), np.array(dialogue.after, dtype=np.intp)
    chosen = dialogue.table[:, [COLUMN["words"], COLUMN["question"]]]
    own = np.vstack([np.minimum(chosen, [_LONG, 1.0]) / [_LONG / 3, 1.0], [0.0, 0.0]])
    words = [frozenset(message) for message in dialogue.tokens] + [frozenset()]
    columns = [
        *(own[rows, 0] for rows in (np.arange(len(before)), before, after)),
        *(own[rows, 1] for rows in (np.arange(len(before)), before, after)),
        np.array([likeness(words[i], words[k]) for i, k in enumerate(dialogue.before)]),
        np.array([likeness(words[i], words[k]) for i, k in enumerate(dialogue.after)]),
        after < 0,
        before < 0,
    ]
    return np.stack([np.asarray(column, dtype=np.float64) for column in columns], axis=1) * _SCALE


@dataclass(frozen=True)
class WordingModel:
    """Terms and weights (outputs x terms) of the judge's side and of the peer's."""

    judge: Terms
    peer: Terms
    judge_weights: Floats = field(repr=False)
    peer_weights: Floats = field(repr=False)
    intercept: Floats = field(repr=False)

    def predict(self, dialogue: EncodedDialogue, masks: Floats) -> Floats:
        """Return one row of outputs for each mask (which messages count)."""
        return np.asarray(
            self.intercept
            + _side(self.judge, self.judge_weights, dialogue, masks, ~dialogue.peer)
            + _side(self.peer, self.peer_weights, dialogue, masks, dialogue.peer)
        )


def _side(terms: Terms, weights: Floats, dialogue: EncodedDialogue, masks: Floats, own: NDArray[np.bool_]) -> Floats:
    met, counts = count_rows(terms, [dialogue.terms[i] for i in np.flatnonzero(own)])
    return np.asarray(weigh(masks[:, own] @ counts, terms.rarity[met]) @ weights[:, met].T)
