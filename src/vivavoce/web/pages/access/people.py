"""People: who may come in, and what they may do. For admins."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import AbsentError, InputError
from vivavoce.store.rows import Role, Token
from vivavoce.web.access import Admin, InStore, Visitor
from vivavoce.web.answers import done, language_of, page, table_file, words_of
from vivavoce.web.browsers import Seat, seat_of
from vivavoce.web.entering import as_secret, base_of
from vivavoce.web.field_faults import fault_at
from vivavoce.web.forms import Form
from vivavoce.web.language import LANGUAGES, Words, gettext_noop
from vivavoce.web.listing import Listing, PageNumber, Search
from vivavoce.web.parts import Choice, Column, Field, Pager
from vivavoce.web.rendering import Link
from vivavoce.workspace.access import keys, people, sessions
from vivavoce.workspace.access.people import Sort

router = APIRouter()
ROLES = tuple(str(role) for role in Role)
MEANINGS = {
    Role.READER: gettext_noop("reads everything"),
    Role.REVIEWER: gettext_noop("also rates talks and answers"),
    Role.EDITOR: gettext_noop("also changes material and starts exams"),
    Role.ADMIN: gettext_noop("also decides who may come in"),
}
COLUMNS = ("login", "name", "role", "language", "state", "created", "seen")


@dataclass(frozen=True, slots=True)
class PeopleView:
    """Some people, what narrows the list down, and the form for another one as it was filled in."""

    people: tuple[people.Member, ...]
    filter: tuple[Field, ...]
    columns: tuple[Column | str, ...]
    pager: Pager
    downloads: tuple[Link, ...]
    lead: str
    fields: tuple[Field, ...]
    error: InputError | None = None


@dataclass(frozen=True, slots=True)
class PersonView:
    """One person: role, browsers, keys. `own`: the admin who looks at it."""

    member: people.Member
    lead: str
    fields: tuple[Field, ...]
    sessions: tuple[Seat, ...]
    keys: tuple[Token, ...]
    own: bool
    error: InputError | None = None


@dataclass(frozen=True, slots=True)
class LinkView:
    """A link to hand over, shown this once."""

    member: people.Member
    link: str
    lead: str


@dataclass(frozen=True, slots=True)
class Shown:
    """Which people are shown, and in which order."""

    search: str = ""
    sort: Sort = "login"
    number: int = 1

    @property
    def listing(self) -> Listing:
        """The list that the page shows a part of."""
        return Listing("/people", {"search": self.search}, self.sort, self.number)


@router.get("/people")
def show_people(
    request: Request,
    who: Admin,
    store: InStore,
    *,
    search: Search = "",
    sort: Sort = "login",
    number: PageNumber = 1,
) -> Response:
    """Show people."""
    return _people_page(request, store, who, Shown(search, sort, number))


@router.post("/people")
def invite(request: Request, who: Admin, store: InStore, form: Form) -> Response:
    """Add a person and show the link to hand over."""
    login, name, role = form.text("login"), form.text("name"), form.choice("role", ROLES, "reader")
    try:
        form.check()
        member, path = people.invite(
            store, who.actor, login, name=name, role=Role(role), language=language_of(request)
        )
    except InputError as error:
        return _people_page(request, store, who, Shown(), typed=(login, name, role), error=error)
    return _link_page(request, member, path)


@router.get("/people.{kind}")
def export_people(who: Admin, store: InStore, kind: str, search: Search = "", sort: Sort = "login") -> Response:
    """Return the list as CSV or XLSX, narrowed down and sorted as the page is."""
    rows = [
        (one.login, one.name, str(one.role), one.language, state_of(one), one.created, one.seen)
        for one in people.list_people(store, who.actor, search=search, sort=sort)
    ]
    return table_file("people", kind, COLUMNS, rows)


@router.get("/people/{user_id}")
def show_person(request: Request, who: Admin, store: InStore, user_id: str) -> Response:
    """Show one person."""
    return _person_page(request, store, who, user_id)


@router.post("/people/{user_id}/role")
def change_role(request: Request, who: Admin, store: InStore, user_id: str, form: Form) -> Response:
    """Let a person do more or less."""
    role = form.choice("role", ROLES)
    try:
        form.check()
        member = people.change_role(store, who.actor, user_id, Role(role))
    except AbsentError:
        raise
    except InputError as error:
        return _person_page(request, store, who, user_id, error)
    words = words_of(request)
    told = words.gettext(
        "%(name)s has the role %(role)s now.", name=member.name, role=words.gettext(str(member.role))
    )
    # Whoever gave up being an admin may not see the page again.
    return done("/" if who.user.id == user_id else f"/people/{user_id}", told)


@router.post("/people/{user_id}/disable")
def disable(request: Request, who: Admin, store: InStore, user_id: str) -> Response:
    """Shut a person out."""
    return _switch(request, store, who, user_id, disabled=True)


@router.post("/people/{user_id}/enable")
def enable(request: Request, who: Admin, store: InStore, user_id: str) -> Response:
    """Let a person in again."""
    return _switch(request, store, who, user_id, disabled=False)


@router.post("/people/{user_id}/link")
def make_link(request: Request, who: Admin, store: InStore, user_id: str) -> Response:
    """Make a link by which a person chooses a password."""
    try:
        path = people.new_link(store, who.actor, user_id)
    except AbsentError:
        raise
    except InputError as error:
        return _person_page(request, store, who, user_id, error)
    return _link_page(request, people.show_person(store, who.actor, user_id), path)


@router.post("/people/{user_id}/sign-out")
def end_sessions(request: Request, who: Admin, store: InStore, user_id: str) -> Response:
    """Sign a person out everywhere."""
    member = people.show_person(store, who.actor, user_id)
    ended = sessions.end_sessions(store, who.actor, user_id)
    told = words_of(request).ngettext(
        "%(name)s was signed out in %(num)s browser.",
        "%(name)s was signed out in %(num)s browsers.",
        ended,
        name=member.name,
    )
    return done(f"/people/{user_id}", told)


@router.post("/people/{user_id}/keys/{token_id}/revoke")
def revoke_key(request: Request, who: Admin, store: InStore, user_id: str, token_id: str) -> Response:
    """Make a key of a person worthless."""
    revoked = keys.revoke_key(store, who.actor, token_id)
    return done(f"/people/{user_id}", words_of(request).gettext("The key %(name)s is revoked.", name=revoked.name))


def state_of(member: people.Member) -> str:
    """Return in a word whether a person can sign in."""
    if member.disabled:
        return gettext_noop("disabled")
    return gettext_noop("invited") if member.invited else gettext_noop("active")


def _switch(request: Request, store: InStore, who: Visitor, user_id: str, *, disabled: bool) -> Response:
    try:
        member = people.set_disabled(store, who.actor, user_id, disabled)
    except AbsentError:
        raise
    except InputError as error:
        return _person_page(request, store, who, user_id, error)
    words = words_of(request)
    if disabled:
        told = words.gettext("%(name)s can no longer sign in, and their keys are revoked.", name=member.name)
    else:
        told = words.gettext("%(name)s can sign in again. Keys that were revoked stay so.", name=member.name)
    return done(f"/people/{user_id}", told)


def _people_page(
    request: Request,
    store: InStore,
    who: Visitor,
    shown: Shown,
    *,
    typed: tuple[str, str, str] = ("", "", "reader"),
    error: InputError | None = None,
) -> Response:
    words, (login, name, role) = words_of(request), typed
    told = words.gettext("An e-mail address or a short name. It is what the person types to sign in.")
    fields = (
        Field("login", words.gettext("Login"), value=login, help=told, error=fault_at(error, "login"), required=True),
        Field("name", words.gettext("Name"), value=name, error=fault_at(error, "name"), most=people.MOST_NAME),
        role_field(words, role),
    )
    found = people.list_people(store, who.actor, search=shown.search, sort=shown.sort)
    view = PeopleView(
        people=shown.listing.cut(found),
        filter=(Field("search", words.gettext("Search"), "search", shown.search),),
        columns=_columns(words, shown.listing),
        pager=shown.listing.pager(len(found)),
        downloads=shown.listing.downloads(),
        lead=_lead(words, people.count_active(store)),
        fields=fields,
        error=error,
    )
    title = words.gettext("People")
    return page(request, "access/people.html", title, view=view, section="people", status=400 if error else 200)


def _lead(words: Words, active: int) -> str:
    return words.ngettext("%(num)s person can sign in.", "%(num)s people can sign in.", active)


def _columns(words: Words, listing: Listing) -> tuple[Column | str, ...]:
    return (
        listing.column(words.gettext("Login"), "login"),
        listing.column(words.gettext("Name"), "name"),
        listing.column(words.gettext("Role"), "role"),
        words.gettext("State"),
        listing.column(words.gettext("Last here"), "seen", down=True),
    )


def _person_page(
    request: Request, store: InStore, who: Visitor, user_id: str, error: InputError | None = None
) -> Response:
    words, member = words_of(request), people.show_person(store, who.actor, user_id)
    role = words.gettext(str(member.role))
    lead = {
        "disabled": words.gettext("%(login)s is shut out.", login=member.login),
        "invited": words.gettext("%(login)s is invited and has chosen no password yet.", login=member.login),
        "active": words.gettext("%(login)s can sign in, with the role %(role)s.", login=member.login, role=role),
    }[state_of(member)]
    view = PersonView(
        member,
        lead,
        (role_field(words, str(member.role)),),
        tuple(map(seat_of, sessions.list_sessions(store, user_id))),
        keys.list_keys(store, who.actor, user_id),
        who.user.id == user_id,
        error,
    )
    return page(request, "access/person.html", member.name, view=view, section="people", status=400 if error else 200)


def _link_page(request: Request, member: people.Member, path: str) -> Response:
    words = words_of(request)
    lead = words.gettext("Hand this link to %(name)s yourself: no e-mail is sent.", name=member.name)
    view = LinkView(member, base_of(request) + path, lead)
    return as_secret(page(request, "access/person_link.html", words.gettext("A link"), view=view, section="people"))


def role_field(words: Words, role: str) -> Field:
    """Return the choice of a role, each with what it means."""
    choices = tuple(
        Choice(str(one), f"{words.gettext(str(one))}: {words.gettext(told)}") for one, told in MEANINGS.items()
    )
    return Field("role", words.gettext("Role"), "select", role, choices=choices)


def language_field(words: Words, language: str) -> Field:
    """Return the choice of the language of the pages."""
    choices = tuple(Choice(code, title) for code, title in LANGUAGES.items())
    return Field("language", words.gettext("Language of the pages"), "select", language, choices=choices)
