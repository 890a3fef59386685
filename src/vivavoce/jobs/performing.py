"""How a worker performs a unit, from start to end."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from vivavoce.errors import InputError, MissingPartError, StoreError, VivaError, WorkError
from vivavoce.jobs.concluding import LostLeaseError, conclude_run, gather_finished, store_conclusion
from vivavoce.jobs.exams.documents import storable
from vivavoce.jobs.exams.protocol import Work
from vivavoce.jobs.exams.registry import load_exam, perform_work
from vivavoce.jobs.executors import ComputePool
from vivavoce.jobs.open_bots import OpenBots
from vivavoce.jobs.starting import exam_options
from vivavoce.jobs.store_thread import StoreThread
from vivavoce.jobs.turns import TurnBuffer, judged_rows
from vivavoce.messages import say
from vivavoce.store.repositories.repository import require
from vivavoce.store.repositories.units import CONCLUSION
from vivavoce.store.rows import Run, TurnRow, Unit
from vivavoce.store.transaction import Transaction

if TYPE_CHECKING:
    from vivavoce.conversations.transcript import Exchange

T = TypeVar("T")
_log = logging.getLogger(__name__)
BROKEN = WorkError(
    say("the worker process was terminated"),
    remedy=say("check that the machine has enough memory, then try again"),
).as_message()
# A retry does not help against these.
FINAL = (InputError, MissingPartError)


class RunCache:
    """The last few runs, so that the material is not read anew for each unit."""

    MAX_RUNS = 8

    def __init__(self, store_thread: StoreThread) -> None:
        self.store_thread = store_thread
        self._kept: OrderedDict[str, tuple[Run, bytes]] = OrderedDict()

    async def get(self, run_id: str) -> tuple[Run, bytes]:
        """Return a run with its material."""
        if run_id not in self._kept:
            self._kept[run_id] = await self.store_thread.read(
                lambda tx: (require(tx.runs.get(run_id), "run", run_id), tx.runs.material(run_id))
            )
        self._kept.move_to_end(run_id)
        while len(self._kept) > self.MAX_RUNS:
            self._kept.popitem(last=False)
        return self._kept[run_id]


class Performer:
    """Performs units: computes them in a pool or holds their conversations here, and stores the results."""

    def __init__(self, worker: str, store_thread: StoreThread, pool: ComputePool) -> None:
        self.worker, self.store_thread, self.pool = worker, store_thread, pool
        self.bots, self.turn_buffer = OpenBots(store_thread), TurnBuffer(store_thread)
        self.runs = RunCache(store_thread)

    async def perform(self, unit: Unit) -> None:
        """Perform a unit and store its result, or why there is none."""
        try:
            await self._do(unit)
        except LostLeaseError:
            _log.info("unit %s of run %s now belongs to another worker", unit.key, unit.run_id)
        except StoreError:
            # Nothing is wrong with the unit: somebody takes it again when its lease has ended.
            raise
        except BrokenExecutor:
            await self._fail(unit, BROKEN, retry=True)
        except VivaError as error:
            await self._fail(unit, error.as_message(), retry=not isinstance(error, FINAL) and not unit.bot)
        except Exception as error:
            _log.exception("unit %s of run %s failed", unit.key, unit.run_id)
            what = say("stopped by an unexpected error ({kind})", kind=type(error).__name__)
            reason = WorkError(what, remedy=say("see the worker's log")).as_message()
            may_pass = isinstance(error, OSError | MemoryError) or type(error).__module__.startswith("distributed")
            await self._fail(unit, reason, retry=may_pass)

    async def release(self, unit: Unit) -> None:
        """Give back a unit that will not be finished here."""
        self.turn_buffer.drop(unit.id)
        await self.store_thread.write(lambda tx: tx.units.release(unit.id, self.worker))

    async def close(self) -> None:
        """Write waiting turns and close the bots."""
        await self.turn_buffer.flush()
        await self.bots.close()

    async def _do(self, unit: Unit) -> None:
        run, material = await self.runs.get(unit.run_id)
        if unit.key == CONCLUSION:
            await self._conclude(unit, run, material)
        elif load_exam(run.kind).in_executor:
            work = Work(run.kind, run.id, material, exam_options(run), unit.key)
            await self._finish(unit, await self._compute(perform_work, work))
        else:
            await self._hold(unit, run, material)

    async def _compute(self, do: Callable[..., T], *arguments: Any) -> T:
        executor, future = self.pool.submit(do, *arguments)
        try:
            return await asyncio.wrap_future(future)
        except BrokenExecutor:
            self.pool.replace(executor)
            raise
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            # Nobody here cancelled the unit: it was lost with its executor.
            raise BrokenExecutor("cancelled by the executor") from None

    async def _conclude(self, unit: Unit, run: Run, material: bytes) -> None:
        finished = await self.store_thread.read(lambda tx: gather_finished(tx, run.id))
        conclusion = await self._compute(conclude_run, run.kind, material, exam_options(run), finished)
        await self.store_thread.write(lambda tx: store_conclusion(tx, run, unit, self.worker, conclusion))

    async def _hold(self, unit: Unit, run: Run, material: bytes) -> None:
        from vivavoce.bots.guard import ANYWHERE, limited_to, public_addresses
        from vivavoce.jobs.exams.conversations import is_held, lines_of

        if unit.attempts > 1 or unit.error:
            await self.store_thread.write(lambda tx: tx.turns.clear(unit.id))
        # The starter of the run was limited to these addresses, and so is every worker.
        with limited_to(public_addresses() if run.options.get("public_only") else ANYWHERE):
            bots = await self.bots.get(run, material)
            exchanges: list[Exchange] = []

            def take(exchange: Exchange) -> None:
                exchanges.append(exchange)
                self.turn_buffer.add(bots.material, unit, tuple(exchanges))

            result = await bots.hold(unit.key, take, attempt=unit.attempts)
        lines = await asyncio.to_thread(lines_of, material, unit.key, result)
        rows = tuple(judged_rows(unit.id, unit.run_id, lines))
        note = "" if is_held(result) else json.loads(result).get("note") or say("the conversation failed")
        await self._finish(unit, result, rows, note)

    async def _finish(self, unit: Unit, result: bytes, rows: tuple[TurnRow, ...] = (), note: str = "") -> None:
        self.turn_buffer.drop(unit.id)

        def do(tx: Transaction) -> None:
            tx.turns.put(rows)
            if note:
                is_stored = tx.units.fail(unit.id, self.worker, storable(note), retry=False, result=result)
            else:
                is_stored = tx.units.finish(unit.id, self.worker, result)
            if not is_stored:
                raise LostLeaseError(unit.id)

        await self.store_thread.write(do)

    async def _fail(self, unit: Unit, reason: str, *, retry: bool) -> None:
        self.turn_buffer.drop(unit.id)
        _log.warning("unit %s of run %s failed: %s", unit.key, unit.run_id, reason.partition("\n")[0])
        await self.store_thread.write(lambda tx: tx.units.fail(unit.id, self.worker, storable(reason), retry=retry))
