"""From texts with a place to values with a type: one small function for each kind of field.

A field that is wrong is remembered as a fault and read as if it were empty, so that all faults of a file are told
at once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from vivavoce.conversations.scenario import Match, Pattern
from vivavoce.errors import Fault, nearest
from vivavoce.files.yamls import Step, Value, YamlFile
from vivavoce.messages import say

OWN = "x-"
TRUE = frozenset({"true", "yes", "on"})
FALSE = frozenset({"false", "no", "off"})
PATTERN_KINDS = tuple(match.value for match in Match)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


class Place:
    """Where in a file one is reading, and the list to which faults are added."""

    __slots__ = ("faults", "file", "steps", "unit")

    def __init__(self, file: YamlFile, faults: list[Fault], steps: tuple[Step, ...] = (), unit: str = "line") -> None:
        self.file = file
        self.faults = faults
        self.steps = steps
        self.unit = unit

    def down(self, step: Step) -> Place:
        """Return the place of an entry."""
        return Place(self.file, self.faults, (*self.steps, step), self.unit)

    @property
    def line(self) -> int:
        """The line, or the row of a sheet."""
        return self.file.line(*self.steps)

    def refuse(self, message: str) -> None:
        """Remember what is wrong here."""
        self.faults.append(Fault(message, f"{self.unit} {self.line}"))


Reader = Callable[[Value, Place], Any]


def read_fields(
    value: Value, at: Place, table: Mapping[str, Reader], what: str
) -> tuple[dict[str, Any], dict[str, object]]:
    """Read a mapping by a table of keys; return the fields given, and the `x-` keys untouched."""
    if not isinstance(value, dict):
        if value != "":
            at.refuse(say("{what} must be a list of `key: value`, not {kind}", what=what, kind=_kind(value)))
        return {}, {}
    found: dict[str, Any] = {}
    extras: dict[str, object] = {}
    for key, item in value.items():
        reader = table.get(key)
        if reader is not None:
            found[key] = reader(item, at.down(key))
        elif key.startswith(OWN):
            extras[key] = item
        else:
            at.down(key).refuse(
                say("'{key}' is not a key of {what}.{nearest}", key=key, what=what, nearest=nearest(key, list(table)))
            )
    return found, extras


def text(value: Value, at: Place) -> str:
    """Read one text."""
    if isinstance(value, str):
        return value
    at.refuse(say("this must be one text, not {kind}", kind=_kind(value)))
    return ""


def texts(value: Value, at: Place) -> tuple[str, ...]:
    """Read a list of texts; one text is a list of one."""
    if isinstance(value, str):
        return (value,) if value else ()
    if isinstance(value, list):
        return tuple(text(item, at.down(place)) for place, item in enumerate(value))
    at.refuse(say("this must be a list of texts, not a mapping"))
    return ()


def text_map(value: Value, at: Place) -> dict[str, str]:
    """Read names with one text each."""
    return {key: text(item, at.down(key)) for key, item in _entries(value, at)}


def text_lists(value: Value, at: Place) -> dict[str, tuple[str, ...]]:
    """Read names with a list of texts each."""
    return {key: texts(item, at.down(key)) for key, item in _entries(value, at)}


def flag(value: Value, at: Place) -> bool:
    """Read yes or no."""
    word = text(value, at).casefold()
    if word not in TRUE | FALSE | {""}:
        at.refuse(say("this must be true or false, not '{word}'", word=word))
    return word in TRUE


def number(least: float = 0.0, most: float = math.inf) -> Reader:
    """Return a reader of numbers within bounds; nothing is read as None."""

    def read(value: Value, at: Place) -> float | None:
        written = text(value, at)
        if written == "":
            return None
        found = float(written) if _NUMBER.fullmatch(written) else math.nan
        if not least <= found <= most or math.isinf(found):
            at.refuse(
                say("this must be a number{bounds}, not '{written}'", bounds=_bounds(least, most), written=written)
            )
            return None
        return found

    return read


def whole(value: Value, at: Place) -> int | None:
    """Read a number that counts from 1."""
    written = text(value, at)
    if written == "":
        return None
    if not (written.isascii() and written.isdigit() and int(written[:9]) > 0 and len(written) < 10):
        at.refuse(say("this must be a whole number from 1 up, not '{written}'", written=written))
        return None
    return int(written)


def choice(kinds: type[StrEnum]) -> Reader:
    """Return a reader of one of a few words."""
    known = {kind.value: kind for kind in kinds}

    def read(value: Value, at: Place) -> StrEnum | None:
        word = text(value, at)
        if word and word not in known:
            at.refuse(
                say(
                    "this must be one of {names}, not '{word}'.{nearest}",
                    names=", ".join(known),
                    word=word,
                    nearest=nearest(word, list(known)),
                )
            )
        return known.get(word)

    return read


share = number(0.0, 1.0)


def pattern(value: Value, at: Place) -> Pattern:
    """Read an expected text: plain, or with the kind of match before it."""
    if isinstance(value, str):
        return Pattern(value)
    found, _ = read_fields(value, at, _PATTERN, "an expected text")
    kinds = [key for key in found if key != "min"]
    if len(kinds) != 1:
        at.refuse(say("an expected text needs exactly one of {names}", names=", ".join(PATTERN_KINDS)))
        return Pattern("")
    kind = kinds[0]
    return Pattern(found[kind], None if kind == "text" else Match(kind), found.get("min"))


def patterns(value: Value, at: Place) -> tuple[Pattern, ...]:
    """Read a list of expected texts; one is a list of one."""
    if value == "":
        return ()
    if not isinstance(value, list):
        return (pattern(value, at),)
    return tuple(pattern(item, at.down(place)) for place, item in enumerate(value))


def pattern_map(value: Value, at: Place) -> dict[str, Pattern]:
    """Read names with one expected text each."""
    return {key: pattern(item, at.down(key)) for key, item in _entries(value, at)}


_PATTERN: Mapping[str, Reader] = {**dict.fromkeys(PATTERN_KINDS, text), "text": text, "min": share}


def _entries(value: Value, at: Place) -> list[tuple[str, Value]]:
    if isinstance(value, dict):
        return list(value.items())
    if value != "":
        at.refuse(say("this must be a list of `name: value`, not {kind}", kind=_kind(value)))
    return []


def _kind(value: Value) -> str:
    return "a mapping" if isinstance(value, dict) else "a list" if isinstance(value, list) else f"'{value}'"


def _bounds(least: float, most: float) -> str:
    if math.isinf(most):
        return f" of at least {least:g}"
    return f" from {least:g} to {most:g}"
