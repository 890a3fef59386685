"""The pace of a bot over all workers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial

from vivavoce.bots.pace import Pace, Pacing
from vivavoce.bots.protocol import Limits
from vivavoce.jobs.clerk import Clerk
from vivavoce.store.repositories.claims import limit_key
from vivavoce.store.stamps import now
from vivavoce.store.transaction import Transaction

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


def make_pace(clerk: Clerk, project_id: str, bot: str, limits: Limits) -> Pacing:
    """Return the pace of a bot; the store is asked only where messages a second are limited."""
    if not limits.per_second:
        return Pace(limits)
    return SharedPace(limits, partial(_reserve, clerk, limit_key(project_id, bot)))


async def _reserve(clerk: Clerk, key: str, gap: float) -> datetime:
    def ask(tx: Transaction) -> datetime:
        return tx.paces.reserve(key, gap, now())

    return await clerk.write(ask)
