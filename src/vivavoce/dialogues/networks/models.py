"""The networks: GRU and BiGRU over the whole dialogue, HRE over the utterances of a dialogue. Needs torch."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from vivavoce.dialogues.networks.packing import Numbers, pack, spans, starts_of
from vivavoce.dialogues.networks.recurrence import Cell, glorot
from vivavoce.dialogues.networks.vocabulary import Material

UNITS = 100


class _Network(nn.Module):
    """What all three have: word vectors and one linear neuron on top."""

    def __init__(self, vectors: Tensor, top: int, chance: torch.Generator, *, learn: bool) -> None:
        super().__init__()
        self.vectors = nn.Parameter(vectors, requires_grad=learn)
        self.top = nn.Parameter(glorot(top, 1, chance))
        self.bias = nn.Parameter(torch.zeros(1))

    def _words(self, items: Numbers) -> tuple[Tensor, Numbers]:
        words, places = np.unique(items, return_inverse=True)
        known = torch.from_numpy(words)
        # Row 0 is "nothing": the end of an utterance and unknown words. It is zero and stays zero.
        return self.vectors.index_select(0, known) * (known > 0).unsqueeze(1), places

    def _rate(self, states: Tensor) -> Tensor:
        return (states @ self.top).squeeze(1) + self.bias


class Sequential(_Network):
    """GRU or BiGRU: the whole dialogue as one text, an end mark after each utterance, no speakers."""

    def __init__(self, vectors: Tensor, chance: torch.Generator, *, both: bool, learn: bool) -> None:
        super().__init__(vectors, UNITS * (1 + both), chance, learn=learn)
        self.cells = nn.ModuleList(Cell(vectors.shape[1], UNITS, chance) for _ in range(1 + both))

    def forward(self, material: Material, rows: Numbers) -> Tensor:
        """Return the rating of each of these rows."""
        # Two people's ratings of one dialogue are two rows with the same text: read once.
        dialogues, places = np.unique(material.dialogue[rows], return_inverse=True)
        starts, lengths = material.text_starts[dialogues], material.text_lengths[dialogues]
        states = []
        for cell, backwards in zip(self.cells, (False, True), strict=False):
            packing = pack(starts, lengths, backwards=backwards)
            values, items = self._words(material.text[packing.items])
            states.append(cell(values, packing, items))
        return self._rate(torch.cat(states, dim=1)).index_select(0, torch.from_numpy(places))


class Hierarchical(_Network):
    """HRE: one layer reads each utterance, the second one the utterances of the dialogue with who said them."""

    def __init__(self, vectors: Tensor, chance: torch.Generator, *, learn: bool) -> None:
        super().__init__(vectors, UNITS, chance, learn=learn)
        self.phrases = Cell(vectors.shape[1], UNITS, chance)
        self.dialogues = Cell(UNITS + 2, UNITS, chance)

    def forward(self, material: Material, rows: Numbers) -> Tensor:
        """Return the rating of each of these rows."""
        dialogues = material.dialogue[rows]
        lengths = material.dialogue_lengths[dialogues]
        dialogue_phrases = material.dialogue_phrases[spans(material.dialogue_starts[dialogues], lengths)]
        bits = torch.from_numpy(material.sides[spans(material.side_starts[rows], lengths)])
        phrases, places = np.unique(dialogue_phrases, return_inverse=True)
        packing = pack(material.phrase_starts[phrases], material.phrase_lengths[phrases])
        values, items = self._words(material.words[packing.items])
        states = self.phrases(values, packing, items).index_select(0, torch.from_numpy(places))
        packing = pack(starts_of(lengths), lengths)
        return self._rate(self.dialogues(torch.cat([states, bits], dim=1), packing, packing.items))


Model = Sequential | Hierarchical


def build(architecture: str, vectors: Tensor, *, seed: int, learn: bool) -> Model:
    """Return an untrained network: `gru`, `bigru` or `hre`."""
    chance = torch.Generator().manual_seed(seed)
    if architecture == "hre":
        return Hierarchical(vectors, chance, learn=learn)
    return Sequential(vectors, chance, both=architecture == "bigru", learn=learn)
