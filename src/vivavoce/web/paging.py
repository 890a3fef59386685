"""Long lists on pages: which page is shown, the ways to the others, and columns that sort by a link."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Query

from vivavoce.web.parts import Column, Pager

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
    title: str, name: str, path: str, chosen: Mapping[str, str], *, number: bool = False, meaning: str = ""
) -> Column:
    """Return a column that sorts by its name; a second click turns the order round. Numbers begin with the largest."""
    now = chosen.get("sort", "")
    first = f"-{name}" if number else name
    other = name if number else f"-{name}"
    order = "" if now not in (name, f"-{name}") else "descending" if now.startswith("-") else "ascending"
    href = link_to(path, {**chosen, "sort": other if now == first else first})
    return Column(title, href, order, number, meaning)  # type: ignore[arg-type]


def link_to(path: str, query: Mapping[str, str]) -> str:
    """Return an address; what is empty is left out of it."""
    said = urlencode({name: value for name, value in query.items() if value})
    return f"{path}?{said}" if said else path
