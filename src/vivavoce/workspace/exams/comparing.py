"""Two intents exams held against each other: numbers, questions, and the edits between them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from vivavoce.errors import UsageError
from vivavoce.kept import Kept
from vivavoce.records import Rate
from vivavoce.statistics import mcnemar_exact
from vivavoce.store.database import Store
from vivavoce.store.repositories.outcomes import Comparison
from vivavoce.store.rows import MeasureRow, Project, Run, RunState
from vivavoce.store.tables import outcomes
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.exams.runs import get_run
from vivavoce.workspace.exams.timeline import count_edits, edits_between
from vivavoce.workspace.topics.history import EditLine, edit_lines

KIND = "intents"
SHOWN = ("accuracy", "automation_rate", "precision_answered", "negative_rejection", "f1_macro", "f1_weighted")
SHOWN_EDITS = 50
# Of a normal distribution, 95 of 100 lie within so many standard errors.
WIDTH = 1.959964
NO_RATE = Rate(None, None, None, 0)


@dataclass(frozen=True, slots=True)
class RateChange:
    """A number in both runs; `difference` is later minus earlier, with where it would lie with other data.

    `clear`: the interval does not hold 0.
    """

    scope: str
    name: str
    before: Rate
    after: Rate
    difference: Rate

    @property
    def clear(self) -> bool:
        """Whether the difference is more than chance would make."""
        low, high = self.difference.low, self.difference.high
        return low is not None and high is not None and not low <= 0 <= high


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs side by side. `paired`: decisions right on the questions that both asked, question by question.

    `same_data`: both examined exactly the same examples. `differing`: options that are not the same.
    """

    a: Run
    b: Run
    same_data: bool
    differing: tuple[tuple[str, str, str], ...]
    changes: tuple[RateChange, ...]
    paired: Rate
    p: float
    questions: Comparison
    edits: tuple[EditLine, ...]
    all_edits: int


_KEPT: Kept[tuple[Comparison, Rate]] = Kept(12)


def compare_runs(store: Store, project: Project, a: int, b: int) -> RunComparison:
    """Hold two finished intents exams against each other, the one with the lower number first."""
    if a == b:
        raise UsageError("a run cannot be compared with itself", remedy="choose two different runs")
    with store.reading() as tx:
        first, second = (_done(tx, project, number) for number in sorted((a, b)))
        key = (first.id, first.version, second.id, second.version)
        # Both are over, so what they say of the same questions never changes.
        questions, paired = _KEPT.get(key, lambda: _questions(tx, first, second))
        changes = tuple(_changes(tx.measures.of_run(first.id), tx.measures.of_run(second.id)))
        between = edits_between(tx, project, first.created, second.created, limit=SHOWN_EDITS)
        lines = edit_lines(tx, between)
        count = count_edits(tx, project, first.created, second.created)
    return RunComparison(
        first,
        second,
        first.data_hash == second.data_hash,
        tuple(_differing(first, second)),
        changes,
        paired,
        mcnemar_exact(questions.improved_count, questions.broken_count),
        questions,
        lines,
        count,
    )


def _done(tx: Transaction, project: Project, number: int) -> Run:
    run = get_run(tx, project, number, KIND)
    if run.state is not RunState.DONE:
        raise UsageError(
            f"run {number} cannot be compared: it is {run.state}", remedy="wait until it is done, or choose another"
        )
    return run


def _questions(tx: Transaction, a: Run, b: Run) -> tuple[Comparison, Rate]:
    return tx.outcomes.compare(a.id, b.id), _paired(tx, a, b)


def _paired(tx: Transaction, a: Run, b: Run) -> Rate:
    """Return the mean difference over the questions that both runs asked, with its interval."""
    one, two = outcomes.alias("one"), outcomes.alias("two")
    same = sa.and_(one.c.text == two.c.text, one.c.intent.is_not_distinct_from(two.c.intent))
    both = one.join(two, sa.and_(one.c.run_id == a.id, two.c.run_id == b.id, same))
    gap = _share(two) - _share(one)
    query = sa.select(sa.func.count(), sa.func.sum(gap), sa.func.sum(gap * gap)).select_from(both)
    n, total, squares = tx.connection.execute(query).one()
    if n < 2:
        return NO_RATE
    mean = float(total) / n
    spread = max(0.0, float(squares) / n - mean * mean) * n / (n - 1)
    half = WIDTH * math.sqrt(spread / n)
    return Rate(mean, mean - half, mean + half, int(n))


def _share(table: Any) -> sa.ColumnElement[float]:
    asked = table.c.right + table.c.deferred + table.c.wrong
    share: sa.ColumnElement[float] = 1.0 * table.c.right / asked
    return share


# --- numbers -----------------------------------------------------------------------------------------------------


def _changes(before: Sequence[MeasureRow], after: Sequence[MeasureRow]) -> Iterator[RateChange]:
    old = {(row.scope, row.name): _rate(row) for row in before}
    new = {(row.scope, row.name): _rate(row) for row in after}
    scopes = list(dict.fromkeys(scope for scope, _ in (*new, *old)))
    for scope in scopes:
        for name in SHOWN:
            first, second = old.get((scope, name)), new.get((scope, name))
            if first is not None and second is not None:
                yield RateChange(scope, name, first, second, difference_of(first, second))


def difference_of(before: Rate, after: Rate) -> Rate:
    """Return the difference of two numbers that were measured apart; its interval follows from both of theirs."""
    if before.value is None or after.value is None:
        return NO_RATE
    gap, n = after.value - before.value, min(before.n, after.n)
    if before.low is None or before.high is None or after.low is None or after.high is None:
        return Rate(gap, None, None, n)
    # Each end is as far from the value as both ends together are, taken as independent.
    down = math.hypot(after.value - after.low, before.high - before.value)
    up = math.hypot(after.high - after.value, before.value - before.low)
    return Rate(gap, gap - down, gap + up, n)


def _rate(row: MeasureRow) -> Rate:
    return Rate(row.value, row.low, row.high, row.n)


def _differing(a: Run, b: Run) -> Iterator[tuple[str, str, str]]:
    for name in dict.fromkeys([*a.options, *b.options]):
        old, new = a.options.get(name), b.options.get(name)
        if old != new:
            yield name, str(old), str(new)
