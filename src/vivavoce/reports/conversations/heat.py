"""The seven numbers as a heat table: domains, bots and levels down, a tint for each share, the best in bold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from vivavoce.conversations.result import ALL, Cell, ConversationsResult
from vivavoce.records import Rate
from vivavoce.reports.conversations.meanings import SEVEN, measure_of, number_of, too_few
from vivavoce.reports.conversations.tables import cells_by_level
from vivavoce.reports.shared.numbers import ENGLISH, Writer

Address = Callable[[Cell, str], str]


class HeatCell(NamedTuple):
    """A number: its text, what is shown on demand, where it leads, why it is missing, and its classes."""

    text: str
    small: str
    href: str
    title: str
    css: str


class HeatRow(NamedTuple):
    """A bot in all levels, `place` counted from 0, or one of its levels."""

    cell: Cell
    place: int
    whole: bool
    numbers: tuple[HeatCell, ...]


class HeatGroup(NamedTuple):
    """A domain, or all of them."""

    domain: str
    rows: tuple[HeatRow, ...]


def build_heat(
    result: ConversationsResult,
    domains: Iterable[str],
    *,
    write: Writer = ENGLISH,
    word: Callable[[str], str] = str,
    address: Address = lambda _cell, _name: "",
) -> tuple[HeatGroup, ...]:
    """Return the table of some domains; the best of a level is that of its domain."""
    groups = []
    for domain in domains:
        cells = [cells_by_level(result, bot.name, domain) for bot in result.header.bots]
        best = _find_best([cell for own in cells for cell in own])
        rows = [
            HeatRow(
                cell,
                place,
                cell is own[0],
                tuple(_write_cell(cell, name, best, write, word, address) for name in SEVEN),
            )
            for place, own in enumerate(cells)
            for cell in own
        ]
        groups.append(HeatGroup(domain, tuple(rows)))
    return tuple(groups)


def _write_cell(  # noqa: PLR0917
    cell: Cell,
    name: str,
    best: dict[tuple[str, str], float],
    write: Writer,
    word: Callable[[str], str],
    address: Address,
) -> HeatCell:
    rate, measure = number_of(cell, name), measure_of(name)
    if rate.value is None:
        return HeatCell(write.number(None), "", "", word(measure.absent), "few")
    value, around, counted = write.parts(rate, measure)
    few = too_few(rate)
    tint = f"h{round(10 * rate.value)}" if measure.kind == "share" and measure.better == "higher" and not few else ""
    first = "best" if not few and best.get((cell.level, name)) == rate.value else ""
    css = " ".join(filter(None, ("few" if few else "", tint, first)))
    return HeatCell(value, ", ".join(filter(None, (around, counted))), address(cell, name), "", css)


def _find_best(cells: Sequence[Cell]) -> dict[tuple[str, str], float]:
    """Return the best value of each level and number that has a best, where there is something to be better than."""
    best: dict[tuple[str, str], float] = {}
    for name in SEVEN:
        better = measure_of(name).better
        for level in {cell.level for cell in cells}:
            values = [_comparable(number_of(cell, name)) for cell in cells if cell.level == level]
            known = [value for value in values if value is not None]
            if better != "neither" and len(known) > 1 and len(set(known)) > 1:
                best[level, name] = max(known) if better == "higher" else min(known)
    return best


def _comparable(rate: Rate) -> float | None:
    return None if too_few(rate) else rate.value


def heat_domains(result: ConversationsResult, chosen: str) -> list[str]:
    """Return the domains that the table shows: the chosen one, or all together and then each."""
    domains = list(dict.fromkeys(cell.domain for cell in result.cells if cell.domain != ALL))
    return [chosen] if chosen or len(domains) < 2 else [ALL, *domains]
