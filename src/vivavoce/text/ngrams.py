"""Counts of words, word pairs and letter sequences, hashed: features that need no vocabulary and no language."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

COLUMNS = 1 << 20
LETTERS = (2, 3, 4, 5)
_WORD = re.compile(r"\w+(?:['’]\w+)*")
_MIX = np.uint64(0x9E3779B97F4A7C15)
_STEP = np.uint64(0x100000001B3)
_HALF = np.uint64(31)

Hashes = NDArray[np.uint64]


def word_ngrams(texts: Sequence[str]) -> csr_matrix:
    """Count words and pairs of neighbouring words: one row for each text."""
    return _count(*_hash_words(texts), len(texts))


def letter_ngrams(texts: Sequence[str]) -> csr_matrix:
    """Count sequences of 2 to 5 letters inside words (a blank marks the edge of a word)."""
    return _count(*_hash_letters(texts), len(texts))


def count_text(text: str) -> tuple[tuple[NDArray[np.int64], NDArray[np.intp]], ...]:
    """Return the columns and counts of the words and of the letters of one text: the same without matrices."""
    hashed = (_hash_words([text])[1], _hash_letters([text])[1])
    words, letters = (np.unique(_columns(hashes), return_counts=True) for hashes in hashed)
    return words, letters


def _hash_words(texts: Sequence[str]) -> tuple[NDArray[np.intp], Hashes]:
    known: dict[str, int] = {}
    lines = [_WORD.findall(text.lower()) for text in texts]
    lengths = np.array([len(line) for line in lines], dtype=np.intp)
    codes = np.fromiter(
        (known.setdefault(word, _stable_hash(word)) for line in lines for word in line),
        dtype=np.uint64,
        count=int(lengths.sum()),
    )
    rows = np.repeat(np.arange(len(texts)), lengths)
    pairs = mix(codes[:-1] * _STEP + codes[1:] + np.uint64(1))
    neighbours = rows[1:] == rows[:-1]
    return np.concatenate((rows, rows[1:][neighbours])), np.concatenate((mix(codes), pairs[neighbours]))


def _hash_letters(texts: Sequence[str]) -> tuple[NDArray[np.intp], Hashes]:
    lines = [f" {' '.join(words)} " if (words := _WORD.findall(text.lower())) else "" for text in texts]
    lengths = np.array([len(line) for line in lines], dtype=np.intp)
    letters = np.frombuffer("".join(lines).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    rows = np.repeat(np.arange(len(texts)), lengths)
    blank = letters == ord(" ")
    windows = [_hash_windows(letters.astype(np.uint64), blank, rows, size) for size in LETTERS]
    own_rows, hashes = zip(*windows, strict=True)
    return np.concatenate(own_rows), np.concatenate(hashes)


def _stable_hash(word: str) -> int:
    # Python's own hash differs from process to process.
    data = word.encode("utf-8", "surrogatepass")
    return (zlib.crc32(data) << 32) | zlib.adler32(data)


def _hash_windows(
    letters: Hashes, blank: NDArray[np.bool_], rows: NDArray[np.intp], size: int
) -> tuple[NDArray[np.intp], Hashes]:
    """Return the row and the hash of every window of `size` letters that has a blank at its edges only."""
    count = len(letters) - size + 1
    if count <= 0:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.uint64)
    value = np.full(count, size, dtype=np.uint64)
    inner = np.zeros(count, dtype=bool)
    for place in range(size):
        value = (value ^ letters[place : place + count]) * _STEP
        if 0 < place < size - 1:
            inner |= blank[place : place + count]
    # Texts end and begin with a blank each: a window across two texts either holds a blank inside or is "  ".
    same = rows[:count] == rows[size - 1 :]
    keep = np.flatnonzero(~inner & same)
    return rows[keep], mix(value[keep])


def mix(value: Hashes) -> Hashes:
    """Spread hashes so that neighbours differ in every bit."""
    value = (value ^ (value >> _HALF)) * _MIX
    return value ^ (value >> _HALF)


def _columns(hashes: Hashes) -> NDArray[np.int64]:
    return (hashes % np.uint64(COLUMNS)).astype(np.int64)


def _count(rows: NDArray[np.intp], hashes: Hashes, n: int) -> csr_matrix:
    from scipy.sparse import csr_matrix

    columns = _columns(hashes)
    keys, counts = np.unique(rows.astype(np.int64) * COLUMNS + columns, return_counts=True)
    starts = np.searchsorted(keys, np.arange(n + 1, dtype=np.int64) * COLUMNS)
    return csr_matrix((counts.astype(np.float32), keys % COLUMNS, starts), shape=(n, COLUMNS))
