"""The classifier of the nex-cv paper: weighted means of word vectors, then logistic regression.

A text becomes the mean of its words' vectors, each weighted a/(a + p(word)) so that frequent words count
little; the direction that all training texts share is taken out (Arora, Liang and Ma 2017, "SIF").
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vivavoce.classifiers import logistic
from vivavoce.classifiers.protocol import Floats, Guessing, Probabilities
from vivavoce.errors import DataError, FileError, MissingPartError, UsageError
from vivavoce.text.glove import WordVectors, find_glove, load_word_vectors
from vivavoce.text.languages.model import find_language, read_language
from vivavoce.text.languages.static import StaticTable
from vivavoce.text.weights import viva_home
from vivavoce.text.words import guess_language, words

SMOOTHING = 1e-3
# Chosen on a held-out fifth of the training rows of BANKING77 and CLINC150: flat from 10 to 100.
HEAD_C = 30.0


class SifClassifier(Guessing):
    """Mean word vectors without their common direction, and logistic regression on top.

    `vectors` is a file (only the words that occur are read from it) or vectors in memory. Word frequencies
    come from `wordfreq` for the language (guessed from the training texts unless given), or from the training
    texts where that is not installed or does not know the language.

    A text without any known word says nothing: every topic gets the same probability, so the guess carries
    the lowest confidence there is (1 / number of topics) and any sensible threshold declines it.
    """

    # May be copied and trained on several splits side by side.
    parallel = True

    def __init__(
        self,
        vectors: WordVectors | Path | str,
        *,
        language: str = "auto",
        a: float = SMOOTHING,
        name: str = "sif",
    ) -> None:
        self.name = name
        self._lexicon = _Lexicon(vectors)
        self._language = language
        self._a = a
        self._model: _Model | None = None

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Learn the common direction and the topics from these examples alone."""
        self._model = None
        if not len(texts):
            raise DataError("there are no examples to train on", remedy="add at least one example")
        language = guess_language(texts) if self._language == "auto" else self._language
        tokens = [words(text, language) for text in texts]
        frequencies = None
        if not _has_frequencies(language):
            counts = Counter(word for text in tokens for word in text)
            frequencies = {word: count / counts.total() for word, count in counts.items()}
        means, known = self._means(tokens, language, frequencies)
        if not known.any():
            raise UsageError(
                f"no word in the training texts has a vector (their language seems to be '{language}')",
                where=self._lexicon.where,
                remedy=f"use word vectors of that language: --classifier sif:{language} or sif:PATH",
            )
        direction = common_direction(means)
        head = fit_head(_features(means, direction), intents)
        self._model = _Model(language, frequencies, direction, head)

    def probabilities(self, texts: Sequence[str]) -> Probabilities:
        """Return the probability of each trained topic; all the same for a text without known words."""
        if self._model is None:
            raise UsageError(f"the classifier '{self.name}' is not trained", remedy="call fit first")
        model = self._model
        tokens = [words(text, model.language) for text in texts]
        means, known = self._means(tokens, model.language, model.frequencies)
        rows = model.head.probabilities(_features(means, model.direction))
        rows[~known] = 1.0 / len(model.head.intents)
        return Probabilities(model.head.intents, rows)

    def _means(
        self, tokens: Sequence[Sequence[str]], language: str, frequencies: Mapping[str, float] | None
    ) -> tuple[Floats, NDArray[np.bool_]]:
        self._lexicon.read({word for text in tokens for word in text})
        if frequencies is None:
            import wordfreq

            # wordfreq keeps the table, so it is neither copied nor sent along with a trained classifier.
            frequencies = wordfreq.get_frequency_dict(language, wordlist="best")
        means = np.zeros((len(tokens), self._lexicon.dimensions))
        known = np.zeros(len(tokens), dtype=bool)
        for row, text in enumerate(tokens):
            held = [word for word in text if word in self._lexicon]
            if held:
                weights = np.array([self._a / (self._a + frequencies.get(word, 0.0)) for word in held])
                means[row] = weights @ self._lexicon.matrix(held) / len(held)
                known[row] = True
        return means, known


def sif(option: str = "") -> SifClassifier:
    """Word vectors weighed by rarity (the nex-cv paper's own); the option is their file, or a language like `de`."""
    named = option.strip() or os.environ.get("VIVA_WORD_VECTORS", "").strip()
    if (language_file := find_language(named)) is not None:
        table = read_language(language_file).static
        return SifClassifier(word_vectors_of(table), language=named, name=f"sif:{named}")
    if named:
        path = Path(named).expanduser()
        if not path.is_file():
            raise FileError("word vector file not found", where=str(path), remedy="check the path")
        return SifClassifier(path, name=f"sif:{path.name}")
    glove = find_glove(viva_home())
    if glove is None:
        raise MissingPartError(
            "the classifier 'sif' needs word vectors, which are not installed",
            remedy="run `viva models get glove`, or use your own: --classifier sif:PATH",
        )
    return SifClassifier(glove)


def word_vectors_of(table: StaticTable) -> WordVectors:
    """Return the vectors of words alone that a language's static model has learnt."""
    words = len(table.words)
    rows = table.numbers[:words] * table.scales[:words, None]
    matrix = np.asarray(rows @ table.rotation, dtype=np.float32)
    return WordVectors({word: row for row, word in enumerate(table.words)}, matrix)


class _Lexicon:
    """The vectors of the words met so far; a file is read again only when new words turn up."""

    def __init__(self, vectors: WordVectors | Path | str) -> None:
        self._path = None if isinstance(vectors, WordVectors) else Path(vectors)
        self._held = (
            vectors if isinstance(vectors, WordVectors) else WordVectors({}, np.zeros((0, 0), dtype=np.float32))
        )
        self._asked: set[str] = set()

    @property
    def where(self) -> str:
        return "" if self._path is None else str(self._path)

    @property
    def dimensions(self) -> int:
        return self._held.dimensions

    def __contains__(self, word: str) -> bool:
        return word in self._held.index

    def read(self, needed: set[str]) -> None:
        """Make the vectors of these words available."""
        missing = needed - self._asked
        if self._path is not None and missing:
            new = load_word_vectors(self._path, missing)
            old = self._held
            if len(old):
                moved = {word: row + len(old.matrix) for word, row in new.index.items()}
                new = WordVectors({**old.index, **moved}, np.concatenate([old.matrix, new.matrix]))
            self._held = new
            self._asked |= missing

    def matrix(self, held: Sequence[str]) -> Floats:
        """Return the vectors of words that are all there."""
        return self._held.matrix[[self._held.index[word] for word in held]]


def _has_frequencies(language: str) -> bool:
    try:
        import wordfreq
    except ImportError:
        return False
    return language in wordfreq.available_languages()


@dataclass(frozen=True)
class _Model:
    """All that training has learnt. `frequencies` None: those of wordfreq."""

    language: str
    frequencies: Mapping[str, float] | None
    direction: Floats
    head: Head


@dataclass(frozen=True)
class Head:
    """A linear model of topics: one column of weights and one intercept for each."""

    intents: tuple[str, ...]
    weights: Floats
    intercepts: Floats

    def probabilities(self, X: Floats) -> Floats:
        """Return the softmax of the scores."""
        return logistic.softmax(X @ self.weights + self.intercepts)


def fit_head(X: Floats, y: Sequence[str]) -> Head:
    """Fit L2 logistic regression; a single topic is certain."""
    intents = tuple(sorted(set(y)))
    if len(intents) == 1:
        return Head(intents, np.zeros((X.shape[1], 1)), np.zeros(1))
    rows = X.astype(np.float32)
    basis = logistic.Basis.of(rows)
    codes = np.searchsorted(intents, list(y))
    fitted = logistic.fit(basis.rotate(rows), codes, len(intents), basis, C=HEAD_C)
    turned = (basis.rotation @ fitted.weights).astype(np.float64)
    return Head(intents, turned[:-1], turned[-1])


def common_direction(means: Floats) -> Floats:
    """Return the first principal direction (length 1) of the rows; zeros if fewer than two rows have any."""
    if np.count_nonzero(np.any(means != 0, axis=1)) < 2:
        return np.zeros(means.shape[1])
    _, directions = np.linalg.eigh(means.T @ means)
    last: Floats = directions[:, -1]
    return last


def _features(means: Floats, direction: Floats) -> Floats:
    rest = means - np.outer(means @ direction, direction)
    before, after = np.linalg.norm(means, axis=1), np.linalg.norm(rest, axis=1)
    # Where nothing but rounding is left, scaling it up to length 1 would make meaning out of noise.
    scale = np.where(after > 1e-6 * before, after, np.inf)
    features: Floats = rest / scale[:, None]
    return features
