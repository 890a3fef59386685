"""What runs found: messages, questions, numbers over time, documents."""

from __future__ import annotations

import gzip
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypedDict, Unpack

import sqlalchemy as sa

from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Rate
from vivavoce.store.repositories.repository import Repository, RowsOfRun, holding, matching, pieces
from vivavoce.store.rows import DocumentRow, MeasureRow, OutcomeRow, RunState, TurnRow, UnitState
from vivavoce.store.tables import documents, measures, outcomes, runs, turns, units

# What a question should come to: answered with the right topic, or rightly not answered.
GOOD = ("right", "declined", "declined_no_guess")
# What messages can be sorted by; messages without a time come last.
SORTS = {"bot": "bot", "scenario": "scenario", "outcome": "outcome", "time": "first_ms"}
# Outcomes that count and did not pass, asked for together; as an order, they come first.
WRONG = "wrong"
_WRONG = [str(outcome) for outcome in TurnOutcome if outcome.counted and not outcome.passed]


@dataclass(frozen=True, slots=True)
class TurnFilter:
    """Which messages are wanted; None: all. `search` is looked for in what was sent and what came back.

    `outcome` may be WRONG: all that did not pass.
    """

    bot: str | None = None
    level: str | None = None
    domain: str | None = None
    outcome: str | None = None
    scenario: str | None = None
    kind: str | None = None
    search: str | None = None


ALL_TURNS = TurnFilter()


class OutcomeFilter(TypedDict, total=False):
    """Which questions are wanted; None: all."""

    intent: str | None
    guess: str | None
    outcome: str | None
    search: str | None


@dataclass(frozen=True, slots=True)
class MeasurePoint(MeasureRow):
    """A number of one run in a line over time."""

    number: int
    title: str
    at: datetime


class Turns(Repository[TurnRow], table=turns, row=TurnRow):
    """Messages of scripted conversations."""

    def put(self, rows: Iterable[TurnRow]) -> None:
        """Keep messages; those of a unit that is done again replace the ones before."""
        self._put(rows)

    def clear(self, unit_id: str) -> None:
        """Forget the messages of a unit, which begins again."""
        self._delete(turns.c.unit_id == unit_id)

    def withdraw_verdicts(self, run_id: str) -> None:
        """Take back what was judged of units that failed without a result: the findings do not count it."""
        failed = (units.c.run_id == run_id, units.c.state == UnitState.FAILED, units.c.result.is_(None))
        self._update(turns.c.unit_id.in_(sa.select(units.c.id).where(*failed)), outcome="")

    def of_run(self, run_id: str, *, repeats: int | None = None) -> tuple[TurnRow, ...]:
        """Return all messages of a run, or those of its first repeats: by unit, in order."""
        query = self._select(turns.c.run_id == run_id).join(units, units.c.id == turns.c.unit_id)
        if repeats is not None:
            query = query.where(turns.c.repeat < repeats)
        return self._all(query.order_by(units.c.place, turns.c.number))

    def of_script(self, run_id: str, script: str, repeat: int | None = None) -> tuple[TurnRow, ...]:
        """Return the messages of one script with every bot, side by side."""
        same = (turns.c.run_id == run_id, turns.c.script == script, *matching((turns.c.repeat, repeat)))
        return self._all(self._select(*same).order_by(turns.c.bot, turns.c.repeat, turns.c.number))

    def of_units(self, run_id: str, keys: Collection[str], numbers: Collection[int]) -> tuple[TurnRow, ...]:
        """Return the messages with these numbers of some units: a few, in one query."""
        # By the keys of units, which have an index: conditions on the columns of turns would read the whole run.
        query = self._select(turns.c.number.in_(numbers)).join(units, units.c.id == turns.c.unit_id)
        return self._all(query.where(units.c.run_id == run_id, units.c.key.in_(keys)))

    def page(
        self, run_id: str, chosen: TurnFilter = ALL_TURNS, *, sort: str = "", limit: int = 50, offset: int = 0
    ) -> tuple[TurnRow, ...]:
        """Return some messages of a run; `sort` is WRONG or one of `SORTS`, with a `-` the other way round."""
        order: list[sa.ColumnElement[Any]] = [turns.c.bot, turns.c.script, turns.c.repeat, turns.c.number]
        if sort == WRONG:
            order = [sa.case((turns.c.outcome.in_(_WRONG), 0), else_=1), *order]
        if name := SORTS.get(sort.removeprefix("-")):
            column = turns.c[name]
            order = [column.is_(None), column.desc() if sort.startswith("-") else column.asc(), *order]
        return self._all(self._select(*_match(run_id, chosen)).order_by(*order).limit(limit).offset(offset))

    def count(self, run_id: str, chosen: TurnFilter = ALL_TURNS) -> int:
        """Return how many messages of a run there are."""
        return self._count(*_match(run_id, chosen))

    def has_begun(self, run_id: str) -> bool:
        """Tell whether anything was said in a run."""
        return self._scalar(sa.select(turns.c.unit_id).where(turns.c.run_id == run_id).limit(1)) is not None

    def counts_by_scenario(self, run_id: str, outcomes: Sequence[str]) -> list[tuple[str, str, str, int]]:
        """Return bot, scenario, outcome and how many messages of it there are."""
        columns = (turns.c.bot, turns.c.scenario, turns.c.outcome)
        same = (turns.c.run_id == run_id, turns.c.outcome.in_(outcomes))
        rows = self.connection.execute(sa.select(*columns, sa.func.count()).where(*same).group_by(*columns))
        return [(bot, scenario, outcome, int(n)) for bot, scenario, outcome, n in rows]

    def counts_by_script(
        self, run_id: str, bots: Sequence[str], scripts: Sequence[str], outcomes: Sequence[str]
    ) -> list[tuple[str, str, str, int]]:
        """Return script, bot, outcome and how many messages of it there are."""
        # Bots and scripts are named so that the index over both is used.
        columns = (turns.c.script, turns.c.bot, turns.c.outcome)
        same = (turns.c.run_id == run_id, turns.c.bot.in_(bots), turns.c.outcome.in_(outcomes))
        query = sa.select(*columns, sa.func.count()).where(*same).group_by(*columns)
        return [
            (script, bot, outcome, int(n))
            for piece in pieces(scripts)
            for script, bot, outcome, n in self.connection.execute(query.where(turns.c.script.in_(piece)))
        ]

    def tallies(self, run_id: str, names: Sequence[str], chosen: TurnFilter) -> Sequence[Sequence[Any]]:
        """Return which values of some columns occur together in some messages of a run, each with how many."""
        columns = [turns.c[name] for name in names]
        query = sa.select(*columns, sa.func.count()).where(*_match(run_id, chosen)).group_by(*columns)
        return self.connection.execute(query).all()

    def combinations(self, run_id: str, names: Sequence[str]) -> Sequence[Sequence[Any]]:
        """Return which values of some columns occur together in a run."""
        query = sa.select(*(turns.c[name] for name in names)).where(turns.c.run_id == run_id).distinct()
        return self.connection.execute(query).all()


class Outcomes(RowsOfRun[OutcomeRow], table=outcomes, row=OutcomeRow):
    """Questions of intents exams."""

    def of_run(self, run_id: str) -> tuple[OutcomeRow, ...]:
        """Return all questions of a run."""
        return self._all(self._select(outcomes.c.run_id == run_id).order_by(outcomes.c.place))

    def page(
        self, run_id: str, *, limit: int = 50, offset: int = 0, **chosen: Unpack[OutcomeFilter]
    ) -> tuple[OutcomeRow, ...]:
        """Return some questions of a run."""
        query = self._select(*_match_outcomes(run_id, **chosen))
        return self._all(query.order_by(outcomes.c.place).limit(limit).offset(offset))

    def count(self, run_id: str, **chosen: Unpack[OutcomeFilter]) -> int:
        """Return how many questions of a run there are."""
        return self._count(*_match_outcomes(run_id, **chosen))

    def counts(self, run_id: str, *, intent: str | None = None) -> dict[str, int]:
        """Return how many questions of a run came out how."""
        return self._counts(outcomes.c.outcome, *_match_outcomes(run_id, intent=intent))

    def of_intent(self, run_id: str, intent: str | None) -> tuple[OutcomeRow, ...]:
        """Return what came of the questions of a topic in a run; None: of those out of scope."""
        query = self._select(outcomes.c.run_id == run_id, outcomes.c.intent.is_not_distinct_from(intent))
        return self._all(query.order_by(outcomes.c.place))

    def by_intent(self, run_id: str) -> dict[str | None, tuple[int, int, int]]:
        """Return how many questions of each topic were mostly right, deferred and wrong: not how many tests."""
        right, deferred, wrong = (outcomes.c[name] for name in ("right", "deferred", "wrong"))
        # As `OutcomeRow.mostly` has it.
        is_wrong, is_deferred = sa.and_(wrong > right, wrong >= deferred), deferred > right
        mostly = sa.case((is_wrong, "wrong"), (is_deferred, "deferred"), else_="right")
        sums = [sa.func.sum(sa.case((mostly == kind, 1), else_=0)) for kind in ("right", "deferred", "wrong")]
        query = sa.select(outcomes.c.intent, *sums).where(outcomes.c.run_id == run_id).group_by(outcomes.c.intent)
        return {intent: (int(a), int(b), int(c)) for intent, a, b, c in self.connection.execute(query)}


class Measures(RowsOfRun[MeasureRow], table=measures, row=MeasureRow):
    """Numbers that are followed over time."""

    def of_run(self, run_id: str) -> tuple[MeasureRow, ...]:
        """Return all numbers of a run."""
        return self._all(self._select(measures.c.run_id == run_id).order_by(measures.c.scope, measures.c.name))

    def rates(self, run_id: str) -> dict[tuple[str, str], Rate]:
        """Return all numbers of a run by scope and name."""
        return {(row.scope, row.name): row.rate for row in self.of_run(run_id)}

    def series(
        self,
        project_id: str,
        kind: str,
        *,
        scope: str | None = None,
        name: str | None = None,
        since: datetime | None = None,
    ) -> tuple[MeasurePoint, ...]:
        """Return numbers of the runs of a kind that are done, the oldest run first."""
        columns = (*self.columns, runs.c.number, runs.c.title, runs.c.created, runs.c.title_data)
        query = sa.select(*columns).join(runs, runs.c.id == measures.c.run_id)
        query = query.where(runs.c.project_id == project_id, runs.c.kind == kind, runs.c.state == RunState.DONE)
        query = query.where(*matching((measures.c.scope, scope), (measures.c.name, name)))
        if since is not None:
            query = query.where(runs.c.created >= since)
        order = (runs.c.created, runs.c.number, measures.c.scope, measures.c.name)
        return self._rows(MeasurePoint, query.order_by(*order))


class Documents(RowsOfRun[DocumentRow], table=documents, row=DocumentRow):
    """Findings, reports and charts of runs; they are compressed in the database and plain everywhere else."""

    def put(self, rows: Iterable[DocumentRow]) -> None:
        """Keep documents; one of the same name is replaced."""
        self._put(replace(row, content=gzip.compress(row.content, 6, mtime=0)) for row in rows)

    def get(self, run_id: str, name: str) -> DocumentRow | None:
        """Return a document."""
        row = self._one(documents.c.run_id == run_id, documents.c.name == name)
        return None if row is None else replace(row, content=gzip.decompress(row.content))

    def names(self, run_id: str) -> dict[str, str]:
        """Return the kinds of content that are kept with a run, by name."""
        query = sa.select(documents.c.name, documents.c.media).where(documents.c.run_id == run_id)
        return self._pairs(query.order_by(documents.c.name))


def _match(run_id: str, chosen: TurnFilter) -> list[sa.ColumnElement[bool]]:
    names = ("bot", "level", "domain", "outcome", "scenario", "kind")
    if chosen.outcome == WRONG:
        return [*_match(run_id, replace(chosen, outcome=None)), turns.c.outcome.in_(_WRONG)]
    wanted = matching(*((turns.c[name], getattr(chosen, name)) for name in names))
    return [turns.c.run_id == run_id, *wanted, *holding(chosen.search, turns.c.sent, turns.c.reply)]


def _match_outcomes(run_id: str, **chosen: Unpack[OutcomeFilter]) -> list[sa.ColumnElement[bool]]:
    wanted = matching(*((outcomes.c[name], chosen.get(name)) for name in ("intent", "guess", "outcome")))
    return [outcomes.c.run_id == run_id, *wanted, *holding(chosen.get("search"), outcomes.c.text)]
