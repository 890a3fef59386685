"""A worker: claims units of runs, performs them, and renews its leases with a heartbeat."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Executor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from vivavoce.errors import StoreError, VivaError
from vivavoce.jobs.exams.registry import load_exam
from vivavoce.jobs.executors import ComputePool, open_pool
from vivavoce.jobs.performing import Performer
from vivavoce.jobs.starting import StartScheduled, start_due
from vivavoce.jobs.store_thread import StoreThread
from vivavoce.store.database import Store
from vivavoce.store.repositories.units import LEASE_SECONDS
from vivavoce.store.rows import Unit, WorkerRow
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction

_log = logging.getLogger(__name__)
# Conversations wait for bots most of the time, so one loop holds many. Each bot has its limit besides.
MAX_CONVERSATIONS = 256
# Killed workers could not sign off.
FORGOTTEN = timedelta(days=1)


class Tender(Protocol):
    """What a worker does beside runs, in short steps."""

    def step(self) -> None:
        """Look after what is in progress and begin what is due."""

    def close(self) -> None:
        """Leave what is in progress to others."""


MakeTender = Callable[[Store, str], Tender]


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How often a worker does what, in seconds."""

    lease: float = LEASE_SECONDS
    beat: float = LEASE_SECONDS / 3
    poll: float = 0.5
    flush: float = 0.5
    schedules: float = 5.0
    tasks: float = 1.0


class Worker:
    """Performs units of all runs of a workspace. Any number of workers, on any machines, share the work.

    `slots`: units computed at a time. `start_scheduled` starts the run of a schedule; without it none is started.
    `make_tender` gives what it does beside runs.
    """

    def __init__(
        self,
        store: Store,
        *,
        slots: int | None = None,
        executor: Executor | None = None,
        name: str | None = None,
        start_scheduled: StartScheduled | None = None,
        make_tender: MakeTender | None = None,
        rhythm: Rhythm | None = None,
    ) -> None:
        self.store = store
        self.name = name or f"{socket.gethostname()}-{os.getpid()}-{new_id()[:6]}"
        self.rhythm = rhythm or Rhythm()
        self._slots, self._executor = slots, executor
        self.start_scheduled = start_scheduled
        self.tender = make_tender(store, self.name) if make_tender else None

    def run_until(self, stop: threading.Event) -> None:
        """Work until `stop` is set, then give back the units in progress."""
        self._work(stop, drain=False)

    def drain(self, stop: threading.Event | None = None) -> None:
        """Work until no run is open any more."""
        self._work(stop or threading.Event(), drain=True)

    def _work(self, stop: threading.Event, *, drain: bool) -> None:
        # Before the loop begins: a cluster is connected to in the ordinary way.
        pool = open_pool(self._slots, self._executor)
        store_thread = StoreThread(self.store)
        try:
            asyncio.run(WorkerLoop(self, store_thread, pool, stop).work(drain=drain))
        finally:
            pool.close()
            store_thread.close()


@dataclass
class RunningUnit:
    """A unit in progress; `awaited` in the loop, not computed; `lost`: another worker has it now."""

    unit: Unit
    awaited: bool
    task: asyncio.Task[None]
    lost: bool = False


class WorkerLoop:
    """The loop of a worker, from start to stop."""

    def __init__(self, worker: Worker, store_thread: StoreThread, pool: ComputePool, stop: threading.Event) -> None:
        self.worker, self.rhythm, self.stop = worker, worker.rhythm, stop
        self.store_thread, self.pool = store_thread, pool
        self.performer = Performer(worker.name, store_thread, pool)
        self.running: dict[str, RunningUnit] = {}
        self.started = now()
        self._over = asyncio.Event()

    async def work(self, *, drain: bool) -> None:
        """Perform units until `stop` is set, or until none is left."""
        await self._beat()
        rhythms: list[tuple[Callable[[], Awaitable[object]], float]] = [
            (self._beat, self.rhythm.beat),
            (self.performer.turn_buffer.flush, self.rhythm.flush),
            (self._close_idle, self.rhythm.poll),
        ]
        store, start, tender = self.worker.store, self.worker.start_scheduled, self.worker.tender
        if start is not None:
            rhythms.append((lambda: asyncio.to_thread(start_due, store, start, now()), self.rhythm.schedules))
        if tender is not None:
            rhythms.append((lambda: asyncio.to_thread(tender.step), self.rhythm.tasks))
        try:
            async with _repeat_all(rhythms):
                while not self.stop.is_set():
                    started = await self._claim()
                    if started is None and drain and not self.running:
                        break
                    await self._pause()
        finally:
            # Even if the loop was interrupted: what is given back need not wait for its lease to end.
            for running in list(self.running.values()):
                await self._abandon(running)
            await self.performer.close()
            if tender is not None:
                with suppress(Exception):
                    await asyncio.to_thread(tender.close)
            with suppress(Exception):
                await self.store_thread.write(lambda tx: tx.workers.forget(self.worker.name))

    async def _claim(self) -> int | None:
        """Start the units that can be started; None if no run is open."""
        try:
            kinds = await self.store_thread.read(lambda tx: {run.kind for run in tx.runs.open()})
            if not kinds:
                return None
            awaited = {kind for kind in kinds if not await _in_executor(kind)}
            units = await self.store_thread.write(lambda tx: self._take(tx, kinds - awaited, awaited))
        except StoreError as error:
            _log.debug("could not claim units: %s", error.trouble)  # the store itself logs when it stops to serve
            return 0
        except Exception:
            _log.exception("could not claim units")
            return 0
        for unit, in_loop in units:
            self._begin(unit, in_loop)
        return len(units)

    def _take(self, tx: Transaction, computing: set[str], awaited: set[str]) -> list[tuple[Unit, bool]]:
        running = list(self.running.values())
        conversations = sum(running_unit.awaited for running_unit in running)
        free, name, lease = self.pool.slots - (len(running) - conversations), self.worker.name, self.rhythm.lease
        last = tx.units.claim_conclusions(name, max(0, free), now(), lease)
        room = free - len(last)
        computed = tx.units.claim(name, max(0, room), now(), lease, kinds=computing) if computing else ()
        conversing = (
            tx.units.claim(name, MAX_CONVERSATIONS - conversations, now(), lease, kinds=awaited) if awaited else ()
        )
        return [*((unit, False) for unit in last + computed), *((unit, True) for unit in conversing)]

    def _begin(self, unit: Unit, awaited: bool) -> None:
        if (before := self.running.get(unit.id)) is not None:
            # The lease was lost for a moment, for instance while the machine slept: begun anew.
            before.lost = True
            before.task.cancel()
        task = asyncio.create_task(self.performer.perform(unit))
        running_unit = self.running[unit.id] = RunningUnit(unit, awaited, task)
        task.add_done_callback(lambda _: self._note_end(running_unit))

    def _note_end(self, running_unit: RunningUnit) -> None:
        if self.running.get(running_unit.unit.id) is running_unit:
            del self.running[running_unit.unit.id]
        if not running_unit.task.cancelled() and (error := running_unit.task.exception()) is not None:
            level = logging.DEBUG if isinstance(error, StoreError) else logging.ERROR
            _log.log(level, "could not save unit %s", running_unit.unit.key, exc_info=error)
        self._over.set()

    async def _pause(self) -> None:
        """Wait until a unit is over or some time has passed; a moment longer, so that several are taken at once."""
        self._over.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(self.rhythm.poll):
                await self._over.wait()
        await asyncio.sleep(0.01)

    async def _beat(self) -> None:
        """Renew the leases of units in progress; drop those that another worker has."""
        mine = set(self.running)
        name, lease = self.worker.name, self.rhythm.lease
        me = WorkerRow(name, socket.gethostname(), os.getpid(), self.started, now())

        def do(tx: Transaction) -> frozenset[str]:
            tx.workers.beat(me)
            tx.workers.forget_before(me.seen - FORGOTTEN)
            # Only units in progress: one whose result could not be written must become free again.
            return tx.units.renew(name, now(), lease, only=mine)

        own = await self.store_thread.write(do)
        for unit_id in mine - own:
            if (running_unit := self.running.get(unit_id)) is not None:
                running_unit.lost = True
                running_unit.task.cancel()
                self.performer.turn_buffer.drop(unit_id)

    async def _close_idle(self) -> None:
        """Abandon conversations of cancelled runs; close bots that are not needed any more."""
        busy = {running_unit.unit.run_id for running_unit in self.running.values() if running_unit.awaited}
        open_runs = await self.store_thread.read(lambda tx: {run.id for run in tx.runs.open()})
        for running_unit in list(self.running.values()):
            if running_unit.awaited and running_unit.unit.run_id not in open_runs:
                await self._abandon(running_unit)
        await self.performer.bots.close_idle(busy, over=self.performer.bots.run_ids() - open_runs)

    async def _abandon(self, running_unit: RunningUnit) -> None:
        running_unit.task.cancel()
        await asyncio.wait([running_unit.task])
        if running_unit.task.cancelled() and not running_unit.lost:
            await self.performer.release(running_unit.unit)


async def _in_executor(kind: str) -> bool:
    """Return whether units of a kind are computed in the pool; loading an exam is slow, so beside the loop."""
    try:
        return (await asyncio.to_thread(load_exam, kind)).in_executor
    except VivaError:
        # Of a newer vivavoce, or a plug-in that is not here: its units fail with the reason.
        return True


@asynccontextmanager
async def _repeat_all(rhythms: list[tuple[Callable[[], Awaitable[object]], float]]) -> AsyncIterator[None]:
    """Repeat several calls, each in its own rhythm, until the block is left."""
    tasks = [asyncio.create_task(_repeat(do, seconds)) for do, seconds in rhythms]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _repeat(do: Callable[[], Awaitable[object]], seconds: float) -> None:
    me = asyncio.current_task()
    # A call may swallow a cancellation, for instance in a plug-in, so it is checked here too.
    while me is None or not me.cancelling():
        await asyncio.sleep(seconds)
        try:
            await do()
        except StoreError as error:
            _log.debug("the worker failed to process its work: %s", error.trouble)
        except Exception:
            _log.exception("the worker failed to process its work")
