"""People: who may come in, and what they may do. For admins."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import AbsentError, InputError
from vivavoce.store.rows import Role
from vivavoce.web.access import Admin, InStore, Visitor
from vivavoce.web.answers import done, language_of, page, table_file, words_of
from vivavoce.web.entering import as_secret, base_of, show_session
from vivavoce.web.forms import Form, fault_at
from vivavoce.web.language import LANGUAGES, Words, gettext_noop
from vivavoce.web.listing import Listing, PageNumber, Search
from vivavoce.web.parts import Choice, Field
from vivavoce.web.rendering import View
from vivavoce.workspace.access import keys, people, sessions
from vivavoce.workspace.access.people import Sort

router = APIRouter()
ROLES = tuple(str(role) for role in Role)
# What each role may do, for all pages.
MEANINGS = {
    Role.READER: gettext_noop("can view everything in the projects"),
    Role.REVIEWER: gettext_noop("can also rate dialogues and answers"),
    Role.EDITOR: gettext_noop("can also change topics and scenarios, and start exams"),
    Role.ADMIN: gettext_noop("can also add bots and people, and see who did what"),
}
COLUMNS = ("login", "name", "role", "language", "state", "created", "seen")


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
    return _people_page(request, store, who, search, sort, number=number)


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
        return _people_page(request, store, who, typed=(login, name, role), error=error)
    return _link_page(request, member, path)


@router.get("/people.{kind}")
def export_people(who: Admin, store: InStore, kind: str, search: Search = "", sort: Sort = "login") -> Response:
    """Return the list as CSV or XLSX, narrowed down and sorted as the page is."""
    rows = [
        (member.login, member.name, str(member.role), member.language, state_of(member), member.created, member.seen)
        for member in people.list_people(store, who.actor, search=search, sort=sort)
    ]
    return table_file("people", kind, COLUMNS, rows)


@router.get("/people/{user_id}")
def show_person(request: Request, who: Admin, store: InStore, user_id: str) -> Response:
    """Show one person."""
    return _person_page(request, store, who, user_id)


@router.post("/people/{user_id}/role")
def change_role(request: Request, who: Admin, store: InStore, user_id: str, form: Form) -> Response:
    """Let a person do more or less."""
    words, role = words_of(request), form.choice("role", ROLES)
    try:
        form.check()
        member = people.change_role(store, who.actor, user_id, Role(role))
    except AbsentError:
        raise
    except InputError as error:
        return _person_page(request, store, who, user_id, error)
    title = words.gettext(str(member.role))
    text = words.gettext("%(name)s now has the role %(role)s.", name=member.name, role=title)
    # Whoever gave up being an admin may not see the page again.
    return done("/" if who.user.id == user_id else f"/people/{user_id}", text)


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
    text = words_of(request).ngettext(
        "Signed %(name)s out of %(num)s browser.",
        "Signed %(name)s out of %(num)s browsers.",
        ended,
        name=member.name,
    )
    return done(f"/people/{user_id}", text)


@router.post("/people/{user_id}/keys/{token_id}/revoke")
def revoke_key(request: Request, who: Admin, store: InStore, user_id: str, token_id: str) -> Response:
    """Make a key of a person worthless."""
    revoked = keys.revoke_key(store, who.actor, token_id)
    return done(f"/people/{user_id}", words_of(request).gettext("Key %(name)s revoked.", name=revoked.name))


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
    text = words.gettext("%(name)s can sign in again. Revoked keys stay revoked.", name=member.name)
    if disabled:
        text = words.gettext("%(name)s can no longer sign in, and their keys are revoked.", name=member.name)
    return done(f"/people/{user_id}", text)


def _people_page(
    request: Request,
    store: InStore,
    who: Visitor,
    search: str = "",
    sort: Sort = "login",
    *,
    number: int = 1,
    typed: tuple[str, str, str] = ("", "", "reader"),
    error: InputError | None = None,
) -> Response:
    words, (login, name, role) = words_of(request), typed
    help_text = words.gettext("An email address or a short name. The person signs in with it.")
    wrong = fault_at(error, "login")
    members = people.list_people(store, who.actor, search=search, sort=sort)
    listing = Listing("/people", {"search": search}, sort, number)
    view = View(
        people=listing.cut(members),
        filter=(Field("search", words.gettext("Search"), "search", search),),
        columns=(
            listing.column(words.gettext("Login"), "login"),
            listing.column(words.gettext("Name"), "name"),
            listing.column(words.gettext("Role"), "role"),
            words.gettext("Status"),
            listing.column(words.gettext("Last active"), "seen", down=True),
        ),
        pager=listing.pager(len(members)),
        downloads=listing.downloads(),
        lead=words.ngettext("%(num)s person can sign in.", "%(num)s people can sign in.", people.count_active(store)),
        fields=(
            Field("login", words.gettext("Login"), value=login, help=help_text, error=wrong, required=True),
            Field("name", words.gettext("Name"), value=name, error=fault_at(error, "name"), most=people.MAX_NAME),
            role_field(words, role),
        ),
        roles=list_roles(words),
        error=error,
    )
    title = words.gettext("People")
    return page(request, "access/people.html", title, view=view, status=400 if error else 200)


def _person_page(
    request: Request, store: InStore, who: Visitor, user_id: str, error: InputError | None = None
) -> Response:
    words, member = words_of(request), people.show_person(store, who.actor, user_id)
    role = words.gettext(str(member.role))
    lead = {
        "disabled": words.gettext("The account %(login)s is disabled.", login=member.login),
        "invited": words.gettext("%(login)s is invited and has not chosen a password yet.", login=member.login),
        "active": words.gettext("%(login)s can sign in with the role %(role)s.", login=member.login, role=role),
    }[state_of(member)]
    view = View(
        member=member,
        lead=lead,
        fields=(role_field(words, str(member.role)),),
        sessions=tuple(map(show_session, sessions.list_sessions(store, user_id))),
        keys=keys.list_keys(store, who.actor, user_id),
        own=who.user.id == user_id,
        roles=list_roles(words),
        error=error,
    )
    return page(request, "access/person.html", member.name, view=view, status=400 if error else 200)


def _link_page(request: Request, member: people.Member, path: str) -> Response:
    words = words_of(request)
    lead = words.gettext("Send this link to %(name)s yourself; vivavoce sends no email.", name=member.name)
    view = View(member=member, link=base_of(request) + path, lead=lead)
    return as_secret(page(request, "access/person_link.html", words.gettext("Sign-in link"), view=view))


def list_roles(words: Words) -> tuple[tuple[str, str], ...]:
    """Return the roles, each with what it may do."""
    return tuple((words.gettext(str(role)), words.gettext(meaning)) for role, meaning in MEANINGS.items())


def role_field(words: Words, role: str) -> Field:
    """Return the choice of a role; what each means stands beside the form."""
    choices = tuple(Choice(str(name), words.gettext(str(name))) for name in MEANINGS)
    return Field("role", words.gettext("Role"), "select", role, choices=choices)


def language_field(words: Words, language: str) -> Field:
    """Return the choice of the language of the pages."""
    choices = tuple(Choice(code, title) for code, title in LANGUAGES.items())
    return Field("language", words.gettext("Interface language"), "select", language, choices=choices)
