"""Lists of occupations: the shipped ones, and those that users add."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from vivavoce.assistant.entities.forms import split
from vivavoce.text.weights import viva_home

SEPARATOR = "|"


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
            stems.setdefault(" ".join(token.stem for token in tokens), names[0])
            words.update(token.form for token in tokens if len(token.form) > 3)
            longest = max(longest, len(tokens))
    return Occupations(language, forms, stems, frozenset(words), longest)
