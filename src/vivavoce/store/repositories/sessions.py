"""Browsers in which people are signed in."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from vivavoce.store.repositories.repository import Repository
from vivavoce.store.repositories.users import as_user
from vivavoce.store.rows import SignIn, User
from vivavoce.store.stamps import new_id, now
from vivavoce.store.tables import sessions, users

# All but the hash of the secret, which nobody needs to see.
_COLUMNS = tuple(column for column in sessions.c if column.name != "secret")
# Asked with every request, so it is put together once.
_FIND = (
    sa.select(*(column.label(f"sign_in_{column.name}") for column in _COLUMNS), users)
    .join(users, users.c.id == sessions.c.user_id)
    .where(sessions.c.secret == sa.bindparam("secret_hash"), sessions.c.expires > sa.bindparam("at"))
    .where(users.c.disabled.is_(False))
)


class Sessions(Repository):
    """Sign-ins; a secret is known by its hash only."""

    def open(
        self, user_id: str, secret_hash: str, agent: str, expires: datetime, *, at: datetime | None = None
    ) -> SignIn:
        """Sign somebody in; `agent` tells people which browser it is."""
        at = at or now()
        made = SignIn(new_id(), user_id, at, at, expires, agent)
        row = {column.name: getattr(made, column.name) for column in _COLUMNS}
        self._put(sessions, [{**row, "secret": secret_hash}])
        return made

    def find(self, secret_hash: str, now: datetime) -> tuple[SignIn, User] | None:
        """Return who is signed in with a secret; None where it is over or the person is shut out."""
        found = self.connection.execute(_FIND, {"secret_hash": secret_hash, "at": now}).mappings().first()
        if found is None:
            return None
        sign_in = SignIn(**{column.name: found[f"sign_in_{column.name}"] for column in _COLUMNS})
        return sign_in, as_user({column.name: found[column.name] for column in users.c})

    def touch(self, sign_in_id: str, at: datetime, expires: datetime | None = None) -> None:
        """Note that a browser was here, and let it stay longer where `expires` says so."""
        values = {"seen": at} if expires is None else {"seen": at, "expires": expires}
        self.connection.execute(sa.update(sessions).where(sessions.c.id == sign_in_id).values(values))

    def end(self, sign_in_id: str) -> bool:
        """Sign a browser out; whether it was signed in."""
        done = self.connection.execute(sa.delete(sessions).where(sessions.c.id == sign_in_id))
        return done.rowcount > 0

    def end_all(self, user_id: str, but: str | None = None) -> int:
        """Sign a person out everywhere, but for one browser; return of how many."""
        query = sa.delete(sessions).where(sessions.c.user_id == user_id)
        if but is not None:
            query = query.where(sessions.c.id != but)
        return int(self.connection.execute(query).rowcount)

    def of_user(self, user_id: str) -> tuple[SignIn, ...]:
        """Return where a person is signed in, the last used first."""
        query = sa.select(*_COLUMNS).where(sessions.c.user_id == user_id)
        return self._all(SignIn, query.order_by(sessions.c.seen.desc(), sessions.c.id))

    def prune(self, now: datetime) -> int:
        """Forget the sign-ins that are over; return how many."""
        return int(self.connection.execute(sa.delete(sessions).where(sessions.c.expires <= now)).rowcount)
