"""Full-text tokens of openings and queries: one function for the index in memory and for every database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vivavoce.text.words import words

if TYPE_CHECKING:
    from vivavoce.assistant.openings import Opening, Query


def index_tokens(opening: Opening) -> list[str]:
    """Return the tokens of an opening: store them, separated by blanks, in a full-text index without stemming.

    They hold letters and digits only. A place is a token of its own, such as `geo2950159`, its region and its country
    are others.
    """
    return words(" ".join((opening.title, opening.profession, opening.place)), opening.language or "auto")


def query_groups(query: Query) -> tuple[tuple[str, ...], ...]:
    """Return the groups of tokens of a query: an opening fits if it has one of every group."""
    texts = (query.profession, query.place, query.words)
    return tuple((token,) for text in texts for token in words(text, query.language or "auto"))
