"""Lists of occupations: the shipped ones, and those that users add."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from vivavoce.assistant.entities.forms import fold, split, stem
from vivavoce.text.weights import viva_home

SEPARATOR = "|"
# Which word of a name names the kind of work: the last in English, the first in French. One that several names share
# is a profession by itself (developer, technicien).
HEADS = {"en": -1, "fr": 0}
MIN_SHARING = 3
# The shortest first and last part of a German compound.
MIN_HEAD, MIN_PART = 3, 4


@dataclass(frozen=True, eq=False)
class Occupations:
    """The names of occupations in one language, each with its usual form.

    `forms`: folded names, `stems`: their stems, word by word; `singles`: names of one word by their folded forms, for
    compounds and misspellings. Chinese has names as they are.
    """

    language: str
    forms: dict[str, str]
    stems: dict[str, str]
    words: frozenset[str]
    longest: int


def own_list_path(language: str) -> Path:
    """Return where the user's own list of a language is kept."""
    return viva_home() / "assistant" / f"occupations_{language}.txt"


def read_lines(language: str) -> list[list[str]]:
    """Return the occupations of a language: the usual form first; the user's own before the shipped ones."""
    shipped = files("vivavoce.demo") / "assistant" / f"occupations_{language}.txt"
    texts = [own_list_path(language).read_text("utf-8")] if own_list_path(language).is_file() else []
    if shipped.is_file():
        texts.append(shipped.read_text("utf-8"))
    lines = [line.strip() for text in texts for line in text.splitlines()]
    return [[name.strip() for name in line.split(SEPARATOR) if name.strip()] for line in lines if line]


@lru_cache(maxsize=8)
def load_occupations(language: str) -> Occupations:
    """Return the occupations of a language; they are kept in the process."""
    forms: dict[str, str] = {}
    stems: dict[str, str] = {}
    words: set[str] = set()
    heads: Counter[str] = Counter()
    longest = 1
    for names in read_lines(language):
        for name in names:
            if language == "zh":
                forms.setdefault(name.lower(), names[0])
                longest = max(longest, len(name))
                continue
            tokens = split(name, language)
            if not tokens:
                continue
            forms.setdefault(" ".join(token.form for token in tokens), names[0])
            if len(tokens) > 1 and language in HEADS:
                heads[tokens[HEADS[language]].text.lower()] += 1
            stems.setdefault(" ".join(token.stem for token in tokens), names[0])
            words.update(token.form for token in tokens if len(token.form) > 3)
            longest = max(longest, len(tokens))
    for head, n in heads.items():
        if n >= MIN_SHARING:
            forms.setdefault(fold(head), head)
            stems.setdefault(stem(fold(head), language), head)
    return Occupations(language, forms, stems, frozenset(words), longest)


@lru_cache(maxsize=16384)
def find_last_part(form: str) -> str:
    """Return the stem of the profession that a folded German compound ends in; nothing if it ends in none."""
    names = load_occupations("de")
    for start in range(MIN_HEAD, len(form) - MIN_PART + 1):
        stemmed = stem(form[start:], "de")
        if stemmed in names.stems and len(stemmed) >= MIN_PART:
            return stemmed
    return ""
