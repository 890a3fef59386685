"""Pages of a long list and columns that sort it, as links."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from vivavoce.web.parts import Column, Pager


def pager_of(path: str, chosen: Mapping[str, str], number: int, rows: int, total: int) -> Pager:
    """Return where in a list the reader is; `chosen` is what narrows it down and sorts it."""
    pages = max(1, -(-total // rows))

    def address(other: int) -> str:
        return f"{path}?{urlencode({**chosen, 'number': other})}" if 1 <= other <= pages else ""

    return Pager(number, pages, total, address(min(number, pages + 1) - 1), address(number + 1))


def sorting_column(title: str, name: str, path: str, chosen: Mapping[str, str]) -> Column:
    """Return the head of a column that sorts by it, and the other way round where it does already."""
    current = chosen.get("sort") == name
    falling = chosen.get("order") == "descending"
    turned = "descending" if current and not falling else "ascending"
    href = f"{path}?{urlencode({**chosen, 'sort': name, 'order': turned})}"
    if not current:
        return Column(title, href)
    return Column(title, href, "descending" if falling else "ascending")
