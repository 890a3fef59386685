"""Texts without gaps or stars found in folded replies by plain search: building an expression for each costs more."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import regex

from vivavoce.conversations.judging.gaps import Piece
from vivavoce.conversations.scenario import Match

__all__ = ["Edges", "has_no_gaps", "holds_text"]

Edges = tuple[str, str]


def has_no_gaps(kind: Match, pieces: Sequence[Piece]) -> bool:
    """Tell whether an expected text is nothing but words, so that it can be searched for as it is."""
    return not any(piece.typed or (kind is Match.WILDCARD and "*" in piece.text) for piece in pieces)


def holds_text(kind: Match, text: str, replies: Sequence[str], edges: Edges = ("", "")) -> bool:
    """Tell whether a folded text is found in any of the folded replies; `edges`: what must hold beside it."""
    if kind in (Match.EXACT, Match.WILDCARD):
        return text in replies
    before, after = map(_compiled, edges)
    return any(_stands_in(text, reply, before, after) for reply in replies)


@cache
def _compiled(edge: str) -> regex.Pattern[str]:
    return regex.compile(edge, regex.IGNORECASE)


def _stands_in(text: str, reply: str, before: regex.Pattern[str], after: regex.Pattern[str]) -> bool:
    place = reply.find(text)
    while place >= 0:
        if before.match(reply, place) and after.match(reply, place + len(text)):
            return True
        place = reply.find(text, place + 1)
    return False
