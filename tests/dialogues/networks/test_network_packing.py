"""Sequences side by side without padding."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.dialogues.networks.vocabulary import pack, spans, starts_of

LENGTHS = st.lists(st.integers(0, 7), min_size=1, max_size=12).map(lambda found: np.asarray(found, dtype=np.int64))


@given(LENGTHS, st.booleans())
def test_every_item_has_one_place_and_no_place_is_empty(lengths, backwards):
    packing = pack(starts_of(lengths), lengths, backwards=backwards)
    assert sorted(packing.items.tolist()) == list(range(lengths.sum()))
    assert sum(packing.sizes) == lengths.sum()


@given(LENGTHS, st.booleans())
def test_each_sequence_can_be_read_back_from_the_packed_row(lengths, backwards):
    starts = starts_of(lengths)
    packing = pack(starts, lengths, backwards=backwards)
    offsets = starts_of(packing.sizes)
    for row, sequence in enumerate(packing.order.tolist()):
        found = [
            packing.items[offset + row] for offset, size in zip(offsets, packing.sizes, strict=True) if row < size
        ]
        wanted = list(range(starts[sequence], starts[sequence] + lengths[sequence]))
        assert found == (wanted[::-1] if backwards else wanted)


@given(LENGTHS, st.booleans())
def test_the_last_place_holds_the_last_item(lengths, backwards):
    starts = starts_of(lengths)
    packing = pack(starts, lengths, backwards=backwards)
    for start, length, last in zip(starts, lengths, packing.last, strict=True):
        if length == 0:
            assert last == 0
        else:
            assert packing.items[last - len(lengths)] == (start if backwards else start + length - 1)


@given(LENGTHS)
def test_spans_are_the_stretches_one_after_another(lengths):
    starts = starts_of(lengths) * 2 + 3
    wanted = [item for start, length in zip(starts, lengths, strict=True) for item in range(start, start + length)]
    assert spans(starts, lengths).tolist() == wanted
