"""Where people are signed in: a session in each browser, which can be ended here or everywhere."""

from __future__ import annotations

from datetime import timedelta

from vivavoce.errors import AbsentError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import Role, SignIn, User
from vivavoce.store.stamps import now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.auditing import note
from vivavoce.workspace.access.secrets.tokens import digest_of, new_session_secret

# Counted from the last visit.
LIFETIME = timedelta(days=14)
# A visit is noted this often at most: writing on every request would cost more than the request.
NOTE_EVERY = timedelta(minutes=5)
MOST_AGENT = 200


def open_session(tx: Transaction, user: User, agent: str) -> str:
    """Sign somebody in and return the new secret of the browser."""
    secret, at = new_session_secret(), now()
    tx.sessions.prune(at)
    tx.sessions.open(user.id, secret.digest, printable(agent)[:MOST_AGENT], at + LIFETIME, at=at)
    tx.users.mark_seen(user.id, at)
    return secret.text


def resume_session(store: Store, secret: str) -> tuple[SignIn, User] | None:
    """Return who is signed in with the secret of a browser, and note the visit; None where nobody is."""
    at = now()
    with store.reading() as tx:
        known = tx.sessions.find(digest_of(secret), at)
    if known is not None and at - known[0].seen > NOTE_EVERY:
        with store.writing() as tx:
            tx.sessions.touch(known[0].id, at, at + LIFETIME)
            tx.users.mark_seen(known[1].id, at)
    return known


def list_sessions(store: Store, user_id: str) -> tuple[SignIn, ...]:
    """Return where a person is signed in, the last used first."""
    with store.reading() as tx:
        at = now()
        return tuple(one for one in tx.sessions.of_user(user_id) if one.expires > at)


def end_session(store: Store, actor: Actor, user_id: str, sign_in_id: str) -> None:
    """Sign a person out in one browser: oneself, or as an admin anybody."""
    require_self_or_admin(actor, user_id)
    with store.writing() as tx:
        if sign_in_id not in {one.id for one in tx.sessions.of_user(user_id)}:
            raise AbsentError(say("nobody is signed in there any more"), remedy=say("nothing is left to do"))
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


def printable(text: str) -> str:
    """Return a text without what no database can hold: a browser may call itself anything."""
    return "".join(sign for sign in text if sign.isprintable()).encode("utf-8", "replace").decode()
