"""When the next message may be sent to a bot, over all workers."""

from __future__ import annotations

from datetime import datetime, timedelta

import sqlalchemy as sa

from vivavoce.store import tables
from vivavoce.store.repositories.repository import Repository


class Paces(Repository):
    """The pace at which bots are spoken to."""

    def reserve(self, key: str, gap_seconds: float, now: datetime) -> datetime:
        """Return the moment at which a message may go; the next one may go so many seconds later."""
        from sqlalchemy.dialects import postgresql, sqlite

        paces = tables.paces
        insert = sqlite.insert if self.connection.dialect.name == "sqlite" else postgresql.insert
        self.connection.execute(insert(paces).values(key=key, next_at=now).on_conflict_do_nothing())
        mine = paces.c.key == key
        kept: datetime = self.connection.execute(
            sa.select(paces.c.next_at).where(mine).with_for_update()
        ).scalar_one()
        moment = max(kept, now)
        later = moment + timedelta(seconds=gap_seconds)
        self.connection.execute(sa.update(paces).where(mine).values(next_at=later))
        return moment
