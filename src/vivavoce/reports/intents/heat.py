"""Which topic is mistaken for which, as tinted tables: one for all topics, or one for each group of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from vivavoce.intents.clusters import group_confused
from vivavoce.intents.findings import SettingFindings
from vivavoce.messages import say

# As many topics as a page is wide, and as a group is easy to look at.
MAX_WIDE, MAX_GROUP = 16, 10
MAX_GROUPS = 6
# A topic that loses half of its questions to another one has the strongest tint.
STRONGEST = 0.5

# How many questions of a topic (empty: out of scope) were answered with a topic.
Answered = Mapping[tuple[str, str], int]
Address = Callable[[str, str], str]


class HeatCell(NamedTuple):
    """A share of a row; `css` is its tint, `label` says it in words, `href` leads to its questions."""

    text: str
    css: str
    label: str
    href: str = ""
    current: bool = False


class HeatRow(NamedTuple):
    """Where the questions of a topic went: one cell for each column, None where there were none."""

    title: str
    total: int
    cells: tuple[HeatCell | None, ...]


class Heat(NamedTuple):
    """A tinted table; `wrong`: how many questions went to a wrong topic in it."""

    topics: tuple[str, ...]
    rows: tuple[HeatRow, ...]
    wrong: int


class Counted(NamedTuple):
    """The answers of an exam: how many questions each topic had, and which topic answered how many of them."""

    answered: Answered
    totals: Mapping[str, int]


def build_heat(
    counted: Counted,
    *,
    address: Address | None = None,
    current: tuple[str, str] | None = None,
    most: int = MAX_GROUPS,
) -> tuple[Heat, ...]:
    """Return the tables to look at, the costliest first; none where no topic was mistaken for another."""
    inside = {pair: n for pair, n in counted.answered.items() if pair[0]}
    groups = group_confused(inside, MAX_WIDE)
    if len(groups) > 1:
        groups = group_confused(inside, MAX_GROUP)[:most]
    return tuple(_build_table(counted, group, address, current) for group in groups)


def count_tests(findings: SettingFindings) -> Counted:
    """Count the answers of an exam by test, from its findings."""
    answered: dict[tuple[str, str], int] = {}
    totals: dict[str, int] = {}
    for cell in findings.confusion:
        origin = "" if cell.negative else cell.origin or ""
        totals[origin] = totals.get(origin, 0) + cell.answered + cell.deferred
        if cell.guess is not None and cell.answered:
            pair = (origin, cell.guess)
            answered[pair] = answered.get(pair, 0) + cell.answered
    return Counted(answered, totals)


def _build_table(
    counted: Counted, group: Sequence[str], address: Address | None, current: tuple[str, str] | None
) -> Heat:
    rows = [_build_row(counted, origin, group, address, current) for origin in group]
    wrong = sum(counted.answered.get((a, b), 0) for a in group for b in group if a != b)
    if any(counted.answered.get(("", topic)) for topic in group):
        rows.append(_build_row(counted, "", group, address, current))
    return Heat(tuple(group), tuple(rows), wrong)


def _build_row(
    counted: Counted,
    origin: str,
    group: Sequence[str],
    address: Address | None,
    current: tuple[str, str] | None,
) -> HeatRow:
    total = counted.totals.get(origin, 0)
    cells: list[HeatCell | None] = []
    for guess in group:
        count = counted.answered.get((origin, guess), 0)
        if not count:
            cells.append(None)
            continue
        share, right = count / total, origin == guess
        level = math.ceil(10 * min(1.0, share if right else share / STRONGEST))
        href = address(origin, guess) if address else ""
        label = name_cell(origin, guess, count, total)
        css = f"{'good' if right else 'bad'} h{level}"
        cells.append(HeatCell(f"{100 * share:.0f}", css, label, href, current == (origin, guess)))
    return HeatRow(origin, total, tuple(cells))


def name_cell(origin: str, guess: str, count: int, total: int) -> str:
    """Say what a cell stands for."""
    numbers = {"count": count, "total": total}
    if origin == guess:
        return say("{topic}: {count:,} of {total:,} answered correctly", topic=origin, **numbers)
    if not origin:
        return say("Out of scope, mistaken for {guess}: {count:,} of {total:,}", guess=guess, **numbers)
    return say("{origin} mistaken for {guess}: {count:,} of {total:,}", origin=origin, guess=guess, **numbers)
