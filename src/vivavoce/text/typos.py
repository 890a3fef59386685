"""Typing mistakes as people make them, drawn from a seed: the same message always gets the same ones."""

from __future__ import annotations

import hashlib
import random
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from vivavoce.errors import UsageError, nearest
from vivavoce.text.confusions import COMMON, CONFUSIONS

# Each row with how far it is set to the right of the first, in widths of a key.
_ROWS: Mapping[str, tuple[tuple[float, str], ...]] = {
    "qwerty": ((0.0, "qwertyuiop"), (0.25, "asdfghjkl"), (0.75, "zxcvbnm")),
    "qwertz": ((0.0, "qwertzuiopü"), (0.25, "asdfghjklöä"), (0.75, "yxcvbnm")),
}
LAYOUTS = tuple(_ROWS)


def _find_neighbours(rows: tuple[tuple[float, str], ...]) -> dict[str, tuple[str, str]]:
    """Return for every key those beside it in its row, and those that touch it above and below."""
    places = {key: (row, shift + at) for row, (shift, keys) in enumerate(rows) for at, key in enumerate(keys)}
    neighbours = {}
    for key, (row, at) in places.items():
        near = [(k, r) for k, (r, x) in places.items() if k != key and abs(r - row) <= 1 and abs(x - at) <= 1]
        neighbours[key] = ("".join(k for k, r in near if r == row), "".join(k for k, r in near if r != row))
    return neighbours


NEIGHBOURS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    name: _find_neighbours(rows) for name, rows in _ROWS.items()
}
"""By layout and key: the neighbours in the same row, and those in the rows above and below."""

BUDGET = 0.06
"""Mistakes for each letter that may be misspelt: one in about seventeen letters, and never fewer than one."""

WEIGHTS: Mapping[str, float] = {
    "omission": 30,
    "neighbour": 25,
    "transposition": 20,
    "doubling": 8,
    "undoubling": 12,
    "accent": 12,
    "confusion": 40,
    "blank": 6,
}
"""How often a kind is drawn against the others that are possible for a word. Our own choice, for fast typing: more
letters are lost than gained. Confusions weigh much because few words have one."""

FIRST_LETTER = 0.05
"""How much less likely the first letter of a word is hit than any other: people see it."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_TOKEN = re.compile(r"\S+")
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://\S+|www\.\S+|\S+@\S+|@\w+|#\w+|\b[\w-]+(?:\.[\w-]+)+\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Edit:
    """One mistake: its kind, where its word begins in the message, the word before and after.

    For a missing blank, `before` and `after` are the two words.
    """

    kind: str
    place: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Misspelt:
    """A message with its mistakes; `note` says why there is none."""

    text: str
    edits: tuple[Edit, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Variant:
    kind: str
    after: str
    weight: float = 1.0


def misspell(
    text: str, *, seed: int, budget: float = BUDGET, layout: str = "qwerty", protect: Sequence[str] = ()
) -> Misspelt:
    """Return a message with natural mistakes: `budget` for each open letter, at least one, at most one in a word.

    Numbers, addresses, `{placeholders}` and the phrases of `protect` are never touched. Where nothing may be
    changed the text comes back as it was, with a note.
    """
    if not 0 < budget <= 1:
        raise UsageError(
            f"the misspelling budget is {budget:g}", remedy="use a number above 0 and up to 1, such as 0.06"
        )
    if layout not in LAYOUTS:
        raise UsageError(
            f"unknown keyboard '{layout}'.{nearest(layout, LAYOUTS)}", remedy=f"use {' or '.join(LAYOUTS)}"
        )
    words = _find_words(text, protect)
    if not words:
        return Misspelt(text, (), "it has no word that can be misspelt")
    # The text is part of the seed: editing one message leaves the mistakes of all others alone.
    key = hashlib.sha256(f"{seed}\x1f{layout}\x1f{text}".encode("utf-8", "surrogatepass")).digest()
    rng = random.Random(key)  # noqa: S311 - repeatable, not secret
    edits = _draw(text, words, max(1, round(budget * count_letters(text, protect))), layout, rng)
    misspelt = text
    for edit in reversed(edits):
        misspelt = misspelt[: edit.place] + edit.after + misspelt[edit.place + len(edit.before) :]
    return Misspelt(misspelt, edits)


def count_letters(text: str, protect: Sequence[str] = ()) -> int:
    """Return the number of letters of a message that may be misspelt."""
    return sum(sum(map(str.isalpha, word[0])) for word in _find_words(text, protect))


def _find_words(text: str, protect: Sequence[str]) -> list[re.Match[str]]:
    """Return the words that may be misspelt."""
    closed = [match.span() for sign in (_PLACEHOLDER, _ADDRESS) for match in sign.finditer(text)]
    # A mark that hangs on a letter would be torn off it.
    closed += [
        match.span()
        for match in _TOKEN.finditer(text)
        if any(sign.isnumeric() or unicodedata.category(sign).startswith("M") for sign in match[0])
    ]
    for phrase in filter(None, map(str.strip, protect)):
        matches = re.finditer(rf"(?<!\w){re.escape(phrase)}(?!\w)", text, re.IGNORECASE)
        closed += [match.span() for match in matches]
    # Scripts without capitals (Chinese, Arabic, Thai ...) are typed in other ways, with other mistakes.
    return [
        word
        for word in _WORD.finditer(text)
        if all(letter.lower() != letter.upper() for letter in word[0] if letter.isalpha())
        and not any(start < word.end() and word.start() < end for start, end in closed)
    ]


def _draw(text: str, words: list[re.Match[str]], wanted: int, layout: str, rng: random.Random) -> tuple[Edit, ...]:
    """Draw words, longer ones sooner, and one mistake for each until the budget is used up."""
    ranks = [rng.random() ** (1 / (len(word[0]) - 0.5)) for word in words]
    edits: list[Edit] = []
    used: set[int] = set()
    for place in sorted(range(len(words)), key=lambda at: -ranks[at]):
        if len(edits) == wanted:
            break
        # The next word, where only a blank lies between and it is still untouched.
        after = ""
        if place + 1 < len(words) and place + 1 not in used:
            is_near = text[words[place].end() : words[place + 1].start()] == " "
            after = words[place + 1][0] if is_near else ""
        variant = None if place in used else _draw_variant(words[place][0], after, layout, rng)
        if variant is not None:
            used |= {place, place + 1} if variant.kind == "blank" else {place}
            before = f"{words[place][0]} {after}" if variant.kind == "blank" else words[place][0]
            edits.append(Edit(variant.kind, words[place].start(), before, variant.after))
    return tuple(sorted(edits, key=lambda edit: edit.place))


def _draw_variant(word: str, after: str, layout: str, rng: random.Random) -> _Variant | None:
    variants = [variant for variant in _list_variants(word, after, layout) if variant.after != word]
    # Another word would be another message; only confusions are meant to be words.
    safe = [each for each in variants if each.kind == "confusion" or each.after.lower() not in COMMON]
    by_kind: dict[str, list[_Variant]] = {}
    for variant in safe or variants:
        by_kind.setdefault(variant.kind, []).append(variant)
    if not by_kind:
        return None
    kinds = list(by_kind)
    # A kind that could only hit the first letter of this word is as rare as that.
    weights = [WEIGHTS[kind] * max(variant.weight for variant in by_kind[kind]) for kind in kinds]
    chosen = by_kind[rng.choices(kinds, weights)[0]]
    return rng.choices(chosen, [variant.weight for variant in chosen])[0]


def _list_variants(word: str, after: str, layout: str) -> list[_Variant]:
    variants = [variant for place in range(len(word)) for variant in _change_letter(word, place, layout)]
    wrong = CONFUSIONS[layout].get(word.lower().replace("’", "'"))
    if wrong is not None:
        variants.append(_Variant("confusion", _match_case(word, wrong)))
    if after:
        variants.append(_Variant("blank", word + after))
    return variants


def _change_letter(word: str, place: int, layout: str) -> Iterator[_Variant]:
    letter, before, rest = word[place], word[:place], word[place + 1 :]
    if not letter.isalpha():
        return
    weight = 1.0 if place else FIRST_LETTER
    same_row, other_rows = NEIGHBOURS[layout].get(letter.lower(), ("", ""))
    # Fingers slip sideways more often than up and down.
    for key, share in [(key, 1.0) for key in same_row] + [(key, 0.5) for key in other_rows]:
        yield _Variant("neighbour", before + _match_case(letter, key) + rest, weight * share)
    pair = word[place : place + 2]
    doubled = rest[:1].lower() == letter.lower()
    if len(pair) == 2 and pair.isalpha() and not doubled:
        swapped = pair[1] + pair[0]
        if pair[0].isupper() and not pair[1].isupper():
            swapped = pair[1].upper() + pair[0].lower()
        yield _Variant("transposition", before + swapped + rest[1:], weight)
    follows_same = word[max(place - 1, 0) : place].lower() == letter.lower()
    if doubled and place and len(word) > 2:
        yield _Variant("undoubling", before + rest, weight)
    elif len(word) > 2 and not follows_same:
        shorter = before + rest
        yield _Variant("omission", shorter[:1].upper() + shorter[1:] if word[0].isupper() else shorter, weight)
    if not doubled and not follows_same:
        again = letter if word.isupper() else letter.lower()
        yield _Variant("doubling", before + letter + again + rest, weight)
    bare = unicodedata.normalize("NFD", letter)[0]
    if bare != letter:
        yield _Variant("accent", before + bare + rest)


def _match_case(model: str, text: str) -> str:
    """Return a text in the case of another: all capitals, a capital at its beginning, or small."""
    if model.isupper():
        return text.upper() if len(model) > 1 or len(text) == 1 else text.capitalize()
    return text[:1].upper() + text[1:] if model[:1].isupper() else text
