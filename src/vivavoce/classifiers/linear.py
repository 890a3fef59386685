"""The default classifier: sentence vectors and words, each with a linear model, joined.

`linear`: logistic regression on sentence vectors and naive Bayes on words and letters, their probabilities
averaged; they err in different places. `vectors` is the first half alone, `lexical.py` holds the second. A guess
is damped by how unlike the message is to the nearest training example of the guessed topic, so what is left of
the probability is the chance that no topic fits. `calibration.py` says how sure it may be. How the constants were
chosen: docs/decisions/classifier.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vivavoce.classifiers import logistic
from vivavoce.classifiers.bayes import Counts, NaiveBayes, TextCounts, count, sharpen
from vivavoce.classifiers.calibration import Calibration
from vivavoce.classifiers.lexical import LexicalClassifier, PreparedLexical
from vivavoce.classifiers.protocol import Floats, Guessing, Probabilities, Progress, Rows
from vivavoce.errors import UsageError
from vivavoce.languages import Use, name_languages
from vivavoce.messages import join, say
from vivavoce.text.cache import encode_cached
from vivavoce.text.languages.mixed import Reading, can_read, choose_reading, encode_texts, name_encoder
from vivavoce.text.vectors import MINILM, encoder_available, has_language, load_encoder

Matrix = NDArray[np.float32]

STRENGTH = 20.0
LEXICAL_WEIGHT = 0.4
# One half alone is less timid than the average of two.
SHARPNESS_ALONE = 0.9
# The option that reads each text in its own language, whatever the language of the examples; `mixed-de`: German
# unless another language is plain.
MIXED = "mixed"


@dataclass(frozen=True, eq=False)
class _Trained:
    """What was learnt from some rows: the topic codes, the two halves, and how sure they may be."""

    columns: Rows
    solution: logistic.Solution
    words: NaiveBayes | None
    examples: tuple[Matrix, ...]
    calibration: Calibration

    def answer(self, rotated: Matrix, vectors: Matrix, counts: Counts | TextCounts | None) -> Matrix:
        """Return the joint probabilities of messages given as vectors and counts."""
        chances, sharpness = self.solution.probabilities(rotated), self.calibration.sharpness
        if self.words is None or counts is None:
            sharpness *= SHARPNESS_ALONE
        else:
            chances *= np.float32(1 - LEXICAL_WEIGHT)
            chances += np.float32(LEXICAL_WEIGHT) * self.words.probabilities(counts)
        chances = sharpen(chances, sharpness)
        chances *= self._familiarity(chances.argmax(axis=1), vectors)[:, None]
        return chances

    def _familiarity(self, best: Rows, vectors: Matrix) -> Matrix:
        """Return 0 to 1: how near the closest training example of the guessed topic is."""
        nearest = np.empty(len(best), dtype=np.float32)
        for place in np.unique(best):
            rows = np.flatnonzero(best == place)
            nearest[rows] = (vectors[rows] @ self.examples[place].T).max(axis=1)
        return self.calibration.find_familiarity(nearest)


@dataclass(frozen=True, eq=False)
class PreparedLinear:
    """All texts of an exam as vectors and counts, with the solution on all rows as a landmark."""

    labels: Rows
    vectors: Matrix
    rotated: Matrix
    basis: logistic.Basis
    landmark: logistic.Landmark | None
    counts: Counts | None

    @classmethod
    def of(cls, vectors: Matrix, labels: Rows, counts: Counts | None, *, landmark: bool) -> PreparedLinear:
        """Rotate the vectors; with `landmark`, fit all labelled rows once so that parts of them fit fast."""
        known = labels >= 0
        basis = logistic.Basis.of(vectors[known])
        rotated = basis.rotate(vectors)
        point = None
        n_classes = int(labels.max()) + 1
        # Nothing holds the intercept of a topic without examples.
        if landmark and len(np.unique(labels[known])) == n_classes:
            point = logistic.Landmark.of(rotated[known], labels[known], n_classes, basis, C=STRENGTH)
        return cls(labels, vectors, rotated, basis, point, counts)

    def relabel(self, labels: Rows) -> PreparedLinear:
        """Return the same texts under other topics: what does not depend on topics is kept, and the landmark follows.

        Topics that stay keep their codes.
        """
        both = (self.labels >= 0) & (labels >= 0)
        codes = self.labels[both], labels[both], int(labels.max()) + 1
        point = self.landmark.follow(*codes) if self.landmark else None
        return replace(self, labels=labels, landmark=point)

    def train(self, rows: Rows) -> RowsOfLinear:
        """Train on these rows alone."""
        columns, codes = np.unique(self.labels[rows], return_inverse=True)
        start, metric = self.landmark.part(columns) if self.landmark else (None, None)
        solution = logistic.fit(
            self.rotated[rows], codes, len(columns), self.basis, C=STRENGTH, start=start, metric=metric
        )
        words = None if self.counts is None else NaiveBayes.fit(self.counts.rows(rows), codes, len(columns))
        order = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[order], np.arange(1, len(columns)))
        examples = tuple(np.split(self.vectors[rows][order], starts))
        return RowsOfLinear(self, _Trained(columns, solution, words, examples, Calibration.of(examples)))


@dataclass(frozen=True, eq=False)
class RowsOfLinear:
    """A model trained on some rows of a prepared data set."""

    prepared: PreparedLinear
    trained: _Trained

    def probabilities(self, rows: Rows) -> tuple[Rows, Floats]:
        """Return topic codes and probabilities for other rows."""
        whole = self.prepared
        counts = None if whole.counts is None else whole.counts.rows(rows)
        return self.trained.columns, self.trained.answer(whole.rotated[rows], whole.vectors[rows], counts)


class LinearClassifier(Guessing):
    """Sentence vectors + logistic regression, and words + naive Bayes unless `lexical` is off."""

    def __init__(
        self, *, encoder: str = "minilm", lexical: bool = True, name: str = "linear", reading: Reading | None = None
    ) -> None:
        self.name = name
        self.encoder = load_encoder(encoder)
        # What was decided for the training texts holds for every question; without it, `encoder` reads them all.
        self._reading = reading
        self.lexical = lexical
        self.notes: tuple[str, ...] = (say("sentence vectors: {name}", name=self.encoder.name),)
        self._intents: tuple[str, ...] = ()
        self._fitted: tuple[PreparedLinear, _Trained] | None = None

    def prepare(self, texts: Sequence[str], labels: Rows, progress: Progress | None = None) -> PreparedLinear:
        """Read all texts of an exam once."""
        counts = count(texts) if self.lexical else None
        vectors = self._encode(texts, progress)
        return PreparedLinear.of(vectors, np.asarray(labels, dtype=np.intp), counts, landmark=True)

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Train on these examples alone."""
        names, codes = np.unique(np.asarray(intents, dtype=object).astype(str), return_inverse=True)
        self._intents = tuple(str(name) for name in names)
        counts = count(texts) if self.lexical else None
        whole = PreparedLinear.of(self._encode(texts), codes, counts, landmark=False)
        self._fitted = whole, whole.train(np.arange(len(texts))).trained

    def probabilities(self, texts: Sequence[str]) -> Probabilities:
        """Return the probability of each topic; what a row lacks to 1 is the chance that none fits."""
        if not texts or self._fitted is None:
            return self.weigh(texts, np.empty((0, self.encoder.dimension), dtype=np.float32))
        return self.weigh(texts, self._encode(texts))

    def weigh(
        self, texts: Sequence[str], vectors: Matrix, counts: Counts | TextCounts | None = None
    ) -> Probabilities:
        """Return what `probabilities` returns, for texts whose sentence vectors (and counts) are known."""
        if self._fitted is None:
            raise UsageError("the classifier is not trained", remedy="call fit first")
        whole, trained = self._fitted
        if not texts:
            return Probabilities(self._intents, np.empty((0, len(self._intents)), dtype=np.float32))
        if whole.counts is not None:
            counts = (count(texts) if counts is None else counts).align(whole.counts.ids)
        return Probabilities(self._intents, trained.answer(whole.basis.rotate(vectors), vectors, counts))

    def _encode(self, texts: Sequence[str], progress: Progress | None = None) -> Matrix:
        if self._reading is not None and self._reading.mixed:
            return encode_texts(texts, self._reading, progress)
        return encode_cached(self.encoder, texts, progress)


class DefaultClassifier(Guessing):
    """`linear` where sentence vectors fit the language of the texts, words and letters alone where they do not.

    The choice is made anew for each set of texts and said in `notes`. `languages` are those that the data name, the
    most frequent first; without any, the language is guessed.
    """

    name = "linear"

    def __init__(self, encoder: str = MINILM) -> None:
        self._encoder = encoder
        self.languages: Sequence[str] = ()
        self.notes: tuple[str, ...] = ()
        self._chosen: LinearClassifier | LexicalClassifier = LexicalClassifier(name=self.name)

    def read_mostly(self, language: str) -> DefaultClassifier:
        """Return the same classifier for questions in this language, whatever the language of the examples."""
        own_choice = self._encoder in (MINILM, MIXED)
        return DefaultClassifier(f"{MIXED}-{language}") if own_choice else self

    def _choose(self, texts: Sequence[str]) -> LinearClassifier | LexicalClassifier:
        kind, _, usual = self._encoder.partition("-")
        if self._encoder != MINILM and kind != MIXED:
            self._chosen = LinearClassifier(encoder=self._encoder, name=self.name)
            self.notes = self._chosen.notes
            return self._chosen
        reading = Reading(usual, mixed=True) if usual else choose_reading(texts, self.languages)
        language = reading.usual
        if language != "en" and not has_language(language):
            self._chosen = LexicalClassifier(language=language, name=self.name)
            self.notes = (_NO_VECTORS_FOR_LANGUAGE,)
        elif not encoder_available():
            self._chosen = LexicalClassifier(language=language, name=self.name)
            self.notes = (NO_WEIGHTS,)
        else:
            reading = Reading(language, mixed=True) if kind == MIXED else reading
            self._chosen = LinearClassifier(encoder=name_encoder(language), name=self.name, reading=reading)
            self.notes = (*self._chosen.notes, *_note_unreadable(self.languages, reading))
        return self._chosen

    def prepare(
        self, texts: Sequence[str], labels: Rows, progress: Progress | None = None
    ) -> PreparedLinear | PreparedLexical:
        """Read all texts of an exam once."""
        return self._choose(texts).prepare(texts, labels, progress)

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Train on these examples alone."""
        self._choose(texts).fit(texts, intents)

    def probabilities(self, texts: Sequence[str]) -> Probabilities:
        """Return the probability of each topic; what a row lacks to 1 is the chance that none fits."""
        return self._chosen.probabilities(texts)


def _note_unreadable(languages: Sequence[str], reading: Reading) -> Iterator[str]:
    """Yield one note if some of the languages that the data name have no vectors."""
    names = name_languages(Use.PROJECTS)
    missing = [names.get(code, code) for code in languages if not can_read(code)]
    if missing:
        usual = names.get(reading.usual, reading.usual)
        yield say(
            "no sentence vectors for {languages}: these texts are read as {usual}",
            languages=join(", ", sorted(missing)),
            usual=usual,
        )


_NO_VECTORS_FOR_LANGUAGE = say(
    "no sentence vectors fit the language of these texts, so words and characters (TF-IDF) were used; name a "
    "language that you have trained, such as linear:nl, train it with `viva models train-languages`, or pass your "
    "own multilingual model as linear:FOLDER"
)
NO_WEIGHTS = say(
    "no sentence vectors are installed, so words and characters (TF-IDF) were used; sentence "
    "vectors give better results"
)


def linear(option: str = "") -> DefaultClassifier:
    """Sentence vectors and words, joined (the default); the option is a local model folder, a language or `mixed`."""
    return DefaultClassifier(option or MINILM)


def vectors(option: str = "") -> LinearClassifier:
    """Sentence vectors with logistic regression alone; the option names a local model folder."""
    return LinearClassifier(encoder=option or "minilm", lexical=False, name="vectors")
