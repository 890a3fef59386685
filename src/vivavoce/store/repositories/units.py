"""Pieces of work: claimed under a lease, finished once, begun again when a worker is gone."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from vivavoce.messages import say
from vivavoce.store.columns import Moment
from vivavoce.store.repositories.repository import RowsById, matching, with_data
from vivavoce.store.rows import RunState, Unit, UnitState
from vivavoce.store.stamps import now as the_time
from vivavoce.store.tables import runs, units

# How often a unit is begun before it counts as failed.
MAX_ATTEMPTS = 3
# The last unit of every run: its findings are made when all others are over. No exam has a unit without a key.
CONCLUSION = ""
CONCLUDING_PHASE = 1_000_000
OPEN = tuple(state for state in RunState if state.open)


@dataclass(slots=True)
class Queue:
    """Units of one run that may be begun, in order: place, id and limit of each.

    `running`: how many of the run are in progress. `served`: the turn in which the run last got a unit, 0 for none.
    """

    running: int
    served: int
    waiting: deque[tuple[int, str, str]]


def claimable(connection: Connection, worker: str, limit: int, kinds: Collection[str] | None) -> list[str]:
    """Return the ids of units that a worker may begin now, in order."""
    query = sa.select(runs.c.id, runs.c.project_id, runs.c.options, runs.c.served)
    query = query.where(runs.c.state.in_([RunState.WAITING, RunState.RUNNING]))
    if kinds is not None:
        query = query.where(runs.c.kind.in_(list(kinds)))
    open_runs = {run.id: run for run in connection.execute(query.order_by(runs.c.created, runs.c.number))}
    # A worker that counts the messages of a run must send all of them.
    capped = [run.id for run in open_runs.values() if run.options.get("max_messages") is not None]
    if capped:
        others = (units.c.state == UnitState.RUNNING, units.c.worker != worker, units.c.run_id.in_(capped))
        for run_id in connection.execute(sa.select(units.c.run_id).distinct().where(*others)).scalars():
            del open_runs[run_id]
    if not open_runs or limit <= 0:
        return []
    # How many units are in progress, by run and by limit.
    by_run, busy = Counter[str](), Counter[str]()
    counts = sa.select(units.c.run_id, units.c.limit_key, sa.func.count()).where(units.c.state == UnitState.RUNNING)
    for run_id, key, n in connection.execute(counts.group_by(units.c.run_id, units.c.limit_key)):
        by_run[run_id] += n
        busy[key] += n
    # How many units of each bot may be in progress: where runs differ, the smallest number holds.
    most: dict[str, int] = {}
    for run in open_runs.values():
        for key, at_once in _own_limits(run).items():
            most[key] = min(at_once, most.get(key, at_once))
    queues = [
        Queue(by_run[run.id], run.served, deque(_list_waiting(connection, run, limit, busy, most)))
        for run in open_runs.values()
    ]
    return list(_take_in_turn(queues, limit, busy, most))


def conclusions(connection: Connection, limit: int) -> list[str]:
    """Return the ids of conclusions that wait for nothing any more."""
    ready = (runs.c.state == RunState.CONCLUDING, units.c.key == CONCLUSION, units.c.state == UnitState.WAITING)
    query = sa.select(units.c.id).join(runs, runs.c.id == units.c.run_id).where(*ready)
    return list(connection.execute(query.order_by(runs.c.created).limit(limit)).scalars())


def limit_key(project_id: str, bot: str) -> str:
    """Return the name under which a bot's units are counted over all runs."""
    # As long as the column is; a bot whose name is that long shares its limit with its like.
    return f"{project_id} {bot}"[:200] if bot else ""


def _own_limits(run: Any) -> dict[str, int]:
    limits = run.options.get("limits") or {}
    return {limit_key(run.project_id, bot): int(at_once) for bot, at_once in limits.items()}


def _list_waiting(
    connection: Connection, run: Any, limit: int, busy: Counter[str], most: dict[str, int]
) -> list[tuple[int, str, str]]:
    """Return what one run could begin, in order: as much of each bot as it bears, so that none hides the others."""
    phases: list[int] = []
    # One state at a time: the index answers each at once, however many units there are.
    for state in (UnitState.WAITING, UnitState.RUNNING):
        phase = sa.select(units.c.phase).where(units.c.run_id == run.id, units.c.state == state)
        phases += connection.execute(phase.order_by(units.c.phase).limit(1)).scalars()
    if min(phases, default=CONCLUDING_PHASE) >= CONCLUDING_PHASE:
        return []
    waiting = (units.c.run_id == run.id, units.c.state == UnitState.WAITING, units.c.phase == min(phases))
    query = sa.select(units.c.place, units.c.id, units.c.limit_key).where(*waiting).order_by(units.c.place)
    limits = list(_own_limits(run))
    parts = [(units.c.limit_key == key, min(limit, most[key] - busy[key])) for key in limits]
    parts.append((units.c.limit_key.not_in(limits), limit))
    rows = [row for part, room in parts if room > 0 for row in connection.execute(query.where(part).limit(room))]
    return sorted((place, unit_id, key) for place, unit_id, key in rows)


def _take_in_turn(queues: list[Queue], limit: int, busy: Counter[str], most: dict[str, int]) -> Iterator[str]:
    """Yield units, each time of the run with the fewest in progress; among equals, of the least recently served.

    The oldest first would let a later run starve: with as many older runs as slots, the run that just finished a
    unit would get the free slot again and again.
    """
    count, turn = 0, max((queue.served for queue in queues), default=0)
    while queues and count < limit:
        queue = min(queues, key=lambda queue: (queue.running, queue.served))
        if not queue.waiting:
            queues.remove(queue)
            continue
        _, unit_id, key = queue.waiting.popleft()
        if busy[key] >= most.get(key, math.inf):
            continue
        busy[key] += 1
        queue.running += 1
        queue.served = turn = turn + 1
        count += 1
        yield unit_id


LEASE_SECONDS = 30.0
# By its phase, which an index holds beside the state: rows with their results are not touched to count them.
_OWN = units.c.phase != CONCLUDING_PHASE
# Tells whoever takes a unit that something may be left of an earlier attempt.
_BEGUN = say("started but returned")


class Units(RowsById[Unit], table=units, row=Unit):
    """Units of all runs. What makes the findings of a run is a unit too, but it is never counted or listed."""

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
        self.lock()
        self.expire(now)
        claimed = self._take(claimable(self.connection, worker, limit, kinds), worker, now, lease_seconds)
        if claimed:
            # A number above that of every open run: turns are counted, since clocks may be set back.
            served = self._scalar(sa.select(sa.func.max(runs.c.served)).where(runs.c.state.in_(OPEN)))
            values = {
                "state": RunState.RUNNING,
                "started": sa.func.coalesce(runs.c.started, sa.bindparam("began", now, type_=Moment)),
                "version": runs.c.version + 1,
                "served": int(served or 0) + 1,
            }
            their_runs = runs.c.id.in_({unit.run_id for unit in claimed})
            self.connection.execute(sa.update(runs).where(their_runs).values(values))
        return claimed

    def claim_conclusions(
        self, worker: str, limit: int, now: datetime, lease_seconds: float = LEASE_SECONDS
    ) -> tuple[Unit, ...]:
        """Take runs of which all units are over and whose findings are to be made."""
        self.lock()
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
        self.lock()
        mine = (units.c.worker == worker, units.c.state == UnitState.RUNNING)
        chosen = mine if only is None else (*mine, units.c.id.in_(only))
        self._update(*chosen, lease_until=now + timedelta(seconds=lease_seconds))
        return frozenset(self._scalars(sa.select(units.c.id).where(*mine)))

    def finish(self, unit_id: str, worker: str, result: bytes) -> bool:
        """Keep the result of a unit; False, and nothing is written, when the worker no longer holds it."""
        self.lock()
        values = {"state": UnitState.DONE, "result": result, "error": ""}
        return self._end(unit_id, worker, values, counter="done")

    def fail(self, unit_id: str, worker: str, reason: str, *, retry: bool, result: bytes | None = None) -> bool:
        """Write down why a unit could not be done; it waits for a retry where one is left and wanted.

        `result`: as far as it came, which counts in the findings.
        """
        self.lock()
        attempts = self._scalar(sa.select(units.c.attempts).where(units.c.id == unit_id))
        if retry and (attempts or 0) < MAX_ATTEMPTS:
            return self._give_back(unit_id, worker, {"error": reason})
        values = {"state": UnitState.FAILED, "error": reason, "result": result}
        return self._end(unit_id, worker, values, counter="failed")

    def release(self, unit_id: str, worker: str) -> bool:
        """Give a unit back without counting the attempt: the worker stops, or the run was cancelled."""
        self.lock()
        values = {"attempts": units.c.attempts - 1, "error": _BEGUN}
        return self._give_back(unit_id, worker, values)

    def expire(self, now: datetime) -> int:
        """Take units from workers that no longer hold them; returns how many."""
        lost = self._all(self._select(units.c.state == UnitState.RUNNING, units.c.lease_until < now))
        reason = say("the worker stopped three times during this unit")
        for unit in lost:
            if unit.attempts < MAX_ATTEMPTS:
                self._give_back(unit.id, unit.worker or "", {"error": _BEGUN})
            else:
                values = {"state": UnitState.FAILED, "error": reason}
                self._end(unit.id, unit.worker or "", values, counter="failed")
        return len(lost)

    def of_run(
        self, run_id: str, *, state: UnitState | None = None, limit: int | None = None, offset: int = 0
    ) -> tuple[Unit, ...]:
        """Return the units of a run in their order."""
        query = self._select(units.c.run_id == run_id, _OWN, *matching((units.c.state, state)))
        return self._all(query.order_by(units.c.place).limit(limit).offset(offset))

    def counts(self, run_id: str) -> dict[UnitState, int]:
        """Return how many units of a run are how far; every state is named."""
        return dict.fromkeys(UnitState, 0) | self._counts(units.c.state, units.c.run_id == run_id, _OWN)

    def counts_by_bot(self, run_id: str) -> dict[str, dict[UnitState, int]]:
        """Return how many units of each bot are how far."""
        columns = (units.c.bot, units.c.state, sa.func.count())
        query = sa.select(*columns).where(units.c.run_id == run_id, units.c.key != CONCLUSION)
        counts: dict[str, dict[UnitState, int]] = {}
        for bot, state, n in self.connection.execute(query.group_by(units.c.bot, units.c.state)):
            counts.setdefault(bot, {})[state] = int(n)
        return counts

    def recent(self, run_id: str, limit: int) -> list[tuple[str, str]]:
        """Return bot and key of units that are on their way, the first first, then of those that ended last."""
        query = sa.select(units.c.bot, units.c.key).where(units.c.run_id == run_id, units.c.key != CONCLUSION)
        now = query.where(units.c.state == UnitState.RUNNING).order_by(units.c.place)
        over = query.where(units.c.finished.is_not(None)).order_by(units.c.finished.desc())
        return [(bot, key) for each in (now, over) for bot, key in self.connection.execute(each.limit(limit))]

    def states_by_bot(self, run_id: str, ending: str) -> dict[str, UnitState]:
        """Return how far the unit is whose key is the name of its bot and this ending, by bot."""
        same = (units.c.run_id == run_id, units.c.key == units.c.bot + sa.literal(ending))
        return self._pairs(sa.select(units.c.bot, units.c.state).where(*same))

    def last_finished(self, run_id: str, limit: int) -> Sequence[datetime]:
        """Return when the last units of a run were done or failed, the newest first."""
        over = units.c.state.in_([UnitState.DONE, UnitState.FAILED])
        query = sa.select(units.c.finished).where(units.c.run_id == run_id, over, units.c.finished.is_not(None))
        return self._scalars(query.order_by(units.c.finished.desc()).limit(limit))

    def held_until(self, run_id: str) -> datetime | None:
        """Return when the last lease of a run ends; None where nothing of it is on its way."""
        running = (units.c.run_id == run_id, units.c.state == UnitState.RUNNING)
        moment: datetime | None = self._scalar(sa.select(sa.func.max(units.c.lease_until)).where(*running))
        return moment

    def bots(self, run_id: str) -> frozenset[str]:
        """Return the bots that a run talks to."""
        query = sa.select(units.c.bot).distinct().where(units.c.run_id == run_id, units.c.bot != "")
        return frozenset(self._scalars(query))

    def result(self, unit_id: str) -> bytes | None:
        """Return the result of a unit."""
        content = self._scalar(sa.select(units.c.result).where(units.c.id == unit_id))
        return None if content is None else bytes(content)

    def results(self, run_id: str) -> dict[str, bytes]:
        """Return all results by key, in their order: of units that are done, and of those that failed half-way."""
        over = (units.c.state.in_([UnitState.DONE, UnitState.FAILED]), units.c.result.is_not(None))
        query = sa.select(units.c.key, units.c.result).where(units.c.run_id == run_id, *over, _OWN)
        return {key: bytes(result) for key, result in self.connection.execute(query.order_by(units.c.place))}

    def put_results(self, run_id: str, results: Mapping[str, bytes]) -> None:
        """Keep results of a run that was done elsewhere, by the keys of its units."""
        for key, result in results.items():
            self._update(units.c.run_id == run_id, units.c.key == key, result=result)

    def retry_failed(self, run_id: str) -> int:
        """Let the units that failed wait again; returns how many."""
        return self.resume(run_id, (UnitState.FAILED,))

    def resume(self, run_id: str, states: Collection[UnitState] = (UnitState.FAILED, UnitState.CANCELLED)) -> int:
        """Let all units that were not done wait again; returns how many."""
        self.lock()
        fresh = {"state": UnitState.WAITING, "attempts": 0, "worker": None, "lease_until": None, "result": None}
        # The error stays until the unit is done: it tells whoever begins it that it was begun before.
        again = self._update(units.c.run_id == run_id, _OWN, units.c.state.in_(states), **fresh, finished=None)
        # What is over is concluded anew; without a unit to do this happens at once.
        self._update(units.c.run_id == run_id, units.c.key == CONCLUSION, **fresh)
        failed = self.counts(run_id)[UnitState.FAILED]
        self._change_run(run_id, state=RunState.WAITING, finished=None, error="", failed=failed)
        self._settle(run_id)
        return again

    def _take(self, ids: list[str], worker: str, now: datetime, lease_seconds: float) -> tuple[Unit, ...]:
        if not ids:
            return ()
        self._update(
            units.c.id.in_(ids),
            state=UnitState.RUNNING,
            worker=worker,
            lease_until=now + timedelta(seconds=lease_seconds),
            started=now,
            attempts=units.c.attempts + 1,
        )
        by_id = {unit.id: unit for unit in self._all(self._select(units.c.id.in_(ids)))}
        return tuple(by_id[unit_id] for unit_id in ids)

    def _end(self, unit_id: str, worker: str, values: Mapping[str, Any], counter: str) -> bool:
        """End a unit that a worker holds, count it, and see whether its run is over."""
        ended = self._update_held(unit_id, worker, {**values, "finished": the_time(), "lease_until": None})
        for run_id, key in ended:
            if key != CONCLUSION:
                self._change_run(run_id, **{counter: runs.c[counter] + 1})
                self._settle(run_id)
            elif counter == "failed":
                self._close(run_id, values["error"])
        return bool(ended)

    def _give_back(self, unit_id: str, worker: str, values: Mapping[str, Any]) -> bool:
        """Let a unit wait again, or be cancelled with its run."""
        is_open = sa.exists().where(runs.c.id == units.c.run_id, runs.c.state.in_(OPEN))
        state = sa.case((is_open, UnitState.WAITING.value), else_=UnitState.CANCELLED.value)
        waiting = {"state": state, "worker": None, "lease_until": None, **values}
        changed = self._update_held(unit_id, worker, waiting)
        for run_id, _ in changed:
            self._change_run(run_id)
        return bool(changed)

    def _update_held(self, unit_id: str, worker: str, values: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Change a unit that a worker holds; returns its run and key, or nothing when it is not held any more."""
        own = (units.c.id == unit_id, units.c.worker == worker, units.c.state == UnitState.RUNNING)
        statement = sa.update(units).where(*own).values(with_data(units, values))
        rows = self.connection.execute(statement.returning(units.c.run_id, units.c.key))
        return [(run_id, key) for run_id, key in rows]

    def _change_run(self, run_id: str, *conditions: sa.ColumnElement[bool], **values: Any) -> None:
        statement = sa.update(runs).where(runs.c.id == run_id, *conditions)
        self.connection.execute(statement.values(version=runs.c.version + 1, **with_data(runs, values)))

    def _settle(self, run_id: str) -> None:
        """When nothing is left to do: the findings are to be made, or the run failed when there are no results."""
        unfinished = units.c.state.in_([UnitState.WAITING, UnitState.RUNNING])
        left = sa.select(units.c.id).where(units.c.run_id == run_id, unfinished, _OWN)
        if self._scalar(left.limit(1)) is not None:
            return
        if self.counts(run_id)[UnitState.DONE] == 0:
            failed = (units.c.run_id == run_id, _OWN, units.c.state == UnitState.FAILED)
            first = sa.select(units.c.error, units.c.error_data).where(*failed).order_by(units.c.place).limit(1)
            self._close(run_id, next((error for (error,) in self._fetch(first)), ""))
            return
        still_open = (runs.c.id == run_id, runs.c.state.in_(OPEN))
        self.connection.execute(sa.update(runs).where(*still_open).values(state=RunState.CONCLUDING))

    def _close(self, run_id: str, error: str) -> None:
        self._change_run(run_id, runs.c.state.in_(OPEN), state=RunState.FAILED, error=error, finished=the_time())
