"""Misspelt words put right: only towards the words that an agent listens for, and only where one is clearly meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from rapidfuzz.distance import OSA

WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
MIN_LETTERS = 5
# Two slips are forgiven from this many letters on.
LONG = 8


class Speller:
    """Knows the words that are listened for (`targets`) and those that are ordinary words in their own right."""

    def __init__(self, targets: Iterable[str], ordinary: Iterable[str]) -> None:
        wanted = {word for word in targets if len(word) >= MIN_LETTERS and word.isalpha()}
        self._right = frozenset(wanted | set(ordinary) | set(targets))
        self._by_letter: dict[str, list[str]] = {}
        for word in sorted(wanted):
            self._by_letter.setdefault(word[0], []).append(word)
        self._correct = lru_cache(maxsize=4096)(self._nearest)

    def correct(self, text: str) -> str:
        """Return the text with misspelt words put right."""
        return WORD.sub(lambda match: self._correct(match[0]), text)

    def _nearest(self, word: str) -> str:
        if len(word) < MIN_LETTERS - 1 or word in self._right or not word.isalpha():
            return word
        # The first letter is seldom wrong, save where the first two are swapped.
        near = {
            target: OSA.distance(word, target, score_cutoff=2)
            for letter in dict.fromkeys(word[:2])
            for target in self._by_letter.get(letter, ())
        }
        kept = {target: slips for target, slips in near.items() if slips <= (2 if len(target) >= LONG else 1)}
        best = [target for target, slips in kept.items() if slips == min(kept.values())]
        return best[0] if len(best) == 1 and _same_start(word, best[0]) else word


def _same_start(word: str, target: str) -> bool:
    return word[0] == target[0] or sorted(word[:2]) == sorted(target[:2]) or word == target[1:]
