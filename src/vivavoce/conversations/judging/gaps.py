"""Gaps in expected texts: `{name}` of a known value, `{number}`, `{date}`, `{time}` and `{money}`.

Texts without gaps or stars are found by plain search: building an expression for each costs more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import regex

from vivavoce.conversations.judging.plain import tidy
from vivavoce.conversations.scenario import Match

_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "januar|februar|märz|mai|juni|juli|oktober|dezember|jänner|feber|"
    "jan|feb|mar|mär|apr|jun|jul|aug|sept|sep|oct|okt|nov|dec|dez"
)
_DAYS = (
    "(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|tue|wed|thu|fri|sat|sun)|"
    "(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|(?:mo|di|mi|do|fr|sa|so))"
)
_DAY = "(?:0?[1-9]|[12][0-9]|3[01])"
_MONTH = "(?:0?[1-9]|1[0-2])"
_YEAR = "(?:[12][0-9]{3})"
_DIGITS = r"(?:\d{1,3}(?:[ .,'’]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?)"
_NUMBER = rf"(?:(?<![\d.,])[+-]?{_DIGITS}(?!\d))"
_DATE = (
    rf"(?:(?<!\d)(?:{_DAYS}[.,]{{0,2}} (?:the |den |dem )?)?(?:"
    rf"{_YEAR}[-/.]{_MONTH}[-/.]{_DAY}(?!\d)"
    rf"|{_DAY}[./-]{_MONTH}[./-](?:{_YEAR}|\d{{2}})(?!\d)"
    rf"|{_MONTH}/{_DAY}/(?:{_YEAR}|\d{{2}})(?!\d)"
    rf"|{_DAY}\.{_MONTH}\.(?!\d)|{_DAY}/{_MONTH}(?![/\d])"
    rf"|{_DAY}(?:st|nd|rd|th|\.)?(?: of| -|-)? ?(?:{_MONTHS})\b\.?(?:[,-]? ?{_YEAR}(?!\d))?"
    rf"|(?:{_MONTHS})\b\.? (?:the )?{_DAY}(?:st|nd|rd|th)?(?!\d)(?:,? {_YEAR}(?!\d))?"
    rf"|(?:{_YEAR}年)?{_MONTH}月{_DAY}日"
    r"))"
)
_HOUR = "(?:[01]?[0-9]|2[0-4])"
_HALF = r"(?:a\.m\.|p\.m\.|am\b|pm\b)"
_TIME = (
    rf"(?:(?<![\d:.,])(?:{_HOUR}[:.][0-5][0-9](?::[0-5][0-9])?(?![\d:])(?: ?(?:{_HALF}|uhr\b|h\b))?"
    rf"|{_HOUR}h[0-5][0-9](?!\d)|{_HOUR} ?(?:{_HALF}|o'clock\b|uhr\b))"
    r"|\b(?:noon|midnight|mittags?|mitternacht)\b)"
)
_COIN = (
    r"(?:[a-z]{0,3}\$|[€£¥₹₩₽]|\b(?:aud|brl|cad|chf|cny|czk|dkk|eur|gbp|hkd|inr|jpy|krw|mxn|nok|nzd|pln|sek|sgd|try"
    r"|usd|zar)\b)"
)
_COINS = rf"(?:{_COIN}|(?:euros?|dollars?|pounds?|cents?|francs?|franken|pfund|rappen|yen|rupees?)\b)"
_MONEY = rf"(?:{_COIN} ?{_NUMBER}|{_NUMBER}(?:,?-{{1,2}})? ?{_COINS})"

TYPED: Mapping[str, str] = {"number": _NUMBER, "date": _DATE, "time": _TIME, "money": _MONEY}
"""What each typed gap means, as an expression without groups; case does not count."""

# `\p{Lu}` and `\N{...}` of a regular expression are no gaps, nor are its counts such as `{2,3}`.
_NAME = regex.compile(r"(?<!\\[pPNx])\{([^\W\d][\w-]*)\}")
_MARK = 0xF0000
_MARKS = regex.compile("([\U000f0000-\U000ffffd])")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an expected text: literal words, a value that was put in, or a typed gap."""

    text: str
    typed: str = ""
    is_value: bool = False


def split_pieces(text: str, values: Mapping[str, str], normalise: Callable[[str], str]) -> list[Piece]:
    """Return the parts of an expected text, normalised. Values come first; an unknown `{name}` stays as it is."""
    held: list[Piece] = []
    if "{" not in text:
        whole = normalise(_MARKS.sub("", text))
        return [Piece(whole)] if whole else []

    def hold(match: regex.Match[str]) -> str:
        name = match[1]
        if name in values:
            held.append(Piece(normalise(values[name]), is_value=True))
        elif name.lower() in TYPED:
            held.append(Piece("", typed=name.lower()))
        else:
            return match[0]
        return chr(_MARK + len(held) - 1)

    # A mark replaces each gap, so that blanks around it are not lost.
    marked = normalise(_NAME.sub(hold, _MARKS.sub("", text)))
    parts = _MARKS.split(marked)
    return [held[ord(part) - _MARK] if place % 2 else Piece(part) for place, part in enumerate(parts) if part]


def list_unfilled(text: str, values: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names in a text that are neither typed nor known."""
    names = dict.fromkeys(match[1] for match in _NAME.finditer(text))
    return tuple(name for name in names if name not in values and name.lower() not in TYPED)


def as_expression(pieces: list[Piece], *, stars: bool = False) -> str:
    """Return a regular expression for literal parts; with `stars`, a `*` that was written means anything."""
    parts = []
    for piece in pieces:
        if piece.typed:
            parts.append(TYPED[piece.typed])
        elif stars and not piece.is_value:
            parts.append(".*".join(regex.escape(part) for part in piece.text.split("*")))
        else:
            parts.append(regex.escape(piece.text))
    return "".join(parts)


def fill_expression(text: str, values: Mapping[str, str]) -> str:
    """Return a regular expression as it was written, with its gaps filled."""

    def put(match: regex.Match[str]) -> str:
        if match[1] in values:
            return str(regex.escape(tidy(values[match[1]])))
        return TYPED.get(match[1].lower(), match[0])

    return str(_NAME.sub(put, text))


def blank_typed(pieces: list[Piece], reply: str) -> tuple[str, str] | str:
    """Return both texts with typed gaps in the place of what they stand for, to be compared as wholes.

    What the reply lacks (the name of a type) is returned instead where there is nothing to put aside.
    """
    for name in (piece.typed for piece in pieces if piece.typed):
        blanked, count = regex.subn(TYPED[name], f"{{{name}}}", reply, count=1, flags=regex.IGNORECASE)
        if not count:
            return name
        reply = str(blanked)
    return "".join(f"{{{piece.typed}}}" if piece.typed else piece.text for piece in pieces), reply


def has_no_gaps(kind: Match, pieces: Sequence[Piece]) -> bool:
    """Tell whether an expected text is nothing but words, so that it can be searched for as it is."""
    return not any(piece.typed or (kind is Match.WILDCARD and "*" in piece.text) for piece in pieces)


def holds_text(kind: Match, text: str, replies: Sequence[str], edges: tuple[str, str] = ("", "")) -> bool:
    """Tell whether a folded text is found in any of the folded replies; `edges`: what must hold beside it."""
    if kind in (Match.EXACT, Match.WILDCARD):
        return text in replies
    before, after = map(_compile_edge, edges)
    for reply in replies:
        place = reply.find(text)
        while place >= 0:
            if before.match(reply, place) and after.match(reply, place + len(text)):
                return True
            place = reply.find(text, place + 1)
    return False


@cache
def _compile_edge(edge: str) -> regex.Pattern[str]:
    return regex.compile(edge, regex.IGNORECASE)
