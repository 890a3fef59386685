"""People who may come in, and how: browsers, keys, links, attempts to sign in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict, Unpack

import sqlalchemy as sa

from vivavoce.errors import UsageError
from vivavoce.messages import say
from vivavoce.store.repositories.repository import Repository, RowsById, columns_of, matching, require
from vivavoce.store.rows import AttemptRow, Link, Role, SignIn, Token, User
from vivavoce.store.stamps import new_id, now
from vivavoce.store.tables import attempts, links, sessions, tokens, users

_USER = columns_of(users, User)
_SIGN_IN = columns_of(sessions, SignIn)
_TOKEN = columns_of(tokens, Token)
# Asked with every request, so it is put together once.
_FIND_SIGN_IN = (
    sa.select(*_SIGN_IN, *_USER)
    .join(users, users.c.id == sessions.c.user_id)
    .where(sessions.c.secret == sa.bindparam("secret_hash"), sessions.c.expires > sa.bindparam("at"))
    .where(users.c.disabled.is_(False))
)


class UserChanges(TypedDict, total=False):
    """What of a person can be set."""

    name: str
    role: Role
    language: str
    disabled: bool
    seen: datetime
    password: str | None


class Users(RowsById[User], table=users, row=User):
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
        what = say("the login '{login}' is already taken", login=login)
        return self._add_unique(user, "login", UsageError(what, remedy=say("choose another login")))

    def by_login(self, login: str) -> User | None:
        """Return the person with this login."""
        return self._one(users.c.login == as_login(login))

    def all(self) -> tuple[User, ...]:
        """Return all people, by login."""
        return self._all(self._select().order_by(users.c.login))

    def count(self, role: Role | None = None, *, active: bool = False) -> int:
        """Return how many people there are: with that role, and only those who can sign in (`active`)."""
        can_sign_in = (users.c.disabled.is_(False), users.c.password.is_not(None)) if active else ()
        return self._count(*matching((users.c.role, role)), *can_sign_in)

    def set(self, user_id: str, **values: Unpack[UserChanges]) -> None:
        """Change what is kept of a person."""
        require(self._update(users.c.id == user_id, **values) or None, "person", user_id)


class Sessions(Repository[SignIn], table=sessions, row=SignIn):
    """Browsers in which people are signed in; a secret is known by its hash only."""

    def open(
        self, user_id: str, secret_hash: str, agent: str, expires: datetime, *, at: datetime | None = None
    ) -> SignIn:
        """Sign somebody in; `agent` tells people which browser it is."""
        at = at or now()
        return self._add(SignIn(new_id(), user_id, at, at, expires, agent), secret=secret_hash)

    def find(self, secret_hash: str, now: datetime) -> tuple[SignIn, User] | None:
        """Return who is signed in with a secret; None where it is over or the person is shut out."""
        values = self.connection.execute(_FIND_SIGN_IN, {"secret_hash": secret_hash, "at": now}).first()
        return None if values is None else (SignIn(*values[: len(_SIGN_IN)]), User(*values[len(_SIGN_IN) :]))

    def touch(self, sign_in_id: str, at: datetime, expires: datetime | None = None) -> None:
        """Note that a browser was here, and let it stay longer where `expires` says so."""
        self._update(sessions.c.id == sign_in_id, seen=at, **({} if expires is None else {"expires": expires}))

    def end(self, sign_in_id: str) -> bool:
        """Sign a browser out; whether it was signed in."""
        return self._delete(sessions.c.id == sign_in_id) > 0

    def end_all(self, user_id: str, but: str | None = None) -> int:
        """Sign a person out everywhere, but for one browser; return of how many."""
        return self._delete(sessions.c.user_id == user_id, *(() if but is None else (sessions.c.id != but,)))

    def of_user(self, user_id: str) -> tuple[SignIn, ...]:
        """Return where a person is signed in, the last used first."""
        query = self._select(sessions.c.user_id == user_id)
        return self._all(query.order_by(sessions.c.seen.desc(), sessions.c.id))

    def prune(self, now: datetime) -> int:
        """Forget the sign-ins that are over; return how many."""
        return self._delete(sessions.c.expires <= now)


class Tokens(RowsById[Token], table=tokens, row=Token):
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
        token = Token(new_id(), user_id, name, tuple(scopes), at or now(), expires, None, None)
        return self._add(token, secret=secret_hash)

    def find(self, secret_hash: str, now: datetime) -> tuple[Token, User] | None:
        """Return the key with a secret and whose it is; None where it is over, revoked or the person shut out."""
        works = (tokens.c.revoked.is_(None), sa.or_(tokens.c.expires.is_(None), tokens.c.expires > now))
        query = sa.select(*_TOKEN, *_USER).join(users, users.c.id == tokens.c.user_id)
        query = query.where(tokens.c.secret == secret_hash, *works, users.c.disabled.is_(False))
        values = self.connection.execute(query).first()
        return None if values is None else (Token(*values[: len(_TOKEN)]), User(*values[len(_TOKEN) :]))

    def of_user(self, user_id: str) -> tuple[Token, ...]:
        """Return the keys of a person, the newest first."""
        return self._all(self._select(tokens.c.user_id == user_id).order_by(tokens.c.created.desc(), tokens.c.id))

    def revoke(self, token_id: str, at: datetime) -> bool:
        """Make a key worthless; whether it still was worth something."""
        return self._update(tokens.c.id == token_id, tokens.c.revoked.is_(None), revoked=at) > 0

    def touch(self, token_id: str, at: datetime) -> None:
        """Note that a key was used."""
        self._update(tokens.c.id == token_id, seen=at)


class Links(Repository[Link], table=links, row=Link):
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
        return self._add(Link(new_id(), purpose, user_id, at or now(), expires, None), secret=secret_hash)

    def find(self, secret_hash: str, now: datetime) -> Link | None:
        """Return the link with a secret, unless it is used or over; it stays usable."""
        return self._one(links.c.secret == secret_hash, *_usable(now))

    def take(self, secret_hash: str, now: datetime) -> Link | None:
        """Use a link up and return it; None where it is used or over. Of two who try only one gets it."""
        query = sa.update(links).where(links.c.secret == secret_hash, *_usable(now)).values(used=now)
        values = self.connection.execute(query.returning(*self.columns)).first()
        return None if values is None else Link(*values)

    def pending(self, purpose: str, now: datetime) -> tuple[Link, ...]:
        """Return the links that can still be used, the newest first."""
        query = self._select(links.c.purpose == purpose, *_usable(now))
        return self._all(query.order_by(links.c.created.desc(), links.c.id))

    def withdraw(self, purpose: str, user_id: str | None = None) -> int:
        """Make the unused links of a purpose worthless, for one person or for all; return how many."""
        return self._delete(links.c.purpose == purpose, links.c.used.is_(None), *matching((links.c.user_id, user_id)))


class Attempts(Repository[AttemptRow], table=attempts, row=AttemptRow):
    """Attempts to sign in by login and by address, so that nobody can try all passwords."""

    def add(self, attempt: AttemptRow) -> None:
        """Note an attempt."""
        self._add(attempt, id=new_id())

    def recent(self, login: str, address: str, since: datetime) -> tuple[AttemptRow, ...]:
        """Return the attempts for a login or from an address, in order."""
        same = sa.or_(attempts.c.login == login, attempts.c.address == address)
        return self._all(self._select(same, attempts.c.at >= since).order_by(attempts.c.at))

    def prune(self, before: datetime) -> int:
        """Forget all attempts before a time; return how many."""
        return self._delete(attempts.c.at < before)


def as_login(login: str) -> str:
    """Return a login as it is kept."""
    return login.strip().casefold()


def _usable(now: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    return (links.c.used.is_(None), links.c.expires > now)
