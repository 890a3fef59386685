"""Processes that do units: which are there."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

import sqlalchemy as sa

from vivavoce.store import tables
from vivavoce.store.repositories.repository import Repository
from vivavoce.store.rows import WorkerRow


class Workers(Repository):
    """Processes that do units."""

    def beat(self, worker: WorkerRow) -> None:
        """Say that a worker is there."""
        self._upsert(tables.workers, [asdict(worker)], ("id",))

    def alive(self, since: datetime) -> tuple[WorkerRow, ...]:
        """Return the workers that were seen since a moment, the longest-serving first."""
        table = tables.workers
        return self._all(
            WorkerRow, sa.select(table).where(table.c.seen >= since).order_by(table.c.started, table.c.id)
        )

    def forget(self, worker_id: str) -> None:
        """Say that a worker has left."""
        self.connection.execute(sa.delete(tables.workers).where(tables.workers.c.id == worker_id))

    def forget_before(self, moment: datetime) -> None:
        """Forget workers that were not seen since a moment."""
        self.connection.execute(sa.delete(tables.workers).where(tables.workers.c.seen < moment))
