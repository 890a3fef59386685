"""The networks, and the gated recurrent layer they are made of, its loop over time and the way back written out.

The cell is the one the published models were trained with: the reset gate works on the state before the product,
the gates start open (bias 1), weights start as Glorot and Bengio propose. torch's own layer took 13 times as long
on one CPU core, mostly with bookkeeping between steps; the tests check the gradients of this one.
Needs torch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from vivavoce.dialogues.networks.vocabulary import Material, Numbers, Packing, pack, spans, starts_of

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


# torch gives no types for it; one split is much cheaper than a slice for each step.
_split: Any = torch.split


class Memory:
    """Large tensors, used again for each batch: asking the system for fresh ones costs a fifth of all time."""

    def __init__(self) -> None:
        self._tensors: dict[str, Tensor] = {}

    def take(self, name: str, rows: int, columns: int, like: Tensor) -> Tensor:
        """Return a tensor of this shape, its values undefined."""
        tensor = self._tensors.get(name)
        if tensor is None or tensor.numel() < rows * columns or tensor.dtype != like.dtype:
            tensor = self._tensors[name] = like.new_empty(rows * columns * 5 // 4)
        return tensor[: rows * columns].view(rows, columns)


@dataclass(frozen=True)
class Plan:
    """A packing as the loop needs it. `before`: for each item the place of the state before it."""

    order: Tensor
    sizes: list[int]
    items: Tensor
    last: Tensor
    before: Tensor
    memory: Memory


@dataclass(frozen=True)
class _Trace:
    """What the way forward leaves: per item both gates, the new content, the state let through; all states."""

    gates: Tensor
    fresh: Tensor
    reset: Tensor
    states: Tensor


def _plan(packing: Packing, items: Numbers, memory: Memory) -> Plan:
    rows, sizes = len(packing.order), np.asarray(packing.sizes, dtype=np.int64)
    # The states start with one row of zeros for each sequence: what is before the first item.
    starts = np.concatenate([np.zeros(1, dtype=np.int64), rows + starts_of(sizes)[:-1]]) if len(sizes) else sizes
    arrays = (packing.order, items, packing.last, spans(starts, sizes))
    order, places, last, before = (torch.from_numpy(array) for array in arrays)
    return Plan(order, list(packing.sizes), places, last, before, memory)


class Recurrence(torch.autograd.Function):
    """What enters the gates and the content of each item in, the last state of each sequence out."""

    @staticmethod
    def forward(ctx: Any, entering: Tensor, of_gates: Tensor, of_state: Tensor, plan: Plan) -> Tensor:
        """Run all sequences to their ends."""
        units, rows, places = of_state.shape[0], len(plan.order), len(plan.items)
        wide = plan.memory.take("gates", places, 2 * units, entering)
        fresh, reset = (plan.memory.take(name, places, units, entering) for name in ("fresh", "reset"))
        trace = _Trace(wide, fresh, reset, plan.memory.take("states", rows + places, units, entering))
        torch.index_select(entering[:, : 2 * units], 0, plan.items, out=wide)
        # tanh(x) = 2 sigmoid(2x) - 1: three times as fast as tanh on a CPU.
        torch.index_select(entering[:, 2 * units :] * 2, 0, plan.items, out=fresh)
        _run_forwards(trace, of_gates, of_state * 2, plan.sizes)
        ctx.save_for_backward(trace.gates, trace.fresh, trace.reset, trace.states, of_gates, of_state)
        ctx.plan, ctx.entered = plan, len(entering)
        return trace.states.index_select(0, plan.last)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        """Carry the gradient of the last states back through time."""
        *traced, of_gates, of_state = ctx.saved_tensors
        trace, plan = _Trace(*traced), ctx.plan
        places, units = trace.fresh.shape
        before = plan.memory.take("before", places, units, of_state)
        torch.index_select(trace.states, 0, plan.before, out=before)
        at_gates = plan.memory.take("at_gates", places, 2 * units, of_state)
        at_fresh = plan.memory.take("at_fresh", places, units, of_state)
        back = (of_gates.t().contiguous(), of_state.t().contiguous())
        last = grads[0].index_select(0, plan.order)
        slopes = _find_slopes(trace, before, plan.memory)
        _run_backwards(last, trace, slopes, (at_gates, at_fresh), back, sizes=plan.sizes)
        entering = of_state.new_zeros(ctx.entered, 3 * units)
        entering[:, : 2 * units].index_add_(0, plan.items, at_gates)
        entering[:, 2 * units :].index_add_(0, plan.items, at_fresh)
        return entering, before.t() @ at_gates, trace.reset.t() @ at_fresh, None


def _run_forwards(trace: _Trace, of_gates: Tensor, twice: Tensor, sizes: list[int]) -> None:
    units, rows = trace.fresh.shape[1], len(trace.states) - len(trace.fresh)
    state = trace.states[:rows].zero_()
    opened, keeping = trace.gates[:, :units], trace.gates[:, units:]
    parts = (trace.gates, opened, keeping, trace.fresh, trace.reset, trace.states[rows:])
    for size, at_gates, at_opened, at_kept, new, held, after in zip(
        sizes, *(_split(part, sizes) for part in parts), strict=True
    ):
        now = state[:size]
        at_gates.addmm_(now, of_gates).sigmoid_()
        torch.mul(at_opened, now, out=held)
        new.addmm_(held, twice).sigmoid_().mul_(2).sub_(1)
        state = torch.lerp(new, now, at_kept, out=after)


def _find_slopes(trace: _Trace, before: Tensor, memory: Memory) -> tuple[Tensor, Tensor, Tensor]:
    """Return all of the way back that does not depend on what comes back, for every item: reset, keep, state."""
    places, units = trace.fresh.shape
    opened, keeping = trace.gates[:, :units], trace.gates[:, units:]
    names = ("by_reset", "by_keep", "by_state", "spare")
    by_reset, by_keep, by_state, spare = (memory.take(name, places, units, before) for name in names)
    torch.addcmul(opened, opened, opened, value=-1, out=by_reset).mul_(before)
    torch.addcmul(keeping, keeping, keeping, value=-1, out=by_keep).mul_(torch.sub(before, trace.fresh, out=spare))
    torch.mul(trace.fresh, trace.fresh, out=spare).neg_().add_(1)
    torch.addcmul(spare, spare, keeping, value=-1, out=by_state)
    return by_reset, by_keep, by_state


def _run_backwards(
    grad: Tensor,
    trace: _Trace,
    slopes: tuple[Tensor, Tensor, Tensor],
    gradients: tuple[Tensor, Tensor],
    back: tuple[Tensor, Tensor],
    *,
    sizes: list[int],
) -> None:
    """Fill the gradients at both gates and at the new content of every item."""
    (gates, fresh), (back_gates, back_state) = gradients, back
    units, spare = fresh.shape[1], torch.empty_like(grad)
    opened, keeping = trace.gates[:, :units], trace.gates[:, units:]
    parts = (opened, keeping, *slopes, gates, gates[:, :units], gates[:, units:], fresh)
    steps = zip(sizes, *(_split(part, sizes) for part in parts), strict=True)
    for size, open_, keep, by_reset, by_keep, by_state, at_gates, at_reset, at_keep, at_new in reversed(list(steps)):
        flowing = grad[:size]
        torch.mul(flowing, by_state, out=at_new)
        held = torch.mm(at_new, back_state, out=spare[:size])
        torch.mul(held, by_reset, out=at_reset)
        torch.mul(flowing, by_keep, out=at_keep)
        flowing.mul_(keep).addcmul_(held, open_).addmm_(at_gates, back_gates)


class Cell(nn.Module):
    """One gated recurrent layer of one direction."""

    def __init__(self, inputs: int, units: int, chance: torch.Generator) -> None:
        super().__init__()
        gates, state = glorot(inputs + units, 2 * units, chance), glorot(inputs + units, units, chance)
        self.entering = nn.Parameter(torch.cat([gates[:inputs], state[:inputs]], dim=1))
        self.bias = nn.Parameter(torch.cat([torch.ones(2 * units), torch.zeros(units)]))
        self.gates = nn.Parameter(gates[inputs:].clone())
        self.state = nn.Parameter(state[inputs:].clone())
        self.memory = Memory()

    def forward(self, values: Tensor, packing: Packing, items: Numbers) -> Tensor:
        """Return the last state of each sequence, whose packed items are these rows of `values`."""
        # Each row is multiplied once, however often it occurs: words repeat a lot.
        entering = torch.addmm(self.bias, values, self.entering)
        run: Any = Recurrence.apply
        states: Tensor = run(entering, self.gates, self.state, _plan(packing, items, self.memory))
        return states


def glorot(inputs: int, outputs: int, chance: torch.Generator) -> Tensor:
    """Return weights that keep the spread of what passes through them."""
    limit = math.sqrt(6 / (inputs + outputs))
    return torch.empty(inputs, outputs).uniform_(-limit, limit, generator=chance)
