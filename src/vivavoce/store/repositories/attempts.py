"""Attempts to sign in."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from vivavoce.store import tables
from vivavoce.store.repositories.repository import Repository
from vivavoce.store.rows import AttemptRow
from vivavoce.store.stamps import new_id


class Attempts(Repository):
    """Attempts to sign in by login and by address, so that nobody can try all passwords."""

    def add(self, attempt: AttemptRow) -> None:
        """Note an attempt."""
        values = {name: getattr(attempt, name) for name in ("login", "address", "at", "succeeded")}
        self._put(tables.attempts, [{"id": new_id(), **values}])

    def recent(self, login: str, address: str, since: datetime) -> tuple[AttemptRow, ...]:
        """Return the attempts for a login or from an address, in order."""
        table = tables.attempts
        columns = (table.c.login, table.c.address, table.c.at, table.c.succeeded)
        own = sa.or_(table.c.login == login, table.c.address == address)
        return self._all(AttemptRow, sa.select(*columns).where(own, table.c.at >= since).order_by(table.c.at))

    def prune(self, before: datetime) -> int:
        """Forget all attempts before a time; return how many."""
        table = tables.attempts
        return int(self.connection.execute(sa.delete(table).where(table.c.at < before)).rowcount)
