"""Rooms in which the bots of a run are talked to, one for each run in this process, and the pace over all workers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from vivavoce.bots.pace import Pace, Pacing
from vivavoce.bots.protocol import Limits
from vivavoce.jobs.store_thread import StoreThread
from vivavoce.store.repositories.claims import limit_key
from vivavoce.store.rows import Run
from vivavoce.store.stamps import now
from vivavoce.store.transaction import Transaction

if TYPE_CHECKING:
    from vivavoce.jobs.exams.talks import TalkRoom


@dataclass
class _Room:
    """A room that is open or being opened; `idle_since`: nobody has talked in it since."""

    opening: asyncio.Task[TalkRoom]
    idle_since: float | None = None


class Rooms:
    """The rooms of a worker. They outlive single talks: bots are trained and connected once."""

    # Units of a run may come in bursts, for instance when other workers hold most of a bot's places.
    IDLE_SECONDS = 10.0

    def __init__(self, store_thread: StoreThread) -> None:
        self.store_thread = store_thread
        self._rooms: dict[str, _Room] = {}

    def names(self) -> set[str]:
        """Return the runs that have a room."""
        return set(self._rooms)

    async def enter(self, run: Run, material: bytes) -> TalkRoom:
        """Return the room of a run; the first one to enter opens it."""
        if run.id not in self._rooms:
            self._rooms[run.id] = _Room(asyncio.create_task(self._open(run, material)))
        room = self._rooms[run.id]
        room.idle_since = None
        # Shielded: others may wait for the same room.
        return await asyncio.shield(room.opening)

    async def leave_idle(self, busy: Collection[str], over: Collection[str]) -> None:
        """Close rooms in which nobody has talked for a while, and those of runs that are over."""
        time = asyncio.get_running_loop().time()
        for run_id, room in list(self._rooms.items()):
            if run_id in busy:
                room.idle_since = None
                continue
            room.idle_since = room.idle_since or time
            if run_id in over or time - room.idle_since > self.IDLE_SECONDS:
                await self._close(run_id)

    async def close(self) -> None:
        """Close all rooms."""
        for run_id in list(self._rooms):
            await self._close(run_id)

    async def _open(self, run: Run, material: bytes) -> TalkRoom:
        from vivavoce.bots.pace import Allowance
        from vivavoce.jobs.exams.talks import TalkRoom
        from vivavoce.jobs.rooms import make_pace

        most = run.options.get("max_messages")
        allowance = None if most is None else Allowance(max(0, most - await self._sent(run.id)))
        pace_of = partial(make_pace, self.store_thread, run.project_id)
        # What must be trained is trained beside the loop, on which others are being timed.
        return await asyncio.to_thread(TalkRoom.open, material, pace_of, allowance=allowance)

    async def _sent(self, run_id: str) -> int:
        """Return how many messages of a run were sent before."""
        rows = await self.store_thread.read(lambda tx: tx.turns.of_run(run_id))
        return sum(max(1, row.detail.get("attempts", 1)) for row in rows if row.status != "not_reached")

    async def _close(self, run_id: str) -> None:
        room = self._rooms.pop(run_id)
        # A room that is still being opened is waited for: what its bots have started must be ended.
        with suppress(Exception):
            await (await room.opening).close()


Reserve = Callable[[float], Awaitable[datetime]]


class SharedPace(Pace):
    """Lets messages to one bot through as `Pace` does, the moments being those of all workers together."""

    def __init__(self, limits: Limits, reserve: Reserve) -> None:
        super().__init__(limits)
        self._reserve = reserve

    async def enter(self, gap: float) -> None:
        """Wait for a place here, then for the moment that the store gives."""
        await super().enter(0.0)
        if not gap:
            return
        try:
            moment = await self._reserve(gap)
            while (wait := (moment - now()).total_seconds()) > 0:
                await asyncio.sleep(wait)
        except BaseException:
            self.leave()
            raise


def make_pace(store_thread: StoreThread, project_id: str, bot: str, limits: Limits) -> Pacing:
    """Return the pace of a bot; the store is asked only where messages a second are limited."""
    if not limits.per_second:
        return Pace(limits)
    return SharedPace(limits, partial(_reserve, store_thread, limit_key(project_id, bot)))


async def _reserve(store_thread: StoreThread, key: str, gap: float) -> datetime:
    def ask(tx: Transaction) -> datetime:
        return tx.paces.reserve(key, gap, now())

    return await store_thread.write(ask)
