"""From texts with a place to values with a type: one small function for each kind of field.

A field that is wrong is remembered as a fault and read as if it were empty, so that all faults of a file are told
at once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from vivavoce.conversations.scenario import Match, Pattern
from vivavoce.errors import Fault, nearest
from vivavoce.files.yamls import Step, Value, YamlFile
from vivavoce.messages import say

OWN = "x-"
TRUE = frozenset({"true", "yes", "on"})
FALSE = frozenset({"false", "no", "off"})
PATTERN_KINDS = tuple(match.value for match in Match)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file one is reading, and the list to which faults are added."""

    file: YamlFile
    faults: list[Fault]
    steps: tuple[Step, ...] = ()
    unit: str = "line"

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


T = TypeVar("T")
Reader = Callable[[Value, Place], T]


def read_fields(
    value: Value, at: Place, table: Mapping[str, Reader[Any]], what: str
) -> tuple[dict[str, Any], dict[str, object]]:
    """Read a mapping by a table of keys; return the fields given, and the `x-` keys untouched."""
    if not isinstance(value, dict):
        if value != "":
            at.refuse(say("{what} must be a list of `key: value`, not {kind}", what=what, kind=_describe_kind(value)))
        return {}, {}
    fields: dict[str, Any] = {}
    extras: dict[str, object] = {}
    for key, item in value.items():
        if key in table:
            field = table[key](item, at.down(key))
            # What was read as nothing leaves the default in force.
            if field is not None:
                fields[key] = field
        elif key.startswith(OWN):
            extras[key] = item
        else:
            at.down(key).refuse(
                say("unknown key '{key}' in {what}.{nearest}", key=key, what=what, nearest=nearest(key, list(table)))
            )
    return fields, extras


def text(value: Value, at: Place) -> str:
    """Read one text."""
    if isinstance(value, str):
        return value
    at.refuse(say("this must be a single text, not {kind}", kind=_describe_kind(value)))
    return ""


def texts(value: Value, at: Place) -> tuple[str, ...]:
    """Read a list of texts; one text is a list of one."""
    if isinstance(value, str):
        return (value,) if value else ()
    if isinstance(value, list):
        return tuple(text(item, at.down(place)) for place, item in enumerate(value))
    at.refuse(say("this must be a list of texts, not a mapping"))
    return ()


def flag(value: Value, at: Place) -> bool:
    """Read yes or no."""
    word = text(value, at).casefold()
    if word not in TRUE | FALSE | {""}:
        at.refuse(say("this must be true or false, not '{word}'", word=word))
    return word in TRUE


def number(least: float = 0.0, most: float = math.inf) -> Reader[float | None]:
    """Return a reader of numbers within bounds; nothing is read as None."""

    def read(item: Value, at: Place) -> float | None:
        written = text(item, at)
        if written == "":
            return None
        value = float(written) if _NUMBER.fullmatch(written) else math.nan
        if least <= value <= most and not math.isinf(value):
            return value
        bounds = f" of at least {least:g}" if math.isinf(most) else f" from {least:g} to {most:g}"
        at.refuse(say("this must be a number{bounds}, not '{written}'", bounds=bounds, written=written))
        return None

    return read


def whole(value: Value, at: Place) -> int | None:
    """Read a number that counts from 1."""
    written = text(value, at)
    if written == "":
        return None
    if not (written.isascii() and written.isdigit() and int(written[:9]) > 0 and len(written) < 10):
        at.refuse(say("this must be a whole number of 1 or more, not '{written}'", written=written))
        return None
    return int(written)


def choice(kinds: type[StrEnum]) -> Reader[Any]:
    """Return a reader of one of a few words."""
    known = {kind.value: kind for kind in kinds}

    def read(value: Value, at: Place) -> StrEnum | None:
        word = text(value, at)
        if word and word not in known:
            names, guess = ", ".join(known), nearest(word, list(known))
            at.refuse(
                say("this must be one of {names}, not '{word}'.{nearest}", names=names, word=word, nearest=guess)
            )
        return known.get(word)

    return read


share = number(0.0, 1.0)


def pattern(value: Value, at: Place) -> Pattern:
    """Read an expected text: plain, or with the kind of match before it."""
    if isinstance(value, str):
        return Pattern(value)
    fields, _ = read_fields(value, at, _PATTERN, "an expected text")
    kinds = [key for key in fields if key != "min"]
    if len(kinds) != 1:
        at.refuse(say("an expected text needs exactly one of {names}", names=", ".join(PATTERN_KINDS)))
        return Pattern("")
    kind = kinds[0]
    return Pattern(fields[kind], None if kind == "text" else Match(kind), fields.get("min"))


def patterns(value: Value, at: Place) -> tuple[Pattern, ...]:
    """Read a list of expected texts; one is a list of one."""
    if value == "":
        return ()
    if not isinstance(value, list):
        return (pattern(value, at),)
    return tuple(pattern(item, at.down(place)) for place, item in enumerate(value))


_PATTERN: Mapping[str, Reader[Any]] = {**dict.fromkeys(PATTERN_KINDS, text), "text": text, "min": share}


def names_with(reader: Reader[T]) -> Reader[dict[str, T]]:
    """Return a reader of names with a value each."""

    def read(value: Value, at: Place) -> dict[str, T]:
        if isinstance(value, dict):
            return {key: reader(item, at.down(key)) for key, item in value.items()}
        if value != "":
            at.refuse(say("this must be a list of `name: value`, not {kind}", kind=_describe_kind(value)))
        return {}

    return read


def list_of(reader: Reader[T]) -> Reader[tuple[T, ...]]:
    """Return a reader of lists."""

    def read(value: Value, at: Place) -> tuple[T, ...]:
        if isinstance(value, list):
            return tuple(reader(item, at.down(place)) for place, item in enumerate(value))
        if value != "":
            at.refuse(say("this must be a list: start each entry with `- `"))
        return ()

    return read


def _describe_kind(value: Value) -> str:
    return "a mapping" if isinstance(value, dict) else "a list" if isinstance(value, list) else f"'{value}'"
