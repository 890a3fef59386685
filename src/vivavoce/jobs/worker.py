"""A worker: takes units of runs, does them, and holds on to them with a heartbeat while it does."""

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

from vivavoce.errors import StoreError, VivaError
from vivavoce.jobs.exams.registry import load_exam
from vivavoce.jobs.executors import ComputePool, open_pool
from vivavoce.jobs.performing import Performer
from vivavoce.jobs.schedules import StartScheduled, start_due
from vivavoce.jobs.store_thread import StoreThread
from vivavoce.store.database import Store
from vivavoce.store.repositories.units import LEASE_SECONDS
from vivavoce.store.rows import Unit, WorkerRow
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction

_log = logging.getLogger(__name__)
# Talks wait for bots most of the time: one loop holds many. What a bot bears is its own limit.
MOST_TALKS = 256
# Workers that were killed could not say that they leave.
FORGOTTEN = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How often a worker does what, in seconds."""

    lease: float = LEASE_SECONDS
    beat: float = LEASE_SECONDS / 3
    poll: float = 0.5
    flush: float = 0.2
    schedules: float = 5.0


class Worker:
    """Does units of all runs of a workspace. Any number of workers, on any number of machines, share the work.

    `slots`: units computed at a time. `start_scheduled` starts the run of a schedule; without it none is started.
    """

    def __init__(
        self,
        store: Store,
        *,
        slots: int | None = None,
        executor: Executor | None = None,
        name: str | None = None,
        start_scheduled: StartScheduled | None = None,
        rhythm: Rhythm | None = None,
    ) -> None:
        self.store = store
        self.name = name or f"{socket.gethostname()}-{os.getpid()}-{new_id()[:6]}"
        self.rhythm = rhythm or Rhythm()
        self._slots, self._executor = slots, executor
        self.start_scheduled = start_scheduled

    def run_until(self, stop: threading.Event) -> None:
        """Work until told to stop; what is on its way then is given back."""
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
    """A unit on its way; `lost`: somebody else has it now."""

    unit: Unit
    talk: bool
    task: asyncio.Task[None]
    lost: bool = False


class WorkerLoop:
    """A worker at work, from when it begins until it stops."""

    def __init__(self, worker: Worker, store_thread: StoreThread, pool: ComputePool, stop: threading.Event) -> None:
        self.worker, self.rhythm, self.store_thread, self.pool, self.stop = (
            worker,
            worker.rhythm,
            store_thread,
            pool,
            stop,
        )
        self.performer = Performer(worker.name, store_thread, pool)
        self.running: dict[str, RunningUnit] = {}
        self.started = now()
        self._over = asyncio.Event()

    async def work(self, *, drain: bool) -> None:
        """Do units until told to stop, or until none is left."""
        await self._beat()
        rhythms: list[tuple[Callable[[], Awaitable[None]], float]] = [
            (self._beat, self.rhythm.beat),
            (self.performer.turn_buffer.flush, self.rhythm.flush),
            (self._close_idle, self.rhythm.poll),
            (self._start_due, self.rhythm.schedules),
        ]
        try:
            async with _repeated(rhythms):
                while not self.stop.is_set():
                    begun = await self._claim()
                    if begun is None and drain and not self.running:
                        break
                    await self._pause()
        finally:
            # Also where the loop was interrupted: what is given back need not wait for its lease to end.
            await self._abandon_all()
            await self._leave()

    # --- taking units --------------------------------------------------------------------------------------------

    async def _claim(self) -> int | None:
        """Begin what can be begun; None when no run is open."""
        try:
            kinds = await self.store_thread.read(lambda tx: {run.kind for run in tx.runs.open()})
            if not kinds:
                return None
            talking = {kind for kind in kinds if not await _in_executor(kind)}
            units = await self.store_thread.write(lambda tx: self._taken(tx, kinds - talking, talking))
        except StoreError as error:
            _log.debug("no units could be taken: %s", error.trouble)  # the store itself logs when it stops to serve
            return 0
        except Exception:
            _log.exception("no units could be taken")
            return 0
        for unit, talk in units:
            self._begin(unit, talk)
        return len(units)

    def _taken(self, tx: Transaction, computing: set[str], talking: set[str]) -> list[tuple[Unit, bool]]:
        running = list(self.running.values())
        talks = sum(unit_task.talk for unit_task in running)
        free, name, lease = self.pool.slots - (len(running) - talks), self.worker.name, self.rhythm.lease
        last = tx.units.claim_conclusions(name, max(0, free), now(), lease)
        room = free - len(last)
        computed = tx.units.claim(name, max(0, room), now(), lease, kinds=computing) if computing else ()
        talked = tx.units.claim(name, MOST_TALKS - talks, now(), lease, kinds=talking) if talking else ()
        return [*((unit, False) for unit in last + computed), *((unit, True) for unit in talked)]

    def _begin(self, unit: Unit, talk: bool) -> None:
        if (before := self.running.get(unit.id)) is not None:
            # The lease was lost for a moment, for instance while the machine slept: begun anew.
            before.lost = True
            before.task.cancel()
        task = asyncio.create_task(self.performer.perform(unit))
        unit_task = self.running[unit.id] = RunningUnit(unit, talk, task)
        task.add_done_callback(lambda _: self._note_end(unit_task))

    def _note_end(self, unit_task: RunningUnit) -> None:
        if self.running.get(unit_task.unit.id) is unit_task:
            del self.running[unit_task.unit.id]
        if not unit_task.task.cancelled() and (error := unit_task.task.exception()) is not None:
            level = logging.DEBUG if isinstance(error, StoreError) else logging.ERROR
            _log.log(level, "unit %s could not be kept", unit_task.unit.key, exc_info=error)
        self._over.set()

    async def _pause(self) -> None:
        """Wait until a unit is over or some time has passed; a moment longer, so that several are taken at once."""
        self._over.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(self.rhythm.poll):
                await self._over.wait()
        await asyncio.sleep(0.01)

    # --- beside the work -----------------------------------------------------------------------------------------

    async def _beat(self) -> None:
        """Hold on to what is on its way; let go of what is held by somebody else."""
        mine = set(self.running)
        name, lease = self.worker.name, self.rhythm.lease
        me = WorkerRow(name, socket.gethostname(), os.getpid(), self.started, now())

        def do(tx: Transaction) -> frozenset[str]:
            tx.workers.beat(me)
            tx.workers.forget_before(me.seen - FORGOTTEN)
            # Only what is on its way: a unit whose result could not be written must come free again.
            return tx.units.renew(name, now(), lease, only=mine)

        held = await self.store_thread.write(do)
        for unit_id in mine - held:
            if (unit_task := self.running.get(unit_id)) is not None:
                unit_task.lost = True
                unit_task.task.cancel()
                self.performer.turn_buffer.drop(unit_id)

    async def _close_idle(self) -> None:
        """Abandon talks of runs that were cancelled; close rooms that are not needed any more."""
        busy = {unit_task.unit.run_id for unit_task in self.running.values() if unit_task.talk}
        open_runs = await self.store_thread.read(lambda tx: {run.id for run in tx.runs.open()})
        for unit_task in list(self.running.values()):
            if unit_task.talk and unit_task.unit.run_id not in open_runs:
                await self._abandon(unit_task)
        await self.performer.rooms.leave_idle(busy, over=self.performer.rooms.names() - open_runs)

    async def _start_due(self) -> None:
        if self.worker.start_scheduled is not None:
            await asyncio.to_thread(start_due, self.worker.store, self.worker.start_scheduled, now())

    # --- leaving -------------------------------------------------------------------------------------------------

    async def _abandon(self, unit_task: RunningUnit) -> None:
        unit_task.task.cancel()
        await asyncio.wait([unit_task.task])
        if unit_task.task.cancelled() and not unit_task.lost:
            await self.performer.release(unit_task.unit)

    async def _abandon_all(self) -> None:
        """Give back all that is on its way."""
        for unit_task in list(self.running.values()):
            await self._abandon(unit_task)

    async def _leave(self) -> None:
        await self.performer.close()
        with suppress(Exception):
            await self.store_thread.write(lambda tx: tx.workers.forget(self.worker.name))


async def _in_executor(kind: str) -> bool:
    """Tell whether units of a kind are computed elsewhere; loading an exam takes a while, so beside the loop."""
    try:
        return (await asyncio.to_thread(load_exam, kind)).in_executor
    except VivaError:
        # Of a newer vivavoce, or a plug-in that is not here: its units fail with the reason.
        return True


@asynccontextmanager
async def _repeated(rhythms: list[tuple[Callable[[], Awaitable[None]], float]]) -> AsyncIterator[None]:
    """Do several things again and again, each in its own rhythm, until the block is left."""
    tasks = [asyncio.create_task(_repeat(do, seconds)) for do, seconds in rhythms]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _repeat(do: Callable[[], Awaitable[None]], seconds: float) -> None:
    me = asyncio.current_task()
    # What is done may lose a cancellation, for instance in a bot of somebody else: it is looked for too.
    while me is None or not me.cancelling():
        await asyncio.sleep(seconds)
        try:
            await do()
        except StoreError as error:
            _log.debug("the worker could not see to its work: %s", error.trouble)
        except Exception:
            _log.exception("the worker could not see to its work")
