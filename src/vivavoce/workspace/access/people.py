"""People: who may come in, what they may do, their own accounts, and the first admin."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from vivavoce.errors import AbsentError, Fault, UsageError
from vivavoce.messages import say
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.rows import Role, User
from vivavoce.store.stamps import now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import PRODUCT, Actor, note
from vivavoce.workspace.access.keys import revoke_all
from vivavoce.workspace.access.secrets import USUAL, Cost, hash_password, new_password_faults, refuse_faults
from vivavoce.workspace.access.sessions import (
    INVITATION,
    PASSWORD,
    SETUP,
    Entry,
    SignInRefusedError,
    actor_of,
    check_own_password,
    find_link,
    guest_of,
    make_link,
    open_session,
    person_of,
    take_link,
)

MAX_NAME = 100
MAX_LOGIN = 200
# With a hyphen before it: the other way round.
Sort = Literal["login", "name", "role", "seen", "-login", "-name", "-role", "-seen"]
_LOGIN = re.compile(r"\S(?:[^\n\r\t]*\S)?")


@dataclass(frozen=True, slots=True)
class Member:
    """A person as lists show them: `invited` until they have chosen a password, `link_until` while a link waits."""

    id: str
    login: str
    name: str
    role: Role
    language: str
    disabled: bool
    invited: bool
    created: datetime
    seen: datetime | None
    link_until: datetime | None = None


def list_people(store: Store, actor: Actor, *, search: str = "", sort: Sort = "login") -> tuple[Member, ...]:
    """Return people in order: all, or those with a text in login or name."""
    actor.require(Role.ADMIN)
    with store.reading() as tx:
        until = _waiting_links(tx)
        members = [_make_member(user, until.get(user.id)) for user in tx.users.all()]
    wanted = search.strip().casefold()
    chosen = [member for member in members if wanted in member.login or wanted in member.name.casefold()]
    return tuple(sorted(chosen, key=_ORDERS[sort.removeprefix("-")], reverse=sort.startswith("-")))


def count_active(store: Store) -> int:
    """Return how many people can sign in."""
    with store.reading() as tx:
        return tx.users.count(active=True)


def show_person(store: Store, actor: Actor, user_id: str) -> Member:
    """Return one person: oneself, or as an admin anybody."""
    if actor.user_id != user_id:
        actor.require(Role.ADMIN)
    with store.reading() as tx:
        return _make_member(find_person(tx, user_id), _waiting_links(tx).get(user_id))


def invite(
    store: Store, actor: Actor, login: str, *, name: str = "", role: Role = Role.READER, language: str = "en"
) -> tuple[Member, str]:
    """Add a person, and return the path of the link by which they choose their password; hand it over yourself."""
    actor.require(Role.ADMIN)
    refuse_faults((*login_faults(login), *name_faults(name or login[:MAX_NAME])))
    with store.writing() as tx:
        user = tx.users.add(login, name, role, language=language)
        detail = say("{login}, invited as {role}", login=user.login, role=role)
        note(tx, actor, "invite", "person", user.id, detail=detail)
        path = make_link(tx, INVITATION, user.id)
        return _make_member(user, _waiting_links(tx).get(user.id)), path


def change_role(store: Store, actor: Actor, user_id: str, role: Role) -> Member:
    """Let a person do more or less; the last admin stays one."""
    actor.require(Role.ADMIN)
    with store.writing() as tx:
        user = find_person(tx, user_id)
        if role is not Role.ADMIN:
            _keep_an_admin(tx, user)
        tx.users.set(user_id, role=role)
        detail = say(
            "{login}: role changed from {user_role} to {role}", login=user.login, role=role, user_role=user.role
        )
        note(tx, actor, "change role", "person", user_id, detail=detail)
        return _make_member(find_person(tx, user_id))


def set_disabled(store: Store, actor: Actor, user_id: str, disabled: bool) -> Member:
    """Shut a person out, with all sessions and keys, or let them in again with new ones; the last admin stays."""
    actor.require(Role.ADMIN)
    with store.writing() as tx:
        user = find_person(tx, user_id)
        if disabled:
            _keep_an_admin(tx, user)
            tx.sessions.end_all(user_id)
            revoke_all(tx, user_id)
            tx.links.withdraw(PASSWORD, user_id)
        tx.users.set(user_id, disabled=disabled)
        note(tx, actor, "disable" if disabled else "enable", "person", user_id, detail=user.login)
        return _make_member(find_person(tx, user_id))


def new_link(store: Store, actor: Actor, user_id: str) -> str:
    """Return the path of a link by which a person chooses a password; links made before are withdrawn."""
    actor.require(Role.ADMIN)
    with store.writing() as tx:
        user = find_person(tx, user_id)
        if user.disabled:
            raise UsageError(say("{login} is disabled", login=user.login), remedy=say("enable the person first"))
        purpose = PASSWORD if user.password else INVITATION
        detail = say("{login}: {purpose} link", login=user.login, purpose=purpose)
        note(tx, actor, "make link", "person", user_id, detail=detail)
        return make_link(tx, purpose, user_id)


def take_up(
    store: Store,
    secret: str,
    password: str,
    repeated: str,
    *,
    address: str = "",
    agent: str = "",
    language: str = "",
    cost: Cost = USUAL,
) -> Entry:
    """Choose a password by a link, which is used up by it, and sign in; sessions and keys of before end."""
    _, guest = guest_of(store, secret)
    refuse_faults(new_password_faults(password, repeated, guest.login))
    hashed = hash_password(password, cost)
    with store.writing() as tx:
        user = person_of(tx, take_link(tx, secret, INVITATION, PASSWORD))
        tx.users.set(user.id, password=hashed)
        if language:
            tx.users.set(user.id, language=language)
        tx.sessions.end_all(user.id)
        revoke_all(tx, user.id)
        note(tx, actor_of(user, address), "choose password", "person", user.id, detail=user.login)
        return Entry(user, open_session(tx, user, agent))


_ORDERS: dict[str, Callable[[Member], Any]] = {
    "login": lambda member: member.login,
    "name": lambda member: (member.name.casefold(), member.login),
    "role": lambda member: (list(Role).index(member.role), member.login),
    # Who was never here comes before everybody who was.
    "seen": lambda member: (member.seen is not None, member.seen or member.created, member.login),
}


def find_person(tx: Transaction, user_id: str) -> User:
    """Return a person; a clear refusal where there is none."""
    user = tx.users.get(user_id)
    if user is None:
        raise AbsentError(say("person not found"), remedy=say("choose one from the list of people"))
    return user


def login_faults(login: str) -> tuple[Fault, ...]:
    """Return what is wrong with a login."""
    plain = login.strip()
    if plain and len(plain) <= MAX_LOGIN and _LOGIN.fullmatch(plain) and plain.isprintable():
        return ()
    return (Fault(say("the login needs 1 to {most_login} characters on one line", most_login=MAX_LOGIN), "login"),)


def name_faults(name: str) -> tuple[Fault, ...]:
    """Return what is wrong with the name of a person."""
    plain = clean_text(name).strip()
    if plain and len(plain) <= MAX_NAME and plain.isprintable():
        return ()
    return (Fault(say("the name needs 1 to {most_name} characters on one line", most_name=MAX_NAME), "name"),)


def _keep_an_admin(tx: Transaction, user: User) -> None:
    """Refuse to lose the last admin who can sign in."""
    tx.users.lock()
    active = user.role is Role.ADMIN and not user.disabled and user.password is not None
    if active and tx.users.count(Role.ADMIN, active=True) <= 1:
        raise UsageError(
            say("{login} is the only admin who can sign in", login=user.login),
            remedy=say("make someone else an admin first"),
        )


def _waiting_links(tx: Transaction) -> dict[str | None, datetime]:
    at = now()
    return {
        link.user_id: link.expires for purpose in (INVITATION, PASSWORD) for link in tx.links.pending(purpose, at)
    }


def _make_member(user: User, link_until: datetime | None = None) -> Member:
    same = {name: getattr(user, name) for name in ("id", "login", "name", "role", "language", "disabled")}
    return Member(**same, invited=user.password is None, created=user.created, seen=user.seen, link_until=link_until)


def change_account(store: Store, actor: Actor, *, name: str, language: str) -> User:
    """Change what one is called and the language that one reads."""
    refuse_faults(name_faults(name))
    with store.writing() as tx:
        tx.users.set(own_id(actor), name=name.strip(), language=language)
        return find_person(tx, own_id(actor))


def change_language(store: Store, actor: Actor, language: str) -> None:
    """Read the pages in another language from now on."""
    with store.writing() as tx:
        tx.users.set(own_id(actor), language=language)


def change_password(
    store: Store, actor: Actor, old: str, new: str, repeated: str, *, keep: str | None = None, cost: Cost = USUAL
) -> int:
    """Choose another password; all other sessions end. Returns how many. `keep`: the session that goes on."""
    with store.reading() as tx:
        user = find_person(tx, own_id(actor))
    faults = list(new_password_faults(new, repeated, user.login))
    try:
        check_own_password(store, user, old, address=actor.address, cost=cost)
    except SignInRefusedError as error:
        wrong = say("The password is incorrect.") if error.wait.allowed else str(error.wait)
        faults.insert(0, Fault(wrong, "old"))
    refuse_faults(faults)
    hashed = hash_password(new, cost)
    with store.writing() as tx:
        tx.users.set(user.id, password=hashed)
        note(tx, actor, "change password", "person", user.id)
        return tx.sessions.end_all(user.id, keep)


def own_id(actor: Actor) -> str:
    """Return the id of the person who acts; the product itself has no account."""
    if actor.user_id is None:
        raise UsageError(say("only a person can do this"), remedy=say("sign in and do it there"))
    return actor.user_id


@dataclass(frozen=True, slots=True)
class FirstAdmin:
    """The form of the first start, as it was filled in."""

    name: str
    login: str
    password: str = field(repr=False)
    repeated: str = field(repr=False)
    language: str = "en"


def needs_setup(store: Store) -> bool:
    """Tell whether there is no admin who can sign in."""
    with store.reading() as tx:
        return tx.users.count(Role.ADMIN, active=True) == 0


def setup_link(store: Store) -> str | None:
    """Return the path of a new link for the first admin, good for 24 hours; None where there is an admin."""
    if not needs_setup(store):
        return None
    with store.writing() as tx:
        path = make_link(tx, SETUP)
        note(tx, PRODUCT, "create", "link", SETUP, detail=say("link for the first admin"))
    return path


def check_setup(store: Store, secret: str) -> None:
    """Refuse a link that is of no use."""
    with store.reading() as tx:
        find_link(tx, secret, SETUP)


def set_up(
    store: Store, secret: str, form: FirstAdmin, *, address: str = "", agent: str = "", cost: Cost = USUAL
) -> Entry:
    """Make the admin, use the link up and sign in."""
    check_setup(store, secret)
    password_faults = new_password_faults(form.password, form.repeated, form.login)
    refuse_faults((*name_faults(form.name), *login_faults(form.login), *password_faults))
    hashed = hash_password(form.password, cost)
    with store.writing() as tx:
        take_link(tx, secret, SETUP)
        if tx.users.by_login(form.login) is not None:
            raise UsageError(
                say("some fields are invalid"), faults=[Fault(say("this login is already taken"), "login")]
            )
        user = tx.users.add(form.login, form.name, Role.ADMIN, language=form.language, password=hashed)
        tx.links.withdraw(SETUP)
        note(tx, actor_of(user, address), "set up", "person", user.id, detail=user.login)
        return Entry(user, open_session(tx, user, agent))
