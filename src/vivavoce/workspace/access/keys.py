"""Keys by which programs use the API in the name of a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from vivavoce.errors import AbsentError, Fault, UsageError, nearest
from vivavoce.messages import say
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.rows import Role, Token, User
from vivavoce.store.stamps import now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor, note
from vivavoce.workspace.access.secrets import digest_of, is_api_token, new_api_token, refuse_faults
from vivavoce.workspace.access.sessions import NOTE_EVERY, require_self_or_admin

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


# What a key may be good for, and the most that its owner can do with it.
SCOPES = {"read": Role.READER, "review": Role.REVIEWER, "edit": Role.EDITOR, "admin": Role.ADMIN}
MAX_NAME = 100
MAX_DAYS = 3650
MAX_KEYS = 100


def use_key(store: Store, secret: str) -> tuple[Token, User, Role] | None:
    """Return a key, whose it is and the role that it gives, and note its use; None where it is worth nothing."""
    if not is_api_token(secret):
        return None
    at = now()
    with store.reading() as tx:
        known = tx.tokens.find(digest_of(secret), at)
    if known is None:
        return None
    token, user = known
    if token.seen is None or at - token.seen > NOTE_EVERY:
        with store.writing() as tx:
            tx.tokens.touch(token.id, at)
    granted = [SCOPES[scope] for scope in token.scopes if scope in SCOPES]
    most = max(granted, key=list(Role).index, default=None)
    return None if most is None else (token, user, most if user.role.covers(most) else user.role)


def list_keys(store: Store, actor: Actor, user_id: str) -> tuple[Token, ...]:
    """Return the keys of a person that are not revoked, the newest first."""
    require_self_or_admin(actor, user_id)
    with store.reading() as tx:
        return _good_keys(tx, user_id)


def make_key(
    store: Store,
    actor: Actor,
    name: str,
    scopes: Sequence[str],
    *,
    days: int | None = None,
    until: datetime | None = None,
) -> tuple[Token, str]:
    """Make a key of one's own and return it with its secret, which is shown this once.

    `days`: how long it works, None for good. `until`: when the key ends that makes this one; it cannot outlive it.
    """
    if actor.user_id is None:
        raise UsageError(say("keys belong to people"), remedy=say("sign in and create it there"))
    owner = actor.user_id
    refuse_faults(tuple(_find_faults(actor, name, scopes, days)))
    at = now()
    ends = [end for end in (at + timedelta(days=days) if days else None, until) if end is not None]
    secret = new_api_token()
    with store.writing() as tx:
        if not read_switches(tx).keys_allowed:
            raise UsageError(
                say("keys are turned off in this workspace"),
                remedy=say("an admin can turn them on in the settings"),
            )
        if len(_good_keys(tx, owner)) >= MAX_KEYS:
            raise UsageError(
                say("you already have {most_keys} keys", most_keys=MAX_KEYS),
                remedy=say("revoke keys you no longer use"),
            )
        granted = [scope for scope in SCOPES if scope in scopes]
        token = tx.tokens.add(owner, name.strip(), granted, secret.digest, expires=min(ends, default=None), at=at)
        note(tx, actor, "make key", "key", token.id, detail=f"{token.name}: {', '.join(granted)}")
    return token, secret.text


def revoke_key(store: Store, actor: Actor, token_id: str) -> Token:
    """Make a key worthless: one of one's own, or as an admin anybody's."""
    with store.writing() as tx:
        token = tx.tokens.get(token_id)
        if token is None or (token.user_id != actor.user_id and not actor.role.covers(Role.ADMIN)):
            raise AbsentError(say("this key does not exist"), remedy=say("choose one from the list of keys"))
        tx.tokens.revoke(token_id, now())
        note(tx, actor, "revoke key", "key", token_id, detail=token.name)
    return token


def revoke_all(tx: Transaction, user_id: str) -> int:
    """Make all keys of a person worthless and return how many there were."""
    good = _good_keys(tx, user_id)
    for token in good:
        tx.tokens.revoke(token.id, now())
    return len(good)


def _find_faults(actor: Actor, name: str, scopes: Sequence[str], days: int | None) -> Iterator[Fault]:
    if not name.strip() or len(name.strip()) > MAX_NAME:
        yield Fault(say("the name needs 1 to {most_name} characters", most_name=MAX_NAME), "name")
    if not scopes:
        yield Fault(say("choose at least one permission for the key"), "scopes")
    for scope in scopes:
        if scope not in SCOPES:
            yield Fault(
                say("unknown permission '{scope}'.{nearest}", scope=scope, nearest=nearest(scope, list(SCOPES))),
                "scopes",
            )
        elif not actor.role.covers(SCOPES[scope]):
            yield Fault(
                say("{name} is {role} and cannot grant '{scope}'", scope=scope, name=actor.name, role=actor.role),
                "scopes",
            )
    if days is not None and not 1 <= days <= MAX_DAYS:
        yield Fault(say("keys are valid for 1 to {most_days} days", most_days=MAX_DAYS), "days")


def _good_keys(tx: Transaction, user_id: str) -> tuple[Token, ...]:
    return tuple(token for token in tx.tokens.of_user(user_id) if token.revoked is None)
