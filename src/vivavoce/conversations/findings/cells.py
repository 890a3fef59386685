"""One bot in one domain at one level: sums over its scripts, and intervals from how scenarios differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from vivavoce.conversations.findings.columns import (
    Columns,
    Flags,
    Floats,
    Ints,
    gather,
    jackknife_rate,
    quotients,
    rate_of,
    time_of,
)
from vivavoce.conversations.findings.units import F1, TIME, Units, times_of_lines, units_of
from vivavoce.conversations.result import ALL, Cell, Line, Times, TopicRow, Twins
from vivavoce.outcomes import TurnCounts, TurnOutcome, f1_of
from vivavoce.records import Rate, Status
from vivavoce.statistics import paired_test

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# What is counted of a topic: asked, used and, of both, found.
ASKED, USED, FOUND = range(3)
KINDS = 3
SHOWN = 5


def find_truth(line: Line) -> str | None:
    """Return the topic that a turn in scope asked for; of several right ones, the one that was found or the first."""
    if not line.verdict.in_scope or not line.expected:
        return None
    return line.verdict.intent if line.verdict.intent in line.expected else line.expected[0]


def find_used_topic(line: Line) -> str | None:
    """Return the topic that the bot answered with, None where it did not answer or does not tell.

    A bot that names no topic but gave the expected reply has found the topic.
    """
    verdict = line.verdict
    if verdict.outcome is TurnOutcome.RIGHT:
        return find_truth(line)
    answers = (TurnOutcome.WRONG_REPLY, TurnOutcome.WRONG_INTENT, TurnOutcome.OVERREACH)
    return verdict.intent if verdict.outcome in answers else None


def count_topics(columns: Columns) -> csr_array:
    """Count how often each expected topic was asked, used and found with each bot on each script: a column each."""
    from scipy.sparse import csr_array

    rows = [(index, columns.lines[index]) for index in np.flatnonzero(columns.counted).tolist()]
    pairs = [(index, find_truth(line), find_used_topic(line)) for index, line in rows]
    topics = tuple(sorted({truth for _, truth, _ in pairs if truth is not None}))
    place = {topic: KINDS * number for number, topic in enumerate(topics)}
    cells = [(i, place[truth] + ASKED) for i, truth, _ in pairs if truth is not None]
    cells += [(i, place[used] + USED) for i, _, used in pairs if used in place]
    cells += [(i, place[truth] + FOUND) for i, truth, used in pairs if truth is not None and truth == used]
    where: Ints = np.array(cells, dtype=np.int64).reshape(-1, 2)
    # Indices are sorted by topic, not by unit: the sparse table sums what falls on one place.
    units = columns.unit[where[:, 0]]
    shape = (columns.units, KINDS * len(topics))
    return csr_array((np.ones(len(where)), (units, where[:, 1])), shape=shape)


def macro_f1(sums: Floats) -> Floats:
    """Return the mean F1 over the topics asked at least once, for rows of counts; NaN where none was.

    F1 of a topic is 2 found / (asked + used): 0 for one that was asked and never found.
    """
    counts = sums.reshape(len(sums), -1, KINDS)
    asked = counts[..., ASKED] > 0
    return quotients(_topic_f1(counts).sum(axis=1), asked.sum(axis=1).astype(np.float64))


def macro_f1_without(table: csr_array) -> Floats:
    """Return the mean F1 without each row of a table of counts in turn; NaN where nothing asked would be left.

    A row changes the few topics that it counts, so only those are computed anew.
    """
    total = np.asarray(table.sum(axis=0), dtype=np.float64).reshape(-1, KINDS)
    filled = table.tocoo()
    places = filled.row.astype(np.int64) * len(total) + filled.col // KINDS
    cells, place = np.unique(places, return_inverse=True)
    counts = np.zeros((len(cells), KINDS))
    np.add.at(counts, (place.ravel(), filled.col % KINDS), filled.data)
    rows, topics = cells // max(1, len(total)), cells % max(1, len(total))
    before, after = _topic_f1(total), _topic_f1(total[topics] - counts)
    asked = total[:, ASKED] > 0
    gone = asked[topics] & (total[topics, ASKED] == counts[:, ASKED])
    moved, lost = (np.bincount(rows, weights, table.shape[0]) for weights in (after - before[topics], gone))
    return quotients(before.sum() + moved, asked.sum() - lost)


def _topic_f1(counts: Floats) -> Floats:
    size = np.maximum(counts[..., ASKED] + counts[..., USED], 1)
    return np.asarray(np.where(counts[..., ASKED] > 0, 2 * counts[..., FOUND] / size, 0.0))


def topic_rows(columns: Columns) -> tuple[TopicRow, ...]:
    """Return a row for each topic of each bot, most asked first; the last row is out of scope."""
    rows: list[TopicRow] = []
    for place, bot in enumerate(columns.bots):
        counted = np.flatnonzero(columns.counted & (columns.bot == place)).tolist()
        lines = [columns.lines[index] for index in counted]
        pairs = [(find_truth(line), find_used_topic(line)) for line in lines]
        mixed = Counter(pair for pair in pairs if pair[0] is not None)
        asked = Counter(truth for truth, _ in pairs if truth is not None)
        answers = Counter(used for _, used in pairs)
        for topic, n in sorted(asked.items(), key=lambda item: (-item[1], item[0])):
            others = {used: k for (truth, used), k in mixed.items() if truth == topic and used and used != topic}
            rows.append(_row(bot, topic, (n, answers[topic], mixed[topic, topic]), others))
        # Questions that no topic fits: found means declined, used means any fallback.
        outside = [line for line in lines if not line.verdict.in_scope]
        if outside:
            outcomes = Counter(line.verdict.outcome for line in lines)
            declined, missed = outcomes[TurnOutcome.DECLINED], outcomes[TurnOutcome.MISSED]
            wrong = Counter(used for line in outside if (used := find_used_topic(line)) is not None)
            rows.append(_row(bot, None, (len(outside), declined + missed, declined), wrong))
    return tuple(rows)


def _row(bot: str, intent: str | None, counts: tuple[int, int, int], others: Mapping[str, int]) -> TopicRow:
    n, used, right = counts
    precision, recall = (right / used if used else None), (right / n if n else None)
    confused = sorted(others.items(), key=lambda item: (-item[1], item[0]))[:SHOWN]
    return TopicRow(bot, intent, n, precision, recall, f1_of(precision, recall), tuple(confused))


# More turns than this that could not be run, and the cell is not complete.
MAX_ERRORS = 0.05
NOTHING = Rate(None, None, None, 0)


@dataclass(frozen=True, eq=False)
class Exam:
    """Everything that cells are made from, computed once for a run."""

    columns: Columns
    sources: Mapping[str, str]
    units: Units
    times: tuple[Floats, Floats]
    topics: csr_array

    @classmethod
    def of(cls, columns: Columns, sources: Mapping[str, str]) -> Exam:
        """Count once: sums and topics of each bot on each script, times to the first and to the last bubble."""
        times = times_of_lines(columns), times_of_lines(columns, last=True)
        return cls(columns, sources, units_of(columns), times, count_topics(columns))


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
    return tuple(sorted(cells, key=lambda cell: columns.bots.index(cell.bot)))


def _rates(exam: Exam, scripts: Flags) -> list[Mapping[str, Rate]]:
    places = np.flatnonzero(scripts)
    if not places.size:
        return [dict.fromkeys((*exam.units.ratios, "macro_f1"), NOTHING) for _ in exam.columns.bots]
    _, clusters = np.unique(exam.columns.clusters(scripts)[places], return_inverse=True)
    slices: list[Mapping[str, Rate]] = []
    for bot in range(len(exam.columns.bots)):
        units = bot * len(exam.columns.scripts) + places
        # Hits and counts of every rate by cluster, in two columns each.
        table = gather(
            clusters, np.stack([part[units] for pair in exam.units.ratios.values() for part in pair], axis=1)
        )
        rates = {
            name: (time_of if name == TIME else rate_of)(table[:, 2 * place], table[:, 2 * place + 1])
            for place, name in enumerate(exam.units.ratios)
        }
        slices.append(rates | {"macro_f1": _macro_f1(exam, units, clusters)})
    return slices


def _macro_f1(exam: Exam, units: Ints, clusters: Ints) -> Rate:
    from scipy.sparse import csr_array

    # Sparse: a scenario asks for few topics.
    shape = (int(clusters.max()) + 1, len(units))
    table = csr_array((np.ones(len(units)), (clusters, np.arange(len(units)))), shape=shape) @ exam.topics[units]
    total = np.asarray(table.sum(axis=0), dtype=np.float64).reshape(1, -1)
    value, asked = macro_f1(total)[0], round(float(total[0, ASKED::KINDS].sum()))
    if np.isnan(value):
        return NOTHING
    return jackknife_rate(float(value), macro_f1_without(table), asked)


def _cell(exam: Exam, bot: int, place: tuple[str, str], scripts: Flags, rates: Mapping[str, Rate]) -> Cell:
    columns, units = exam.columns, exam.units
    own = bot * len(columns.scripts) + np.flatnonzero(scripts)
    keep = (columns.bot == bot) & scripts[columns.script]
    counts = TurnCounts(
        **{field.name: int(getattr(units.counts, field.name)[own].sum()) for field in fields(TurnCounts)}
    )
    lines = int(keep.sum())
    assert counts.counted + counts.error + counts.not_reached + counts.unchecked == lines  # noqa: S101
    typo = keep[units.typo]
    shares = {name: rate for name, rate in rates.items() if name != TIME}
    # F1 is n/a where precision or recall is, or both are 0.
    f1 = f1_of(shares["precision"].value, shares["recall"].value)
    low, high = (None, None) if f1 is None else (shares[F1].low, shares[F1].high)
    shares[F1] = Rate(f1, low, high, counts.in_scope + counts.overreach)
    if not units.guesses_known[own].sum():
        shares["carefulness"] = NOTHING
    return Cell(
        bot=columns.bots[bot],
        domain=place[0],
        level=place[1],
        conversations=int(units.conversations[own].sum()),
        turns=lines,
        counts=counts,
        rates=shares,
        times=_times(exam, keep, rates.get(TIME, NOTHING)),
        twins=_twins(columns, units.typo[typo], units.clean[typo]),
        typo_out_of_scope=int(units.typo_out_of_scope[own].sum()),
        intent_source=exam.sources[columns.bots[bot]],
        incomplete=counts.error > MAX_ERRORS * (lines - counts.not_reached),
    )


def _times(exam: Exam, keep: Flags, mean: Rate) -> Times:
    """Return the times of the lines to keep; `mean` is the mean of conversation means, computed with its interval."""
    lines = [exam.columns.lines[place] for place in np.flatnonzero(keep).tolist()]
    first, last = (times[keep & ~np.isnan(times)] for times in exam.times)
    p50, p95, p99 = np.percentile(first, (50, 95, 99)).tolist() if first.size else (None, None, None)
    return Times(
        mean=mean,
        pooled=float(first.mean()) if first.size else None,
        p50=p50,
        p95=p95,
        p99=p99,
        last=float(last.mean()) if last.size else None,
        turns=first.size,
        timeouts=sum(line.status == Status.TIMEOUT for line in lines),
        retried=sum(line.attempts > 1 for line in lines),
        cold=sum(line.cold for line in lines),
    )


def _twins(columns: Columns, typo: Ints, clean: Ints) -> Twins:
    """Count the pairs of one bot's messages that were right on both sides, one or neither, with a test by scenario.

    Repeats of a pair are no new evidence: a message was right if it was so in most repeats, and a tie is not most.
    Where every pair is a scenario of its own and few differ, the test is McNemar's.
    """
    right = columns.is_outcome(TurnOutcome.RIGHT)
    _, first, pair = np.unique(columns.turn[typo], return_index=True, return_inverse=True)
    n = np.bincount(pair.ravel())
    with_typo, without = (2 * np.bincount(pair.ravel(), weights=right[side]) > n for side in (typo, clean))
    only_clean, only_typo = int((without & ~with_typo).sum()), int((with_typo & ~without).sum())
    both, neither = int((without & with_typo).sum()), int((~without & ~with_typo).sum())
    clusters = columns.clusters(np.ones(len(columns.scripts), dtype=bool))[columns.script[typo[first]]]
    p = paired_test(without.tolist(), with_typo.tolist(), clusters.tolist(), step=1.0).p
    return Twins(both, only_clean, only_typo, neither, p, int(n.min(initial=len(typo))), int(n.max(initial=0)))
