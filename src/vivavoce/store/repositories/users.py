"""People who may come in."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from vivavoce.errors import UsageError
from vivavoce.store.repositories.repository import Repository, required
from vivavoce.store.rows import Role, User
from vivavoce.store.stamps import new_id, now
from vivavoce.store.tables import users


class Users(Repository):
    """People who may come in. Logins are compared without regard to case."""

    def add(
        self,
        login: str,
        name: str = "",
        role: Role = Role.READER,
        *,
        language: str = "en",
        password: str | None = None,
        at: datetime | None = None,
    ) -> User:
        """Add a person; `password` is a hash, None until an invitation is taken up."""
        login = as_login(login)
        user = User(new_id(), login, name.strip() or login, role, language, False, at or now(), None, password)
        if self.by_login(login) is not None:
            raise _taken(login)
        try:
            self._put(users, [user_values(user)])
        except IntegrityError as error:  # somebody else added the same at the same time
            raise _taken(login) from error
        return user

    def get(self, user_id: str) -> User | None:
        """Return a person."""
        return self._user(users.c.id == user_id)

    def by_login(self, login: str) -> User | None:
        """Return the person with this login."""
        return self._user(users.c.login == as_login(login))

    def all(self) -> tuple[User, ...]:
        """Return all people, by login."""
        found = self.connection.execute(sa.select(users).order_by(users.c.login)).mappings()
        return tuple(as_user(row) for row in found)

    def count(self, role: Role | None = None, *, active: bool = False) -> int:
        """Return how many people there are: with that role, and only those who can sign in (`active`)."""
        query = sa.select(sa.func.count()).select_from(users)
        if role is not None:
            query = query.where(users.c.role == role.value)
        if active:
            query = query.where(users.c.disabled.is_(False), users.c.password.is_not(None))
        return int(self.connection.execute(query).scalar_one())

    def set_role(self, user_id: str, role: Role) -> None:
        """Let a person do more or less."""
        self._set(user_id, role=role.value)

    def set_password(self, user_id: str, password: str | None) -> None:
        """Keep the hash of another password."""
        self._set(user_id, password=password)

    def set_name(self, user_id: str, name: str) -> None:
        """Call a person otherwise."""
        self._set(user_id, name=name)

    def set_language(self, user_id: str, language: str) -> None:
        """Show the pages in another language."""
        self._set(user_id, language=language)

    def set_disabled(self, user_id: str, disabled: bool) -> None:
        """Shut a person out, or let them in again."""
        self._set(user_id, disabled=disabled)

    def mark_seen(self, user_id: str, at: datetime) -> None:
        """Note that a person was here."""
        self._set(user_id, seen=at)

    def _user(self, condition: sa.ColumnElement[bool]) -> User | None:
        found = self.connection.execute(sa.select(users).where(condition)).mappings().first()
        return None if found is None else as_user(found)

    def _set(self, user_id: str, **values: Any) -> None:
        done = self.connection.execute(sa.update(users).where(users.c.id == user_id).values(values))
        required(done.rowcount or None, "person", user_id)


def as_login(login: str) -> str:
    """Return a login as it is kept."""
    return login.strip().casefold()


def as_user(row: Mapping[Any, Any]) -> User:
    """Make a person of the columns of their row."""
    return User(**{**row, "role": Role(row["role"])})


def user_values(user: User) -> dict[str, Any]:
    """Return the columns of a person's row."""
    return {column.name: getattr(user, column.name) for column in users.c} | {"role": user.role.value}


def _taken(login: str) -> UsageError:
    return UsageError(f"there is a person with the login '{login}' already", remedy="choose another login")
