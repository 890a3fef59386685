"""Long lists on pages: which page is shown, the ways to the others, and columns that sort by a link."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Query

from vivavoce.web.parts import Column, Order, Pager

# Nobody turns more pages than this; and no database counts further.
PageNumber = Annotated[int, Query(ge=1, le=1_000_000)]
Search = Annotated[str, Query(max_length=200)]


def pager_of(path: str, chosen: Mapping[str, str], *, number: int, size: int, total: int) -> Pager:
    """Return where in a list the reader is; `chosen` is what narrows the list down and stays in every address."""
    pages = max(1, -(-total // size))

    def address(page: int) -> str:
        return link_to(path, {**chosen, "page": str(page) if page > 1 else ""})

    previous = address(min(number - 1, pages)) if number > 1 else ""
    return Pager(number, pages, total, previous, address(number + 1) if number < pages else "")


def sorting_column(
    title: str,
    name: str,
    path: str,
    chosen: Mapping[str, str],
    *,
    number: bool = False,
    falling: bool = False,
    meaning: str = "",
) -> Column:
    """Return a column that sorts by a link; a second click turns the order round.

    Numbers, and what is `falling`, begin with the largest.
    """
    now = chosen.get("sort", "")
    first, other = (f"-{name}", name) if number or falling else (name, f"-{name}")
    href = link_to(path, {**chosen, "sort": other if now == first else first})
    return Column(title, href, _order(name, now), number, meaning)


def _order(name: str, now: str) -> Order:
    if now.removeprefix("-") != name:
        return ""
    return "descending" if now.startswith("-") else "ascending"


def link_to(path: str, query: Mapping[str, str]) -> str:
    """Return an address; what is empty is left out of it."""
    said = urlencode({name: value for name, value in query.items() if value})
    return f"{path}?{said}" if said else path
