"""The seven numbers as small pictures, one for each: levels from left to right, bots by colour and shape.

What is drawn is computed here; the template `multiples.html` writes it, for pages and reports alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from vivavoce.conversations.result import ALL, Cell, ConversationsResult
from vivavoce.records import Rate
from vivavoce.reports.conversations.meanings import SEVEN, measure_of, number_of, too_few
from vivavoce.reports.conversations.tables import cells_by_level
from vivavoce.reports.shared.measures import Measure
from vivavoce.reports.shared.numbers import ENGLISH, Writer

WIDTH, HEIGHT = 220, 160
LEFT, RIGHT, TOP, BOTTOM = 34, 214, 10, 132
# How far the bots of one level stand apart, together.
SPREAD = 0.5

Address = Callable[[Cell, str], str]


@dataclass(frozen=True, slots=True)
class Dot:
    """The value of a bot at a level: where it is, its whisker, and what it says. `place` counts the bots from 0."""

    place: int
    x: float
    y: float
    low: float | None
    high: float | None
    hollow: bool
    label: str = ""
    href: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """One number: lines join the dots of a bot; `ticks` are heights with their texts, `levels` places with theirs."""

    measure: Measure
    dots: tuple[Dot, ...]
    lines: tuple[tuple[int, str], ...]
    ticks: tuple[tuple[float, str], ...]
    levels: tuple[tuple[float, str], ...]


def draw_multiples(
    result: ConversationsResult,
    domain: str = ALL,
    *,
    write: Writer = ENGLISH,
    name_level: Callable[[str], str] = str,
    address: Address = lambda _cell, _name: "",
) -> tuple[Panel, ...]:
    """Return a picture for each of the seven numbers that was measured in a domain."""
    cells = [_levels_of(result, bot.name, domain) for bot in result.header.bots]
    levels = list(dict.fromkeys(cell.level for own in cells for cell in own))
    if not levels:
        return ()
    places = {level: LEFT + (RIGHT - LEFT) * (number + 0.5) / len(levels) for number, level in enumerate(levels)}
    titles = tuple((x, name_level(level) if level else "") for level, x in places.items())
    panels = []
    for name in SEVEN:
        scale, ticks = _scale_of([number_of(cell, name) for own in cells for cell in own], name, write)
        step = (RIGHT - LEFT) / len(levels) * SPREAD / max(1, len(cells) - 1)
        dots: list[Dot] = []
        for place, own in enumerate(cells):
            offset = (place - (len(cells) - 1) / 2) * step
            for cell in own:
                rate = number_of(cell, name)
                if rate.value is not None:
                    dot = _make_dot(place, places[cell.level] + offset, rate, scale)
                    label = _describe(cell, name, write, name_level)
                    dots.append(replace(dot, label=label, href=address(cell, name)))
        panels.append(Panel(measure_of(name), tuple(dots), _join_dots(dots, len(cells)), ticks, titles))
    return tuple(panels)


def _levels_of(result: ConversationsResult, bot: str, domain: str) -> list[Cell]:
    """Return the cells of a bot by level; where there is one level, that of all."""
    cells = cells_by_level(result, bot, domain)
    return cells[1:] or cells


def _make_dot(place: int, x: float, rate: Rate, scale: Callable[[float], float]) -> Dot:
    few = too_few(rate)
    known = rate.low is not None and rate.high is not None and not few
    low, high = (scale(rate.low or 0.0), scale(rate.high or 0.0)) if known else (None, None)
    return Dot(place, round(x, 1), scale(rate.value or 0.0), low, high, few)


def _join_dots(dots: Sequence[Dot], bots: int) -> tuple[tuple[int, str], ...]:
    lines = []
    for place in range(bots):
        own = [dot for dot in dots if dot.place == place]
        if len(own) > 1:
            lines.append((place, " ".join(f"{dot.x:g},{dot.y:g}" for dot in own)))
    return tuple(lines)


def _describe(cell: Cell, name: str, write: Writer, name_level: Callable[[str], str]) -> str:
    """Return what a dot says: bot, level, value, interval, count."""
    value, around, counted = write.parts(number_of(cell, name), measure_of(name))
    about = ", ".join(filter(None, (cell.bot, name_level(cell.level) if cell.level else "")))
    return f"{about}: {value}" + (f" ({', '.join(filter(None, (around, counted)))})" if around or counted else "")


def _scale_of(
    rates: Sequence[Rate], name: str, write: Writer
) -> tuple[Callable[[float], float], tuple[tuple[float, str], ...]]:
    """Return the way from a value to its height, and the ticks: shares from 0 to 100, times by powers of ten."""
    if name != "time":

        def place_share(value: float) -> float:
            return round(BOTTOM - (BOTTOM - TOP) * min(1.0, max(0.0, value)), 1)

        return place_share, tuple((place_share(share), write.number(100 * share)) for share in (0.0, 0.5, 1.0))
    ends = [end for rate in rates for end in (rate.value, rate.low, rate.high) if end is not None and end > 0]
    first = math.floor(math.log10(min(ends, default=1.0)))
    last = max(first + 1, math.ceil(math.log10(max(ends, default=10.0))))

    def place_time(value: float) -> float:
        power = math.log10(max(value, 10.0**first))
        return round(BOTTOM - (BOTTOM - TOP) * (min(power, last) - first) / (last - first), 1)

    powers = range(first, last + 1, max(1, math.ceil((last - first) / 4)))
    return place_time, tuple((place_time(10.0**power), _write_time(10.0**power, write)) for power in powers)


def _write_time(milliseconds: float, write: Writer) -> str:
    """Write a power of ten, from a second on in seconds."""
    if milliseconds >= 1000:
        return f"{write.number(milliseconds / 1000)} s"
    return write.number(milliseconds, 1 if milliseconds < 1 else 0)
