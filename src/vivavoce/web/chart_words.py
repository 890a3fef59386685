"""The words in the charts of runs, told in the reader's language: in the picture, and in the live chart.

Charts are stored as they were drawn, in English. Titles of axes are ours; of the names in the data those are that
the exam itself chose, such as the outcomes. The names of topics, bots and people stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape, unescape
from types import MappingProxyType
from typing import Any

from vivavoce.sentences import is_number
from vivavoce.web.language import DEFAULT, Words, gettext_noop

__all__ = ["retell_picture", "retell_spec"]

# By the name of a chart: what of its data is ours, at an axis and in the legend.
_AT_AXIS: Mapping[str, str] = MappingProxyType({"settings": "label", "accuracy": "label"})
_IN_LEGEND: Mapping[str, str] = MappingProxyType(
    {"settings": "series", "topics": "what", "outcomes": "what", "messages": "who", "talk": "who"}
)
# What stands in the box under the pointer before each value.
_FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "bot": gettext_noop("bot"),
        "confidence": gettext_noop("confidence"),
        "count": gettext_noop("how many"),
        "effect": gettext_noop("effect"),
        "examples": gettext_noop("examples"),
        "from": gettext_noop("from"),
        "guess": gettext_noop("taken for"),
        "high": gettext_noop("up to"),
        "label": gettext_noop("what"),
        "low": gettext_noop("from"),
        "number": gettext_noop("message"),
        "origin": gettext_noop("topic"),
        "series": gettext_noop("of"),
        "share": gettext_noop("share"),
        "talks": gettext_noop("talks"),
        "to": gettext_noop("up to"),
        "topic": gettext_noop("topic"),
        "turns": gettext_noop("turns"),
        "value": gettext_noop("value"),
        "what": gettext_noop("what"),
        "who": gettext_noop("who"),
    }
)
_LOCALES: Mapping[str, Mapping[str, object]] = MappingProxyType(
    {"de": {"number": {"decimal": ",", "thousands": ".", "grouping": [3], "currency": ["", " €"]}}}
)
_SPOKEN = re.compile(r'(?<= aria-label=")[^"]*|(?<=<title>)[^<]*')
_GROUP = re.compile(r'(<g class="mark-text role-axis-(label|title)"[^>]*>)(.*?)(</g>)', re.DOTALL)
_TEXT = re.compile(r"(?<=>)[^<>]+(?=</text>)")
_ENTRY = re.compile(
    r'<g transform="translate\(([\d.]+),([\d.]+)\)">(<path class="background"[^>]*/><g><g class="mark-symbol '
    r'role-legend-symbol"(?:(?!</text>).)*<text[^>]*>)([^<>]+)',
    re.DOTALL,
)
_FRAME = re.compile(r'width="(\d+)"( height="\d+") viewBox="0 0 (\d+) (\d+)"')
_ROOM = re.compile(r'transform="translate\(([\d.]+),')
# How wide a letter of a label is, a little more than most are; how far a label stands from its axis and the edge.
_LETTER, _SYMBOL, _GAP = 6.4, 16.0, 10.0


@lru_cache(maxsize=256)
def retell_picture(language: str, name: str, svg: str) -> str:
    """Return the picture of a chart in a language; what is kept for English is the picture itself."""
    if language == DEFAULT:
        return svg
    teller = _Teller(Words(language), name)
    svg = _SPOKEN.sub(lambda found: teller.said(found[0]), svg, count=2)
    labels: list[str] = []
    svg = _GROUP.sub(lambda found: found[1] + teller.axis(found[2], found[3], labels) + found[4], svg)
    return _widened(_spaced(svg, teller), labels)


@dataclass(frozen=True, slots=True)
class _Teller:
    """Tells the texts of one chart."""

    words: Words
    name: str

    def said(self, text: str) -> str:
        """Return a text of the picture, escaped as it was."""
        return escape(self.words.said(unescape(text)), quote=True)

    def axis(self, role: str, group: str, labels: list[str]) -> str:
        """Return the texts of an axis: its title, or its labels where they are ours or numbers."""
        texts = _TEXT.findall(group)
        ours = role == "title" or self.name in _AT_AXIS or all(map(is_number, texts))
        if not ours:
            return group
        if role == "label" and 'text-anchor="end"' in group:
            labels += map(self.said, texts)
        return _TEXT.sub(lambda found: self.said(found[0]), group)

    def entry(self, text: str) -> str:
        """Return a label of the legend."""
        return self.said(text) if self.name in _IN_LEGEND else text


def _spaced(svg: str, teller: _Teller) -> str:
    """Return a picture with its legend told, its columns as far apart as the words need."""
    entries = [(float(found[1]), teller.entry(found[4])) for found in _ENTRY.finditer(svg)]
    places: dict[float, float] = {}
    free = 0.0
    for column in sorted({x for x, _ in entries}):
        places[column] = max(column, free)
        widest = max(len(unescape(text)) for x, text in entries if x == column)
        free = places[column] + _SYMBOL + _LETTER * widest + _GAP

    def put(found: re.Match[str]) -> str:
        x = places[float(found[1])]
        return f'<g transform="translate({x:g},{found[2]})">{found[3]}{teller.entry(found[4])}'

    return _ENTRY.sub(put, svg)


def _widened(svg: str, labels: list[str]) -> str:
    """Return a picture with room at its left for labels that became longer."""
    room = _ROOM.search(svg)
    needed = max((_LETTER * len(unescape(text)) for text in labels), default=0.0) + _GAP
    more = round(needed - float(room[1])) if room else 0
    if more <= 0:
        return svg

    def frame(found: re.Match[str]) -> str:
        return f'width="{int(found[1]) + more}"{found[2]} viewBox="{-more} 0 {int(found[3]) + more} {found[4]}"'

    return _FRAME.sub(frame, svg, count=1)


# --- the live chart ----------------------------------------------------------------------------------------------


def retell_spec(words: Words, name: str, spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a live chart is made of, in a language."""
    if words.language == DEFAULT:
        return spec
    ours = frozenset(part for part in (_AT_AXIS.get(name), _IN_LEGEND.get(name)) if part)
    told: dict[str, Any] = {
        key: _data(words, ours, value) if key in ("datasets", "data") else _told(words, ours, value)
        for key, value in spec.items()
    }
    told["description"] = words.said(str(spec.get("description", "")))
    told["config"] = {**spec.get("config", {}), "locale": _LOCALES.get(words.language, {})}
    return told


def _told(words: Words, ours: frozenset[str], value: Any) -> Any:
    """Return a part of a specification with its titles told, and the names of the data that are ours."""
    if isinstance(value, list):
        return [_told(words, ours, one) for one in value]
    if not isinstance(value, Mapping):
        return value
    made = {key: _data(words, ours, one) if key == "data" else _told(words, ours, one) for key, one in value.items()}
    if isinstance(value.get("title"), str):
        made["title"] = words.said(value["title"])
    if value.get("field") in ours and isinstance(domain := (value.get("scale") or {}).get("domain"), list):
        made["scale"] = {**made["scale"], "domain": [words.said(one) for one in domain]}
    if isinstance(boxes := value.get("tooltip"), list):
        made["tooltip"] = [_boxed(words, one) for one in boxes]
    return made


def _boxed(words: Words, one: Mapping[str, Any]) -> dict[str, Any]:
    title = one.get("title") or _FIELDS.get(str(one.get("field")), one.get("field"))
    return {**one, "title": words.said(str(title))}


def _data(words: Words, ours: frozenset[str], value: Any) -> Any:
    """Return data with the names told that are ours."""
    if isinstance(value, list):
        return [_data(words, ours, one) for one in value]
    if not isinstance(value, Mapping):
        return value
    return {key: words.said(one) if key in ours else _data(words, ours, one) for key, one in value.items()}
