"""One bot in one domain at one level: sums over its scripts, and intervals from how scenarios differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from vivavoce.conversations.findings.cluster_rates import jackknife_rate, rate_of, time_of
from vivavoce.conversations.findings.columns import Columns, Flags, Floats, Ints
from vivavoce.conversations.findings.draws import gather
from vivavoce.conversations.findings.times import Clock, clock_of, times_in
from vivavoce.conversations.findings.topics import ASKED, KINDS, TopicCounts, count_topics, macro_f1, macro_f1_without
from vivavoce.conversations.findings.typo_pairs import twins_of
from vivavoce.conversations.findings.units import F1, TIME, Units, units_of
from vivavoce.conversations.result import ALL, Cell
from vivavoce.outcomes import TurnCounts, f1_of
from vivavoce.records import Rate

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# More turns than this that could not be run, and the cell is not complete.
MOST_ERRORS = 0.05
NOTHING = Rate(None, None, None, 0)


@dataclass(frozen=True, eq=False)
class Exam:
    """Everything that cells are made from, computed once for a run."""

    columns: Columns
    sources: Mapping[str, str]

    @cached_property
    def units(self) -> Units:
        """Sums for each bot on each script."""
        return units_of(self.columns)

    @cached_property
    def clock(self) -> Clock:
        """Times of each line."""
        return clock_of(self.columns)

    @cached_property
    def topics(self) -> TopicCounts:
        """Counts of topics for each bot on each script."""
        return count_topics(self.columns)


def make_cells(exam: Exam) -> tuple[Cell, ...]:
    """Return a cell for each bot, domain and level, the totals first."""
    columns = exam.columns
    rates: dict[bytes, list[Mapping[str, Rate]]] = {}
    cells: list[Cell] = []
    for domain in (ALL, *columns.domains):
        for level in (ALL, *columns.levels):
            scripts = columns.scripts_in(domain, level)
            if not scripts.any() and (domain or level):
                continue
            # A suite with one domain has the same cells with and without it: they are computed once.
            name = scripts.tobytes()
            if name not in rates:
                rates[name] = _rates(exam, scripts)
            cells += [
                _cell(exam, bot, (domain, level), scripts, rates[name][bot]) for bot in range(len(columns.bots))
            ]
    order = {bot: place for place, bot in enumerate(columns.bots)}
    return tuple(sorted(cells, key=lambda cell: order[cell.bot]))


def source_of(reports_intent: bool, columns: Columns, bot: str) -> str:
    """Tell whether a bot names its topics or they are judged by its replies alone."""
    named = reports_intent or any(line.verdict.intent is not None for line in columns.lines if line.key.bot == bot)
    return "bot" if named else "reply_only"


# --- rates with intervals ----------------------------------------------------------------------------------


def _rates(exam: Exam, scripts: Flags) -> list[Mapping[str, Rate]]:
    """Return the rates of each bot on the scripts of one slice."""
    places = np.flatnonzero(scripts)
    if not places.size:
        return [dict.fromkeys((*exam.units.ratios, "macro_f1"), NOTHING) for _ in exam.columns.bots]
    own = exam.columns.clusters(scripts)[places]
    _, clusters = np.unique(own, return_inverse=True)
    return [
        _named(exam, _table(exam, bot, places, clusters))
        | {"macro_f1": _macro(_topic_table(exam, bot, places, clusters))}
        for bot in range(len(exam.columns.bots))
    ]


def _table(exam: Exam, bot: int, places: Ints, clusters: Ints) -> Floats:
    """Return hits and counts of every rate by cluster, in two columns each."""
    units = bot * len(exam.columns.scripts) + places
    columns = [part[units] for pair in exam.units.ratios.values() for part in pair]
    return gather(clusters, int(clusters.max()) + 1, np.stack(columns, axis=1))


def _named(exam: Exam, table: Floats) -> dict[str, Rate]:
    return {
        name: (time_of if name == TIME else rate_of)(table[:, 2 * place], table[:, 2 * place + 1])
        for place, name in enumerate(exam.units.ratios)
    }


# --- topics ------------------------------------------------------------------------------------------------


def _topic_table(exam: Exam, bot: int, places: Ints, clusters: Ints) -> csr_array:
    """Return the counts of topics by cluster, sparse: a scenario asks for few of them."""
    from scipy.sparse import csr_array

    units = bot * len(exam.columns.scripts) + places
    shape = (int(clusters.max()) + 1, len(places))
    adder = csr_array((np.ones(len(places)), (clusters, np.arange(len(places)))), shape=shape)
    found: csr_array = adder @ exam.topics.table[units]
    return found


def _macro(table: csr_array) -> Rate:
    total = np.asarray(table.sum(axis=0), dtype=np.float64).reshape(1, -1)
    value, asked = macro_f1(total)[0], round(float(total[0, ASKED::KINDS].sum()))
    if np.isnan(value):
        return NOTHING
    return jackknife_rate(float(value), macro_f1_without(table), asked)


# --- one cell ----------------------------------------------------------------------------------------------


def _cell(exam: Exam, bot: int, place: tuple[str, str], scripts: Flags, rates: Mapping[str, Rate]) -> Cell:
    columns, units = exam.columns, exam.units
    own = bot * len(columns.scripts) + np.flatnonzero(scripts)
    keep = (columns.bot == bot) & scripts[columns.script]
    counts = TurnCounts(**{one.name: int(getattr(units.counts, one.name)[own].sum()) for one in fields(TurnCounts)})
    lines = int(keep.sum())
    assert counts.counted + counts.error + counts.not_reached + counts.unchecked == lines  # noqa: S101
    typo = keep[units.typo]
    return Cell(
        bot=columns.bots[bot],
        domain=place[0],
        level=place[1],
        conversations=int(units.talks[own].sum()),
        turns=lines,
        counts=counts,
        rates=_shown(rates, counts, known=bool(units.guesses_known[own].sum())),
        times=times_in(exam.clock, keep, rates.get(TIME, NOTHING)),
        twins=twins_of(columns, units.typo[typo], units.clean[typo]),
        literal=literal_of(counts),
        literal_unclassified=counts.literal_unclassified,
        typo_out_of_scope=int(units.typo_out_of_scope[own].sum()),
        intent_source=exam.sources[columns.bots[bot]],
        incomplete=counts.error > MOST_ERRORS * (lines - counts.not_reached),
    )


def _shown(rates: Mapping[str, Rate], counts: TurnCounts, *, known: bool) -> dict[str, Rate]:
    """Return the rates as they are shown: F1 is n/a where precision or recall is, or both are 0."""
    found = {name: rate for name, rate in rates.items() if name != TIME}
    value = f1_of(found["precision"].value, found["recall"].value)
    n = counts.in_scope + counts.overreach
    found[F1] = Rate(None, None, None, n) if value is None else Rate(value, found[F1].low, found[F1].high, n)
    if not known:
        found["carefulness"] = NOTHING
    return found


def literal_of(counts: TurnCounts) -> dict[str, float | None]:
    """Return the values of the ECHO paper's wording, under names of their own."""
    found = {name: share.value for name, share in counts.literal().items()}
    found["echo_literal_f1"] = f1_of(found["echo_literal_precision"], found["echo_literal_recall"])
    return found
