"""Processes that do units, and the pace at which they speak to bots."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from vivavoce.store.repositories.repository import Repository
from vivavoce.store.rows import WorkerRow
from vivavoce.store.tables import paces, workers


class Workers(Repository[WorkerRow], table=workers, row=WorkerRow):
    """Processes that do units."""

    def beat(self, worker: WorkerRow) -> None:
        """Say that a worker is there."""
        self._put([worker])

    def alive(self, since: datetime) -> tuple[WorkerRow, ...]:
        """Return the workers that were seen since a moment, the longest-serving first."""
        return self._all(self._select(workers.c.seen >= since).order_by(workers.c.started, workers.c.id))

    def last_seen(self) -> datetime | None:
        """Return when a worker was there for the last time."""
        moment: datetime | None = self._scalar(sa.select(sa.func.max(workers.c.seen)))
        return moment

    def forget(self, worker_id: str) -> None:
        """Say that a worker has left."""
        self._delete(workers.c.id == worker_id)

    def forget_before(self, moment: datetime) -> None:
        """Forget workers that were not seen since a moment."""
        self._delete(workers.c.seen < moment)


class Paces(Repository[Any], table=paces):
    """When the next message may be sent to a bot, over all workers."""

    def reserve(self, key: str, gap_seconds: float, now: datetime) -> datetime:
        """Return the moment at which a message may go; the next one may go so many seconds later."""
        self.connection.execute(self._insert_or(paces).values(key=key, next_at=now).on_conflict_do_nothing())
        next_at: datetime = self._scalar(sa.select(paces.c.next_at).where(paces.c.key == key).with_for_update())
        moment = max(next_at, now)
        self._update(paces.c.key == key, next_at=moment + timedelta(seconds=gap_seconds))
        return moment
