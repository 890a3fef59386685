"""Exams: what was asked for, how far they are, and what they were made of."""

from __future__ import annotations

import gzip
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any, TypeVar

import sqlalchemy as sa

from vivavoce.store import tables
from vivavoce.store.repositories.repository import Repository, required
from vivavoce.store.repositories.serial import one_at_a_time
from vivavoce.store.rows import Run, RunState, Unit, UnitState
from vivavoce.store.stamps import now

T = TypeVar("T")
OPEN = tuple(state.value for state in RunState if state.open)


class Runs(Repository):
    """Exams of all projects."""

    # --- looking -------------------------------------------------------------------------------------------------

    def get(self, run_id: str) -> Run | None:
        """Return a run."""
        return self._one(Run, sa.select(tables.runs).where(tables.runs.c.id == run_id))

    def by_number(self, project_id: str, number: int) -> Run | None:
        """Return a run by the number that people know it by."""
        runs = tables.runs
        return self._one(Run, sa.select(runs).where(runs.c.project_id == project_id, runs.c.number == number))

    def page(
        self,
        project_id: str,
        kind: str | None = None,
        *,
        states: Collection[RunState] | None = None,
        suite_id: str | None = None,
        limit: int = 25,
        offset: int = 0,
    ) -> tuple[Run, ...]:
        """Return some runs of a project, the newest first."""
        query = sa.select(tables.runs).where(*_chosen(project_id, kind, states, suite_id))
        return self._all(Run, query.order_by(tables.runs.c.number.desc()).limit(limit).offset(offset))

    def count(
        self,
        project_id: str,
        kind: str | None = None,
        *,
        states: Collection[RunState] | None = None,
        suite_id: str | None = None,
    ) -> int:
        """Return how many runs there are."""
        query = (
            sa.select(sa.func.count()).select_from(tables.runs).where(*_chosen(project_id, kind, states, suite_id))
        )
        return int(self.connection.execute(query).scalar_one())

    def latest(self, project_id: str, kind: str, *, before: int | None = None) -> Run | None:
        """Return the newest run of a kind that is done, or the newest before the run of a number."""
        query = sa.select(tables.runs).where(*_chosen(project_id, kind, (RunState.DONE,), None))
        if before is not None:
            query = query.where(tables.runs.c.number < before)
        return self._one(Run, query.order_by(tables.runs.c.number.desc()).limit(1))

    def open(self, project_id: str | None = None) -> tuple[Run, ...]:
        """Return the runs in which something will still happen, the oldest first."""
        runs = tables.runs
        query = sa.select(runs).where(runs.c.state.in_(OPEN))
        if project_id is not None:
            query = query.where(runs.c.project_id == project_id)
        return self._all(Run, query.order_by(runs.c.created, runs.c.number))

    def material(self, run_id: str) -> bytes:
        """Return what a run was made of."""
        query = sa.select(tables.materials.c.content).where(tables.materials.c.run_id == run_id)
        return gzip.decompress(required(self.connection.execute(query).scalar(), "run", run_id))

    # --- keeping -------------------------------------------------------------------------------------------------

    def next_number(self, project_id: str) -> int:
        """Return the number for a new run of a project; nobody else gets one until this transaction is over."""
        one_at_a_time(self.connection)
        query = sa.select(sa.func.max(tables.runs.c.number)).where(tables.runs.c.project_id == project_id)
        return (self.connection.execute(query).scalar() or 0) + 1

    def add(self, run: Run, material: bytes, units: Iterable[Unit]) -> Run:
        """Keep a new run with its units; it gets its number here."""
        numbered = replace(run, number=run.number or self.next_number(run.project_id))
        self._put(tables.runs, [{**asdict(numbered), "state": numbered.state.value}])
        self._put(tables.materials, [{"run_id": run.id, "content": gzip.compress(material, 6, mtime=0)}])
        self._put(tables.units, [{**asdict(unit), "state": unit.state.value, "result": None} for unit in units])
        return numbered

    def set_state(self, run_id: str, state: RunState, **others: Any) -> None:
        """Change how far a run is, and other columns with it."""
        self._change(run_id, {"state": state.value, **others})

    def touch(self, run_id: str) -> None:
        """Say that something of a run changed, so that pages ask again."""
        self._change(run_id, {})

    def rename(self, run_id: str, title: str) -> None:
        """Give a run another title."""
        self._change(run_id, {"title": title})

    def delete(self, run_id: str) -> None:
        """Forget a run and all that it found."""
        self.connection.execute(sa.delete(tables.runs).where(tables.runs.c.id == run_id))

    def request_cancel(self, run_id: str) -> bool:
        """End a run: what waits is never begun, what is on its way ends at its next step. False: it was over."""
        one_at_a_time(self.connection)
        runs, units = tables.runs, tables.units
        told = sa.update(runs).where(runs.c.id == run_id, runs.c.state.in_(OPEN))
        ended = {"state": RunState.CANCELLED.value, "finished": now(), "version": runs.c.version + 1}
        if self.connection.execute(told.values(ended)).rowcount == 0:
            return False
        waiting = sa.update(units).where(units.c.run_id == run_id, units.c.state == UnitState.WAITING.value)
        self.connection.execute(waiting.values(state=UnitState.CANCELLED.value))
        return True

    def _change(self, run_id: str, values: Mapping[str, Any]) -> None:
        runs = tables.runs
        told = sa.update(runs).where(runs.c.id == run_id).values({**values, "version": runs.c.version + 1})
        self.connection.execute(told)

    def _made(self, kind: type[T], found: Mapping[Any, Any]) -> T:
        return kind(**{**found, "state": RunState(found["state"])})


def _chosen(
    project_id: str, kind: str | None, states: Collection[RunState] | None, suite_id: str | None
) -> list[sa.ColumnElement[bool]]:
    runs = tables.runs
    conditions = [runs.c.project_id == project_id]
    if kind is not None:
        conditions.append(runs.c.kind == kind)
    if states is not None:
        conditions.append(runs.c.state.in_([state.value for state in states]))
    if suite_id is not None:
        conditions.append(runs.c.suite_id == suite_id)
    return conditions
