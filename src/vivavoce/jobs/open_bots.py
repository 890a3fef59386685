"""The bots of runs that are open in this process, and the pace of messages over all workers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from vivavoce.bots.asking import Pace, Pacing
from vivavoce.bots.protocol import Limits
from vivavoce.jobs.store_thread import StoreThread
from vivavoce.store.repositories.units import limit_key
from vivavoce.store.rows import Run
from vivavoce.store.stamps import now

if TYPE_CHECKING:
    from vivavoce.jobs.exams.conversation_run import RunBots


class OpenBots:
    """The bots of each run that a worker has open. They outlive single conversations: trained and connected once."""

    # Units of a run may come in bursts, for instance when other workers use most of a bot's places.
    IDLE_SECONDS = 10.0

    def __init__(self, store_thread: StoreThread) -> None:
        self.store_thread = store_thread
        self._opening: dict[str, asyncio.Task[RunBots]] = {}
        self._idle_since: dict[str, float] = {}

    def run_ids(self) -> set[str]:
        """Return the runs whose bots are open."""
        return set(self._opening)

    async def get(self, run: Run, material: bytes) -> RunBots:
        """Return the bots of a run; the first call opens them."""
        if run.id not in self._opening:
            self._opening[run.id] = asyncio.create_task(self._open(run, material))
        self._idle_since.pop(run.id, None)
        # Shielded: others may wait for the same bots.
        return await asyncio.shield(self._opening[run.id])

    async def close_idle(self, busy: Collection[str], over: Collection[str]) -> None:
        """Close bots that have been idle for a while, and those of runs that are over."""
        time = asyncio.get_running_loop().time()
        for run_id in list(self._opening):
            if run_id in busy:
                self._idle_since.pop(run_id, None)
            elif run_id in over or time - self._idle_since.setdefault(run_id, time) > self.IDLE_SECONDS:
                await self._close(run_id)

    async def close(self) -> None:
        """Close all bots."""
        for run_id in list(self._opening):
            await self._close(run_id)

    async def _open(self, run: Run, material: bytes) -> RunBots:
        from vivavoce.bots.asking import Allowance
        from vivavoce.jobs.exams.conversation_run import RunBots

        allowance = None
        if (most := run.options.get("max_messages")) is not None:
            rows = await self.store_thread.read(lambda tx: tx.turns.of_run(run.id))
            used = sum(max(1, row.detail.get("attempts", 1)) for row in rows if row.status != "not_reached")
            allowance = Allowance(max(0, most - used))
        pace_of = partial(make_pace, self.store_thread, run.project_id)
        # Trained beside the loop, on which others are being timed.
        return await asyncio.to_thread(RunBots.open, material, pace_of, allowance=allowance)

    async def _close(self, run_id: str) -> None:
        opening = self._opening.pop(run_id)
        self._idle_since.pop(run_id, None)
        # Also if they are still being opened: what bots have started must be ended.
        with suppress(Exception):
            await (await opening).close()


Reserve = Callable[[float], Awaitable[datetime]]


class SharedPace(Pace):
    """Lets messages to one bot through as `Pace` does, at moments that all workers share."""

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
    """Return the pace of a bot; the store is asked only if messages a second are limited."""
    if not limits.per_second:
        return Pace(limits)
    key = limit_key(project_id, bot)

    async def reserve(gap: float) -> datetime:
        return await store_thread.write(lambda tx: tx.paces.reserve(key, gap, now()))

    return SharedPace(limits, reserve)
