"""People and one's own account."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter, Request, Response
from pydantic import Field

from vivavoce.languages import Use, list_codes
from vivavoce.store.rows import Role, SignIn
from vivavoce.web.access import Admin, InStore, Reader
from vivavoce.web.api.bodies import Body, Id, Limit, Listed, Offset, Place, Word, make_list
from vivavoce.web.entering import base_of
from vivavoce.web.listing import Search
from vivavoce.workspace.access import people, sessions

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
