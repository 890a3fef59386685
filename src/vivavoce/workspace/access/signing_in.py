"""Coming in with a password, at the pace that guessing is not worth while."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from vivavoce.errors import UsageError
from vivavoce.store.database import Store
from vivavoce.store.rows import AttemptRow, User
from vivavoce.store.stamps import now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.auditing import note
from vivavoce.workspace.access.secrets.passwords import USUAL, Cost, check_password, hash_password, rehash_needed
from vivavoce.workspace.access.secrets.throttling import (
    FORGET_SUCCESS_AFTER,
    Attempt,
    Wait,
    address_key,
    login_key,
    waiting_time,
)
from vivavoce.workspace.access.sessions import open_session

REMEMBERED = timedelta(seconds=FORGET_SUCCESS_AFTER)


class SignInRefusedError(UsageError):
    """Login and password do not fit, or it is too early to try again."""

    def __init__(self, wait: Wait) -> None:
        self.wait = wait
        if wait.allowed:
            super().__init__("login and password do not fit together", remedy="try again, or ask an admin for a link")
        else:
            super().__init__(str(wait).removesuffix("."), remedy="wait until then, or ask an admin for a link")


@dataclass(frozen=True, slots=True)
class Entry:
    """Somebody who came in; the secret is for the cookie of this one browser."""

    user: User
    secret: str = field(repr=False)


def sign_in(store: Store, login: str, password: str, *, address: str, agent: str = "", cost: Cost = USUAL) -> Entry:
    """Let somebody in. Who is unknown, shut out or mistaken gets the same answer after the same work."""
    user = _begin_attempt(store, login, address)
    stored = user.password if user and not user.disabled else None
    if not check_password(password, stored, cost) or user is None:
        raise SignInRefusedError(Wait())
    renewed = hash_password(password, cost) if stored and rehash_needed(stored, cost) else None
    with store.writing() as tx:
        tx.attempts.prune(now() - REMEMBERED)
        _note_attempt(tx, login, address, now(), succeeded=True)
        if renewed:
            tx.users.set_password(user.id, renewed)
        note(tx, actor_of(user, address), "sign in", "person", user.id)
        return Entry(user, open_session(tx, user, agent))


def check_own_password(store: Store, user: User, password: str, *, address: str, cost: Cost = USUAL) -> None:
    """Refuse a wrong password of somebody who is signed in: an open browser must not be a place to guess it."""
    _begin_attempt(store, user.login, address)
    if not check_password(password, user.password, cost):
        raise SignInRefusedError(Wait())
    with store.writing() as tx:
        _note_attempt(tx, user.login, address, now(), succeeded=True)


def actor_of(user: User, address: str) -> Actor:
    """Return a person as the one who does something."""
    return Actor(user.id, user.name or user.login, user.role, address, user.language)


def _begin_attempt(store: Store, login: str, address: str) -> User | None:
    """Note the attempt as failed, so that those made at the same time count, and return whose login it is."""
    at = now()
    with store.writing() as tx:
        kept = tx.attempts.recent(login_key(login), address_key(address), at - REMEMBERED)
        past = [Attempt(one.login, one.address, one.at.timestamp(), one.succeeded) for one in kept]
        wait = waiting_time(past, login, address, at.timestamp())
        if not wait.allowed:
            raise SignInRefusedError(wait)
        _note_attempt(tx, login, address, at, succeeded=False)
        return tx.users.by_login(login)


def _note_attempt(tx: Transaction, login: str, address: str, at: datetime, *, succeeded: bool) -> None:
    tx.attempts.add(AttemptRow(login_key(login), address_key(address), at.astimezone(UTC), succeeded))
