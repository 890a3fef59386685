"""Links that work once: for the first admin, for somebody invited, for a new password. Nothing is sent by e-mail."""

from __future__ import annotations

from datetime import timedelta

from vivavoce.errors import AbsentError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import Link, User
from vivavoce.store.stamps import now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.secrets.tokens import digest_of, new_link_secret

SETUP, INVITATION, PASSWORD = "setup", say("invitation"), say("password")
LIFETIMES = {SETUP: timedelta(hours=24), INVITATION: timedelta(days=7), PASSWORD: timedelta(hours=24)}


def make_link(tx: Transaction, purpose: str, user_id: str | None = None) -> str:
    """Return the path of a new link; earlier ones for the same purpose and person are withdrawn."""
    tx.links.withdraw(purpose, user_id)
    secret, at = new_link_secret(), now()
    tx.links.add(purpose, secret.digest, at + LIFETIMES[purpose], user_id, at=at)
    return f"/setup/{secret.text}" if purpose == SETUP else f"/link/{secret.text}"


def find_link(tx: Transaction, secret: str, *purposes: str) -> Link:
    """Return a link that can still be used; it stays usable."""
    found = tx.links.find(digest_of(secret), now())
    if found is None or found.purpose not in purposes:
        raise worn_out()
    return found


def take_link(tx: Transaction, secret: str, *purposes: str) -> Link:
    """Use a link up and return it; of two who try at once only one gets it."""
    find_link(tx, secret, *purposes)
    found = tx.links.take(digest_of(secret), now())
    if found is None:
        raise worn_out()
    return found


def guest_of(store: Store, secret: str) -> tuple[Link, User]:
    """Return a link that was handed to somebody, and for whom it is."""
    with store.reading() as tx:
        link = find_link(tx, secret, INVITATION, PASSWORD)
        return link, person_of(tx, link)


def person_of(tx: Transaction, link: Link) -> User:
    """Return for whom a link is."""
    found = tx.users.get(link.user_id) if link.user_id else None
    if found is None or found.disabled:
        raise worn_out()
    return found


def worn_out() -> AbsentError:
    """Say that a link is of no use."""
    return AbsentError(
        say("this link has been used, is too old, or was replaced by a newer one"),
        remedy=say("ask an admin for a new link; `viva workspace setup-link` makes one for the first admin"),
    )
