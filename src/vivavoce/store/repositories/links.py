"""Links that work once."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from vivavoce.store.repositories.repository import Repository
from vivavoce.store.rows import Link
from vivavoce.store.stamps import new_id, now
from vivavoce.store.tables import links

# All but the hash of the secret, which nobody needs to see.
_COLUMNS = tuple(column for column in links.c if column.name != "secret")


class Links(Repository):
    """Links that work once; a secret is known by its hash only."""

    def add(
        self,
        purpose: str,
        secret_hash: str,
        expires: datetime,
        user_id: str | None = None,
        *,
        at: datetime | None = None,
    ) -> Link:
        """Keep a link; `user_id`: for whom it is."""
        made = Link(new_id(), purpose, user_id, at or now(), expires, None)
        row = {column.name: getattr(made, column.name) for column in _COLUMNS}
        self._put(links, [{**row, "secret": secret_hash}])
        return made

    def find(self, secret_hash: str, now: datetime) -> Link | None:
        """Return the link with a secret, unless it is used or over; it stays usable."""
        return self._one(Link, sa.select(*_COLUMNS).where(links.c.secret == secret_hash, *_fresh(now)))

    def take(self, secret_hash: str, now: datetime) -> Link | None:
        """Use a link up and return it; None where it is used or over. Of two who try only one gets it."""
        query = sa.update(links).where(links.c.secret == secret_hash, *_fresh(now)).values(used=now)
        found = self.connection.execute(query.returning(*_COLUMNS)).mappings().first()
        return None if found is None else Link(**found)

    def pending(self, purpose: str, now: datetime) -> tuple[Link, ...]:
        """Return the links that can still be used, the newest first."""
        query = sa.select(*_COLUMNS).where(links.c.purpose == purpose, *_fresh(now))
        return self._all(Link, query.order_by(links.c.created.desc(), links.c.id))

    def withdraw(self, purpose: str, user_id: str | None = None) -> int:
        """Make the unused links of a purpose worthless, for one person or for all; return how many."""
        query = sa.delete(links).where(links.c.purpose == purpose, links.c.used.is_(None))
        if user_id is not None:
            query = query.where(links.c.user_id == user_id)
        return int(self.connection.execute(query).rowcount)


def _fresh(now: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    return (links.c.used.is_(None), links.c.expires > now)
