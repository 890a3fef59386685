"""Exams: what was asked for, how far they are, what they were made of, and those that start every day."""

from __future__ import annotations

import gzip
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from vivavoce.store.repositories.repository import Repository, RowsById, RowsOfProject, matching, require, values_of
from vivavoce.store.repositories.units import OPEN
from vivavoce.store.rows import Run, RunState, Schedule, Unit, UnitState, WorkerRow
from vivavoce.store.stamps import now
from vivavoce.store.tables import materials, paces, runs, schedules, units, workers


class Runs(RowsById[Run], table=runs, row=Run):
    """Exams of all projects."""

    def by_number(self, project_id: str, number: int) -> Run | None:
        """Return a run by the number that people know it by."""
        return self._one(runs.c.project_id == project_id, runs.c.number == number)

    def page(
        self,
        project_id: str,
        kind: str | None = None,
        *,
        states: Collection[RunState] | None = None,
        limit: int = 25,
        offset: int = 0,
    ) -> tuple[Run, ...]:
        """Return some runs of a project, the newest first."""
        query = self._select(*_match(project_id, kind, states))
        return self._all(query.order_by(runs.c.number.desc()).limit(limit).offset(offset))

    def count(self, project_id: str, kind: str | None = None, *, states: Collection[RunState] | None = None) -> int:
        """Return how many runs there are."""
        return self._count(*_match(project_id, kind, states))

    def counts(self, project_id: str) -> list[tuple[str, RunState, int]]:
        """Return how many runs of each kind are in each state."""
        query = sa.select(runs.c.kind, runs.c.state, sa.func.count()).where(runs.c.project_id == project_id)
        rows = self.connection.execute(query.group_by(runs.c.kind, runs.c.state))
        return [(kind, state, int(n)) for kind, state, n in rows]

    def has_title(self, project_id: str, title: str) -> bool:
        """Tell whether a run of a project is called this."""
        return self._one(runs.c.project_id == project_id, runs.c.title == title) is not None

    def latest(self, project_id: str, kind: str, *, before: int | None = None) -> Run | None:
        """Return the newest run of a kind that is done, or the newest before the run of a number."""
        query = self._select(*_match(project_id, kind, (RunState.DONE,)))
        if before is not None:
            query = query.where(runs.c.number < before)
        return self._first(query.order_by(runs.c.number.desc()))

    def last_of_schedules(self, project_id: str) -> dict[str, Run]:
        """Return the newest run of each schedule, by the id of the schedule."""
        last = sa.select(sa.func.max(runs.c.number)).group_by(runs.c.schedule_id)
        last = last.where(runs.c.project_id == project_id, runs.c.schedule_id.is_not(None))
        rows = self._all(self._select(runs.c.project_id == project_id, runs.c.number.in_(last)))
        return {run.schedule_id: run for run in rows if run.schedule_id is not None}

    def state(self, project_id: str, kind: str) -> tuple[Any, ...]:
        """Return what changes whenever a run of a kind is done, renamed or deleted."""
        numbers = (sa.func.count(), sa.func.sum(runs.c.version), sa.func.max(runs.c.number))
        query = sa.select(*numbers).where(*_match(project_id, kind, (RunState.DONE,)))
        return tuple(self.connection.execute(query).one())

    def open(self, project_id: str | None = None) -> tuple[Run, ...]:
        """Return the runs in which something will still happen, the oldest first."""
        query = self._select(runs.c.state.in_(OPEN), *matching((runs.c.project_id, project_id)))
        return self._all(query.order_by(runs.c.created, runs.c.number))

    def material(self, run_id: str) -> bytes:
        """Return what a run was made of."""
        content = self._scalar(sa.select(materials.c.content).where(materials.c.run_id == run_id))
        return gzip.decompress(require(content, "run", run_id))

    def next_number(self, project_id: str) -> int:
        """Return the number for a new run of a project; nobody else gets one until this transaction is over."""
        self.lock()
        return (self._scalar(sa.select(sa.func.max(runs.c.number)).where(runs.c.project_id == project_id)) or 0) + 1

    def add(self, run: Run, material: bytes, units_of_run: Iterable[Unit]) -> Run:
        """Keep a new run with its units; it gets its number here."""
        numbered = self._add(replace(run, number=run.number or self.next_number(run.project_id)))
        self._insert([{"run_id": run.id, "content": gzip.compress(material, 6, mtime=0)}], materials)
        self._insert((values_of(units, unit) for unit in units_of_run), units)
        return numbered

    def set_state(self, run_id: str, state: RunState, **others: Any) -> None:
        """Change how far a run is, and other columns with it."""
        self.touch(run_id, state=state, **others)

    def set_schedule(self, run_id: str, schedule_id: str) -> None:
        """Note which schedule started a run."""
        self._update(runs.c.id == run_id, schedule_id=schedule_id)

    def touch(self, run_id: str, **values: Any) -> None:
        """Change columns of a run, or only say that something of it changed, so that pages ask again."""
        self._update(runs.c.id == run_id, **values, version=runs.c.version + 1)

    def delete(self, run_id: str) -> None:
        """Forget a run and all that it found."""
        self._delete(runs.c.id == run_id)

    def request_cancel(self, run_id: str) -> bool:
        """End a run: what waits is never begun, what is on its way ends at its next step. False: it was over."""
        self.lock()
        ended = {"state": RunState.CANCELLED, "finished": now(), "version": runs.c.version + 1}
        if not self._update(runs.c.id == run_id, runs.c.state.in_(OPEN), **ended):
            return False
        waiting = sa.update(units).where(units.c.run_id == run_id, units.c.state == UnitState.WAITING)
        self.connection.execute(waiting.values(state=UnitState.CANCELLED))
        return True


class Schedules(RowsOfProject[Schedule], table=schedules, row=Schedule):
    """Runs that start every day; they are changed through edits only, except for when they are due."""

    order = ("minute_of_day", "id")

    def due(self, now: datetime) -> tuple[Schedule, ...]:
        """Return the schedules whose time has come."""
        query = self._select(schedules.c.enabled.is_(True), schedules.c.next_at <= now)
        return self._all(query.order_by(schedules.c.next_at, schedules.c.id))

    def advance(self, schedule: Schedule, next_at: datetime) -> bool:
        """Set when a schedule is due next; False when somebody else was faster, who starts the run then."""
        as_seen = (schedules.c.next_at == schedule.next_at, schedules.c.enabled.is_(True))
        return self._update(schedules.c.id == schedule.id, *as_seen, next_at=next_at) == 1


def _match(project_id: str, kind: str | None, states: Collection[RunState] | None) -> list[sa.ColumnElement[bool]]:
    wanted = matching((runs.c.project_id, project_id), (runs.c.kind, kind))
    return wanted if states is None else [*wanted, runs.c.state.in_(states)]


class Workers(Repository[WorkerRow], table=workers, row=WorkerRow):
    """Processes that do units."""

    def beat(self, worker: WorkerRow) -> None:
        """Say that a worker is there."""
        self._put([worker])

    def alive(self, since: datetime) -> tuple[WorkerRow, ...]:
        """Return the workers that were seen since a moment, the longest-serving first."""
        return self._all(self._select(workers.c.seen >= since).order_by(workers.c.started, workers.c.id))

    def last_seen(self) -> datetime | None:
        """Return when a worker was there for the last time."""
        moment: datetime | None = self._scalar(sa.select(sa.func.max(workers.c.seen)))
        return moment

    def forget(self, worker_id: str) -> None:
        """Say that a worker has left."""
        self._delete(workers.c.id == worker_id)

    def forget_before(self, moment: datetime) -> None:
        """Forget workers that were not seen since a moment."""
        self._delete(workers.c.seen < moment)


class Paces(Repository[Any], table=paces):
    """When the next message may be sent to a bot, over all workers."""

    def reserve(self, key: str, gap_seconds: float, now: datetime) -> datetime:
        """Return the moment at which a message may go; the next one may go so many seconds later."""
        self.connection.execute(self._insert_or(paces).values(key=key, next_at=now).on_conflict_do_nothing())
        next_at: datetime = self._scalar(sa.select(paces.c.next_at).where(paces.c.key == key).with_for_update())
        moment = max(next_at, now)
        self._update(paces.c.key == key, next_at=moment + timedelta(seconds=gap_seconds))
        return moment
