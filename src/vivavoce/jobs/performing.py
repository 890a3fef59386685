"""One unit from its beginning to its end, as a worker does it."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from vivavoce.errors import InputError, MissingPartError, StoreError, VivaError, WorkError
from vivavoce.jobs.concluding import LostLeaseError, conclude_run, gather_finished, keep_concluded
from vivavoce.jobs.exams.documents import storable
from vivavoce.jobs.exams.protocol import Work
from vivavoce.jobs.exams.registry import load_exam, perform_work
from vivavoce.jobs.executors import ComputePool
from vivavoce.jobs.rooms import Rooms
from vivavoce.jobs.starting import exam_options
from vivavoce.jobs.store_thread import StoreThread
from vivavoce.jobs.turns import TurnBuffer, judged_rows, live_row
from vivavoce.messages import say
from vivavoce.store.repositories.claims import CONCLUSION
from vivavoce.store.repositories.repository import required
from vivavoce.store.rows import Run, TurnRow, Unit
from vivavoce.store.transaction import Transaction

if TYPE_CHECKING:
    from vivavoce.bots.guard import Addresses

T = TypeVar("T")
_log = logging.getLogger(__name__)
BROKEN = WorkError(
    say("the process that did this was ended from outside"),
    remedy=say("see whether the machine has enough memory, then try again"),
).as_message()
# What is tried again does not help against these.
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
                lambda tx: (required(tx.runs.get(run_id), "run", run_id), tx.runs.material(run_id))
            )
        self._kept.move_to_end(run_id)
        while len(self._kept) > self.MAX_RUNS:
            self._kept.popitem(last=False)
        return self._kept[run_id]


class Performer:
    """Does units: computes them elsewhere, or holds their talks here, and keeps what comes of them."""

    def __init__(self, worker: str, store_thread: StoreThread, pool: ComputePool) -> None:
        self.worker, self.store_thread, self.pool = worker, store_thread, pool
        self.rooms, self.turn_buffer, self.runs = (
            Rooms(store_thread),
            TurnBuffer(store_thread),
            RunCache(store_thread),
        )

    async def perform(self, unit: Unit) -> None:
        """Do a unit and write down what came of it, or why nothing did."""
        try:
            await self._do(unit)
        except LostLeaseError:
            _log.info("unit %s of run %s belongs to another worker now", unit.key, unit.run_id)
        except StoreError:
            # Nothing is wrong with the unit: somebody takes it again when its lease has ended.
            raise
        except BrokenExecutor:
            await self._fail(unit, BROKEN, retry=True)
        except VivaError as error:
            await self._fail(unit, error.as_message(), retry=not isinstance(error, FINAL) and not unit.bot)
        except Exception as error:
            _log.exception("unit %s of run %s failed", unit.key, unit.run_id)
            await self._fail(unit, _unexpected(error).as_message(), retry=_may_pass(error))

    async def release(self, unit: Unit) -> None:
        """Give a unit back that was begun and will not be finished here."""
        self.turn_buffer.drop(unit.id)
        await self.store_thread.write(lambda tx: tx.units.release(unit.id, self.worker))

    async def close(self) -> None:
        """Write what is noted and close the rooms."""
        await self.turn_buffer.flush()
        await self.rooms.close()

    # --- the kinds of units --------------------------------------------------------------------------------------

    async def _do(self, unit: Unit) -> None:
        run, material = await self.runs.get(unit.run_id)
        if unit.key == CONCLUSION:
            await self._conclude(unit, run, material)
        elif load_exam(run.kind).in_executor:
            work = Work(run.kind, run.id, material, exam_options(run), unit.key)
            result = await self._computed(perform_work, work)
            await self._finish(unit, result)
        else:
            await self._talk(unit, run, material)

    async def _computed(self, do: Callable[..., T], *given: Any) -> T:
        executor, future = self.pool.submit(do, *given)
        try:
            return await asyncio.wrap_future(future)
        except BrokenExecutor:
            self.pool.replace(executor)
            raise
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            # Nobody here gave the unit up: it went down with those who should compute it.
            raise BrokenExecutor("given up by the executor") from None

    async def _conclude(self, unit: Unit, run: Run, material: bytes) -> None:
        finished = await self.store_thread.read(lambda tx: gather_finished(tx, run.id))
        concluded = await self._computed(conclude_run, run.kind, material, exam_options(run), finished)
        await self.store_thread.write(lambda tx: keep_concluded(tx, run, unit, self.worker, concluded))

    async def _talk(self, unit: Unit, run: Run, material: bytes) -> None:
        from vivavoce.bots.guard import limited_to
        from vivavoce.jobs.exams.conversations import is_held, lines_of

        if unit.attempts > 1 or unit.error:
            await self.store_thread.write(lambda tx: tx.turns.clear(unit.id))
        with limited_to(_addresses(run)):
            room = await self.rooms.enter(run, material)
            result = await room.hold(
                unit.key,
                lambda said: self.turn_buffer.add(live_row(room.material, unit, said)),
                attempt=unit.attempts,
            )
        lines = await asyncio.to_thread(lines_of, material, unit.key, result)
        rows = tuple(judged_rows(unit.id, unit.run_id, lines))
        await self._finish(unit, result, rows, "" if is_held(result) else _note(result))

    # --- keeping -------------------------------------------------------------------------------------------------

    async def _finish(self, unit: Unit, result: bytes, rows: tuple[TurnRow, ...] = (), note: str = "") -> None:
        self.turn_buffer.drop(unit.id)

        def do(tx: Transaction) -> None:
            tx.turns.put(rows)
            if note:
                kept = tx.units.fail(unit.id, self.worker, storable(note), retry=False, result=result)
            else:
                kept = tx.units.finish(unit.id, self.worker, result)
            if not kept:
                raise LostLeaseError(unit.id)

        await self.store_thread.write(do)

    async def _fail(self, unit: Unit, reason: str, *, retry: bool) -> None:
        self.turn_buffer.drop(unit.id)
        _log.warning("unit %s of run %s failed: %s", unit.key, unit.run_id, reason.partition("\n")[0])
        await self.store_thread.write(lambda tx: tx.units.fail(unit.id, self.worker, storable(reason), retry=retry))


def _addresses(run: Run) -> Addresses:
    """Return where the bots of a run may live: whoever began it was told so, and no worker goes beyond."""
    from vivavoce.bots.guard import ANYWHERE, public_addresses

    return public_addresses() if run.options.get("public_only") else ANYWHERE


def _unexpected(error: Exception) -> WorkError:
    what = say("an unexpected error ended this ({kind})", kind=type(error).__name__)
    return WorkError(what, remedy=say("the log of the worker says more"))


def _may_pass(error: Exception) -> bool:
    """Tell whether an unexpected error may be gone at the next try: it came from the machine or from the cluster."""
    return isinstance(error, OSError | MemoryError) or type(error).__module__.startswith("distributed")


def _note(result: bytes) -> str:
    return json.loads(result).get("note") or say("the conversation could not be held")
