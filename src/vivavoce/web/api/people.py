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
    """A person to invite."""

    login: Word
    name: Word | None = None
    role: Annotated[Role, Field(strict=False)] = Role.READER
    language: LanguageCode = "en"


class ChangedRole(Body):
    """The new role of a person."""

    role: Annotated[Role, Field(strict=False)]


class ChangedState(Body):
    """Whether an account is disabled."""

    disabled: bool


@dataclass(frozen=True, slots=True)
class Invited:
    """A new person and their link, which works once and is returned only here."""

    person: people.Member
    link: str


@dataclass(frozen=True, slots=True)
class OneTimeLink:
    """A link that works once."""

    link: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The number of ended sessions."""

    ended: int


@dataclass(frozen=True, slots=True)
class Myself:
    """The person behind the request, and the role of the person or key."""

    person: people.Member
    role: Role


@router.get("/me")
def show_myself(who: Reader, store: InStore) -> Myself:
    """Get your own account."""
    return Myself(people.show_person(store, who.actor, who.user.id), who.role)


@router.get("/me/sessions")
def list_sessions(who: Reader, store: InStore) -> Listed[SignIn]:
    """List your sessions, last used first."""
    return make_list(sessions.list_sessions(store, who.user.id))


@router.get("/people")
def list_people(
    who: Admin, store: InStore, *, search: Search = "", limit: Limit = 50, offset: Offset = 0
) -> Listed[people.Member]:
    """List people by login, optionally filtered by a text in login or name."""
    members = people.list_people(store, who.actor, search=search)
    return make_list(members[offset : offset + limit], len(members))


@router.post("/people", status_code=201)
def invite_person(request: Request, who: Admin, store: InStore, place: Place, body: Invitation) -> Invited:
    """Invite a person. No e-mail is sent: hand over the link yourself."""
    member, path = people.invite(
        store, who.actor, body.login, name=body.name or "", role=body.role, language=body.language
    )
    return place(Invited(member, base_of(request) + path), "people", member.id)


@router.get("/people/{person_id}")
def show_person(who: Admin, store: InStore, person_id: Id) -> people.Member:
    """Get a person."""
    return people.show_person(store, who.actor, person_id)


@router.put("/people/{person_id}/role")
def change_person_role(who: Admin, store: InStore, person_id: Id, body: ChangedRole) -> people.Member:
    """Change the role of a person; the last admin keeps theirs."""
    return people.change_role(store, who.actor, person_id, body.role)


@router.put("/people/{person_id}/disabled")
def disable_person(who: Admin, store: InStore, person_id: Id, body: ChangedState) -> people.Member:
    """Disable or enable an account; the last admin cannot be disabled."""
    return people.set_disabled(store, who.actor, person_id, body.disabled)


@router.post("/people/{person_id}/link", status_code=201)
def make_person_link(request: Request, response: Response, who: Admin, store: InStore, person_id: Id) -> OneTimeLink:
    """Create a link for a person to choose a password."""
    link = base_of(request) + people.new_link(store, who.actor, person_id)
    response.headers["Location"] = link
    return OneTimeLink(link)


@router.delete("/people/{person_id}/sessions")
def end_person_sessions(who: Admin, store: InStore, person_id: Id) -> Ended:
    """Sign a person out of all browsers."""
    people.show_person(store, who.actor, person_id)
    return Ended(sessions.end_sessions(store, who.actor, person_id))


keys_router = APIRouter(tags=["keys"])


class NewKey(Body):
    """A key to create; `days` null: it works until you revoke it."""

    name: Word
    scopes: Annotated[list[Literal["read", "review", "edit", "admin"]], Field(min_length=1, max_length=4)]
    days: Annotated[int, Field(ge=1, le=keys.MAX_DAYS)] | None = 90


@dataclass(frozen=True, slots=True)
class MadeKey:
    """A new key; its secret is returned only here."""

    key: Token
    secret: str


@keys_router.get("/keys")
def list_keys(who: Reader, store: InStore) -> Listed[Token]:
    """List your keys, newest first."""
    return make_list(keys.list_keys(store, who.actor, who.user.id))


@keys_router.post("/keys", status_code=201)
def make_key(who: Reader, store: InStore, place: Place, body: NewKey) -> MadeKey:
    """Create a key. A key created with another key can neither do more nor outlive it."""
    until = who.token.expires if who.token else None
    new = MadeKey(*keys.make_key(store, who.actor, body.name, body.scopes, days=body.days, until=until))
    return place(new, "keys", new.key.id)


@keys_router.get("/keys/{key_id}")
def show_key(who: Reader, store: InStore, key_id: Id) -> Token:
    """Get one of your keys, without its secret."""
    key = next((key for key in keys.list_keys(store, who.actor, who.user.id) if key.id == key_id), None)
    if key is None:
        raise AbsentError(
            say("this key does not exist"), remedy=say("choose one of your keys; this one may have been revoked")
        )
    return key


@keys_router.delete("/keys/{key_id}", status_code=204)
def revoke_key(who: Reader, store: InStore, key_id: Id) -> None:
    """Revoke one of your keys, or as an admin any key."""
    keys.revoke_key(store, who.actor, key_id)


audit_router = APIRouter(tags=["workspace"])
WantedId = Annotated[str, Query(max_length=32)]


class ChangedSwitches(Body):
    """Settings of the whole workspace."""

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
    """List the audit log, newest first, optionally of one person or project (by id).

    `person` is `product` for what vivavoce did on its own; `search` covers details and addresses.
    """
    log = read_log(store, who.actor, LogFilter(person, project, action, search), limit=limit, offset=offset)
    return make_list(log.lines, log.total)


@audit_router.get("/workspace")
def show_workspace(who: Admin, store: InStore) -> Facts:
    """Get the state of the workspace: versions, database, workers, counts."""
    return workspace_facts(store)


@audit_router.get("/workspace/switches")
def show_switches(who: Admin, store: InStore) -> Switches:
    """Get the settings of the workspace."""
    return keys.show_switches(store)


@audit_router.put("/workspace/switches")
def change_switches(who: Admin, store: InStore, body: ChangedSwitches) -> Switches:
    """Change the settings of the workspace."""
    return keys.change_switches(store, who.actor, Switches(body.contact, body.keys_allowed))
