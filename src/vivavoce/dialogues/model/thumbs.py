"""How well a message would be liked by the side that gets it: learned from thumbs given during the dialogue.

A message is seen with the other side's message before it and the one after it: an answer that is met with "what?" was
hardly a good one. The model is linear, so each message is read once, in its three roles.
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
