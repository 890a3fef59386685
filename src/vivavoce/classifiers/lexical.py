"""Words and letters alone: for languages without sentence vectors, and where no weights are installed.

Logistic regression on TF-IDF features; of English, its probabilities are averaged with those of naive Bayes. All
weights come from the training rows of each split: nothing leaks from the rows that are tested.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vivavoce import plugins
from vivavoce.classifiers import logistic
from vivavoce.classifiers.bayes import Counts, Ids, NaiveBayes, count, sharpen
from vivavoce.classifiers.protocol import Floats, Guessing, Probabilities, Progress, Rows
from vivavoce.errors import UsageError
from vivavoce.messages import say
from vivavoce.text.ngrams import mix
from vivavoce.text.words import guess_language, words

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Matrix = NDArray[np.float32]


class Blend(NamedTuple):
    """How strong the regression is, how much naive Bayes counts, and the power that their average is raised to."""

    strength: float
    bayes_weight: float
    sharpness: float


# Of English, and of all other languages (docs/decisions/languages.md).
ENGLISH = Blend(30.0, 0.5, 1.6)
OTHER = Blend(300.0, 0.0, 1.5)
Space = Callable[[Any], Matrix]

TOLERANCE = 1e-4
# Up to this many training rows the features are used exactly, through their Gram matrix; beyond, they are
# projected at random onto this many dimensions.
EXACT_ROWS = 2000
DIMENSIONS = 512
WAYS = 4


def _make_space(features: csr_matrix, ids: tuple[Ids, ...]) -> Space:
    """Return what turns sparse features into dense coordinates.

    Few rows span a space through their Gram matrix, and nothing is lost; many are projected at random, and angles are
    kept about right.
    """
    if features.shape[0] > EXACT_ROWS:
        return partial(_project, onto=projection(ids))
    values, axes = np.linalg.eigh((features @ features.T).toarray().astype(np.float64))
    used = values > 1e-6 * values[-1]
    return partial(_span, train=features, axes=(axes[:, used] / np.sqrt(values[used])).astype(np.float32))


def _span(features: csr_matrix, *, train: csr_matrix, axes: Matrix) -> Matrix:
    return np.asarray((features @ train.T).toarray() @ axes)


def _project(features: csr_matrix, *, onto: csr_matrix) -> Matrix:
    return np.asarray((features @ onto).toarray(), dtype=np.float32)


def projection(ids: tuple[Ids, ...], dimensions: int = DIMENSIONS) -> csr_matrix:
    """Return a sparse random projection: each feature adds to four dimensions with random signs.

    The draws follow from the feature itself, so the same feature goes the same way in every set of texts.
    """
    from scipy.sparse import csr_matrix

    features = np.concatenate([block.astype(np.uint64) + np.uint64(part << 32) for part, block in enumerate(ids)])
    ways = np.arange(WAYS, dtype=np.uint64)
    draws = mix(mix((features[:, None] * np.uint64(WAYS) + ways).astype(np.uint64)))
    signs = np.where(draws.ravel() >> np.uint64(63), 0.5, -0.5).astype(np.float32)
    places = (draws.ravel() % np.uint64(dimensions)).astype(np.int64)
    starts = np.arange(len(features) + 1) * WAYS
    return csr_matrix((signs, places, starts), shape=(len(features), dimensions))


@dataclass(frozen=True, eq=False)
class _Trained:
    columns: Rows
    bayes: NaiveBayes
    space: Space
    basis: logistic.Basis
    solution: logistic.Solution
    blend: Blend

    @classmethod
    def fit(cls, counts: Counts, labels: Rows, blend: Blend) -> _Trained:
        columns, codes = np.unique(labels, return_inverse=True)
        bayes = NaiveBayes.fit(counts, codes, len(columns))
        features = bayes.features(counts)
        space = _make_space(features, counts.ids)
        dense = space(features)
        basis = logistic.Basis.of(dense)
        solution = logistic.fit(
            basis.rotate(dense), codes, len(columns), basis, C=blend.strength, tolerance=TOLERANCE
        )
        return cls(columns, bayes, space, basis, solution, blend)

    def answer(self, counts: Counts) -> Matrix:
        dense = self.space(self.bayes.features(counts))
        chances = self.solution.probabilities(self.basis.rotate(dense))
        if self.blend.bayes_weight:
            chances *= np.float32(1 - self.blend.bayes_weight)
            chances += np.float32(self.blend.bayes_weight) * self.bayes.probabilities(counts)
        return sharpen(chances, self.blend.sharpness)


@dataclass(frozen=True, eq=False)
class PreparedLexical:
    """All texts of an exam as counts."""

    labels: Rows
    counts: Counts
    blend: Blend

    def relabel(self, labels: Rows) -> PreparedLexical:
        """Return the same texts under other topics."""
        return replace(self, labels=labels)

    def train(self, rows: Rows) -> RowsOfLexical:
        """Train on these rows alone."""
        return RowsOfLexical(self.counts, _Trained.fit(self.counts.rows(rows), self.labels[rows], self.blend))


@dataclass(frozen=True, eq=False)
class RowsOfLexical:
    """A model trained on some rows of a prepared data set."""

    counts: Counts
    trained: _Trained

    def probabilities(self, rows: Rows) -> tuple[Rows, Floats]:
        """Return topic codes and probabilities for other rows."""
        return self.trained.columns, self.trained.answer(self.counts.rows(rows))


class LexicalClassifier(Guessing):
    """TF-IDF of words and letters with naive Bayes and logistic regression."""

    def __init__(self, *, language: str = "auto", name: str = "tfidf") -> None:
        self.name = name
        self.language = language
        self.notes: tuple[str, ...] = (say("words and characters (TF-IDF), no sentence vectors"),)
        self._intents: tuple[str, ...] = ()
        self._features: tuple[Ids, ...] = ()
        self._trained: _Trained | None = None

    def _count(self, texts: Sequence[str], like: tuple[Ids, ...] | None = None) -> Counts:
        return count(texts, segmented(texts, self.language), like=like)

    def _choose_blend(self, texts: Sequence[str]) -> Blend:
        if self.language != "auto":
            return ENGLISH if self.language == "en" else OTHER
        # Keywords without common words, which no language claims, are mostly English.
        return ENGLISH if guess_language(texts) in ("en", "und") else OTHER

    def prepare(self, texts: Sequence[str], labels: Rows, progress: Progress | None = None) -> PreparedLexical:
        """Read all texts of an exam once."""
        return PreparedLexical(np.asarray(labels, dtype=np.intp), self._count(texts), self._choose_blend(texts))

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Train on these examples alone."""
        names, codes = np.unique(np.asarray(intents, dtype=object).astype(str), return_inverse=True)
        self._intents = tuple(str(name) for name in names)
        counts = self._count(texts)
        self._features = counts.ids
        self._trained = _Trained.fit(counts, codes, self._choose_blend(texts))

    def probabilities(self, texts: Sequence[str]) -> Probabilities:
        """Return the probability of each topic."""
        if self._trained is None:
            raise UsageError("the classifier is not trained", remedy="call fit first")
        if not texts:
            return Probabilities(self._intents, np.empty((0, len(self._intents)), dtype=np.float32))
        return Probabilities(self._intents, self._trained.answer(self._count(texts, self._features)))


def segmented(texts: Sequence[str], language: str = "auto") -> Sequence[str]:
    """Put blanks between the words of languages that write none; other texts stay as they are."""
    language = guess_language(texts) if language == "auto" else language
    return [" ".join(words(text, "zh")) for text in texts] if language == "zh" else texts


@plugins.declare(plugins.Declaration(plugins.Reach.PROCESS))
def tfidf(option: str = "") -> LexicalClassifier:
    """Words and letters (TF-IDF), naive Bayes and logistic regression; the option names the language."""
    return LexicalClassifier(language=option or "auto")
