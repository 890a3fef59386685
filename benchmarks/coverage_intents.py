"""Draws for the intents exam: one or two hundred examples of some topics out of a large public data set.

Truth of a number: its mean over all draws, which is what other examples of the same topics give (each retry trains on
four fifths). A draw takes about a tenth of the texts and at most a third of a topic: larger draws would share so many
texts that they differ less than draws from all that people may write. Engines of a comparison: "equals" are two
engines that each lose one answer in eight by chance; "difference" is that of two different engines, its truth the
mean over all draws. The bot, trained on the whole draw and asked the rest, shows how far it is ahead of the retries;
no interval promises to hold it. The intervals were made on other draws of CLINC150 and BANKING77 (docs/intervals.md).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from coverage_tally import Drawn
from material import in_scope, intents
from numpy.typing import NDArray

from vivavoce.classifiers.protocol import Classifier
from vivavoce.intents import compare_classifiers
from vivavoce.intents.differences import ALPHA
from vivavoce.intents.exam import examine_intents, load_classifier
from vivavoce.records import NO_GUESS, Guess, Rate

# Fewer texts than these of a topic leave too little to draw from.
MIN_TEXTS = 90
ASKED_OF_A_TOPIC = 60
LOST = 0.125
# A comparison costs as much as the exam; the bot is of interest only in the mean.
COMPARED_EVERY, BOT_EVERY = 2, 4
SETTINGS = ((0, 0.0), (0, 0.15), (5, 0.0))


@dataclass(frozen=True)
class Source:
    """How many topics and examples are drawn from which data set, and the engine that is examined.

    `tail`: topic k has k^-tail times the examples of the first, at least 4.
    """

    data: str
    topics: int
    examples: int
    engine: str
    threshold: float = 0.5
    tail: float = 0.7


SOURCES = {
    "CLINC150, 240 of 20 topics, linear": Source("clinc150_full", 20, 240, "linear", tail=0.6),
    "BANKING77, 120 of 10 topics, linear": Source("banking77", 10, 120, "linear", tail=1.0),
    "StackOverflow, 200 of 10 topics, tfidf": Source("stackoverflow", 10, 200, "tfidf"),
    "ROBO, 240 of 15 topics, tfidf": Source("roboai_faq_en", 15, 240, "tfidf", 0.4),
}


def draw_exam(name: str, number: int) -> Drawn:
    """Examine one draw, and compare engines on it."""
    source = SOURCES[name]
    texts, topics, rest = draw_examples(source, number)
    result = examine_intents(
        (texts, topics), source.engine, settings=SETTINGS, threshold=source.threshold, text_view=False, workers=1
    )
    own_settings = [findings for findings in result.settings if findings.same_as is None]
    rates = {f"{own.setting} {name}": rate for own in own_settings for name, rate in own.rates.items()}
    drawn, plain = Drawn(rates), result.settings[0].rates
    if number % BOT_EVERY == 0:
        bot = bot_numbers(source, (texts, topics), rest)
        drawn.means.update({name: value - (plain[name].value or 0.0) for name, value in bot.items()})
    if number % COMPARED_EVERY == 0:
        rates["difference of two engines"], false = compare_engines(source, texts, topics, number)
        drawn.verdicts["equals called different"] = false
    return drawn


# --- examples ----------------------------------------------------------------------------------------------------


@cache
def pool_of(data: str, count: int) -> dict[str, list[str]]:
    """Return the texts of some topics that have enough of them."""
    by_topic: dict[str, list[str]] = {}
    for text, topic in zip(*in_scope(intents(data)), strict=True):
        by_topic.setdefault(topic, []).append(text)
    large = [topic for topic in sorted(by_topic) if len(set(by_topic[topic])) >= MIN_TEXTS]
    chosen = np.random.default_rng(11).permutation(len(large))[:count]
    return {large[place]: list(dict.fromkeys(by_topic[large[place]])) for place in chosen}


def sizes_of(source: Source) -> list[int]:
    """Return how many examples each topic gets: a long tail, as in real projects."""
    weight = np.arange(1, source.topics + 1) ** -source.tail
    sizes: list[int] = np.maximum(4, np.round(source.examples * weight / weight.sum())).astype(int).tolist()
    return sizes


def draw_examples(source: Source, number: int) -> tuple[list[str], list[str], dict[str, list[str]]]:
    """Return the texts and topics of one draw, and some of the rest by topic."""
    generator = np.random.default_rng([7, number])
    texts, topics, rest = [], [], {}
    for (topic, own), size in zip(pool_of(source.data, source.topics).items(), sizes_of(source), strict=True):
        order = generator.permutation(len(own))
        texts += [own[place] for place in order[:size]]
        topics += [topic] * size
        rest[topic] = [own[place] for place in order[size : size + ASKED_OF_A_TOPIC]]
    return texts, topics, rest


# --- the bot, trained on all -------------------------------------------------------------------------------------


def bot_numbers(source: Source, drawn: tuple[list[str], list[str]], rest: dict[str, list[str]]) -> dict[str, float]:
    """Return three numbers of an engine trained on the whole draw; topics weigh as much as in the draw."""
    engine = load_classifier(source.engine)
    assert isinstance(engine, Classifier)
    engine.fit(*drawn)
    asked = [(topic, text) for topic, own in rest.items() for text in own]
    guesses = engine.guess([text for _, text in asked])
    share = dict(zip(rest, np.array(sizes_of(source)) / sum(sizes_of(source)), strict=True))
    weight: NDArray[np.float64] = np.array([share[topic] / len(rest[topic]) for topic, _ in asked])
    answered = np.array([one.intent is not None and one.confidence >= source.threshold for one in guesses])
    right = answered & np.array([one.intent == topic for one, (topic, _) in zip(guesses, asked, strict=True)])
    shares = float(weight @ answered), float(weight @ right)
    return {"automation_rate": shares[0], "accuracy": shares[1], "precision_answered": shares[1] / shares[0]}


# --- two engines -------------------------------------------------------------------------------------------------


class Forgetful:
    """An engine that loses some answers, always to the same questions: equals lose different ones."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._trained: tuple[tuple[str, ...], tuple[str, ...]] = (), ()

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Keep the examples that the engine behind it learns."""
        self._trained = tuple(texts), tuple(intents)

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        """Return the guesses of the engine behind it, less those that are lost."""
        guesses = zip(texts, guess_once(*self._trained, tuple(texts)), strict=True)
        return [NO_GUESS if self._loses(text) else guess for text, guess in guesses]

    def _loses(self, text: str) -> bool:
        return hashlib.sha256(f"{self.name} {text}".encode()).digest()[0] < 256 * LOST


@lru_cache(maxsize=10)
def guess_once(texts: tuple[str, ...], intents: tuple[str, ...], asked: tuple[str, ...]) -> Sequence[Guess]:
    """Train the engine behind two equals, and ask it, once for both."""
    engine = load_classifier("tfidf")
    assert isinstance(engine, Classifier)
    engine.fit(texts, intents)
    return engine.guess(asked)


def compare_engines(source: Source, texts: list[str], topics: list[str], number: int) -> tuple[Rate, bool]:
    """Return the difference of two unlike engines, and whether two equals are called different."""
    one, other = Forgetful(f"one {number}"), Forgetful(f"other {number}")
    result = compare_classifiers(
        (texts, topics),
        [one, other, source.engine],
        settings=[(0, 0.0)],
        retries=5,
        threshold=source.threshold,
        workers=1,
    )
    test = result.between(one.name, source.engine).pooled.test
    # As if the two were compared alone: more engines only make verdicts rarer.
    p = result.between(one.name, other.name).pooled.p
    return Rate(test.difference, test.low, test.high, len(texts)), p is not None and p < ALPHA
