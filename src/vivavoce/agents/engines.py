"""Engines: what a message means. Three that run here, all trained on the phrases or rules of an agent file.

`vectors`: sentence vectors and logistic regression. `nearest`: the training phrase with the most similar words.
`keywords`: hand-written rules. Flow and replies are the same for all, so that engines are compared and nothing else.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

from vivavoce.agents.agent import Agent
from vivavoce.errors import UsageError
from vivavoce.records import Guess
from vivavoce.text.words import words

FEWEST = 10
# Most visitors ask about what the bot knows, and real strangers are stranger than the topics next door that
# stand in for them here: one message in five counts as foreign.
FOREIGN = 0.2


def choose_threshold(own: Sequence[float], foreign: Sequence[float], limits: tuple[float, float]) -> float:
    """Return the confidence that tells phrases of known topics from those of unknown ones best.

    `own`: each phrase asked while it alone was left out (0 where the guess was wrong). `foreign`: each phrase
    asked while its whole topic was left out, so that every guess is wrong. The result stays in `limits`, which is
    also where it lies when there are too few phrases to tell.
    """
    low, high = limits
    if len(own) < FEWEST:
        return round((low + high) / 2, 2)
    steps = [round(low + step / 100, 2) for step in range(round((high - low) * 100) + 1)]

    def weigh(step: float) -> tuple[float, float]:
        answered = sum(score >= step for score in own) / len(own)
        refused = sum(score < step for score in foreign) / len(foreign)
        return (1 - FOREIGN) * answered + FOREIGN * refused, -step

    return max(steps, key=weigh)


class Engine(Protocol):
    """Says what a message means: topics with their confidence, best first."""

    @property
    def about(self) -> str:
        """What the engine is: its method, its model and their versions."""
        ...

    @property
    def threshold(self) -> float:
        """The confidence from which on a guess counts."""
        ...

    @property
    def forgiving(self) -> bool:
        """Whether values of slots are found although they are misspelt."""
        ...

    async def understand(self, text: str) -> tuple[Guess, ...]:
        """Return the topics of a message, best first."""
        ...


@dataclass(frozen=True, eq=False)
class LocalEngine:
    """An engine that runs in this process: a function from a text to guesses."""

    about: str
    threshold: float
    forgiving: bool
    guess: Callable[[str], tuple[Guess, ...]] = field(repr=False)

    async def understand(self, text: str) -> tuple[Guess, ...]:
        """Return the topics of a message, best first."""
        return self.guess(text) if text.strip() else ()


def _rank(scores: Mapping[str, float]) -> tuple[Guess, ...]:
    """Order topics by score; equal scores keep the order of the agent file."""
    return tuple(Guess(name, score) for name, score in sorted(scores.items(), key=lambda item: -item[1]) if score > 0)


def _examples(agent: Agent) -> tuple[list[str], list[str]]:
    pairs = [(phrase, topic.intent) for topic in agent.topics for phrase in dict.fromkeys(topic.phrases)]
    return [phrase for phrase, _ in pairs], [intent for _, intent in pairs]


VECTORS_THRESHOLD = (0.3, 0.6)
FOLDS = 8


def vectors(agent: Agent) -> LocalEngine:
    """Train sentence vectors with logistic regression; words and letters where no vectors fit."""
    from vivavoce.text.languages.mixed import can_read, name_encoder

    language = agent.language.partition("-")[0]
    if not can_read(language):
        return _words_instead(agent)
    from vivavoce.agents.linear import LinearModel

    texts, intents = _examples(agent)
    model = LinearModel.train(texts, intents, name_encoder(language))
    own, foreign = model.rehearse(FOLDS)
    return LocalEngine(
        about=f"sentence vectors ({model.encoder.name}) and logistic regression",
        threshold=choose_threshold(own, foreign, VECTORS_THRESHOLD),
        forgiving=True,
        guess=lambda text: _rank(model.scores(text)),
    )


def _words_instead(agent: Agent) -> LocalEngine:
    """Train on words and letters: for other languages, and where the weights are not installed."""
    from vivavoce.classifiers.lexical import LexicalClassifier

    classifier = LexicalClassifier(language=agent.language, name="vectors")
    classifier.fit(*_examples(agent))
    why = "no sentence vectors are available for this language"

    def scores(text: str) -> dict[str, float]:
        table = classifier.probabilities([text])
        return dict(zip(table.intents, map(float, table.rows[0]), strict=True))

    return LocalEngine(
        about=f"words and characters (TF-IDF), naive Bayes and logistic regression: {why}",
        threshold=sum(VECTORS_THRESHOLD) / 2,
        forgiving=True,
        guess=lambda text: _rank(scores(text)),
    )


NEAREST_THRESHOLD = (0.3, 0.6)


class NearestExamples:
    """Training phrases as TF-IDF of words and pairs of words; the most similar phrase (cosine) decides.

    Words that no phrase has count into the length of a message: a message of strange words is like nothing.
    """

    def __init__(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        counted = [Counter(_features(text)) for text in texts]
        seen = Counter(feature for features in counted for feature in features)
        self._strange = math.log(1 + len(texts)) + 1
        self._weights = {f: math.log((1 + len(texts)) / (1 + n)) + 1 for f, n in seen.items()}
        self._intents = list(intents)
        self._index: dict[str, list[tuple[int, float]]] = {}
        for place, features in enumerate(counted):
            for feature, weight in self._unit(features).items():
                self._index.setdefault(feature, []).append((place, weight))

    def _unit(self, features: Mapping[str, int]) -> dict[str, float]:
        """Return weights of a text, of length 1 where all its words are known."""
        known = {f: (1 + math.log(n)) * self._weights[f] for f, n in features.items() if f in self._weights}
        strange = sum(1 for f in features if f not in self._weights and " " not in f)
        length = math.sqrt(sum(w * w for w in known.values()) + strange * self._strange**2)
        return {feature: weight / length for feature, weight in known.items()} if length else {}

    def scores(self, text: str, hidden: int = -1) -> dict[str, float]:
        """Return the best cosine of each topic with the text; `hidden`: the place of a phrase to leave out."""
        cosines: dict[int, float] = {}
        for feature, weight in self._unit(Counter(_features(text))).items():
            for place, other in self._index[feature]:
                cosines[place] = cosines.get(place, 0.0) + weight * other
        cosines.pop(hidden, None)
        best = dict.fromkeys(self._intents, 0.0)
        for place, cosine in cosines.items():
            best[self._intents[place]] = max(best[self._intents[place]], min(cosine, 1.0))
        return best


def _features(text: str) -> list[str]:
    own = words(text, "en")
    return [*own, *(f"{a} {b}" for a, b in pairwise(own))]


def nearest(agent: Agent) -> LocalEngine:
    """Learn the phrases by heart: the one with the most similar words decides."""
    texts, intents = _examples(agent)
    examples = NearestExamples(texts, intents)
    own, foreign = [], []
    for place, (text, intent) in enumerate(zip(texts, intents, strict=True)):
        others = examples.scores(text, hidden=place)
        own.append(others[intent] if others[intent] == max(others.values()) else 0.0)
        foreign.append(max((score for name, score in others.items() if name != intent), default=0.0))
    return LocalEngine(
        about="nearest training example (TF-IDF of words and word pairs, cosine)",
        threshold=choose_threshold(own, foreign, NEAREST_THRESHOLD),
        forgiving=True,
        guess=lambda text: _rank(examples.scores(text)),
    )


def keywords(agent: Agent) -> LocalEngine:
    """Follow the keyword rules of the agent file; nothing is learnt, no misspelling is forgiven."""
    # `a+b`: two runs of words that must both occur.
    rules = {
        topic.intent: [[run for part in text.split("+") if (run := words(part, "en"))] for text in topic.keywords]
        for topic in agent.topics
    }
    if not any(rules.values()):
        raise UsageError(
            f"the agent '{agent.name}' has no keywords",
            where=agent.source,
            remedy="add `keywords` to its topics, or use another engine",
        )

    def guess(text: str) -> tuple[Guess, ...]:
        message = f" {' '.join(words(text, 'en'))} "
        scores = {}
        for intent, own in rules.items():
            held = [rule for rule in own if rule and all(f" {' '.join(run)} " in message for run in rule)]
            hits = {word for rule in held for run in rule for word in run}
            # Each word that a rule asked for and found halves the doubt.
            scores[intent] = 1 - 0.5 ** len(hits)
        return _rank(scores)

    return LocalEngine("keyword rules", 0.5, False, guess)


ENGINES: Mapping[str, Callable[[Agent], LocalEngine]] = {"vectors": vectors, "nearest": nearest, "keywords": keywords}


def train(name: str, agent: Agent) -> LocalEngine:
    """Train one of the local engines on an agent."""
    return ENGINES[name](agent)
