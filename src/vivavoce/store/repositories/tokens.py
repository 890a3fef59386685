"""Keys to the API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from vivavoce.store.repositories.repository import Repository
from vivavoce.store.repositories.users import as_user
from vivavoce.store.rows import Token, User
from vivavoce.store.stamps import new_id, now
from vivavoce.store.tables import tokens, users

# All but the hash of the secret, which nobody needs to see.
_COLUMNS = tuple(column for column in tokens.c if column.name != "secret")


class Tokens(Repository):
    """Keys to the API; a secret is known by its hash only."""

    def add(
        self,
        user_id: str,
        name: str,
        scopes: Sequence[str],
        secret_hash: str,
        *,
        expires: datetime | None = None,
        at: datetime | None = None,
    ) -> Token:
        """Keep a key; `expires` None: it works until it is revoked."""
        made = Token(new_id(), user_id, name, tuple(scopes), at or now(), expires, None, None)
        row = {column.name: getattr(made, column.name) for column in _COLUMNS}
        self._put(tokens, [{**row, "scopes": list(scopes), "secret": secret_hash}])
        return made

    def get(self, token_id: str) -> Token | None:
        """Return a key."""
        found = self.connection.execute(sa.select(*_COLUMNS).where(tokens.c.id == token_id)).mappings().first()
        return None if found is None else _as_token(found)

    def find(self, secret_hash: str, now: datetime) -> tuple[Token, User] | None:
        """Return the key with a secret and whose it is; None where it is over, revoked or the person shut out."""
        mine = [column.label(f"token_{column.name}") for column in _COLUMNS]
        query = sa.select(*mine, users).join(users, users.c.id == tokens.c.user_id)
        query = query.where(tokens.c.secret == secret_hash, tokens.c.revoked.is_(None), users.c.disabled.is_(False))
        query = query.where(sa.or_(tokens.c.expires.is_(None), tokens.c.expires > now))
        found = self.connection.execute(query).mappings().first()
        if found is None:
            return None
        token = _as_token({column.name: found[f"token_{column.name}"] for column in _COLUMNS})
        return token, as_user({column.name: found[column.name] for column in users.c})

    def of_user(self, user_id: str) -> tuple[Token, ...]:
        """Return the keys of a person, the newest first."""
        return self._tokens(sa.select(*_COLUMNS).where(tokens.c.user_id == user_id))

    def all(self) -> tuple[Token, ...]:
        """Return the keys of all people, the newest first."""
        return self._tokens(sa.select(*_COLUMNS))

    def revoke(self, token_id: str, at: datetime) -> bool:
        """Make a key worthless; whether it still was worth something."""
        query = sa.update(tokens).where(tokens.c.id == token_id, tokens.c.revoked.is_(None)).values(revoked=at)
        return self.connection.execute(query).rowcount > 0

    def touch(self, token_id: str, at: datetime) -> None:
        """Note that a key was used."""
        self.connection.execute(sa.update(tokens).where(tokens.c.id == token_id).values(seen=at))

    def _tokens(self, query: sa.Select[Any]) -> tuple[Token, ...]:
        found = self.connection.execute(query.order_by(tokens.c.created.desc(), tokens.c.id)).mappings()
        return tuple(_as_token(row) for row in found)


def _as_token(row: Mapping[Any, Any]) -> Token:
    return Token(**{**row, "scopes": tuple(row["scopes"])})
