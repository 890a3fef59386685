"""Pieces of work: claimed under a lease, finished once, begun again when a worker is gone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, TypeVar

import sqlalchemy as sa

from vivavoce.store import tables
from vivavoce.store.repositories.claims import (
    CONCLUDING_PHASE,
    CONCLUSION,
    MOST_ATTEMPTS,
    OPEN,
    claimable,
    conclusions,
)
from vivavoce.store.repositories.repository import Repository
from vivavoce.store.repositories.serial import one_at_a_time
from vivavoce.store.rows import RunState, Unit, UnitState
from vivavoce.store.stamps import now as the_time

T = TypeVar("T")
LEASE_SECONDS = 30.0
# Without the result, which may be large and is seldom wanted.
_SHOWN = tuple(column for column in tables.units.c if column.name != "result")
# By its phase, which an index holds beside the state: rows with their results are not touched to count them.
_OWN = tables.units.c.phase != CONCLUDING_PHASE
_GIVEN_BACK = "it was begun and given back"
_LOST = "the worker stopped while doing this, three times"


class Units(Repository):
    """Units of all runs. What makes the findings of a run is a unit too, but it is never counted or listed."""

    # --- working -------------------------------------------------------------------------------------------------

    def claim(
        self,
        worker: str,
        limit: int,
        now: datetime,
        lease_seconds: float = LEASE_SECONDS,
        *,
        kinds: Collection[str] | None = None,
    ) -> tuple[Unit, ...]:
        """Take units that may be begun now, at most `limit`, of runs of some kinds."""
        one_at_a_time(self.connection)
        self.expire(now)
        units = self._take(claimable(self.connection, worker, limit, kinds), worker, now, lease_seconds)
        if units:
            self._begin({unit.run_id for unit in units}, now)
        return units

    def claim_conclusions(
        self, worker: str, limit: int, now: datetime, lease_seconds: float = LEASE_SECONDS
    ) -> tuple[Unit, ...]:
        """Take runs of which all units are over and whose findings are to be made."""
        one_at_a_time(self.connection)
        self.expire(now)
        return self._take(conclusions(self.connection, limit), worker, now, lease_seconds)

    def renew(
        self,
        worker: str,
        now: datetime,
        lease_seconds: float = LEASE_SECONDS,
        *,
        only: Collection[str] | None = None,
    ) -> frozenset[str]:
        """Go on holding what a worker has, all or `only` some of it; returns the ids of all that it has."""
        one_at_a_time(self.connection)
        units = tables.units
        mine = (units.c.worker == worker, units.c.state == UnitState.RUNNING.value)
        told = sa.update(units).where(*mine).values(lease_until=now + timedelta(seconds=lease_seconds))
        self.connection.execute(told if only is None else told.where(units.c.id.in_(only)))
        return frozenset(self.connection.execute(sa.select(units.c.id).where(*mine)).scalars())

    def finish(self, unit_id: str, worker: str, result: bytes) -> bool:
        """Keep the result of a unit; False, and nothing is written, when the worker no longer holds it."""
        one_at_a_time(self.connection)
        values = {"state": UnitState.DONE.value, "result": result, "error": ""}
        return self._end(unit_id, worker, values, counter="done")

    def fail(self, unit_id: str, worker: str, reason: str, *, retry: bool, result: bytes | None = None) -> bool:
        """Write down why a unit could not be done; it waits for another try where one is left and wanted.

        `result`: as far as it came, which counts in the findings.
        """
        one_at_a_time(self.connection)
        attempts = self.connection.execute(
            sa.select(tables.units.c.attempts).where(tables.units.c.id == unit_id)
        ).scalar()
        if retry and (attempts or 0) < MOST_ATTEMPTS:
            return self._give_back(unit_id, worker, {"error": reason})
        values = {"state": UnitState.FAILED.value, "error": reason, "result": result}
        return self._end(unit_id, worker, values, counter="failed")

    def release(self, unit_id: str, worker: str) -> bool:
        """Give a unit back without counting the attempt: the worker stops, or the run was cancelled."""
        one_at_a_time(self.connection)
        return self._give_back(unit_id, worker, {"attempts": tables.units.c.attempts - 1, "error": _GIVEN_BACK})

    def expire(self, now: datetime) -> int:
        """Take units from workers that no longer hold them; returns how many."""
        units = tables.units
        late = (units.c.state == UnitState.RUNNING.value, units.c.lease_until < now)
        found = self.connection.execute(sa.select(units.c.id, units.c.worker, units.c.attempts).where(*late)).all()
        for unit_id, worker, attempts in found:
            if attempts < MOST_ATTEMPTS:
                self._give_back(unit_id, worker, {})
            else:
                self._end(unit_id, worker, {"state": UnitState.FAILED.value, "error": _LOST}, counter="failed")
        return len(found)

    # --- looking -------------------------------------------------------------------------------------------------

    def get(self, unit_id: str) -> Unit | None:
        """Return a unit."""
        return self._one(Unit, sa.select(*_SHOWN).where(tables.units.c.id == unit_id))

    def by_key(self, run_id: str, key: str) -> Unit | None:
        """Return a unit by its key."""
        units = tables.units
        return self._one(Unit, sa.select(*_SHOWN).where(units.c.run_id == run_id, units.c.key == key))

    def of_run(
        self, run_id: str, *, state: UnitState | None = None, limit: int | None = None, offset: int = 0
    ) -> tuple[Unit, ...]:
        """Return the units of a run in their order."""
        units = tables.units
        query = sa.select(*_SHOWN).where(units.c.run_id == run_id, _OWN)
        if state is not None:
            query = query.where(units.c.state == state.value)
        return self._all(Unit, query.order_by(units.c.place).limit(limit).offset(offset))

    def counts(self, run_id: str) -> dict[UnitState, int]:
        """Return how many units of a run are how far; every state is named."""
        units = tables.units
        query = sa.select(units.c.state, sa.func.count()).where(units.c.run_id == run_id, _OWN)
        found = {each[0]: int(each[1]) for each in self.connection.execute(query.group_by(units.c.state))}
        return {state: found.get(state.value, 0) for state in UnitState}

    def bots(self, run_id: str) -> frozenset[str]:
        """Return the bots that a run talks to."""
        units = tables.units
        query = sa.select(units.c.bot).distinct().where(units.c.run_id == run_id, units.c.bot != "")
        return frozenset(self.connection.execute(query).scalars())

    def result(self, unit_id: str) -> bytes | None:
        """Return the result of a unit."""
        query = sa.select(tables.units.c.result).where(tables.units.c.id == unit_id)
        found = self.connection.execute(query).scalar()
        return None if found is None else bytes(found)

    def results(self, run_id: str) -> dict[str, bytes]:
        """Return all results by key, in their order: of units that are done, and of those that failed half-way."""
        units = tables.units
        over = units.c.state.in_([UnitState.DONE.value, UnitState.FAILED.value])
        query = sa.select(units.c.key, units.c.result).where(
            units.c.run_id == run_id, over, units.c.result.is_not(None), _OWN
        )
        return {key: bytes(result) for key, result in self.connection.execute(query.order_by(units.c.place))}

    # --- another try ---------------------------------------------------------------------------------------------

    def retry_failed(self, run_id: str) -> int:
        """Let the units that failed wait again; returns how many."""
        return self._again(run_id, (UnitState.FAILED,))

    def resume(self, run_id: str) -> int:
        """Let all units that were not done wait again; returns how many."""
        return self._again(run_id, (UnitState.FAILED, UnitState.CANCELLED))

    def _again(self, run_id: str, states: Collection[UnitState]) -> int:
        one_at_a_time(self.connection)
        units, runs = tables.units, tables.runs
        fresh = {"state": UnitState.WAITING.value, "attempts": 0, "worker": None, "lease_until": None, "result": None}
        chosen = (units.c.run_id == run_id, _OWN, units.c.state.in_([state.value for state in states]))
        again = self.connection.execute(sa.update(units).where(*chosen).values({**fresh, "finished": None})).rowcount
        # The error stays until the unit is done: it tells whoever begins it that it was begun before.
        # What is over is concluded anew; without a unit to do this happens at once.
        conclusion = (units.c.run_id == run_id, units.c.key == CONCLUSION)
        self.connection.execute(sa.update(units).where(*conclusion).values(fresh))
        opened = {"state": RunState.WAITING.value, "finished": None, "error": "", "version": runs.c.version + 1}
        failed = self.counts(run_id)[UnitState.FAILED]
        self.connection.execute(sa.update(runs).where(runs.c.id == run_id).values({**opened, "failed": failed}))
        self._settle(run_id)
        return again

    # --- the work ------------------------------------------------------------------------------------------------

    def _take(self, ids: list[str], worker: str, now: datetime, lease_seconds: float) -> tuple[Unit, ...]:
        if not ids:
            return ()
        units = tables.units
        values = {
            "state": UnitState.RUNNING.value,
            "worker": worker,
            "lease_until": now + timedelta(seconds=lease_seconds),
            "started": now,
            "attempts": units.c.attempts + 1,
        }
        self.connection.execute(sa.update(units).where(units.c.id.in_(ids)).values(values))
        found = {unit.id: unit for unit in self._all(Unit, sa.select(*_SHOWN).where(units.c.id.in_(ids)))}
        return tuple(found[unit_id] for unit_id in ids)

    def _begin(self, run_ids: Collection[str], now: datetime) -> None:
        runs = tables.runs
        values = {
            "state": RunState.RUNNING.value,
            "started": sa.func.coalesce(runs.c.started, sa.bindparam("began", now, type_=tables.Moment)),
            "version": runs.c.version + 1,
            "served": self._next_turn(),
        }
        self.connection.execute(sa.update(runs).where(runs.c.id.in_(run_ids)).values(values))

    def _next_turn(self) -> int:
        """Return a number above that of every open run: turns are counted, since clocks may be set back."""
        runs = tables.runs
        query = sa.select(sa.func.max(runs.c.served)).where(runs.c.state.in_(OPEN))
        return int(self.connection.execute(query).scalar() or 0) + 1

    def _end(self, unit_id: str, worker: str, values: Mapping[str, Any], counter: str) -> bool:
        """End a unit that a worker holds, count it, and see whether its run is over."""
        more = {"finished": the_time(), "lease_until": None}
        found = self._held(unit_id, worker, {**values, **more})
        for run_id, key in found:
            if key != CONCLUSION:
                self._count(run_id, counter)
                self._settle(run_id)
            elif counter == "failed":
                self._close(run_id, str(values["error"]))
        return bool(found)

    def _give_back(self, unit_id: str, worker: str, values: Mapping[str, Any]) -> bool:
        """Let a unit wait again, or be cancelled with its run."""
        runs, units = tables.runs, tables.units
        is_open = sa.exists().where(runs.c.id == units.c.run_id, runs.c.state.in_(OPEN))
        state = sa.case((is_open, UnitState.WAITING.value), else_=UnitState.CANCELLED.value)
        found = self._held(unit_id, worker, {"state": state, "worker": None, "lease_until": None, **values})
        for run_id, _ in found:
            self._count(run_id, None)
        return bool(found)

    def _held(self, unit_id: str, worker: str, values: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Change a unit that a worker holds; returns its run and key, or nothing when it is not held any more."""
        units = tables.units
        mine = (units.c.id == unit_id, units.c.worker == worker, units.c.state == UnitState.RUNNING.value)
        told = sa.update(units).where(*mine).values(dict(values)).returning(units.c.run_id, units.c.key)
        return [(run_id, key) for run_id, key in self.connection.execute(told)]

    def _count(self, run_id: str, counter: str | None) -> None:
        runs = tables.runs
        values: dict[str, Any] = {"version": runs.c.version + 1}
        if counter is not None:
            values[counter] = runs.c[counter] + 1
        self.connection.execute(sa.update(runs).where(runs.c.id == run_id).values(values))

    def _settle(self, run_id: str) -> None:
        """When nothing is left to do: the findings are to be made, or the run failed when there are no results."""
        runs, units = tables.runs, tables.units
        unfinished = units.c.state.in_([UnitState.WAITING.value, UnitState.RUNNING.value])
        left = sa.select(units.c.id).where(units.c.run_id == run_id, unfinished, _OWN).limit(1)
        if self.connection.execute(left).first() is not None:
            return
        if self.counts(run_id)[UnitState.DONE] == 0:
            self._close(run_id, next(self._errors(run_id), ""))
            return
        is_open = (runs.c.id == run_id, runs.c.state.in_(OPEN))
        told = sa.update(runs).where(*is_open).values(state=RunState.CONCLUDING.value)
        self.connection.execute(told)

    def _close(self, run_id: str, error: str) -> None:
        runs = tables.runs
        values = {
            "state": RunState.FAILED.value,
            "error": error,
            "finished": the_time(),
            "version": runs.c.version + 1,
        }
        self.connection.execute(sa.update(runs).where(runs.c.id == run_id, runs.c.state.in_(OPEN)).values(values))

    def _errors(self, run_id: str) -> Iterator[str]:
        units = tables.units
        query = sa.select(units.c.error).where(
            units.c.run_id == run_id, _OWN, units.c.state == UnitState.FAILED.value
        )
        yield from self.connection.execute(query.order_by(units.c.place).limit(1)).scalars()

    def _made(self, kind: type[T], found: Mapping[Any, Any]) -> T:
        return kind(**{**found, "state": UnitState(found["state"])})
