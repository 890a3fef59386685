"""The first start: a link that works once makes the first admin."""

from __future__ import annotations

from dataclasses import dataclass, field

from vivavoce.errors import Fault, UsageError
from vivavoce.sentences import say
from vivavoce.store.database import Store
from vivavoce.store.rows import Role
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.access.auditing import note
from vivavoce.workspace.access.links import SETUP, find_link, make_link, take_link
from vivavoce.workspace.access.new_passwords import new_password_faults, refuse_faults
from vivavoce.workspace.access.people import login_faults, name_faults
from vivavoce.workspace.access.secrets.passwords import USUAL, Cost, hash_password
from vivavoce.workspace.access.sessions import open_session
from vivavoce.workspace.access.signing_in import Entry, actor_of


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


def is_deserted(store: Store) -> bool:
    """Tell whether nobody at all can sign in."""
    with store.reading() as tx:
        return tx.users.count(active=True) == 0


def setup_link(store: Store) -> str | None:
    """Return the path of a new link for the first admin, good for 24 hours; None where there is an admin."""
    if not needs_setup(store):
        return None
    with store.writing() as tx:
        path = make_link(tx, SETUP)
        note(tx, PRODUCT, "create", "link", SETUP, detail=say("a link for the first admin"))
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
    refuse_faults(_faults(form))
    hashed = hash_password(form.password, cost)
    with store.writing() as tx:
        take_link(tx, secret, SETUP)
        if tx.users.by_login(form.login) is not None:
            raise UsageError("some fields cannot be used", faults=[Fault("somebody has this login already", "login")])
        user = tx.users.add(form.login, form.name, Role.ADMIN, language=form.language, password=hashed)
        tx.links.withdraw(SETUP)
        note(tx, actor_of(user, address), "set up", "person", user.id, detail=user.login)
        return Entry(user, open_session(tx, user, agent))


def _faults(form: FirstAdmin) -> tuple[Fault, ...]:
    password = new_password_faults(form.password, form.repeated, form.login)
    return (*name_faults(form.name), *login_faults(form.login), *password)
