"""People, their keys, the audit log and the facts of the workspace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from vivavoce.errors import AbsentError
from vivavoce.languages import Use, list_codes
from vivavoce.messages import say
from vivavoce.store.repositories.audit import LogFilter
from vivavoce.store.rows import Role, SignIn, Token
from vivavoce.web.access import Admin, InStore, Reader
from vivavoce.web.api.bodies import Body, Id, Limit, Listed, Offset, Place, Text, Word, make_list
from vivavoce.web.entering import base_of
from vivavoce.web.listing import Search
from vivavoce.workspace.access import keys, people, sessions
from vivavoce.workspace.access.actors import LogLine, read_log
from vivavoce.workspace.access.keys import Switches
from vivavoce.workspace.projects.projects import Facts, workspace_facts

router = APIRouter(tags=["people"])
if TYPE_CHECKING:
    LanguageCode = str
else:
    LanguageCode = Literal[list_codes(Use.INTERFACE)]


class Invitation(Body):
    """Somebody to be invited."""

    login: Word
    name: Word | None = None
    role: Annotated[Role, Field(strict=False)] = Role.READER
    language: LanguageCode = "en"


class ChangedRole(Body):
    """What a person may do from now on."""

    role: Annotated[Role, Field(strict=False)]


class ChangedState(Body):
    """Whether a person is shut out."""

    disabled: bool


@dataclass(frozen=True, slots=True)
class Invited:
    """A person and the link to hand over; it works once, and is answered this once."""

    person: people.Member
    link: str


@dataclass(frozen=True, slots=True)
class OneTimeLink:
    """A link to hand over; it works once."""

    link: str


@dataclass(frozen=True, slots=True)
class Ended:
    """In how many browsers somebody was signed out."""

    ended: int


@dataclass(frozen=True, slots=True)
class Myself:
    """Who is asking, and what the key or the person may do."""

    person: people.Member
    role: Role


@router.get("/me")
def show_myself(who: Reader, store: InStore) -> Myself:
    """Return who is asking."""
    return Myself(people.show_person(store, who.actor, who.user.id), who.role)


@router.get("/me/sessions")
def list_sessions(who: Reader, store: InStore) -> Listed[SignIn]:
    """Return where the person is signed in, the last used first."""
    return make_list(sessions.list_sessions(store, who.user.id))


@router.get("/people")
def list_people(
    who: Admin, store: InStore, *, search: Search = "", limit: Limit = 50, offset: Offset = 0
) -> Listed[people.Member]:
    """Return people, by login: all, or those with a text in login or name."""
    members = people.list_people(store, who.actor, search=search)
    return make_list(members[offset : offset + limit], len(members))


@router.post("/people", status_code=201)
def invite_person(request: Request, who: Admin, store: InStore, place: Place, body: Invitation) -> Invited:
    """Add a person; no e-mail is sent, the link is to be handed over."""
    member, path = people.invite(
        store, who.actor, body.login, name=body.name or "", role=body.role, language=body.language
    )
    return place(Invited(member, base_of(request) + path), "people", member.id)


@router.get("/people/{person_id}")
def show_person(who: Admin, store: InStore, person_id: Id) -> people.Member:
    """Return a person."""
    return people.show_person(store, who.actor, person_id)


@router.put("/people/{person_id}/role")
def change_person_role(who: Admin, store: InStore, person_id: Id, body: ChangedRole) -> people.Member:
    """Let a person do more or less; the last admin stays one."""
    return people.change_role(store, who.actor, person_id, body.role)


@router.put("/people/{person_id}/disabled")
def disable_person(who: Admin, store: InStore, person_id: Id, body: ChangedState) -> people.Member:
    """Shut a person out, or let them in again; the last admin stays."""
    return people.set_disabled(store, who.actor, person_id, body.disabled)


@router.post("/people/{person_id}/link", status_code=201)
def make_person_link(request: Request, response: Response, who: Admin, store: InStore, person_id: Id) -> OneTimeLink:
    """Make a link by which a person chooses a password."""
    link = base_of(request) + people.new_link(store, who.actor, person_id)
    response.headers["Location"] = link
    return OneTimeLink(link)


@router.delete("/people/{person_id}/sessions")
def end_person_sessions(who: Admin, store: InStore, person_id: Id) -> Ended:
    """Sign a person out everywhere."""
    people.show_person(store, who.actor, person_id)
    return Ended(sessions.end_sessions(store, who.actor, person_id))


keys_router = APIRouter(tags=["keys"])


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


@keys_router.get("/keys")
def list_keys(who: Reader, store: InStore) -> Listed[Token]:
    """Return one's own keys, the newest first."""
    return make_list(keys.list_keys(store, who.actor, who.user.id))


@keys_router.post("/keys", status_code=201)
def make_key(who: Reader, store: InStore, place: Place, body: NewKey) -> MadeKey:
    """Make a key; one that is made by a key cannot do more than it and not outlive it."""
    until = who.token.expires if who.token else None
    new = MadeKey(*keys.make_key(store, who.actor, body.name, body.scopes, days=body.days, until=until))
    return place(new, "keys", new.key.id)


@keys_router.get("/keys/{key_id}")
def show_key(who: Reader, store: InStore, key_id: Id) -> Token:
    """Return one of one's own keys, without its secret."""
    key = next((key for key in keys.list_keys(store, who.actor, who.user.id) if key.id == key_id), None)
    if key is None:
        raise AbsentError(
            say("this key does not exist"), remedy=say("choose one of your keys; this one may have been revoked")
        )
    return key


@keys_router.delete("/keys/{key_id}", status_code=204)
def revoke_key(who: Reader, store: InStore, key_id: Id) -> None:
    """Make a key worthless: one of one's own, or as an admin anybody's."""
    keys.revoke_key(store, who.actor, key_id)


audit_router = APIRouter(tags=["workspace"])
WantedId = Annotated[str, Query(max_length=32)]


class ChangedSwitches(Body):
    """What admins decide for the whole workspace."""

    contact: Text = ""
    keys_allowed: bool = True


@audit_router.get("/audit")
def list_audit(
    who: Admin,
    store: InStore,
    *,
    person: WantedId = "",
    project: WantedId = "",
    action: Annotated[str, Query(max_length=400)] = "",
    search: Search = "",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listed[LogLine]:
    """Return what was done by whom, the newest first; of one person or project (by id) where they are given.

    `person` is `product` for what nobody did but the product itself; `search` looks into details and addresses.
    """
    log = read_log(store, who.actor, LogFilter(person, project, action, search), limit=limit, offset=offset)
    return make_list(log.lines, log.total)


@audit_router.get("/workspace")
def show_workspace(who: Admin, store: InStore) -> Facts:
    """Return what is the case in the workspace: versions, database, workers, counts."""
    return workspace_facts(store)


@audit_router.get("/workspace/switches")
def show_switches(who: Admin, store: InStore) -> Switches:
    """Return what admins have decided for the whole workspace."""
    return keys.show_switches(store)


@audit_router.put("/workspace/switches")
def change_switches(who: Admin, store: InStore, body: ChangedSwitches) -> Switches:
    """Decide anew for the whole workspace."""
    return keys.change_switches(store, who.actor, Switches(body.contact, body.keys_allowed))
