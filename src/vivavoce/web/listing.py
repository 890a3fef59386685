"""Lists that are paged, sorted and narrowed down by their address.

What an address may ask of a list is said once; page and file share it:

    Asked = Annotated[Listing, asked("search", "owner", sort="name")]
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import Parameter, Signature
from types import MappingProxyType
from typing import Annotated, Any, TypeVar
from urllib.parse import urlencode

from fastapi import Depends, Path, Query

from vivavoce.errors import AbsentError
from vivavoce.messages import say
from vivavoce.web.answers import TABLES
from vivavoce.web.formats import breakable
from vivavoce.web.parts import Column, Pager
from vivavoce.web.rendering import Link, View

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
    def filters(self) -> dict[str, str | None]:
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


def read_listing(*names: str, sort: str | None = None, sorts: Collection[str] = (), size: int = ROWS) -> Any:
    """Return what reads the choices of a list from an address.

    `sort` is the usual order (None: the list has only one); an order that is not among `sorts` is the usual one.
    """

    async def read(**values: Any) -> Listing:
        page, order = values.pop("page"), values.pop("sort", "")
        return Listing("", values, order if not sorts or order in sorts else sort or "", page, size)

    kinds = {name: Search if name in ("search", "q") else Word for name in names}
    parameters = [
        *(Parameter(name, Parameter.KEYWORD_ONLY, default="", annotation=kind) for name, kind in kinds.items()),
        *([Parameter("sort", Parameter.KEYWORD_ONLY, default=sort, annotation=Word)] if sort is not None else []),
        Parameter("page", Parameter.KEYWORD_ONLY, default=1, annotation=PageNumber),
    ]
    read.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return Depends(read)


def facet(  # noqa: PLR0917
    listing: Listing,
    name: str,
    title: str,
    titles: Mapping[str, str],
    counts: Mapping[str, int],
    looks: Mapping[str, tuple[str, str]] = MappingProxyType({}),
    *,
    anchor: str = "",
) -> View:
    """Return a filter: each value with the number of rows that it leaves, and its tone and sign from `looks`.

    To choose a value again takes the filter away.
    """
    chosen, choices = listing.chosen[name], []
    for value, text in titles.items():
        if counts.get(value) or value in ("", chosen):
            tone, sign = looks.get(value, ("", ""))
            href = listing.address(**{name: "" if value == chosen else value}) + anchor
            count = counts.get(value, 0)
            current = value == chosen
            choices.append(View(title=breakable(text), href=href, count=count, current=current, tone=tone, sign=sign))
    return View(title=title, choices=choices)
