"""Misspelt words: unknown ones are taken for the word of a list that is spelt almost alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from rapidfuzz.distance import OSA

from vivavoce.assistant.entities.forms import fold, stem
from vivavoce.assistant.entities.places import load_gazetteer
from vivavoce.assistant.entities.professions import load_occupations

MIN_LETTERS = 5
TWO_ERRORS_FROM = 9
PLACE_PEOPLE = 200_000


class Corrector:
    """Corrects words to those of occupations, and names after a preposition to those of larger cities."""

    def __init__(self, language: str, words: Iterable[str], places: Iterable[str]) -> None:
        self._language = language
        self._known = frozenset(words)
        self._stems = {stem(word, language) for word in self._known}
        self._words, self._places = _by_letter(self._known), _by_letter(places)
        self.correct = lru_cache(maxsize=4096)(self._correct)
        self.correct_place = lru_cache(maxsize=4096)(self._correct_place)

    def _correct(self, form: str) -> str:
        """Return the word that a misspelling stands for; other words as they are."""
        if form in self._known or stem(form, self._language) in self._stems or not self._is_strange(form):
            return form
        return _nearest(form, self._words) or form

    def _correct_place(self, form: str) -> str:
        return _nearest(form, self._places) if self._is_strange(form) else ""

    def _is_strange(self, form: str) -> bool:
        if len(form) < MIN_LETTERS or not form.isalpha() or form in load_gazetteer().latin:
            return False
        try:
            from wordfreq import zipf_frequency
        except ImportError:
            return True
        # The small list holds some 30,000 frequent words and takes a tenth of the memory of the large one.
        return zipf_frequency(form, self._language, wordlist="small") == 0


def _by_letter(words: Iterable[str]) -> dict[str, list[str]]:
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for word in words:
        if len(word) >= MIN_LETTERS - 1 and " " not in word:
            groups[word[0]].append(word)
    return dict(groups)


def _nearest(form: str, groups: dict[str, list[str]]) -> str:
    """Return the nearest word with the same first letter: one error, two in long words; nothing if none is near."""
    most = 1 if len(form) < TWO_ERRORS_FROM else 2
    best, distance = "", most + 1
    for word in groups.get(form[0], ()):
        if abs(len(word) - len(form)) > most:
            continue
        errors = OSA.distance(form, word, score_cutoff=most)
        if errors < distance:
            best, distance = word, errors
    return best


@lru_cache(maxsize=8)
def load_corrector(language: str) -> Corrector:
    """Return the corrector of a language; it is kept in the process."""
    names = load_gazetteer().latin
    cities = (name for name, named in names.items() if named.place.population >= PLACE_PEOPLE)
    return Corrector(language, map(fold, load_occupations(language).words), cities)
