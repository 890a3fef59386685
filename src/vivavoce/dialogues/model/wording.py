"""What the words of both sides say about the rating: a linear model on the terms of each side."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.model.messages import EncodedDialogue
from vivavoce.dialogues.model.terms import Terms, count_rows, weigh

Floats = NDArray[np.float64]


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
