"""Full-text tokens of openings and queries: one function for the index in memory and for every database.

A word gives its stem; a German compound also its last part; a title also the families of occupations that it belongs
to, which are the same in all languages (`families.csv`); a place its keys. Tokens hold small letters and digits only.
"""

from __future__ import annotations

import csv
import re
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from vivavoce.assistant.entities import find_place, place_named
from vivavoce.assistant.entities.forms import fold, split
from vivavoce.assistant.entities.professions import find_last_part
from vivavoce.text.words import guess_language, is_chinese, words

if TYPE_CHECKING:
    from vivavoce.assistant.openings import Opening, Query

FAMILY = "family"
# Families that say little beside another one.
BROAD = frozenset(f"family{name}" for name in ("manager", "engineer", "apprentice", "intern", "student"))
SHORT = 3
_SIGNS = re.compile(r"[\W_]+")
# They say that a job is open to everyone, and nothing of the job.
_MARKS = re.compile(r"\((?:[mwdfhx*]\s?[/|]\s?)+[mwdfhx*]\)|\b(?:m/w/d|h/f|f/h|m/f/d)\b", re.IGNORECASE)
_IDLE = (
    "a an and at for in of on or the to with der die das den dem des ein eine einer einem und oder fur fuer im mit"
    " von zum zur als bei auch ohne un une le la les l d de du des en et ou pour avec au aux sur"
)
_IDLE_WORDS = frozenset(_IDLE.split())


def index_tokens(opening: Opening) -> list[str]:
    """Return the tokens of an opening, for a full-text index without stemming of its own."""
    language = opening.language or guess_language([f"{opening.title} {opening.description}"])
    named = f"{opening.title} {opening.profession}"
    place = place_named(opening.place, opening.country)
    tokens = [*_stems(named, language), *families(named, language)]
    tokens += place.tokens if place else [f"country{opening.country}".lower()] if opening.country else []
    tokens += _stems(f"{opening.department} {opening.place} {opening.description}", language)
    return list(dict.fromkeys(tokens))


def query_groups(query: Query) -> tuple[tuple[str, ...], ...]:
    """Return the groups of tokens of a query: an opening fits if it has one of every group."""
    language = query.language or "en"
    groups: list[tuple[str, ...]] = [(token,) for token in _stems(query.words, language)]
    if query.profession:
        alike = families(query.profession, language)
        alike = [token for token in alike if token not in BROAD] or alike
        groups += [tuple(alike)] if alike else [(token,) for token in _stems(query.profession, language)]
    place = find_place(query.place)
    if place is not None:
        groups.append(place.wanted)
    return tuple(groups)


def families(text: str, language: str) -> list[str]:
    """Return the tokens of the families that a profession or a title belongs to, the same in every language."""
    plain = f" {_SIGNS.sub(' ', fold(_MARKS.sub(' ', text)))} "
    column = "zh" if is_chinese(text) else language
    return [
        FAMILY + name for name, patterns in _load_families() if (own := patterns.get(column)) and own.search(plain)
    ]


@lru_cache(maxsize=1)
def _load_families() -> tuple[tuple[str, dict[str, re.Pattern[str]]], ...]:
    text = (files("vivavoce.assistant") / "families.csv").read_text("utf-8")
    rows = csv.DictReader(text.splitlines())
    return tuple((row.pop("family"), {code: _compile(part, code) for code, part in row.items()}) for row in rows)


def _compile(patterns: str, language: str) -> re.Pattern[str]:
    # A name begins with a word, but German professions end compounds; short ones are whole words.
    parts = patterns.split("|")
    if language == "zh":
        return re.compile("|".join(parts))
    begin = {part: "" if language == "de" and len(part) > SHORT else " " for part in parts}
    return re.compile("|".join(f"{begin[part]}{part}{'' if len(part) > SHORT else ' '}" for part in parts))


def _stems(text: str, language: str) -> list[str]:
    plain = _MARKS.sub(" ", text)
    if is_chinese(plain):
        return [bare for token in words(plain, "zh") if (bare := _SIGNS.sub("", token))]
    stems = []
    for token in split(plain, language):
        if token.form not in _IDLE_WORDS:
            stems.append(token.stem)
            part = find_last_part(token.form) if language == "de" else ""
            stems += [part] if part and part != token.stem else []
    return stems
