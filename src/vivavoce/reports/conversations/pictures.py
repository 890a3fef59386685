"""Pictures of a run, computed here and written by the templates of pages and reports alike.

The seven numbers as small multiples (levels from left to right, bots by colour and shape) and as a heat table (a tint
for each share, the best in bold), and the differences between bots on one axis with a zero line.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from vivavoce.conversations.result import ALL, Cell, Comparison, ConversationsResult
from vivavoce.messages import say
from vivavoce.records import Rate
from vivavoce.reports.conversations import wording
from vivavoce.reports.conversations.meanings import MIN_TURNS, SEVEN, measure_of, number_of, too_few
from vivavoce.reports.conversations.tables import cells_by_level
from vivavoce.reports.conversations.verdicts import few_scenarios, winner
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
    # By level; where there is one level, that of all.
    totals = (cells_by_level(result, bot.name, domain) for bot in result.header.bots)
    cells = [own[1:] or own for own in totals]
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
                    about = _describe(cell, name, write, name_level), address(cell, name)
                    dots.append(_make_dot(place, places[cell.level] + offset, rate, scale, *about))
        panels.append(Panel(measure_of(name), tuple(dots), tuple(_join_dots(dots)), ticks, titles))
    return tuple(panels)


def _make_dot(place: int, x: float, rate: Rate, scale: Callable[[float], float], *about: str) -> Dot:
    few = too_few(rate)
    known = rate.low is not None and rate.high is not None and not few
    low, high = (scale(rate.low or 0.0), scale(rate.high or 0.0)) if known else (None, None)
    return Dot(place, round(x, 1), scale(rate.value or 0.0), low, high, few, *about)


def _join_dots(dots: Sequence[Dot]) -> Iterator[tuple[int, str]]:
    for place, group in groupby(dots, key=lambda dot: dot.place):
        own = [f"{dot.x:g},{dot.y:g}" for dot in group]
        if len(own) > 1:
            yield place, " ".join(own)


def _describe(cell: Cell, name: str, write: Writer, name_level: Callable[[str], str]) -> str:
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
    # From a second on in seconds.
    texts = (
        f"{write.number(10.0 ** (power - 3))} s" if power >= 3 else write.number(10.0**power, int(power < 0))
        for power in powers
    )
    return place_time, tuple(zip((place_time(10.0**power) for power in powers), texts, strict=True))


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
            rates = [number_of(cell, name) for cell in cells if cell.level == level]
            values = {rate.value for rate in rates if rate.value is not None and not too_few(rate)}
            if better != "neither" and len(values) > 1:
                best[level, name] = max(values) if better == "higher" else min(values)
    return best


def heat_domains(result: ConversationsResult, chosen: str) -> list[str]:
    """Return the domains that the table shows: the chosen one, or all together and then each."""
    domains = list(dict.fromkeys(cell.domain for cell in result.cells if cell.domain != ALL))
    return [chosen] if chosen or len(domains) < 2 else [ALL, *domains]


# Distances between ticks in points, of which the first that gives few enough is taken.
STEPS = (5, 10, 20, 25, 50)
MAX_TICKS = 6
# Room at both ends, in percent of the width, so that the outermost dots are whole.
ROOM = 2.0


class Tick(NamedTuple):
    """A line of the axis: its place in percent of the width, and its text."""

    x: float
    text: str
    zero: bool


class Gap(NamedTuple):
    """How far one bot is ahead of another: places in percent of the width, and the same in words."""

    name: str
    at: float
    low: float | None
    high: float | None
    points: str
    around: str
    real: bool
    verdict: str


class Gaps(NamedTuple):
    """All differences on one axis."""

    rows: tuple[Gap, ...]
    ticks: tuple[Tick, ...]


def draw_differences(result: ConversationsResult, domain: str = ALL, word: Callable[[str], str] = str) -> Gaps:
    """Return the differences in correct turns in a domain, each seen from the bot that is ahead.

    `word` translates a text. Intervals end where two shares cannot lie further apart.
    """
    order = [cell.bot for cell in wording.rank_cells(result)]
    pairs = [
        (_see_from_ahead(each), each)
        for each in result.comparisons
        if (each.domain, each.level) == (domain, ALL) and each.difference is not None
    ]
    pairs.sort(key=lambda pair: [order.index(bot) if bot in order else len(order) for bot in pair[0][:2]])
    ends = [0.0, *(end for seen, _ in pairs for end in seen[2:] if end is not None)]
    step = next((step for step in STEPS if (max(ends) - min(ends)) * 100 / step <= MAX_TICKS - 1), STEPS[-1])
    first, last = math.floor(min(ends) * 100 / step) * step, max(step, math.ceil(max(ends) * 100 / step) * step)

    def place(points: float) -> float:
        return round(ROOM + (100 - 2 * ROOM) * (100 * points - first) / (last - first), 2)

    rows = tuple(
        Gap(
            f"{ahead} − {behind}",
            place(value),
            None if low is None else place(low),
            None if high is None else place(high),
            word(_points(value)),
            word(
                "" if low is None or high is None else say("{low:.0f} to {high:.0f}", low=100 * low, high=100 * high)
            ),
            winner(comparison) is not None,
            word(_judge(comparison)),
        )
        for (ahead, behind, value, low, high), comparison in pairs
    )
    ticks = tuple(
        Tick(place(points / 100), word(_points(points / 100)), points == 0) for points in range(first, last + 1, step)
    )
    return Gaps(rows, ticks)


def _see_from_ahead(comparison: Comparison) -> tuple[str, str, float, float | None, float | None]:
    """Return both bots, the one ahead first, and how far, with an interval that leaves out what cannot be."""
    value, low, high = comparison.difference or 0.0, comparison.low, comparison.high
    if comparison.turns < MIN_TURNS or low == high:
        low = high = None
    if value < 0:
        low, high = (None if high is None else -high), (None if low is None else -low)
    ahead, behind = (comparison.a, comparison.b) if value >= 0 else (comparison.b, comparison.a)
    low, high = (None if low is None else max(-1.0, low)), (None if high is None else min(1.0, high))
    return ahead, behind, abs(value), low, high


def _judge(comparison: Comparison) -> str:
    if winner(comparison):
        return say("real")
    return say("too few scenarios to tell") if few_scenarios(comparison) else say("may be chance")


def _points(value: float) -> str:
    return "0" if round(100 * value) == 0 else say("{points:+.0f}", points=100 * value)
