"""Sentences that pages tell in other languages too: English as it is written, marked by `say`.

    say(f"{bot!s} was right in {right_of(cell)} of {plural(n, 'conversation')}.")

The text stays a plain `str`, for terminals, files and the database. The catalogues hold its template, read off the
source: here "{bot!s} was right in {right_of} of {conversations}.". `read_places` finds the values of a text again,
so that a page can tell it in the reader's language, even one that was stored long ago. What stands in a place:

    {count:,}             a number, since it has a format
    {bot!s}, '{topic}'    somebody's own words, which stay as they are
    {names}               a list of somebody's own words; {parts} is a list of marked texts
    {anything}            a number with its unit, a count with its noun, another marked text, or nothing

Errors are marked by being errors: the catalogues hold what `VivaError`, its kinds and `Fault` are given in the call.
There a place that has neither quotes nor a format is `{anything!x}`: told where it is known, else as it is, for it is
often what a system or a library said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import Formatter

__all__ = ["Place", "is_number", "places_of", "read_places", "say"]

_NUMBER = re.compile(r"[+\-−±]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?%?")


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a template: the words before it, its name, and what goes there: see the top.

    `own`: somebody's own words; `loose`: whatever is not known stays as it is.
    """

    before: str
    name: str
    number: bool
    own: bool
    loose: bool = False


def say(text: str) -> str:
    """Mark a text for the catalogues, and return it as it is; its words must stand in the call."""
    return text


def is_number(text: str) -> bool:
    """Tell whether a text is a number as English writes it."""
    return _NUMBER.fullmatch(text) is not None


@lru_cache(maxsize=2048)
def places_of(template: str) -> tuple[tuple[Place, ...], str]:
    """Return the places of a template, and the words after the last one."""
    places, end = [], ""
    for before, name, spec, conversion in Formatter().parse(template):
        if name is None:
            end = before
        else:
            own = conversion == "s" or before.endswith("'")
            places.append(Place(before, name, bool(spec), own, conversion == "x"))
    return tuple(places), end


def read_places(template: str, text: str, *, from_end: bool = False) -> Mapping[str, str] | None:
    """Return what stands in the places of a sentence; None where the text is another sentence.

    The fixed parts are looked for from left to right, or from right to left, and never looked for again, so that a
    long text costs no more than its length.
    """
    places, end = places_of(template)
    first = places[0].before if places else ""
    if not places or len(text) < len(first) + len(end) or not (text.startswith(first) and text.endswith(end)):
        return None
    inner, fixed = text[len(first) : len(text) - len(end)], [place.before for place in places[1:]]
    values = _cut(inner, fixed, from_end)
    if values is None or any(place.number and not is_number(v) for place, v in zip(places, values, strict=True)):
        return None
    return {place.name: value for place, value in zip(places, values, strict=True)}


def _cut(text: str, fixed: Sequence[str], from_end: bool) -> list[str] | None:
    """Return what stands between fixed parts; None where one of them is missing."""
    cuts = []
    for part in reversed(fixed) if from_end else fixed:
        before, found, after = text.rpartition(part) if from_end else text.partition(part)
        if not found:
            return None
        text, value = (before, after) if from_end else (after, before)
        cuts.append(value)
    return [text, *reversed(cuts)] if from_end else [*cuts, text]
