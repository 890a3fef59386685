"""What templates are given to show: tables, cells and tiles, the same for reports and pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from vivavoce.records import Rate
from vivavoce.reports.shared.measures import Measure
from vivavoce.reports.shared.numbers import ENGLISH, TOO_FEW

Order = Literal["", "ascending", "descending"]
SHARE = Measure("share", "Share", "A share of all.", "neither")


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column: `href` sorts by it or leads to its meaning, `order` says how it is sorted now."""

    title: str
    href: str = ""
    order: Order = ""
    number: bool = False
    meaning: str = ""


class Cell(NamedTuple):
    """A cell that holds more than a word: what stands under the text, a link, and what is under the pointer."""

    text: str
    small: str = ""
    href: str = ""
    title: str = ""
    css: str = ""
    more: str = ""


Cells = Sequence[object]


class Table(NamedTuple):
    """A table: the first cell of a row names it."""

    caption: str
    columns: tuple[Column, ...]
    rows: list[Cells]


def make_table(caption: str, head: Iterable[object], rows: Iterable[Cells], numbers: int = 0) -> Table:
    """Return a table whose last `numbers` columns are set right; a measure in the head leads to its meaning."""
    titles = list(head)
    first = len(titles) - numbers
    columns = tuple(make_column(title, number=place >= first) for place, title in enumerate(titles))
    return Table(caption, columns, list(rows))


def make_column(title: object, *, number: bool = False) -> Column:
    """Return the head of a column."""
    if isinstance(title, Column):
        return title
    if isinstance(title, Measure):
        return Column(title.column, f"#m-{title.name}", number=number, meaning=title.meaning)
    return Column(str(title), number=number)


def rate_cell(rate: Rate, measure: Measure | None = None, css: str = "") -> Cell:
    """Return a value with its interval under it."""
    value, around, _ = ENGLISH.parts(rate, measure or SHARE)
    return Cell(value, around, css=css)


class Tile(NamedTuple):
    """One number, large; `unsure`: its interval says so little that words stand in its place."""

    value: str
    name: str
    around: str = ""
    meaning: str = ""
    unsure: bool = False
    href: str = ""
    # The values of earlier runs, oldest first.
    history: Sequence[float] = ()


def make_tile(
    rate: Rate, measure: Measure, around: str, *, name: str = "", meaning: str = "", span: float = 1
) -> Tile:
    """Return the tile of a rate; `span`: how far apart two values can be."""
    unsure = rate.tells_little(span)
    value = TOO_FEW if unsure else ENGLISH.value(rate.value, measure.kind)
    return Tile(value, name or measure.title, around, meaning, unsure)
