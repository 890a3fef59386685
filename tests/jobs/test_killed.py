"""Workers and servers are killed in the middle of a run: nothing is lost, only what was on its way is done again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from workplace import add_project, seen, start_talks

from vivavoce.jobs.processes import WorkerProcesses
from vivavoce.store import tables
from vivavoce.store.database import Store
from vivavoce.store.rows import RunState, UnitState
from vivavoce.store.stamps import now

pytestmark = pytest.mark.slow

TALKS = 90
BOTS = {"parrot": {"kind": "scripted:echo", "delay_s": 0.08, "limits": {"at_once": 6}}}
PARENT = """
import sys, time
from vivavoce.jobs.processes import WorkerProcesses
workers = WorkerProcesses(sys.argv[1], options=["--slots", "1"])
workers.start()
sys.stdout.write(f"{workers.pids[0]}\\n")
sys.stdout.flush()
time.sleep(600)
"""


def until(happened: Callable[[], object]) -> None:
    deadline = time.monotonic() + 120
    while not happened():
        if time.monotonic() > deadline:
            pytest.fail("it did not happen")
        time.sleep(0.05)


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and waits to be looked at does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@contextmanager
def workers(address: str) -> Iterator[WorkerProcesses]:
    started = WorkerProcesses(address, options=["--slots", "1"])
    started.start()
    try:
        yield started
    finally:
        started.stop()


def let_leases_end(store: Store) -> None:
    """Do as if half a minute had passed."""
    units = tables.units
    past = now() - timedelta(seconds=1)
    with store.writing() as tx:
        running = units.c.state == UnitState.RUNNING.value
        tx.connection.execute(sa.update(units).where(running).values(lease_until=past))


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")
def test_a_run_survives_the_death_of_its_worker(store: Store, workspace_address: str) -> None:
    run = start_talks(store, add_project(store), TALKS, BOTS, turns=2)
    with workers(workspace_address) as started:
        (killed,) = started.pids
        until(lambda: seen(store, run).done >= TALKS // 3)
        os.kill(killed, signal.SIGKILL)
        until(lambda: not alive(killed))
        with store.reading() as tx:
            in_flight = {unit.key for unit in tx.units.of_run(run.id, state=UnitState.RUNNING)}
            done_before = {unit.key: unit.finished for unit in tx.units.of_run(run.id, state=UnitState.DONE)}
        let_leases_end(store)
        until(lambda: not seen(store, run).state.open)
        assert started.pids != (killed,)
    found = seen(store, run)
    assert (found.state, found.total, found.done, found.failed) == (RunState.DONE, TALKS, TALKS, 0)
    assert done_before, "the worker was killed in the middle"
    assert len(done_before) < TALKS
    with store.reading() as tx:
        units = tx.units.of_run(run.id)
        assert tx.turns.count(run.id) == TALKS * 2
        assert set(Counter(turn.outcome for turn in tx.turns.of_run(run.id))) == {"unchecked"}
    assert {unit.key for unit in units if unit.attempts == 2} <= in_flight
    assert {unit.attempts for unit in units} <= {1, 2}
    assert {unit.key: unit.finished for unit in units if unit.key in done_before} == done_before


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")
def test_a_worker_does_not_outlive_who_started_it(sqlite_path: Path) -> None:
    command = [sys.executable, "-c", PARENT, str(sqlite_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        assert alive(worker)
        parent.kill()
    until(lambda: not alive(worker))
