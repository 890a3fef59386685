"""Who may begin what: phases in order, a bot's limits over all runs and workers, no run starves."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from vivavoce.store import tables
from vivavoce.store.rows import RunState, UnitState

# How often a unit is begun before it counts as failed.
MOST_ATTEMPTS = 3
# The last unit of every run: its findings are made when all others are over. No exam has a unit without a key.
CONCLUSION = ""
CONCLUDING_PHASE = 1_000_000
OPEN = tuple(state.value for state in RunState if state.open)


@dataclass(slots=True)
class Queue:
    """Units of one run that may be begun, in order; `running`: how many of the run are on their way."""

    running: int
    ids: list[tuple[str, str]] = field(default_factory=list)


def claimable(connection: Connection, worker: str, limit: int, kinds: Collection[str] | None) -> list[str]:
    """Return the ids of units that a worker may begin now, in order."""
    open_runs = _open_runs(connection, kinds)
    for run_id in _held_by_others(connection, worker, [run.id for run in open_runs.values() if _is_capped(run)]):
        del open_runs[run_id]
    if not open_runs or limit <= 0:
        return []
    on_their_way, busy = _running(connection)
    queues = [
        _queue(connection, run, phase, limit, on_their_way[run.id])
        for run, phase in _phases(connection, open_runs)
        if phase < CONCLUDING_PHASE
    ]
    return list(_in_turn(queues, limit, busy, _limits(open_runs)))


def conclusions(connection: Connection, limit: int) -> list[str]:
    """Return the ids of conclusions that wait for nothing any more."""
    units, runs = tables.units, tables.runs
    query = (
        sa.select(units.c.id)
        .join(runs, runs.c.id == units.c.run_id)
        .where(runs.c.state == RunState.CONCLUDING.value, units.c.key == CONCLUSION)
        .where(units.c.state == UnitState.WAITING.value)
        .order_by(runs.c.created)
        .limit(limit)
    )
    return list(connection.execute(query).scalars())


def limit_key(project_id: str, bot: str) -> str:
    """Return the name under which a bot's units are counted over all runs."""
    return f"{project_id} {bot}" if bot else ""


def _open_runs(connection: Connection, kinds: Collection[str] | None) -> dict[str, Any]:
    runs = tables.runs
    query = sa.select(runs.c.id, runs.c.project_id, runs.c.options)
    query = query.where(runs.c.state.in_([RunState.WAITING.value, RunState.RUNNING.value]))
    if kinds is not None:
        query = query.where(runs.c.kind.in_(list(kinds)))
    return {found.id: found for found in connection.execute(query.order_by(runs.c.created, runs.c.number))}


def _is_capped(run: Any) -> bool:
    """Tell whether the messages of a run are counted: whoever counts them must send all of them."""
    return run.options.get("max_messages") is not None


def _held_by_others(connection: Connection, worker: str, run_ids: Collection[str]) -> list[str]:
    units = tables.units
    others = (units.c.state == UnitState.RUNNING.value, units.c.worker != worker, units.c.run_id.in_(run_ids))
    return list(connection.execute(sa.select(units.c.run_id).distinct().where(*others)).scalars()) if run_ids else []


def _phases(connection: Connection, open_runs: dict[str, Any]) -> list[tuple[Any, int]]:
    """Return for each run, the oldest first, the phase that it is in."""
    units = tables.units
    unfinished = units.c.state.in_([UnitState.WAITING.value, UnitState.RUNNING.value])
    query = sa.select(units.c.run_id, sa.func.min(units.c.phase)).where(unfinished, units.c.run_id.in_(open_runs))
    found = {each[0]: int(each[1]) for each in connection.execute(query.group_by(units.c.run_id))}
    return [(run, found[run_id]) for run_id, run in open_runs.items() if run_id in found]


def _running(connection: Connection) -> tuple[Counter[str], Counter[str]]:
    """Return how many units are on their way, by run and by limit."""
    units = tables.units
    query = sa.select(units.c.run_id, units.c.limit_key, sa.func.count()).where(
        units.c.state == UnitState.RUNNING.value
    )
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
        for bot, at_once in dict(run.options.get("limits") or {}).items():
            key = limit_key(run.project_id, bot)
            most[key] = min(int(at_once), most.get(key, int(at_once)))
    return most


def _queue(connection: Connection, run: Any, phase: int, limit: int, running: int) -> Queue:
    """Return what one run could begin: enough of each bot, so that a busy one does not hide the others."""
    units = tables.units
    waiting = (units.c.run_id == run.id, units.c.state == UnitState.WAITING.value, units.c.phase == phase)
    query = sa.select(units.c.id, units.c.limit_key, units.c.place).where(*waiting)
    if run.options.get("limits"):
        rank = sa.func.row_number().over(partition_by=units.c.limit_key, order_by=units.c.place)
        ranked = query.add_columns(rank.label("rank")).subquery()
        query = sa.select(ranked).where(ranked.c.rank <= limit).order_by(ranked.c.place)
    else:
        query = query.order_by(units.c.place).limit(limit)
    return Queue(running, [(found.id, found.limit_key) for found in connection.execute(query)])


def _in_turn(queues: list[Queue], limit: int, busy: Counter[str], most: dict[str, int]) -> Iterator[str]:
    """Yield units, each time of the run with the fewest on their way; the oldest run where they are even."""
    given = 0
    while queues and given < limit:
        queue = min(queues, key=lambda each: each.running)
        while queue.ids and busy[queue.ids[0][1]] >= most.get(queue.ids[0][1], math.inf):
            queue.ids.pop(0)
        if not queue.ids:
            queues.remove(queue)
            continue
        unit_id, key = queue.ids.pop(0)
        busy[key] += 1
        queue.running += 1
        given += 1
        yield unit_id
