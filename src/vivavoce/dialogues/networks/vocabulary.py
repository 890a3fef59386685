"""Words to numbers: the word vectors that the networks read, and rated views as arrays of numbers.

A lexicon is made once for all dialogues of a measurement; each training run then only looks up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vivavoce.dialogues.corpus.preprocessing import normalise
from vivavoce.dialogues.dialogue import Dialogue, View
from vivavoce.errors import UsageError
from vivavoce.text.glove import WordVectors, find_glove, load_word_vectors

Floats = NDArray[np.float32]

DIMENSIONS = 100
# The number of the end mark of an utterance and of words without a vector: a vector of zeros.
NOTHING = 0


@dataclass(frozen=True)
class Lexicon:
    """Words with their vectors, and the known phrases as numbers of words.

    `vectors` None: none were given, so that each network learns its own from the start.
    """

    words: Mapping[str, int]
    phrases: Mapping[str, tuple[int, ...]]
    vectors: Floats | None

    @property
    def glove(self) -> bool:
        """Whether the vectors were given (GloVe, as published) and not learnt."""
        return self.vectors is not None

    @property
    def size(self) -> int:
        """The number of vectors, the one of nothing included."""
        return len(self.words) + 1


@dataclass(frozen=True)
class Material:
    """Rated views as arrays. Everything that occurs twice is kept once; stretches are starts and lengths.

    `words`: the words of all phrases; `dialogue_phrases`: the phrases of all dialogues; `text`: the words of all
    dialogues with the end mark after each utterance; `dialogue`: the text of each view; `sides`: for each utterance
    of each view [1, 0] if the judge said it, else [0, 1]; `ratings`: what the network should say; `groups`: the
    dialogue of each view.
    """

    words: Numbers
    phrase_starts: Numbers
    phrase_lengths: Numbers
    dialogue_phrases: Numbers
    dialogue_starts: Numbers
    dialogue_lengths: Numbers
    text: Numbers
    text_starts: Numbers
    text_lengths: Numbers
    dialogue: Numbers
    sides: Floats
    side_starts: Numbers
    ratings: Floats
    groups: Numbers

    def __len__(self) -> int:
        return len(self.dialogue)


def find_vectors(home: Path, dialogues: Iterable[Dialogue]) -> WordVectors | None:
    """Return the GloVe vectors of the words of these dialogues; None where GloVe is not installed."""
    path = find_glove(home)
    if path is None:
        return None
    return load_word_vectors(path, {word for text in _texts(dialogues) for word in words_of(text)})


def make_lexicon(dialogues: Iterable[Dialogue], vectors: WordVectors | None = None) -> Lexicon:
    """Return all words and phrases of these dialogues as numbers."""
    texts = {text: words_of(text) for text in _texts(dialogues)}
    seen = dict.fromkeys(word for message in texts.values() for word in message)
    # As published, a word without a vector is a vector of zeros; without any vectors each word learns its own.
    known = [word for word in seen if vectors is None or word in vectors.index]
    words = {word: number for number, word in enumerate(known, NOTHING + 1)}
    phrases = {text: tuple(words.get(word, NOTHING) for word in message) for text, message in texts.items()}
    if vectors is None:
        return Lexicon(words, phrases, None)
    if vectors.dimensions != DIMENSIONS:
        raise UsageError(
            f"the word vectors have {vectors.dimensions} dimensions, but the published networks need {DIMENSIONS}",
            remedy="use GloVe with 100 dimensions: viva models get glove",
        )
    rows = [vectors.index[word] for word in known]
    matrix = np.concatenate([np.zeros((1, DIMENSIONS), dtype=np.float32), vectors.matrix[rows]])
    return Lexicon(words, phrases, matrix)


def words_of(text: str) -> list[str]:
    """Return the words and signs of an utterance, cut as for the published models."""
    return normalise(text).split()


def _texts(dialogues: Iterable[Dialogue]) -> dict[str, None]:
    return dict.fromkeys(turn.text for dialogue in dialogues for turn in dialogue.turns)


def encode(views: Sequence[View], lexicon: Lexicon) -> Material:
    """Return these views as arrays; views without a rating get NaN."""
    phrases: dict[tuple[int, ...], int] = {}
    dialogues: dict[tuple[int, ...], int] = {}
    dialogue: list[int] = []
    for view in views:
        numbers = []
        for turn in view.dialogue.turns:
            phrase = lexicon.phrases.get(turn.text)
            if phrase is None:
                phrase = tuple(lexicon.words.get(word, NOTHING) for word in words_of(turn.text))
            numbers.append(phrases.setdefault(phrase, len(phrases)))
        dialogue.append(dialogues.setdefault(tuple(numbers), len(dialogues)))
    names = {name: number for number, name in enumerate(dict.fromkeys(view.dialogue.id for view in views))}
    phrase_lengths, dialogue_lengths = _count(phrases), _count(dialogues)
    ended = [(*phrase, NOTHING) for phrase in phrases]
    texts = [tuple(number for phrase in numbers for number in ended[phrase]) for numbers in dialogues]
    text_lengths = _count(texts)
    is_judge = np.asarray(
        [turn.speaker == view.judge for view in views for turn in view.dialogue.turns], dtype=np.float32
    )
    return Material(
        words=_flatten(phrases),
        phrase_starts=starts_of(phrase_lengths),
        phrase_lengths=phrase_lengths,
        dialogue_phrases=_flatten(dialogues),
        dialogue_starts=starts_of(dialogue_lengths),
        dialogue_lengths=dialogue_lengths,
        text=_flatten(texts),
        text_starts=starts_of(text_lengths),
        text_lengths=text_lengths,
        dialogue=np.asarray(dialogue, dtype=np.int64),
        sides=np.stack([is_judge, 1 - is_judge], axis=1),
        side_starts=starts_of([len(view.dialogue.turns) for view in views]),
        ratings=np.asarray([np.nan if view.quality is None else view.quality for view in views], dtype=np.float32),
        groups=np.asarray([names[view.dialogue.id] for view in views], dtype=np.int64),
    )


def _count(rows: Iterable[tuple[int, ...]]) -> Numbers:
    return np.asarray([len(row) for row in rows], dtype=np.int64)


def _flatten(rows: Iterable[tuple[int, ...]]) -> Numbers:
    return np.asarray([number for row in rows for number in row], dtype=np.int64)


Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Packing:
    """Where the items of many sequences go.

    `order`: the sequences, longest first. `sizes`: how many sequences still run at each step. `items`: for each
    place of the packed row, its item. `last`: for each sequence (in the order given) the place
    of its last item, counted from `len(order)` on; 0 for an empty sequence.
    """

    order: Numbers
    sizes: tuple[int, ...]
    items: Numbers
    last: Numbers


def pack(starts: Numbers, lengths: Numbers, *, backwards: bool = False) -> Packing:
    """Return the packing of the sequences that start at these items and have these lengths."""
    order = np.argsort(-lengths, kind="stable")
    sorted_lengths = lengths[order]
    steps = int(sorted_lengths[0]) if len(order) else 0
    sizes = len(order) - np.searchsorted(sorted_lengths[::-1], np.arange(steps), side="right")
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    step = np.repeat(np.arange(steps), sizes)
    row = np.arange(offsets[-1]) - np.repeat(offsets[:-1], sizes)
    within = sorted_lengths[row] - 1 - step if backwards else step
    last = np.zeros(len(order), dtype=np.int64)
    full = int((sorted_lengths > 0).sum())
    last[order[:full]] = len(order) + offsets[sorted_lengths[:full] - 1] + np.arange(full)
    return Packing(order, tuple(sizes.tolist()), starts[order][row] + within, last)


def spans(starts: Numbers, lengths: Numbers) -> Numbers:
    """Return all items of these stretches, one stretch after another."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(starts - ends + lengths, lengths)


def starts_of(lengths: Numbers | Sequence[int]) -> Numbers:
    """Return where each of these stretches starts when they follow one another."""
    counted = np.asarray(lengths, dtype=np.int64)
    return np.concatenate([[0], np.cumsum(counted)[:-1]]).astype(np.int64) if len(counted) else counted
