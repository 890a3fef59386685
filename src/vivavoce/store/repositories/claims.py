"""Who may begin what: phases in order, a bot's limits over all runs and workers, no run starves."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from vivavoce.store.rows import RunState, UnitState
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
    by_run, busy = _count_running(connection)
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


def _count_running(connection: Connection) -> tuple[Counter[str], Counter[str]]:
    """Return how many units are in progress, by run and by limit."""
    query = sa.select(units.c.run_id, units.c.limit_key, sa.func.count()).where(units.c.state == UnitState.RUNNING)
    by_run: Counter[str] = Counter()
    by_limit: Counter[str] = Counter()
    for run_id, key, n in connection.execute(query.group_by(units.c.run_id, units.c.limit_key)):
        by_run[run_id] += n
        by_limit[key] += n
    return by_run, by_limit


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
    taken, turn = 0, max((queue.served for queue in queues), default=0)
    while queues and taken < limit:
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
        taken += 1
        yield unit_id
