"""Who may begin what: phases in order, a bot's limits over all runs and workers, no run starves."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

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


class _Waiting(NamedTuple):
    """A unit that may be begun."""

    place: int
    id: str
    limit_key: str


@dataclass(slots=True)
class Queue:
    """Units of one run that may be begun, in order.

    `running`: how many of the run are on their way. `served`: the turn in which the run last got a unit, 0 for none.
    """

    running: int
    served: int
    waiting: deque[_Waiting]


def claimable(connection: Connection, worker: str, limit: int, kinds: Collection[str] | None) -> list[str]:
    """Return the ids of units that a worker may begin now, in order."""
    query = sa.select(runs.c.id, runs.c.project_id, runs.c.options, runs.c.served)
    query = query.where(runs.c.state.in_([RunState.WAITING, RunState.RUNNING]))
    if kinds is not None:
        query = query.where(runs.c.kind.in_(list(kinds)))
    open_runs = {found.id: found for found in connection.execute(query.order_by(runs.c.created, runs.c.number))}
    for run_id in _held_by_others(connection, worker, [run.id for run in open_runs.values() if _is_capped(run)]):
        del open_runs[run_id]
    if not open_runs or limit <= 0:
        return []
    (on_their_way, busy), most = _running(connection), _limits(open_runs)
    queues = [
        Queue(on_their_way[run.id], run.served, deque(_queue(connection, run, limit, busy, most)))
        for run in open_runs.values()
    ]
    return list(_in_turn(queues, limit, busy, most))


def conclusions(connection: Connection, limit: int) -> list[str]:
    """Return the ids of conclusions that wait for nothing any more."""
    query = (
        sa.select(units.c.id)
        .join(runs, runs.c.id == units.c.run_id)
        .where(runs.c.state == RunState.CONCLUDING, units.c.key == CONCLUSION)
        .where(units.c.state == UnitState.WAITING)
        .order_by(runs.c.created)
        .limit(limit)
    )
    return list(connection.execute(query).scalars())


def limit_key(project_id: str, bot: str) -> str:
    """Return the name under which a bot's units are counted over all runs."""
    # As long as the column is; a bot whose name is that long shares its limit with its like.
    return f"{project_id} {bot}"[:200] if bot else ""


def _is_capped(run: Any) -> bool:
    """Tell whether the messages of a run are counted: whoever counts them must send all of them."""
    return run.options.get("max_messages") is not None


def _held_by_others(connection: Connection, worker: str, run_ids: Collection[str]) -> list[str]:
    others = (units.c.state == UnitState.RUNNING, units.c.worker != worker, units.c.run_id.in_(run_ids))
    return list(connection.execute(sa.select(units.c.run_id).distinct().where(*others)).scalars()) if run_ids else []


def _phase(connection: Connection, run_id: str) -> int | None:
    """Return the phase that a run is in: the first with a unit that is not over."""
    # One state at a time: the index answers each at once, however many units there are.
    asked = (
        sa.select(units.c.phase).where(units.c.run_id == run_id, units.c.state == state)
        for state in (UnitState.WAITING, UnitState.RUNNING)
    )
    found = [connection.execute(query.order_by(units.c.phase).limit(1)).scalar() for query in asked]
    return min((phase for phase in found if phase is not None), default=None)


def _running(connection: Connection) -> tuple[Counter[str], Counter[str]]:
    """Return how many units are on their way, by run and by limit."""
    query = sa.select(units.c.run_id, units.c.limit_key, sa.func.count()).where(units.c.state == UnitState.RUNNING)
    by_run: Counter[str] = Counter()
    by_limit: Counter[str] = Counter()
    for run_id, key, n in connection.execute(query.group_by(units.c.run_id, units.c.limit_key)):
        by_run[run_id] += n
        by_limit[key] += n
    return by_run, by_limit


def _limits(open_runs: dict[str, Any]) -> dict[str, int]:
    """Return how many units of each bot may be on their way; where runs differ the smallest number holds."""
    most: dict[str, int] = {}
    for run in open_runs.values():
        for key, at_once in _own_limits(run).items():
            most[key] = min(at_once, most.get(key, at_once))
    return most


def _own_limits(run: Any) -> dict[str, int]:
    said = run.options.get("limits") or {}
    return {limit_key(run.project_id, bot): int(at_once) for bot, at_once in said.items()}


def _queue(connection: Connection, run: Any, limit: int, busy: Counter[str], most: dict[str, int]) -> list[_Waiting]:
    """Return what one run could begin, in order: as much of each bot as it bears, so that none hides the others."""
    phase = _phase(connection, run.id)
    if phase is None or phase >= CONCLUDING_PHASE:
        return []
    limited = list(_own_limits(run))
    waiting = (units.c.run_id == run.id, units.c.state == UnitState.WAITING, units.c.phase == phase)
    query = sa.select(units.c.place, units.c.id, units.c.limit_key).where(*waiting).order_by(units.c.place)
    asked = [(units.c.limit_key == key, min(limit, most[key] - busy[key])) for key in limited]
    asked.append((units.c.limit_key.not_in(limited), limit))
    found = [
        _Waiting(*row)
        for condition, room in asked
        if room > 0
        for row in connection.execute(query.where(condition).limit(room))
    ]
    return sorted(found)


def _in_turn(queues: list[Queue], limit: int, busy: Counter[str], most: dict[str, int]) -> Iterator[str]:
    """Yield units, each time of the run with the fewest on their way; among equals, of the least recently served.

    The oldest first would let a later run starve: with as many older runs as slots, the run that just finished a
    unit would get the free slot again and again.
    """
    given, turn = 0, max((queue.served for queue in queues), default=0)
    while queues and given < limit:
        queue = min(queues, key=lambda each: (each.running, each.served))
        if not queue.waiting:
            queues.remove(queue)
            continue
        unit = queue.waiting.popleft()
        if busy[unit.limit_key] >= most.get(unit.limit_key, math.inf):
            continue
        busy[unit.limit_key] += 1
        queue.running += 1
        queue.served = turn = turn + 1
        given += 1
        yield unit.id
