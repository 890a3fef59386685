"""Numbers of a whole dialogue, added up from its messages; also of the dialogue without some of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.model.messages import COLUMN, COLUMNS, EncodedDialogue

Floats = NDArray[np.float64]
Masks = NDArray[np.float64]

SIDES = ("judge", "peer")
_SUMS = ("words", "new", "question", "insisting", "ignorance", "repeated", "brackets")
_TOPS = ("words", "repeat", "echo", "run")
_PER_WORD = ("letters", "rarity", "unknown", "commas", "digits")
_PER_MESSAGE = tuple(name for name in COLUMNS if name not in (*_PER_WORD, "new", "fresh", "common", "run"))
_ENDING = 3
# A message that is liked, and one that is not: the two sides of what thumbs up and down were given for.
LIKED, DISLIKED = 0.6, 0.4
_THUMBS = (
    *("mean", "lowest", "highest", "last", "first", "spread"),
    *("low_two", "high_two", "disliked", "liked", "trend"),
)

NAMES = (
    *(
        f"{side}_{name}"
        for side in SIDES
        for name in (
            "messages",
            *(f"{name}_sum" for name in _SUMS),
            *(f"{name}_each" for name in _PER_MESSAGE),
            *(f"{name}_word" for name in _PER_WORD),
            *(f"{name}_top" for name in _TOPS),
            *("words_least", "words_spread", "words_trend", "words_last", "variety", "common_share"),
            *(f"thumb_{name}" for name in _THUMBS),
        )
    ),
    *("messages", "words", "runs", "alternation", "peer_first", "peer_last", "peer_share", "peer_words_share"),
    *("answered_share", "asked_back_share", "end_farewell", "end_thanks", "end_displeased"),
)
FEATURE = {name: number for number, name in enumerate(NAMES)}


def dialogue_features(dialogue: EncodedDialogue, thumbs: Floats, masks: Masks | None = None) -> Floats:
    """Return one row of features for each mask: which messages (1) count and which (0) are left out.

    What a message is like beside the others stays as it was when others are left out, so that the difference
    between two rows is what the messages themselves bring.
    """
    if masks is None:
        masks = np.ones((1, len(dialogue.peer)))
    sides = [
        _sum_side(dialogue.table, thumbs, masks, ~dialogue.peer),
        _sum_side(dialogue.table, thumbs, masks, dialogue.peer),
    ]
    return np.hstack([*sides, _sum_whole(dialogue, masks)])


def _sum_side(table: Floats, thumbs: Floats, masks: Masks, own: NDArray[np.bool_]) -> Floats:
    table, thumbs, masks = table[own], thumbs[own], masks[:, own]
    sums, count = masks @ table, masks.sum(axis=1)
    each, words = np.maximum(count, 1), np.maximum(sums[:, COLUMN["words"]], 1)
    lengths = table[:, COLUMN["words"]]

    def column(name: str) -> Floats:
        return np.asarray(sums[:, COLUMN[name]])

    parts = [
        count,
        *(column(name) for name in _SUMS),
        *(column(name) / each for name in _PER_MESSAGE),
        *(column(name) / words for name in _PER_WORD),
        *(_top(table[:, COLUMN[name]], masks) for name in _TOPS),
        -_top(-lengths, masks),
        _measure_spread(lengths, masks, each),
        _trend(lengths, masks),
        _last(lengths, masks),
        column("new") / words**0.75,
        column("common") / np.maximum(column("fresh"), 1),
        np.where(count > 0, masks @ thumbs / each, 0.5),
        -_top(-thumbs, masks, -0.5),
        _top(thumbs, masks, 0.5),
        _last(thumbs, masks, 0.5),
        _last(thumbs[::-1], masks[:, ::-1], 0.5),
        _measure_spread(thumbs, masks, each),
        -_top_two(-thumbs, masks, -0.5),
        _top_two(thumbs, masks, 0.5),
        masks @ (thumbs < DISLIKED) / each,
        masks @ (thumbs > LIKED) / each,
        _trend(thumbs, masks),
    ]
    return np.stack(parts, axis=1)


def _sum_whole(dialogue: EncodedDialogue, masks: Masks) -> Floats:
    table, peer, last = dialogue.table, dialogue.peer, np.arange(len(dialogue.peer)) >= len(dialogue.peer) - _ENDING
    judge, sums = ~peer, masks @ table
    count, words = masks.sum(axis=1), sums[:, COLUMN["words"]]
    of_peer = masks @ (table * peer[:, None])
    asked = np.maximum(of_peer[:, COLUMN["asked"]], 1)
    upset = table[:, COLUMN["displeased"]] + table[:, COLUMN["machine"]] > 0
    parts = [
        count,
        words,
        sums[:, COLUMN["opens"]],
        sums[:, COLUMN["opens"]] / np.maximum(count, 1),
        _last(peer[::-1].astype(np.float64), masks[:, ::-1]),
        _last(peer.astype(np.float64), masks),
        masks @ peer / np.maximum(count, 1),
        of_peer[:, COLUMN["words"]] / np.maximum(words, 1),
        of_peer[:, COLUMN["answered"]] / asked,
        of_peer[:, COLUMN["asked_back"]] / asked,
        masks @ (last & judge & (table[:, COLUMN["farewell"]] > 0)),
        masks @ (last & (table[:, COLUMN["thanks"]] > 0)),
        masks @ (last & judge & upset),
    ]
    return np.stack([np.asarray(part, dtype=np.float64) for part in parts], axis=1)


def _measure_spread(values: Floats, masks: Masks, each: Floats) -> Floats:
    """Return the standard deviation of the values that count."""
    mean = masks @ values / each
    return np.sqrt(np.maximum(masks @ values**2 / each - mean**2, 0))


def _top(values: Floats, masks: Masks, empty: float = 0.0) -> Floats:
    """Return the largest value that counts."""
    if not values.size:
        return np.full(len(masks), empty)
    top = np.where(masks > 0, values, -np.inf).max(axis=1)
    return np.where(np.isfinite(top), top, empty)


def _top_two(values: Floats, masks: Masks, empty: float) -> Floats:
    """Return the mean of the two largest values that count."""
    if values.size < 2:
        return _top(values, masks, empty)
    counted = np.where(masks > 0, values, -np.inf)
    two = np.partition(counted, values.size - 2, axis=1)[:, -2:]
    return np.where(np.isfinite(two[:, 0]), two.mean(axis=1), _top(values, masks, empty))


def _last(values: Floats, masks: Masks, empty: float = 0.0) -> Floats:
    """Return the last value that counts."""
    if not values.size:
        return np.full(len(masks), empty)
    place = values.size - 1 - np.argmax(masks[:, ::-1] > 0, axis=1)
    return np.where(masks.any(axis=1), values[place], empty)


def _trend(values: Floats, masks: Masks) -> Floats:
    """Return the mean of the second half minus the mean of the first half."""
    half = values.size // 2
    if not half:
        return np.zeros(len(masks))
    first, second = (
        masks[:, part] @ values[part] / np.maximum(masks[:, part].sum(axis=1), 1)
        for part in (slice(half), slice(half, None))
    )
    return np.asarray(second - first)
