"""Professions and places in Chinese messages: the longest names in the characters as they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from vivavoce.assistant.entities.cues import SURNAMES, ZH_AFTER_PLACE, ZH_GENERIC, ZH_ORIGIN, ZH_REFUSALS
from vivavoce.assistant.entities.places import load_gazetteer
from vivavoce.assistant.entities.professions import Occupations
from vivavoce.assistant.talk import Entity
from vivavoce.text.words import words

_LATIN_BEFORE = re.compile(r"[A-Za-z][A-Za-z0-9+#.]*[ ]?$")
_DISTRICTS = "区县镇"
_ENDS = ("市", "省", "州", "县", "区")


class Extractor:
    """Finds entities in Chinese."""

    def __init__(self, occupations: Occupations) -> None:
        self._occupations = occupations

    def __call__(self, text: str) -> tuple[Entity, ...]:
        """Return the entities of a message in their order."""
        places = list(_find_places(text))
        taken = {at for entity in places for at in range(entity.start, entity.end)}
        professions = _join(text, self._find_professions(text, taken))
        return tuple(sorted((*places, *professions), key=lambda entity: entity.start))

    def _find_professions(self, text: str, taken: set[int]) -> Iterator[Entity]:
        lower, at, names = text.lower(), 0, self._occupations
        while at < len(text):
            size = next(
                (n for n in range(min(names.longest, len(text) - at), 1, -1) if lower[at : at + n] in names.forms), 0
            )
            name = lower[at : at + size]
            if size and at not in taken and name not in ZH_GENERIC and not _is_other(text, at, name):
                latin = _LATIN_BEFORE.search(text, 0, at)
                start = latin.start() if latin else at
                usual = names.forms[name]
                value = usual if start == at else text[start : at + size]
                yield Entity("profession", text[start : at + size], start, at + size, value, value)
            at += max(1, size)


def _join(text: str, entities: Iterable[Entity]) -> list[Entity]:
    """Join professions that follow one another without a gap: java开发 and 工程师 are one."""
    joined: list[Entity] = []
    for entity in entities:
        is_next = bool(joined) and joined[-1].end == entity.start
        start = joined.pop().start if is_next else entity.start
        whole = text[start : entity.end]
        joined.append(replace(entity, text=whole, start=start, value=whole, key=whole) if is_next else entity)
    return joined


def _is_other(text: str, at: int, name: str) -> bool:
    """Tell whether a profession is the title of a person (李老师) or is not wanted."""
    before = text[:at]
    is_title = bool(before) and before[-1] in SURNAMES and (len(before) == 1 or before[-2] in "，。！？ ,我找是叫和")
    return (
        is_title
        or any(before.endswith(cue) for cue in ZH_REFUSALS)
        or before.endswith(("我的", "你的", "你们的", "您的"))
    )


def _find_places(text: str) -> Iterator[Entity]:
    gazetteer = load_gazetteer()
    borders = _word_borders(text)
    at = 0
    while at < len(text):
        size = next(
            (
                n
                for n in range(min(gazetteer.longest_han, len(text) - at), 1, -1)
                if text[at : at + n] in gazetteer.han
            ),
            0,
        )
        end = at + size
        if not size or at not in borders or (end not in borders and text[end : end + 1] not in _ENDS):
            at += 1
            continue
        named = gazetteer.han[text[at:end]]
        following = min((border for border in borders if border > end), default=end)
        if following - end > 1 and text[following - 1] in _DISTRICTS:
            end = following
        if not text.startswith(ZH_AFTER_PLACE, end) and not text[:at].endswith(ZH_ORIGIN):
            yield Entity("place", text[at:end], at, end, text[at:end], named.place.key)
        at = end


def _word_borders(text: str) -> set[int]:
    borders, at = {0, len(text)}, 0
    lower = text.lower()
    for word in words(text, "zh"):
        start = lower.find(word, at)
        if start >= 0:
            at = start + len(word)
            borders.update((start, at))
    return borders
