"""Multinomial naive Bayes on TF-IDF weights: the lexical half of the default classifier.

Trains in milliseconds, needs no vectors and no language, and errs in other places than sentence vectors do.
Only features of the training rows count, weights included: nothing leaks from the rows that are tested.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vivavoce.classifiers.logistic import softmax
from vivavoce.text.ngrams import count_text, letter_ngrams, word_ngrams

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

SMOOTHING = 0.01
TEMPERATURE = 3.0

Matrix = NDArray[np.float32]
Rows = NDArray[np.intp]
Ids = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class Counts:
    """Feature counts of texts in blocks (words, letters) that are weighed alike.

    `ids` are the hashed numbers of the columns: they name a feature whatever other texts there are.
    """

    blocks: tuple[csr_matrix, ...]
    ids: tuple[Ids, ...]

    @classmethod
    def of(cls, blocks: tuple[csr_matrix, ...]) -> Counts:
        """Keep the columns in use. Repeated features are damped: three times is not three times the evidence."""
        used = [np.unique(block.indices) for block in blocks]
        for block in blocks:
            np.log(block.data, out=block.data)
            block.data += 1
        return cls(tuple(map(_align, blocks, used)), tuple(used))

    def align(self, like: tuple[Ids, ...]) -> Counts:
        """Return the counts of these features alone, in their order."""
        from scipy.sparse import csr_matrix

        blocks = []
        for block, own, ids in zip(self.blocks, self.ids, like, strict=True):
            shape = (block.shape[0], int(own.max(initial=0)) + 1)
            blocks.append(_align(csr_matrix((block.data, own[block.indices], block.indptr), shape=shape), ids))
        return Counts(tuple(blocks), like)

    def rows(self, rows: Rows) -> Counts:
        """Return some rows."""
        return Counts(tuple(block[rows] for block in self.blocks), self.ids)


@dataclass(frozen=True, eq=False)
class TextCounts:
    """The feature counts of one text, for which matrices would cost ten times what is done with them."""

    ids: tuple[Ids, ...]
    values: tuple[Matrix, ...]

    def align(self, like: tuple[Ids, ...]) -> TextCounts:
        """Return the counts of these features alone, under their places."""
        places, values = [], []
        for own, value, ids in zip(self.ids, self.values, like, strict=True):
            place = np.minimum(np.searchsorted(ids, own), max(0, len(ids) - 1))
            known = ids[place] == own if len(ids) else np.zeros(len(own), dtype=bool)
            places.append(place[known])
            values.append(value[known])
        return TextCounts(tuple(places), tuple(values))


def _align(block: csr_matrix, ids: Ids) -> csr_matrix:
    """Return the block with these columns alone, in this order."""
    from scipy.sparse import csr_matrix

    place = np.minimum(np.searchsorted(ids, block.indices), max(0, len(ids) - 1))
    known = ids[place] == block.indices if len(ids) else np.zeros(block.nnz, dtype=bool)
    starts = np.r_[0, np.cumsum(known)][block.indptr]
    return csr_matrix((block.data[known], place[known], starts), shape=(block.shape[0], len(ids)))


def count(
    texts: Sequence[str], segmented: Sequence[str] | None = None, *, like: tuple[Ids, ...] | None = None
) -> Counts:
    """Count words (of the segmented texts, where a language writes no blanks) and letters.

    `like` are the features of earlier counts: others are left out, as no model of those knows them.
    """
    counts = Counts.of((word_ngrams(texts if segmented is None else segmented), letter_ngrams(texts)))
    return counts if like is None else counts.align(like)


def count_one(text: str) -> TextCounts:
    """Count what `count` counts, for one text."""
    (words, word_counts), (letters, letter_counts) = count_text(text)
    values = (np.log(counts.astype(np.float32)) + np.float32(1) for counts in (word_counts, letter_counts))
    return TextCounts((words, letters), tuple(values))


def sharpen(chances: Matrix, power: float) -> Matrix:
    """Undo the timidity of averages and of strong penalties: raise to a power and normalise, in place."""
    chances **= np.float32(power)
    chances /= chances.sum(axis=1, keepdims=True)
    return chances


@dataclass(frozen=True, eq=False)
class NaiveBayes:
    """A trained model: inverse document frequencies and, per class, sparse evidence over a constant."""

    frequencies: tuple[Matrix, ...]
    evidence: tuple[csr_matrix, ...]
    constant: Matrix

    @classmethod
    def fit(cls, counts: Counts, labels: Rows, n_classes: int) -> NaiveBayes:
        """Learn from these rows; every class must have one."""
        from scipy.sparse import csr_matrix

        frequencies = tuple(_inverse_frequency(block) for block in counts.blocks)
        weighed = [_weigh(block, idf) for block, idf in zip(counts.blocks, frequencies, strict=True)]
        n = len(labels)
        choose = csr_matrix((np.ones(n, dtype=np.float32), (labels, np.arange(n))), shape=(n_classes, n))
        sums = [csr_matrix(choose @ block) for block in weighed]
        # Texts without a single word leave no features; one that never occurs keeps the logarithm finite.
        features = max(1, sum(int((idf > 0).sum()) for idf in frequencies))
        total = sum(np.asarray(block.sum(axis=1)).ravel() for block in sums) + SMOOTHING * features
        for block in sums:
            np.log1p(block.data / np.float32(SMOOTHING), out=block.data)
        evidence = tuple(block.T.tocsr() for block in sums)
        return cls(frequencies, evidence, (np.log(SMOOTHING) - np.log(total)).astype(np.float32))

    def features(self, counts: Counts) -> csr_matrix:
        """Return the TF-IDF weights of rows side by side, each row of length 1."""
        from scipy.sparse import hstack

        pairs = zip(counts.blocks, self.frequencies, strict=True)
        return hstack([_weigh(block, idf) for block, idf in pairs]).tocsr()

    def probabilities(self, counts: Counts | TextCounts) -> Matrix:
        """Return one row of class probabilities for each row of counts."""
        if isinstance(counts, TextCounts):
            return self._weigh_text(counts)
        scores = np.zeros((counts.blocks[0].shape[0], len(self.constant)), dtype=np.float32)
        for block, idf, evidence in zip(counts.blocks, self.frequencies, self.evidence, strict=True):
            weighed = _weigh(block, idf)
            scores += (weighed @ evidence).toarray()
            scores += np.asarray(weighed.sum(axis=1)) * self.constant
        scores /= np.float32(TEMPERATURE)
        return softmax(scores)

    def _weigh_text(self, counts: TextCounts) -> Matrix:
        scores = np.zeros(len(self.constant), dtype=np.float32)
        for values, places, idf, evidence in zip(
            counts.values, counts.ids, self.frequencies, self.evidence, strict=True
        ):
            weights = values * idf[places]
            weights *= np.sqrt(np.float32(0.5)) / (np.sqrt(weights @ weights) or 1)
            starts = evidence.indptr[places]
            sizes = evidence.indptr[places + 1] - starts
            # The cells of the rows of these features, one row after the other.
            cells = np.repeat(starts - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
            parts = evidence.data[cells] * np.repeat(weights, sizes)
            scores += np.bincount(evidence.indices[cells], parts, len(scores)).astype(np.float32)
            scores += weights.sum() * self.constant
        return softmax(scores[None, :] / np.float32(TEMPERATURE))


def _inverse_frequency(block: csr_matrix) -> Matrix:
    """Return the weight of each feature; 0 for features that the training rows do not have."""
    seen = np.bincount(block.indices, minlength=block.shape[1])
    idf = np.log((1 + block.shape[0]) / (1 + seen)) + 1
    return np.where(seen > 0, idf, 0).astype(np.float32)


def _weigh(block: csr_matrix, idf: Matrix) -> csr_matrix:
    """Apply the weights and scale each row to length 1, times √½: two blocks make one vector."""
    weighed = block.copy()
    weighed.data = weighed.data * idf[weighed.indices]
    lengths = np.sqrt(np.add.reduceat(np.r_[weighed.data**2, 0], np.minimum(weighed.indptr[:-1], weighed.nnz)))
    lengths[np.diff(weighed.indptr) == 0] = 1
    lengths[lengths == 0] = 1
    weighed.data *= np.repeat(np.sqrt(0.5) / lengths, np.diff(weighed.indptr)).astype(np.float32)
    return weighed
