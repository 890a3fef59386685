"""Runs that start every day; they are changed through edits only, except for when they are due."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from vivavoce.store import tables
from vivavoce.store.repositories.repository import Repository
from vivavoce.store.rows import Schedule


class Schedules(Repository):
    """Runs that start every day."""

    def get(self, schedule_id: str) -> Schedule | None:
        """Return a schedule."""
        return self._one(Schedule, sa.select(tables.schedules).where(tables.schedules.c.id == schedule_id))

    def of_project(self, project_id: str) -> tuple[Schedule, ...]:
        """Return the schedules of a project by the time of day."""
        table = tables.schedules
        query = sa.select(table).where(table.c.project_id == project_id)
        return self._all(Schedule, query.order_by(table.c.minute_of_day, table.c.id))

    def due(self, now: datetime) -> tuple[Schedule, ...]:
        """Return the schedules whose time has come."""
        table = tables.schedules
        query = sa.select(table).where(table.c.enabled.is_(True), table.c.next_at <= now)
        return self._all(Schedule, query.order_by(table.c.next_at, table.c.id))

    def advance(self, schedule: Schedule, next_at: datetime) -> bool:
        """Set when a schedule is due next; False when somebody else was faster, who starts the run then."""
        table = tables.schedules
        as_seen = (table.c.id == schedule.id, table.c.next_at == schedule.next_at, table.c.enabled.is_(True))
        return self.connection.execute(sa.update(table).where(*as_seen).values(next_at=next_at)).rowcount == 1
