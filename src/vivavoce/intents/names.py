"""What the names of topics say: which two are the same name written differently, and which two are opposites.

Both are guesses from the words of a name. A name is read word by word: `mood_great`, `moodGreat` and `Mood great`
have the words mood and great.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import OSA
from rapidfuzz.process import cdist

from vivavoce.text.opposites import NEGATING_PREFIXES, NEGATIONS, OPPOSITES

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
    return [_singular(word) for word in WORDS.findall(name)] or [name]


def find_twins(names: Sequence[str]) -> tuple[Twins, ...]:
    """Return the names that differ only in case, blanks, punctuation, plural or one typing mistake."""
    words = [words_of_name(name) for name in names]
    pairs = []
    for left, right in _alike(["".join(parts) for parts in words]):
        if _numbers(words[left]) != _numbers(words[right]) or are_opposite(names[left], names[right]):
            continue
        same = "".join(words[left]) == "".join(words[right])
        if same or _misspelt(words[left], words[right]):
            pairs.append(Twins(names[left], names[right], same))
    return tuple(pairs)


def are_opposite(a: str, b: str) -> bool:
    """Guess whether two topics mean the opposite, by the words that only one of the two names has.

    A negation or a negating prefix makes the difference, or the two have words of opposite sides.
    """
    words_a, words_b = set(words_of_name(a)), set(words_of_name(b))
    only_a, only_b = words_a - words_b, words_b - words_a
    return any(
        _negates(one) or _is_prefixed(one, other) or _takes_sides(one, other)
        for one, other in ((only_a, only_b), (only_b, only_a))
    )


def _negates(only: set[str]) -> bool:
    """Tell whether nothing but negations is left of a name."""
    return bool(only) and only <= NEGATIONS


def _is_prefixed(one: set[str], other: set[str]) -> bool:
    return any(
        word.startswith(prefix) and len(word) >= len(prefix) + MIN_STEM and word[len(prefix) :] in other
        for word in one
        for prefix in PREFIXES
    )


def _takes_sides(one: set[str], other: set[str]) -> bool:
    sides = any(left & one and right & other for left, right in OPPOSITE_SIDES)
    return sides or any({left} & one and {right} & other for left, right in OPPOSITES)


def _alike(keys: Sequence[str]) -> list[tuple[int, int]]:
    if not 2 <= len(keys) <= MAX_NAMES:
        return []
    near = np.triu(cdist(keys, keys, scorer=OSA.distance, score_cutoff=1, dtype=np.uint8) <= 1, 1)
    return [(int(left), int(right)) for left, right in np.argwhere(near)]


def _misspelt(left: Sequence[str], right: Sequence[str]) -> bool:
    """Tell whether what differs is long enough to be a typing mistake."""
    different = [word for word in (*left, *right) if (word in left) != (word in right)]
    return all(len(word) >= MIN_MISSPELT for word in different)


def _numbers(words: Sequence[str]) -> list[str]:
    return [word for word in words if word.isdigit()]


def _singular(word: str) -> str:
    word = word.casefold()
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
