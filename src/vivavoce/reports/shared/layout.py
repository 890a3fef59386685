"""How results are laid out in the terminal: lines that stay readable, headings, lists and plain tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vivavoce.records import Rate
from vivavoce.reports.shared.numbers import ENGLISH, Kind

WIDEST = 100


def block(content: str | RenderableType, style: str = "", *, indent: int = 0) -> RenderableType:
    """Return a paragraph that is not wider than lines are easily read."""
    frame = Table.grid(padding=0)
    frame.add_column(max_width=WIDEST - indent, overflow="fold")
    frame.add_row(Text(content, style=style) if isinstance(content, str) else content)
    return Padding(frame, (0, 0, 0, indent))


def heading(title: str, aside: str = "") -> RenderableType:
    """Return a title with a line under it."""
    lines: list[RenderableType] = [Text(), Text(title, style="bold underline")]
    return Group(*lines, block(aside), Text()) if aside else Group(*lines)


def bullets(lines: Iterable[str]) -> RenderableType:
    """Return a list."""
    table = Table.grid(padding=(0, 1))
    table.add_column()
    table.add_column(max_width=WIDEST - 2, overflow="fold")
    for line in lines:
        table.add_row("•", Text(line))
    return table


def plain_table() -> Table:
    """Return an empty table without frame."""
    return Table(box=box.SIMPLE_HEAD, padding=(0, 1), show_edge=False, pad_edge=False)


def numbers_table(head: Sequence[str], rows: Iterable[Sequence[str | Text]], *, words: int = 1) -> Table:
    """Return a table without frame; all columns but the first `words` are set right."""
    table = plain_table()
    for place, title in enumerate(head):
        table.add_column(title, justify="left" if place < words else "right", overflow="fold")
    for row in rows:
        # Topics and texts come from a file and may look like markup.
        table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    return table


def rate_cell(rate: Rate, kind: Kind = "share", style: str = "bold") -> Text:
    """Return a value over its interval, or n/a."""
    return stack(
        ENGLISH.value(rate.value, kind), ENGLISH.interval(rate, kind), style if rate.value is not None else "dim"
    )


def stack(value: str, around: str, style: str = "") -> Text:
    """Return a value over what is known about it."""
    return Text.assemble((value, style), *([("\n" + around, "dim")] if around else []))
