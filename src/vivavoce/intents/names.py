"""What the names of topics say: which two are one name written differently, which are opposites, which may be merged.

The first two are guesses from the words of a name, which is read word by word: `mood_great`, `moodGreat` and `Mood
great` have the words mood and great.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from rapidfuzz.distance import OSA
from rapidfuzz.process import cdist

from vivavoce.records import Dataset
from vivavoce.text.confusions import NEGATING_PREFIXES, NEGATIONS, OPPOSITES

Answers = Mapping[str, Collection[str]]
WORDS = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+|\d+")
# A typing mistake in a shorter word makes another word.
MIN_MISSPELT = 5
MAX_NAMES = 2000
# A stem of at least so many letters is left when a prefix is taken off.
MIN_STEM = 3
PREFIXES = (*NEGATING_PREFIXES, "de", "anti", "mis")
# Any word on the left is the opposite of any word on the right.
OPPOSITE_SIDES = tuple(
    tuple(frozenset(words.split()) for words in pair)
    for pair in (
        (
            "yes yeah yep ja oui affirm affirmative agree accept confirm approve correct right true",
            "no nope nein non deny negative disagree reject refuse decline wrong false",
        ),
        (
            "great good happy glad positive like love satisfied best praise compliment",
            "bad unhappy sad angry negative dislike hate dissatisfied worst complaint complain insult",
        ),
        ("start begin open enable activate on resume", "stop end finish close closed disable deactivate off pause"),
        ("add create increase raise more up", "remove delete decrease lower reduce less down"),
        (
            "book order buy subscribe join hire login signin hello greet",
            "cancel return sell leave fire logout signout",
        ),
        ("hello hi greet greeting welcome", "bye goodbye farewell"),
        (
            "deposit incoming inbound arrival send lend",
            "withdraw withdrawal outgoing outbound departure receive borrow",
        ),
    )
)


@dataclass(frozen=True, slots=True)
class Twins:
    """Two names for what may be one topic. `same`: case, blanks, punctuation or plural differ, else one letter."""

    a: str
    b: str
    same: bool


def words_of_name(name: str) -> list[str]:
    """Return the words of a name in small letters and in the singular."""
    words = [word.casefold() for word in WORDS.findall(name)]
    plural = [len(word) > 3 and word.endswith("s") and not word.endswith("ss") for word in words]
    return [word[:-1] if ends else word for word, ends in zip(words, plural, strict=True)] or [name]


def find_twins(names: Sequence[str]) -> tuple[Twins, ...]:
    """Return the names that differ only in case, blanks, punctuation, plural or one typing mistake."""
    words = [words_of_name(name) for name in names]
    keys = ["".join(parts) for parts in words]
    if not 2 <= len(keys) <= MAX_NAMES:
        return ()
    near = np.triu(cdist(keys, keys, scorer=OSA.distance, score_cutoff=1, dtype=np.uint8) <= 1, 1)
    pairs = []
    for left, right in np.argwhere(near).tolist():
        numbers = [[word for word in words[side] if word.isdigit()] for side in (left, right)]
        if numbers[0] != numbers[1] or are_opposite(names[left], names[right]):
            continue
        same = keys[left] == keys[right]
        # What differs must be long enough to be a typing mistake.
        if same or all(len(word) >= MIN_MISSPELT for word in set(words[left]) ^ set(words[right])):
            pairs.append(Twins(names[left], names[right], same))
    return tuple(pairs)


def are_opposite(a: str, b: str) -> bool:
    """Guess whether two topics mean the opposite, by the words that only one of the two names has.

    A negation or a negating prefix makes the difference, or the two have words of opposite sides.
    """
    words_a, words_b = set(words_of_name(a)), set(words_of_name(b))
    only_a, only_b = words_a - words_b, words_b - words_a
    return _opposes(only_a, only_b) or _opposes(only_b, only_a)


def _opposes(words: set[str], others: set[str]) -> bool:
    # Nothing but negations is left of the name.
    if words and words <= NEGATIONS:
        return True
    prefixed = any(
        word.startswith(prefix) and len(word) >= len(prefix) + MIN_STEM and word[len(prefix) :] in others
        for word in words
        for prefix in PREFIXES
    )
    sides = any(left & words and right & others for left, right in OPPOSITE_SIDES)
    return prefixed or sides or any(left in words and right in others for left, right in OPPOSITES)


def answers_by_topic(data: Dataset) -> dict[str, frozenset[str]]:
    """Return the answers of each topic that has one (several where it answers in several languages)."""
    answers: dict[str, set[str]] = defaultdict(set)
    for example in data.examples:
        if example.intent is not None and example.answer:
            answers[example.intent].add(example.answer)
    return {topic: frozenset(texts) for topic, texts in answers.items()}


def may_merge(topics: Collection[str], answers: Answers) -> bool:
    """Tell whether one topic could stand for all of these: no two are opposites, or have answers and share none."""
    return not any(
        are_opposite(a, b) or (answers.get(a) and answers.get(b) and set(answers[a]).isdisjoint(answers[b]))
        for a, b in combinations(topics, 2)
    )
