"""Keys by which programs use this API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import Field

from vivavoce.errors import AbsentError
from vivavoce.messages import say
from vivavoce.store.rows import Token
from vivavoce.web.access import InStore, Reader
from vivavoce.web.api.bodies import Body, Id, Listed, Place, Word, make_list
from vivavoce.workspace.access import keys

router = APIRouter(tags=["keys"])


class NewKey(Body):
    """A key to be made; `days` null: it works until it is revoked."""

    name: Word
    scopes: Annotated[list[Literal["read", "review", "edit", "admin"]], Field(min_length=1, max_length=4)]
    days: Annotated[int, Field(ge=1, le=keys.MAX_DAYS)] | None = 90


@dataclass(frozen=True, slots=True)
class MadeKey:
    """A new key; the secret is answered this once."""

    key: Token
    secret: str


@router.get("/keys")
def list_keys(who: Reader, store: InStore) -> Listed[Token]:
    """Return one's own keys, the newest first."""
    return make_list(keys.list_keys(store, who.actor, who.user.id))


@router.post("/keys", status_code=201)
def make_key(who: Reader, store: InStore, place: Place, body: NewKey) -> MadeKey:
    """Make a key; one that is made by a key cannot do more than it and not outlive it."""
    until = who.token.expires if who.token else None
    made = MadeKey(*keys.make_key(store, who.actor, body.name, body.scopes, days=body.days, until=until))
    return place(made, "keys", made.key.id)


@router.get("/keys/{key_id}")
def show_key(who: Reader, store: InStore, key_id: Id) -> Token:
    """Return one of one's own keys, without its secret."""
    key = next((key for key in keys.list_keys(store, who.actor, who.user.id) if key.id == key_id), None)
    if key is None:
        raise AbsentError(
            say("this key does not exist"), remedy=say("choose one of your keys; this one may have been revoked")
        )
    return key


@router.delete("/keys/{key_id}", status_code=204)
def revoke_key(who: Reader, store: InStore, key_id: Id) -> None:
    """Make a key worthless: one of one's own, or as an admin anybody's."""
    keys.revoke_key(store, who.actor, key_id)
