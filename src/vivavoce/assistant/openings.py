"""Openings: what they are, how a search is asked, and an index in memory with the tokens of that of a database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Opening:
    """A job that can be applied for. `posted` is a day in ISO form; everything but id and title may be empty."""

    id: str
    title: str
    profession: str = ""
    place: str = ""
    country: str = ""
    language: str = ""
    department: str = ""
    contract: str = ""
    description: str = ""
    url: str = ""
    posted: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """What openings are searched for.

    `profession` and `words` are texts in `language`, `place` is the key of a place (`Entity.key`); all may be empty.
    `groups` says the same as tokens: an opening fits if it has at least one token of every group. A database asks its
    full-text index for them: `("a" OR "b") AND ("c")`.
    """

    profession: str = ""
    place: str = ""
    words: str = ""
    language: str = ""

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The tokens, made by the function that makes those of openings."""
        from vivavoce.assistant.tokens import query_groups

        return query_groups(self)


@dataclass(frozen=True, slots=True)
class Matches:
    """What a search finds: the best openings in order, and how many there are in all."""

    openings: tuple[Opening, ...]
    total: int


class Openings(Protocol):
    """Current openings. Equal matches are ordered by `posted`, newest first, then by id."""

    def search(self, query: Query, *, limit: int, start: int = 0) -> Matches:
        """Return `limit` matches from place `start` on; an empty query finds all openings."""
        ...


class OpeningsInMemory:
    """Openings in a list, searched by their tokens."""

    def __init__(self, openings: Sequence[Opening] = ()) -> None:
        from vivavoce.assistant.tokens import index_tokens

        ordered = sorted(sorted(openings, key=lambda each: each.id), key=lambda each: each.posted, reverse=True)
        self._rows = [(each, frozenset(index_tokens(each))) for each in ordered]

    def search(self, query: Query, *, limit: int, start: int = 0) -> Matches:
        """Return the openings that have a token of every group; those with more of the words come first."""
        groups = query.groups
        wanted = {token for group in groups for token in group}
        fitting = [
            (each, len(wanted & tokens))
            for each, tokens in self._rows
            if all(tokens & set(group) for group in groups)
        ]
        fitting.sort(key=lambda pair: -pair[1])
        return Matches(tuple(each for each, _ in fitting[start : start + limit]), len(fitting))
