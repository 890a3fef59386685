"""Where people are signed in: a session in each browser, which can be ended here or everywhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from vivavoce.errors import AbsentError, UsageError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import AttemptRow, Link, Role, SignIn, User
from vivavoce.store.stamps import now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor, note
from vivavoce.workspace.access.secrets import (
    FORGET_SUCCESS_AFTER,
    USUAL,
    Attempt,
    Cost,
    Wait,
    address_key,
    check_password,
    digest_of,
    hash_password,
    login_key,
    new_secret,
    rehash_needed,
    waiting_time,
)

SETUP, INVITATION, PASSWORD = "setup", say("invitation"), say("password")
LIFETIMES = {SETUP: timedelta(hours=24), INVITATION: timedelta(days=7), PASSWORD: timedelta(hours=24)}
_WORN_OUT = say("this link was used, has expired, or was replaced by a newer one")
_ASK_FOR_ANOTHER = say("ask an admin for a new link; for the first admin, run `viva workspace setup-link`")


def make_link(tx: Transaction, purpose: str, user_id: str | None = None) -> str:
    """Return the path of a new link; earlier ones for the same purpose and person are withdrawn."""
    tx.links.withdraw(purpose, user_id)
    secret, at = new_secret(), now()
    tx.links.add(purpose, secret.digest, at + LIFETIMES[purpose], user_id, at=at)
    return f"/setup/{secret.text}" if purpose == SETUP else f"/link/{secret.text}"


def find_link(tx: Transaction, secret: str, *purposes: str) -> Link:
    """Return a link that can still be used; it stays usable."""
    link = tx.links.find(digest_of(secret), now())
    if link is None or link.purpose not in purposes:
        raise AbsentError(_WORN_OUT, remedy=_ASK_FOR_ANOTHER)
    return link


def take_link(tx: Transaction, secret: str, *purposes: str) -> Link:
    """Use a link up and return it; of two who try at once only one gets it."""
    find_link(tx, secret, *purposes)
    link = tx.links.take(digest_of(secret), now())
    if link is None:
        raise AbsentError(_WORN_OUT, remedy=_ASK_FOR_ANOTHER)
    return link


def guest_of(store: Store, secret: str) -> tuple[Link, User]:
    """Return a link that was handed to somebody, and for whom it is."""
    with store.reading() as tx:
        link = find_link(tx, secret, INVITATION, PASSWORD)
        return link, person_of(tx, link)


def person_of(tx: Transaction, link: Link) -> User:
    """Return for whom a link is."""
    user = tx.users.get(link.user_id) if link.user_id else None
    if user is None or user.disabled:
        raise AbsentError(_WORN_OUT, remedy=_ASK_FOR_ANOTHER)
    return user


# Counted from the last visit.
LIFETIME = timedelta(days=14)
# A visit is noted this often at most: writing on every request would cost more than the request.
NOTE_EVERY = timedelta(minutes=5)
MAX_AGENT = 200


def open_session(tx: Transaction, user: User, agent: str) -> str:
    """Sign somebody in and return the new secret of the browser."""
    secret, at = new_secret(), now()
    # A browser may call itself anything, also what no database can hold.
    printable = "".join(sign for sign in agent if sign.isprintable()).encode("utf-8", "replace").decode()
    tx.sessions.prune(at)
    tx.sessions.open(user.id, secret.digest, printable[:MAX_AGENT], at + LIFETIME, at=at)
    tx.users.set(user.id, seen=at)
    return secret.text


def resume_session(store: Store, secret: str) -> tuple[SignIn, User] | None:
    """Return who is signed in with the secret of a browser, and note the visit; None where nobody is."""
    at = now()
    with store.reading() as tx:
        known = tx.sessions.find(digest_of(secret), at)
    if known is not None and at - known[0].seen > NOTE_EVERY:
        with store.writing() as tx:
            tx.sessions.touch(known[0].id, at, at + LIFETIME)
            tx.users.set(known[1].id, seen=at)
    return known


def list_sessions(store: Store, user_id: str) -> tuple[SignIn, ...]:
    """Return where a person is signed in, the last used first."""
    with store.reading() as tx:
        at = now()
        return tuple(session for session in tx.sessions.of_user(user_id) if session.expires > at)


def end_session(store: Store, actor: Actor, user_id: str, sign_in_id: str) -> None:
    """Sign a person out in one browser: oneself, or as an admin anybody."""
    require_self_or_admin(actor, user_id)
    with store.writing() as tx:
        if sign_in_id not in {session.id for session in tx.sessions.of_user(user_id)}:
            raise AbsentError(say("this session has already ended"), remedy=say("nothing to do"))
        tx.sessions.end(sign_in_id)
        note(tx, actor, "sign out", "person", user_id)


def end_sessions(store: Store, actor: Actor, user_id: str, *, but: str | None = None) -> int:
    """Sign a person out everywhere, but for one browser; return of how many."""
    require_self_or_admin(actor, user_id)
    with store.writing() as tx:
        ended = tx.sessions.end_all(user_id, but)
        note(tx, actor, "sign out everywhere", "person", user_id)
    return ended


def require_self_or_admin(actor: Actor, user_id: str) -> None:
    """Refuse what only the person themselves or an admin may do."""
    if actor.user_id != user_id:
        actor.require(Role.ADMIN)


REMEMBERED = timedelta(seconds=FORGET_SUCCESS_AFTER)


class SignInRefusedError(UsageError):
    """Login and password do not fit, or it is too early to try again."""

    def __init__(self, wait: Wait) -> None:
        self.wait = wait
        if wait.allowed:
            super().__init__("the login or password is incorrect", remedy="try again, or ask an admin for a link")
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
            tx.users.set(user.id, password=renewed)
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
        rows = tx.attempts.recent(login_key(login), address_key(address), at - REMEMBERED)
        past = [Attempt(row.login, row.address, row.at.timestamp(), row.succeeded) for row in rows]
        wait = waiting_time(past, login, address, at.timestamp())
        if not wait.allowed:
            raise SignInRefusedError(wait)
        _note_attempt(tx, login, address, at, succeeded=False)
        return tx.users.by_login(login)


def _note_attempt(tx: Transaction, login: str, address: str, at: datetime, *, succeeded: bool) -> None:
    tx.attempts.add(AttemptRow(login_key(login), address_key(address), at.astimezone(UTC), succeeded))
