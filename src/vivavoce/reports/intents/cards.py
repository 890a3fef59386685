"""Explanation cards in words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from vivavoce.intents.cards import Card
from vivavoce.intents.problem_sentences import attraction_sentence
from vivavoce.messages import join_and, say


def attraction_sentences(card: Card) -> Iterator[str]:
    """Yield which topics answer questions that are none of theirs, and because of which words."""
    for attraction in card.problem.attracted:
        words = [pull.word for pull in card.words if pull.topic == attraction.topic]
        yield attraction_sentence(attraction, words)


def card_sentences(card: Card) -> Iterator[str]:
    """Yield what explains a problem: what is typical of each topic, and the words that pull."""
    for typical in card.typical:
        if typical.texts:
            texts = ", ".join(f"“{text}”" for text in typical.texts)
            yield say("Typical of '{topic}': {texts}.", topic=typical.topic, texts=texts)
    words = sorted(card.words, key=lambda word: word.topic)
    for topic, pulls in groupby(words, key=lambda word: word.topic):
        names = join_and([f"“{pull.word}”" for pull in pulls])
        yield say("Words that pull to '{topic}' in these examples: {words}.", topic=topic, words=names)
