"""The second student: a vector for each word and letter sequence, added up.

Features are TF-IDF weights of words and of letter sequences inside words, each block of length 1. Their rows were
fitted by ridge regression to the centred vectors of the English translations, then turned onto the directions that
matter most and rounded to whole numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vivavoce.text.languages.tokens import UNSPACED

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = NDArray[np.float32]
Words = Sequence[str]

MIN_WORD_TEXTS = 2
LETTERS = range(3, 7)
MIN_LETTER_TEXTS = 6
MAX_LETTERS = 40_000
HAN_LETTERS = range(1, 4)
MIN_HAN_TEXTS = 4
MAX_HAN = 30_000
PENALTY = 1.0
ROUNDS = 12
RANK = 192
# Rows share one step where they can, so that most numbers are small and the file compresses well.
STEPS = 4


@dataclass(frozen=True, eq=False)
class StaticTable:
    """Features of the two blocks (words come first), their weights, their rounded rows and the way back.

    A row is `numbers * scales`, a vector `row @ rotation + mean`.
    """

    words: tuple[str, ...]
    letters: tuple[str, ...]
    weights: Floats
    numbers: NDArray[np.int8]
    scales: Floats
    rotation: Floats
    mean: Floats


class StaticStudent:
    """Adds up the rows of a sentence's words and letter sequences."""

    def __init__(self, table: StaticTable, language: str) -> None:
        self._table = table
        self._language = language
        self._word = {word: row for row, word in enumerate(table.words)}
        self._letter = {letters: row for row, letters in enumerate(table.letters, start=len(table.words))}
        self._rows = np.ascontiguousarray(table.numbers)

    def encode(self, sentences: Sequence[Words]) -> Floats:
        """Return one row of length 1 for each sentence, given as its words."""
        table = self._table
        sums = np.zeros((len(sentences), len(table.rotation)), dtype=np.float32)
        for place, words in enumerate(sentences):
            for own, features in ((self._word, words), (self._letter, list_letters(words, self._language))):
                rows, weights = self._weigh(own, features)
                if rows.size:
                    sums[place] += (weights * table.scales[rows]) @ self._rows[rows].astype(np.float32)
        vectors = sums @ table.rotation + table.mean
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)

    def _weigh(self, numbers: dict[str, int], features: Words) -> tuple[NDArray[np.intp], Floats]:
        """Return the known features of a block and their weights, of length √½ together."""
        counts = Counter(numbers[feature] for feature in features if feature in numbers)
        rows = np.fromiter(counts, dtype=np.intp, count=len(counts))
        times = np.fromiter(counts.values(), dtype=np.float32, count=len(counts))
        weights = (1 + np.log(times)) * self._table.weights[rows]
        length = np.sqrt(2 * np.square(weights).sum())
        return rows, weights / length if length else weights


def list_letters(words: Words, language: str) -> list[str]:
    """Return the letter sequences of a sentence: inside words with their edges; in Chinese, across words."""
    if language == UNSPACED:
        line = "".join(words)
        return [line[at : at + size] for size in HAN_LETTERS for at in range(len(line) - size + 1)]
    return [
        edged[at : at + size]
        for edged in (f" {word} " for word in words)
        for size in LETTERS
        for at in range(len(edged) - size + 1)
    ]


def learn_static(
    sentences: Sequence[Words], vectors: Floats, language: str, tell: Callable[[int, int], None] | None = None
) -> StaticTable:
    """Fit the rows so that a sentence comes near the vector of its translation; `tell` hears (done, in all)."""
    from scipy.sparse import hstack

    is_unspaced = language == UNSPACED
    min_texts, most = (MIN_HAN_TEXTS, MAX_HAN) if is_unspaced else (MIN_LETTER_TEXTS, MAX_LETTERS)
    words, word_weights = _choose_features(sentences, MIN_WORD_TEXTS, None)
    letters, letter_weights = _choose_features((list_letters(row, language) for row in sentences), min_texts, most)
    blocks = (
        _build_block(sentences, words, word_weights),
        _build_block((list_letters(row, language) for row in sentences), letters, letter_weights),
    )
    features = hstack(blocks).tocsr()
    mean = vectors.mean(axis=0, dtype=np.float64).astype(np.float32)
    rows = fit_ridge(features, vectors - mean, tell=tell)
    numbers, scales, rotation = compress(rows, features)
    return StaticTable(
        tuple(words), tuple(letters), np.concatenate([word_weights, letter_weights]), numbers, scales, rotation, mean
    )


def _choose_features(lines: Iterable[Words], min_texts: int, most: int | None) -> tuple[list[str], Floats]:
    """Return the features that enough texts have, in alphabetical order, and their inverse document frequencies."""
    texts: Counter[str] = Counter()
    size = 0
    for line in lines:
        texts.update(set(line))
        size += 1
    frequent = [feature for feature, count in texts.items() if count >= min_texts]
    chosen = sorted(sorted(frequent, key=lambda feature: (-texts[feature], feature))[:most])
    counts = np.array([texts[feature] for feature in chosen], dtype=np.float64)
    return chosen, (np.log((1 + size) / (1 + counts)) + 1).astype(np.float32)


def _build_block(lines: Iterable[Words], features: Words, weights: Floats) -> csr_matrix:
    """Return TF-IDF weights; each row of length √½, as two blocks make one vector."""
    from scipy.sparse import csr_matrix

    number = {feature: place for place, feature in enumerate(features)}
    columns: list[NDArray[np.int32]] = []
    times: list[Floats] = []
    starts = [0]
    for line in lines:
        counts = Counter(number[feature] for feature in line if feature in number)
        columns.append(np.fromiter(counts, dtype=np.int32, count=len(counts)))
        times.append(np.fromiter(counts.values(), dtype=np.float32, count=len(counts)))
        starts.append(starts[-1] + len(counts))
    places = np.concatenate(columns)
    values = (1 + np.log(np.concatenate(times))) * weights[places]
    block = csr_matrix((values, places, np.array(starts)), shape=(len(columns), len(features)))
    lengths = np.sqrt(2 * np.asarray(block.multiply(block).sum(axis=1)).ravel())
    block.data /= np.repeat(np.where(lengths > 0, lengths, 1), np.diff(block.indptr)).astype(np.float32)
    return block


def fit_ridge(
    features: csr_matrix,
    targets: Floats,
    *,
    penalty: float = PENALTY,
    rounds: int = ROUNDS,
    tell: Callable[[int, int], None] | None = None,
) -> Floats:
    """Solve the ridge regression of all columns at once by conjugate gradients with a diagonal metric."""
    back = features.T.tocsr()
    squares = np.asarray(features.multiply(features).sum(axis=0)).ravel()
    metric = (1 / (squares + penalty)).astype(np.float32)[:, None]
    rest = np.asarray(back @ targets, dtype=np.float32)
    solution = np.zeros_like(rest)
    direction = metric * rest
    size = (rest * direction).sum(axis=0)
    for done in range(rounds):
        image = back @ (features @ direction) + np.float32(penalty) * direction
        step = size / ((direction * image).sum(axis=0) + np.float32(1e-12))
        solution += step * direction
        rest -= step * image
        scaled = metric * rest
        new_size = (rest * scaled).sum(axis=0)
        direction *= new_size / (size + np.float32(1e-20))
        direction += scaled
        size = new_size
        if tell is not None:
            tell(done + 1, rounds)
    return solution


def compress(rows: Floats, features: csr_matrix, rank: int = RANK) -> tuple[NDArray[np.int8], Floats, Floats]:
    """Return rounded rows, their scales and the rotation back; directions are those of the fitted vectors."""
    fitted = features @ rows
    _, axes = np.linalg.eigh((fitted.T @ fitted).astype(np.float64))
    axes = axes[:, ::-1][:, :rank]
    # An axis has no sign of its own: its largest entry is made positive.
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    turned = rows @ axes.astype(np.float32)
    largest = np.abs(turned).max(axis=1)
    shared = np.sqrt(np.square(turned).mean()) / STEPS
    scales = np.maximum(largest / 127, shared).astype(np.float32)
    scales[scales == 0] = 1
    numbers = np.rint(turned / scales[:, None]).astype(np.int8)
    return numbers, scales, np.ascontiguousarray(axes.T, dtype=np.float32)
