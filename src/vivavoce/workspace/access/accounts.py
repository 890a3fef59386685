"""One's own account: name, language, password."""

from __future__ import annotations

from vivavoce.errors import Fault, UsageError
from vivavoce.store.database import Store
from vivavoce.store.rows import User
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.auditing import note
from vivavoce.workspace.access.new_passwords import new_password_faults, refuse_faults
from vivavoce.workspace.access.people import find_person, name_faults
from vivavoce.workspace.access.secrets.passwords import USUAL, Cost, hash_password
from vivavoce.workspace.access.signing_in import SignInRefusedError, check_own_password


def change_account(store: Store, actor: Actor, *, name: str, language: str) -> User:
    """Change what one is called and the language that one reads."""
    refuse_faults(name_faults(name))
    with store.writing() as tx:
        tx.users.set_name(own_id(actor), name.strip())
        tx.users.set_language(own_id(actor), language)
        return find_person(tx, own_id(actor))


def change_language(store: Store, actor: Actor, language: str) -> None:
    """Read the pages in another language from now on."""
    with store.writing() as tx:
        tx.users.set_language(own_id(actor), language)


def change_password(
    store: Store,
    actor: Actor,
    old: str,
    new: str,
    repeated: str,
    *,
    keep: str | None = None,
    cost: Cost = USUAL,
) -> int:
    """Choose another password; all other sessions end. Returns how many. `keep`: the session that goes on."""
    with store.reading() as tx:
        user = find_person(tx, own_id(actor))
    faults = list(new_password_faults(new, repeated, user.login))
    try:
        check_own_password(store, user, old, address=actor.address, cost=cost)
    except SignInRefusedError as error:
        wrong = "This is not your password." if error.wait.allowed else str(error.wait)
        faults.insert(0, Fault(wrong, "old"))
    refuse_faults(faults)
    hashed = hash_password(new, cost)
    with store.writing() as tx:
        tx.users.set_password(user.id, hashed)
        note(tx, actor, "change password", "person", user.id)
        return tx.sessions.end_all(user.id, keep)


def own_id(actor: Actor) -> str:
    """Return the id of the person who acts; the product itself has no account."""
    if actor.user_id is None:
        raise UsageError("this needs a person", remedy="sign in and do it there")
    return actor.user_id
