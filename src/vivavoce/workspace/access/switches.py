"""What admins decide for the whole workspace while it runs; what belongs to the machine is in the settings."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from vivavoce.errors import Fault
from vivavoce.messages import say
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.rows import Role
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.auditing import note
from vivavoce.workspace.access.secrets.passwords import refuse_faults

MAX_CONTACT = 300


@dataclass(frozen=True, slots=True)
class Switches:
    """`contact`: whom to ask for access, shown where people sign in. `keys_allowed`: people may make new API keys."""

    contact: str = ""
    keys_allowed: bool = True


def show_switches(store: Store) -> Switches:
    """Return what holds."""
    with store.reading() as tx:
        return read_switches(tx)


def read_switches(tx: Transaction) -> Switches:
    """Return what holds, within a transaction."""
    kept, usual = tx.options.all(), Switches()
    contact, keys = kept.get("contact", usual.contact), kept.get("keys_allowed", usual.keys_allowed)
    return Switches(str(contact), bool(keys))


def change_switches(store: Store, actor: Actor, switches: Switches) -> Switches:
    """Decide anew."""
    actor.require(Role.ADMIN)
    contact = clean_text(switches.contact).strip()
    if len(contact) > MAX_CONTACT:
        refuse_faults(
            [Fault(say("this is longer than {most_contact} characters", most_contact=MAX_CONTACT), "contact")]
        )
    chosen = Switches(contact, switches.keys_allowed)
    with store.writing() as tx:
        before = read_switches(tx)
        changed = {name: value for name, value in asdict(chosen).items() if value != getattr(before, name)}
        for name, value in changed.items():
            tx.options.set(name, value)
        if changed:
            detail = ", ".join(f"{name}: {value}" for name, value in changed.items())
            note(tx, actor, "change settings", "workspace", "", detail=detail)
    return chosen
