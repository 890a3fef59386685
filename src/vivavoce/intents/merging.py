"""Whether topics may be merged: never where their answers differ, nor where they seem to mean the opposite."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from itertools import combinations

from vivavoce.intents.names import are_opposite
from vivavoce.records import Dataset

Answers = Mapping[str, Collection[str]]


def answers_by_topic(data: Dataset) -> dict[str, frozenset[str]]:
    """Return the answers of each topic that has one (several where it answers in several languages)."""
    answers: dict[str, set[str]] = defaultdict(set)
    for example in data.examples:
        if example.intent is not None and example.answer:
            answers[example.intent].add(example.answer)
    return {topic: frozenset(texts) for topic, texts in answers.items()}


def may_merge(topics: Collection[str], answers: Answers) -> bool:
    """Tell whether one topic could stand for all of these."""
    return all(not are_opposite(a, b) and not differ(a, b, answers) for a, b in combinations(topics, 2))


def differ(a: str, b: str, answers: Answers) -> bool:
    """Tell whether two topics have answers and share none."""
    return bool(answers.get(a)) and bool(answers.get(b)) and set(answers[a]).isdisjoint(answers[b])
