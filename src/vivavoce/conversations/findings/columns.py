"""The lines of a run as columns of numbers, and rates with intervals from sums by scenario."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vivavoce.conversations.result import Line
from vivavoce.conversations.scenario import LEVELS, Kind, Plan
from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Rate
from vivavoce.statistics import Spread, bounded_rate, ratio_spread, student, wilson

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

OUTCOMES = tuple(TurnOutcome)
PLACE = {outcome: place for place, outcome in enumerate(OUTCOMES)}
PASSED = np.array([outcome.passed for outcome in OUTCOMES])
COUNTED = np.array([outcome.counted for outcome in OUTCOMES])
# What the ids of misspelt copies end their original's id with.
TYPO_MARK = re.compile(r"~typo\d*")


@dataclass(frozen=True, eq=False)
class Columns:
    """Lines in a fixed order (bot, script, repeat, turn), and each of their properties as an array.

    `bot` and `script` are places in `bots` and `scripts`; `unit` names one bot on one script, `conversation` one
    repeat of it, `key` a turn of a script in one repeat whatever the bot, `turn` a turn of a script whatever bot and
    repeat.
    """

    lines: tuple[Line, ...]
    bots: tuple[str, ...]
    scripts: tuple[str, ...]
    domains: tuple[str, ...]
    levels: tuple[str, ...]
    bot: Ints
    script: Ints
    unit: Ints
    conversation: Ints
    key: Ints
    turn: Ints
    outcome: Ints
    in_scope: Flags
    typo: Flags
    script_domain: NDArray[np.object_]
    script_level: NDArray[np.object_]
    scenario_cluster: Ints
    script_cluster: Ints
    repeats: int

    @property
    def passed(self) -> Flags:
        """Whether each turn went as it should."""
        return PASSED[self.outcome]

    @property
    def counted(self) -> Flags:
        """Whether each turn enters a rate."""
        return COUNTED[self.outcome]

    @property
    def units(self) -> int:
        """How many pairs of a bot and a script there can be."""
        return len(self.bots) * len(self.scripts)

    def is_outcome(self, outcome: TurnOutcome) -> Flags:
        """Tell which turns came to this outcome."""
        return np.asarray(self.outcome == PLACE[outcome])

    def scripts_in(self, domain: str, level: str) -> Flags:
        """Tell which scripts belong to a domain and a level; an empty name means all of them."""
        everywhere = np.ones(len(self.scripts), dtype=bool)
        own = self.script_domain == domain if domain else everywhere
        return np.asarray(own & (self.script_level == level if level else everywhere), dtype=bool)

    def clusters(self, scripts: Flags) -> Ints:
        """Return the cluster of each script, for scripts of one slice: its scenario, or itself if there is but one.

        Rows of one scenario, repeats and misspelt copies stand or fall together, so they are drawn together.
        """
        several = len(np.unique(self.scenario_cluster[scripts])) > 1
        return self.scenario_cluster if several else self.script_cluster


def columns_of(lines: Iterable[Line], bots: Sequence[str], plan: Plan) -> Columns:
    """Return lines as columns. The order in which they come makes no difference to anything."""
    every = list(lines)
    names = tuple(dict.fromkeys((*bots, *sorted({line.key.bot for line in every}))))
    script_of = {line.key.script: line for line in every}
    planned = [script.id for script in plan.scripts if script.id in script_of]
    scripts = tuple(dict.fromkeys((*planned, *sorted(script_of))))
    bot_place, place = ({name: number for number, name in enumerate(each)} for each in (names, scripts))
    ordered = tuple(
        sorted(
            every, key=lambda line: (bot_place[line.key.bot], place[line.key.script], line.key.repeat, line.number)
        )
    )
    heads = [script_of[script] for script in scripts]
    # From easy to hard; levels that are not known as such follow in their own order.
    levels = dict.fromkeys(head.level for head in heads if head.level)
    known = [level for level in LEVELS if level in levels]
    scenario_of = {script.id: script.scenario for script in plan.scripts}
    scenario_of |= {script: head.scenario for script, head in zip(scripts, heads, strict=True)}
    bot = np.array([bot_place[line.key.bot] for line in ordered], dtype=np.int64)
    script = np.array([place[line.key.script] for line in ordered], dtype=np.int64)
    repeat = np.array([line.key.repeat for line in ordered], dtype=np.int64)
    number = np.array([line.number for line in ordered], dtype=np.int64)
    repeats, longest = int(repeat.max(initial=0)) + 1, int(number.max(initial=0)) + 1
    unit = bot * len(scripts) + script
    return Columns(
        lines=ordered,
        bots=names,
        scripts=scripts,
        domains=tuple(dict.fromkeys(head.domain for head in heads if head.domain)),
        levels=tuple(dict.fromkeys((*known, *levels))),
        bot=bot,
        script=script,
        unit=unit,
        conversation=unit * repeats + repeat,
        key=(script * repeats + repeat) * longest + number,
        turn=script * longest + number,
        outcome=np.array([PLACE[line.verdict.outcome] for line in ordered], dtype=np.int64),
        in_scope=np.array([line.verdict.in_scope for line in ordered], dtype=bool),
        typo=np.array([line.kind == Kind.TYPO for line in ordered], dtype=bool),
        script_domain=np.array([head.domain for head in heads], dtype=object),
        script_level=np.array([head.level for head in heads], dtype=object),
        scenario_cluster=_clusters(ordered, scripts, scenario_of),
        script_cluster=_clusters(ordered, scripts, {script: script for script in scenario_of}),
        repeats=repeats,
    )


def sum_by(places: Ints, values: Flags | Ints | Floats | None, size: int) -> Floats:
    """Return the sum of the values at each place; without values, how many there are."""
    return np.bincount(places, weights=values, minlength=size).astype(np.float64)


def gather(rows: Ints, table: Floats) -> Floats:
    """Return the sums of a table's rows by cluster."""
    sums = np.zeros((int(rows.max()) + 1, table.shape[1]))
    np.add.at(sums, rows, table)
    return sums


def quotients(hits: Floats, n: Floats) -> Floats:
    """Return hits / n, and NaN for 0/0."""
    return np.asarray(np.divide(hits, n, out=np.full(np.broadcast(hits, n).shape, np.nan), where=n > 0))


def _clusters(lines: Sequence[Line], scripts: Sequence[str], group: Mapping[str, str]) -> Ints:
    """Return a cluster number for each script: those of one group, and those joined by a misspelt copy, share one."""
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while (up := parent.setdefault(name, name)) != name:
            name = up
        return name

    def group_of(script: str) -> str:
        return TYPO_MARK.sub("", group.get(script, script))

    for own, other in {(line.key.script, line.twin[0]) for line in lines if line.twin}:
        low, high = sorted((root(group_of(own)), root(group_of(other))))
        parent[high] = low
    number: dict[str, int] = {}
    roots = [root(group_of(script)) for script in scripts]
    return np.array([number.setdefault(name, len(number)) for name in roots], dtype=np.int64)


def rate_of(hits: Floats, n: Floats) -> Rate:
    """Return a share with its interval, from the sums of each cluster.

    Wilson's where each cluster adds one item at most; else with the variance between clusters (`bounded_rate`).
    """
    total, items = float(hits.sum()), float(n.sum())
    count = round(items)
    if not items:
        return Rate(None, None, None, count)
    if n.max() <= 1 and np.isin(hits, (0, 1)).all():
        return wilson(total, count)
    return bounded_rate(total / items, ratio_spread(hits, n), count)


def time_of(total: Floats, n: Floats) -> Rate:
    """Return a mean time with its interval: Student's t on the logarithm, for times are skewed and never below 0."""
    items, spread = float(n.sum()), ratio_spread(total, n)
    if not items:
        return Rate(None, None, None, 0)
    value = float(total.sum()) / items
    if spread.units < 2 or not value or not spread.variance:
        return Rate(value, None, None, round(items))
    reach = math.exp(student(spread.freedom) * math.sqrt(spread.variance) / value)
    return Rate(value, value / reach, value * reach, round(items))


def jackknife_rate(value: float, without: Floats, n: int) -> Rate:
    """Return a number between 0 and 1 that is no ratio, from its values without each cluster in turn."""
    known = without[~np.isnan(without)]
    clusters = len(known)
    if clusters < 2:
        return Rate(value, None, None, n)
    variance = (clusters - 1) / clusters * float(((known - known.mean()) ** 2).sum())
    telling = float(np.count_nonzero(known != value))
    return bounded_rate(value, Spread(variance, clusters, telling, clusters - 1), n)
