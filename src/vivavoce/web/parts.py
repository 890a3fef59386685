"""What views hand to the macros of `templates/parts.html`: one small record for each part of a page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from typing import Literal

from vivavoce.reports.shared.views import Column

__all__ = [
    "Choice",
    "Column",
    "Edit",
    "Field",
    "Pager",
    "Piece",
    "Progress",
    "Row",
    "Tone",
    "Turn",
    "change_pieces",
    "differences",
    "hidden_field",
    "named_choices",
    "number_columns",
    "text_columns",
]

Tone = Literal["good", "bad", "neutral"]
FieldKind = Literal[
    "text", "search", "email", "url", "password", "date", "number", "textarea", "select", "checkbox", "file", "hidden"
]
# Longer texts are compared line by line: a comparison by words would take the square of their length.
MANY_WORDS = 2000


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table; the first cell names it, `key` is what its check box sends."""

    cells: tuple[object, ...]
    key: str = ""


@dataclass(frozen=True, slots=True)
class Pager:
    """Where in a long list the reader is; an empty address means that there is no such page."""

    page: int
    pages: int
    total: int
    previous: str = ""
    next: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """One option of a select."""

    value: str
    title: str


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a form. `value` of a check box is "on" or empty."""

    name: str
    label: str
    kind: FieldKind = "text"
    value: str = ""
    help: str = ""
    error: str = ""
    choices: tuple[Choice, ...] = ()
    required: bool = False
    low: str = ""
    high: str = ""
    step: str = ""
    accept: str = ""
    autocomplete: str = ""
    rows: int = 5
    most: int = 0
    key: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far work is; `seconds_left` is None where nobody can tell."""

    label: str
    done: int
    total: int
    failed: int = 0
    seconds_left: float | None = None
    finished: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing said in a talk. `outcome` is its title, `meaning` one sentence about it, `note` what was expected."""

    text: str
    visitor: bool = False
    name: str = ""
    outcome: str = ""
    tone: Tone = "neutral"
    meaning: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """One change: who, when, what, why; `undo` is the address that takes it back by a POST."""

    what: str
    who: str
    when: datetime
    why: str = ""
    href: str = ""
    undo: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text that both versions have, or only one of them."""

    text: str
    kind: Literal["same", "added", "removed"] = "same"


def text_columns(*titles: str) -> tuple[Column, ...]:
    """Return the heads of columns that hold words."""
    return tuple(Column(title) for title in titles)


def number_columns(*titles: str) -> tuple[Column, ...]:
    """Return the heads of columns that hold numbers."""
    return tuple(Column(title, number=True) for title in titles)


def named_choices(names: Iterable[str], every: str = "") -> tuple[Choice, ...]:
    """Return options that are called as they are sent; `every` is the title of a first one that sends nothing."""
    return (*((Choice("", every),) if every else ()), *(Choice(name, name) for name in names))


def hidden_field(name: str, value: str) -> Field:
    """Return what a form carries along unseen."""
    return Field(name, "", "hidden", value)


def differences(before: str, after: str) -> tuple[Piece, ...]:
    """Return two versions of a text as one run of pieces, by words, or by lines where the texts are long."""
    if max(len(before), len(after)) > MANY_WORDS * 6:
        old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    else:
        old, new = (re.findall(r"\s+|\w+|[^\w\s]", text) for text in (before, after))
    pieces: list[Piece] = []
    for _, i, k, j, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone, came = "".join(old[i:k]), "".join(new[j:m])
        pieces += [Piece(gone)] if gone == came else change_pieces(gone, came)
    return tuple(pieces)


def change_pieces(gone: str, came: str) -> tuple[Piece, ...]:
    """Return what one version had and what the other has instead, as far as there is any of it."""
    return tuple(piece for piece in (Piece(gone, "removed"), Piece(came, "added")) if piece.text)
