"""Lists that are paged, sorted and narrowed down by their address.

What an address may ask of a list is said once, by a function that page and file share:

    async def _asked(search: Search = "", sort: Word = "name", page: PageNumber = 1) -> Listing:
        return Listing("", {"search": search}, sort, page)

    Asked = Annotated[Listing, Depends(_asked)]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, TypeVar
from urllib.parse import urlencode

from fastapi import Path, Query

from vivavoce.errors import AbsentError
from vivavoce.messages import say
from vivavoce.web.answers import TABLES
from vivavoce.web.parts import Column, Field, Pager
from vivavoce.web.parts import Row as TableRow
from vivavoce.web.rendering import Link

ROWS = 50
LARGEST = 2**31 - 1
MAX_PAGES = 10_000_000
PageNumber = Annotated[int, Query(alias="page", ge=1, le=MAX_PAGES)]
Number = Annotated[int, Path(ge=1, le=LARGEST)]
Search = Annotated[str, Query(max_length=200)]
Word = Annotated[str, Query(max_length=400)]
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of a list: where it lives, what narrows it down, and how it is sorted ("-name" the other way).

    As an address asks for it, it lives nowhere yet: `at` says where.
    """

    path: str
    chosen: Mapping[str, str] = field(default_factory=dict)
    sort: str = ""
    page: int = 1
    size: int = ROWS

    @property
    def offset(self) -> int:
        """How many rows come before this page."""
        return (self.page - 1) * self.size

    @property
    def wanted(self) -> dict[str, str | None]:
        """What narrows the list down, for those who look for it: what is empty narrows nothing."""
        return {name: value or None for name, value in self.chosen.items()}

    def at(self, path: str) -> Listing:
        """Return the same choices for the list that lives there."""
        return replace(self, path=path)

    def address(self, **changes: str) -> str:
        """Return the address of the same list with other choices; what is empty is left out."""
        choices = {**self.chosen, "sort": self.sort, **changes}
        query = urlencode({name: value for name, value in choices.items() if value})
        return f"{self.path}?{query}" if query else self.path

    def pager(self, total: int) -> Pager:
        """Return where in the list the reader is."""
        pages = max(1, -(-total // self.size))

        def other(number: int) -> str:
            return self.address(page="" if number == 1 else str(number)) if 1 <= number <= pages else ""

        return Pager(self.page, pages, total, other(min(self.page, pages + 1) - 1), other(self.page + 1))

    def column(self, title: str, name: str, *, number: bool = False, meaning: str = "", down: bool = False) -> Column:
        """Return the head of a column that sorts; `down`: the largest first at the first click."""
        order = {name: "ascending", f"-{name}": "descending"}.get(self.sort, "")
        first, second = (f"-{name}", name) if down else (name, f"-{name}")
        href = self.address(sort=second if self.sort == first else first)
        return Column(title, href, order, number, meaning)  # type: ignore[arg-type]

    def cut(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """Return the rows of this page, where all rows of the list are at hand."""
        return tuple(rows[self.offset : self.offset + self.size])

    def file(self, kind: str) -> str:
        """Return the address of the whole list as a file: `path.csv`, `path.xlsx`."""
        return f"{self.path}.{kind}{self.address().removeprefix(self.path)}"

    def downloads(self) -> tuple[Link, ...]:
        """Return the links to the whole list as files."""
        return tuple(Link(kind.upper(), self.file(kind)) for kind in TABLES)


def check_ending(name: str, ending: str) -> None:
    """Refuse a file that a list is not given as, before any work is done for it."""
    if ending not in TABLES:
        raise AbsentError(
            say("nothing found at this address"), remedy=say("download {name}.csv or {name}.xlsx", name=name)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListView:
    """What every page of a list shows: what narrows it down, some of its rows, the other pages, and files."""

    lead: str
    path: str
    fields: tuple[Field, ...]
    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]
    pager: Pager
    downloads: tuple[Link, ...]
