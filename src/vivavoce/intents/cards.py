"""Why topics are confused: examples that are typical of each, those at the border, and the words that pull.

The words are found by asking the classifier itself: once for each text at the border, and once without each of its
words. It is trained without these texts, so the difference is what the word does to a question that it never saw.
Nothing is approximated, whatever the classifier.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vivavoce.classifiers.lexical import segmented
from vivavoce.classifiers.protocol import Classifier, ProbabilisticClassifier
from vivavoce.codec import to_json
from vivavoce.errors import ClassifierError
from vivavoce.intents.exam import as_dataset, load_classifier
from vivavoce.intents.material import Material
from vivavoce.intents.problem_record import Problem, ProblemKind
from vivavoce.intents.quality import ProblemExample
from vivavoce.intents.runner import AnyClassifier, reason_of
from vivavoce.intents.similarity import text_vectors
from vivavoce.records import Dataset

Vectors = NDArray[np.float32]

TYPICAL = 3
MAX_WORDS = 4
MAX_TOPICS = 3
MAX_EXAMPLES = 8
MAX_TOKENS = 40
# What a word changes must be worth showing: odds of one topic against the other that grow by a quarter.
MIN_PULL = float(np.log(1.25))
FLOOR = 1e-4
MARKS = ".,;:!?\"'()[]{}<>“”„‘’«»…¿¡-"


@dataclass(frozen=True, slots=True)
class WordPull:
    """A word that pulls to a topic. `pull`: so many times likelier the topic is with it, on average (a logarithm).

    `texts`: in how many of the examples it was left out.
    """

    word: str
    topic: str
    pull: float
    texts: int


@dataclass(frozen=True, slots=True)
class TypicalExamples:
    """The examples that are nearest to the middle of a topic."""

    topic: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """What explains a problem; its numbers are those of the problem itself. `asked`: how many texts were asked."""

    problem: Problem
    typical: tuple[TypicalExamples, ...]
    borderline: tuple[ProblemExample, ...]
    words: tuple[WordPull, ...]
    asked: int

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form; the problem is named by its kind and topics."""
        content: dict[str, Any] = to_json(self)
        return {**content, "problem": {"kind": str(self.problem.kind), "topics": list(self.problem.topics)}}


def explain_problems(
    data: Dataset | tuple[Sequence[str], Sequence[str | None]],
    problems: Iterable[Problem],
    classifier: str | AnyClassifier = "linear",
) -> tuple[Card, ...]:
    """Return a card for each problem of an exam of these data."""
    material = Material.of(as_dataset(data))
    engine = load_classifier(classifier, material.data)
    vectors = text_vectors(material)
    return tuple(_explain(problem, material, vectors, engine) for problem in problems)


def _explain(problem: Problem, material: Material, vectors: Vectors, engine: AnyClassifier) -> Card:
    topics = [topic for topic in problem.topics if topic in material.data.sizes][:MAX_TOPICS]
    borderline = problem.examples[:MAX_EXAMPLES]
    mistaken = [example for example in borderline if example.guess is not None]
    words: tuple[WordPull, ...] = ()
    if mistaken and isinstance(engine, Classifier):
        train = _train_places(problem, mistaken, material)
        words = tuple(find_pulls(mistaken, train, material, engine))
    typical = tuple(TypicalExamples(topic, _find_typical(topic, material, vectors)) for topic in topics)
    return Card(problem, typical, borderline, words, len(mistaken))


def _train_places(problem: Problem, mistaken: Sequence[ProblemExample], material: Material) -> list[int]:
    """Return what the classifier is taught: not these examples, their near-duplicates or topics that are out."""
    rows = {example.row for example in mistaken}
    own = [place for place in range(len(material)) if material.data.number(place) in rows]
    out = {example.intent for example in mistaken} if problem.kind is ProblemKind.OUT_OF_SCOPE else set()
    left_out = np.isin(material.groups, material.groups[own]) | (material.labels < 0)
    places = np.flatnonzero(~left_out).tolist()
    return [place for place in places if material.data.intents[place] not in out]


def find_pulls(
    mistaken: Sequence[ProblemExample], train: Sequence[int], material: Material, engine: Classifier
) -> Iterator[WordPull]:
    """Yield the words that pull most to each topic: to the one a text was taken for, or to its own."""
    tokens = [text.split()[:MAX_TOKENS] for text in segmented([example.text for example in mistaken])]
    asked, origins = [], []
    for place, words in enumerate(tokens):
        asked.append(" ".join(words))
        origins.append((place, -1))
        for left_out in range(len(words)):
            asked.append(" ".join(words[:left_out] + words[left_out + 1 :]))
            origins.append((place, left_out))
    intents = [str(material.data.intents[place]) for place in train]
    if len(set(intents)) < 2:
        return
    try:
        engine.fit([material.data.texts[place] for place in train], intents)
        columns, chances = _ask(engine, asked)
    except Exception as error:  # an engine may raise anything
        raise ClassifierError(f"the classifier failed: {reason_of(error)}") from error
    pulls: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    whole = 0.0
    for (place, left_out), row in zip(origins, chances, strict=True):
        example = mistaken[place]
        odds = _measure_odds(row, columns.get(str(example.guess)), columns.get(str(example.intent)))
        if left_out < 0:
            whole = odds
        elif word := tokens[place][left_out].strip(MARKS).casefold():
            pull = whole - odds
            topic = example.guess if pull > 0 else example.intent
            if topic is not None:
                pulls[word, topic].append(abs(pull))
    yield from _choose_words(pulls)


def _choose_words(pulls: dict[tuple[str, str], list[float]]) -> Iterator[WordPull]:
    words = [WordPull(word, topic, float(np.mean(each)), len(each)) for (word, topic), each in pulls.items()]
    words.sort(key=lambda word: (-word.pull * word.texts, word.word, word.topic))
    shown: defaultdict[str, int] = defaultdict(int)
    for word in words:
        if word.pull >= MIN_PULL and shown[word.topic] < MAX_WORDS:
            shown[word.topic] += 1
            yield word


def _ask(engine: Classifier, texts: Sequence[str]) -> tuple[dict[str, int], NDArray[np.float64]]:
    """Return the column of each topic and the chances; an engine that only guesses gives its guess the confidence."""
    if isinstance(engine, ProbabilisticClassifier):
        answers = engine.probabilities(texts)
        return {topic: place for place, topic in enumerate(answers.intents)}, np.asarray(
            answers.rows, dtype=np.float64
        )
    guesses = engine.guess(texts)
    columns = {
        topic: place for place, topic in enumerate(sorted({guess.intent for guess in guesses if guess.intent}))
    }
    chances = np.zeros((len(texts), len(columns)))
    for place, guess in enumerate(guesses):
        if guess.intent:
            chances[place, columns[guess.intent]] = guess.confidence
    return columns, chances


def _measure_odds(chances: NDArray[np.float64], guess: int | None, own: int | None) -> float:
    """Return the log odds of the guess against the own topic, or against everything else where that is not taught."""
    first = 0.0 if guess is None else float(chances[guess])
    second = 1 - first if own is None else float(chances[own])
    return float(np.log(first + FLOOR) - np.log(second + FLOOR))


def _find_typical(topic: str, material: Material, vectors: Vectors) -> tuple[str, ...]:
    """Return the examples nearest to the mean of a topic, one for each group of near-duplicates."""
    places = np.flatnonzero(material.labels == material.topics.index(topic))
    places = places[np.argsort(-(vectors[places] @ vectors[places].mean(axis=0)), kind="stable")]
    first = np.sort(np.unique(material.groups[places], return_index=True)[1])
    return tuple(material.data.texts[place] for place in places[first][:TYPICAL])
