"""One's own page: name, language, password, browsers, keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import AbsentError, InputError
from vivavoce.messages import say
from vivavoce.store.rows import Token
from vivavoce.web.access import InStore, Person, Visitor
from vivavoce.web.answers import LANGUAGE_COOKIE, done, page, words_of
from vivavoce.web.browsers import Seat, seat_of
from vivavoce.web.entering import as_secret, left
from vivavoce.web.field_faults import fault_at
from vivavoce.web.forms import Form
from vivavoce.web.language import LANGUAGES, Words, gettext_noop
from vivavoce.web.pages.access.first_start import password_fields
from vivavoce.web.pages.access.people import language_field
from vivavoce.web.pages.access.preferences import keep
from vivavoce.web.parts import Choice, Field
from vivavoce.workspace.access import keys, people, sessions
from vivavoce.workspace.access.switches import show_switches

router = APIRouter()
Part = Literal["", "person", "password", "key"]
ABILITIES = {
    "read": gettext_noop("read everything"),
    "review": gettext_noop("rate talks and answers"),
    "edit": gettext_noop("change material and start exams"),
    "admin": gettext_noop("decide who may come in"),
}
DAYS = ("30", "90", "365", "")


@dataclass(frozen=True, slots=True)
class Typed:
    """What was filled in before a form was refused, and which form it was."""

    part: Part = ""
    error: InputError | None = None
    name: str = ""
    language: str = ""
    key: str = ""
    scopes: tuple[str, ...] = ("read",)
    days: str = "90"

    def error_of(self, part: Part) -> InputError | None:
        """Return the error of one of the forms."""
        return self.error if self.part == part else None


@dataclass(frozen=True, slots=True)
class Ability:
    """Something that a key may do, as a box to tick."""

    scope: str
    title: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class AccountView:
    """All forms of the page, as they were filled in."""

    lead: str
    person: tuple[Field, ...]
    password: tuple[Field, ...]
    key: tuple[Field, ...]
    abilities: tuple[Ability, ...]
    sessions: tuple[Seat, ...]
    current: str
    keys: tuple[Token, ...]
    keys_allowed: bool
    typed: Typed


@dataclass(frozen=True, slots=True)
class KeyView:
    """A new key; its secret is shown this once."""

    token: Token
    secret: str


@router.get("/account")
def show_account(request: Request, who: Person, store: InStore) -> Response:
    """Show one's own page."""
    return _account_page(request, store, who)


@router.post("/account")
def change_account(request: Request, who: Person, store: InStore, form: Form) -> Response:
    """Change name and language."""
    name, language = form.text("name"), form.choice("language", tuple(LANGUAGES))
    try:
        form.check()
        people.change_account(store, who.actor, name=name, language=language)
    except InputError as error:
        return _account_page(request, store, who, Typed("person", error, name=name, language=language))
    response = done("/account", Words(language).gettext("Your account is changed."))
    keep(request, response, LANGUAGE_COOKIE, language)
    return response


@router.post("/account/password")
def change_password(request: Request, who: Person, store: InStore, form: Form) -> Response:
    """Choose another password; other browsers are signed out."""
    old, new, repeated = form.secret("old"), form.secret("password"), form.secret("repeated")
    current = who.sign_in.id if who.sign_in else None
    try:
        people.change_password(store, who.actor, old, new, repeated, keep=current)
    except InputError as error:
        return _account_page(request, store, who, Typed("password", error))
    told = words_of(request).gettext("The password is changed, and all other browsers are signed out.")
    return done("/account", told)


@router.post("/account/sessions/{sign_in_id}/end")
def end_session(request: Request, who: Person, store: InStore, sign_in_id: str) -> Response:
    """Sign one browser out."""
    sessions.end_session(store, who.actor, who.user.id, sign_in_id)
    return done("/account", words_of(request).gettext("That browser is signed out."))


@router.post("/account/sessions/end")
def end_sessions(request: Request, who: Person, store: InStore) -> Response:
    """Sign all browsers out, this one too."""
    sessions.end_sessions(store, who.actor, who.user.id)
    return left(request, "/sign-in")


@router.post("/account/keys")
def make_key(request: Request, who: Person, store: InStore, form: Form) -> Response:
    """Make a key and show its secret."""
    name, scopes, days = form.text("key"), form.all("scopes"), form.choice("days", DAYS)
    try:
        form.check()
        token, secret = keys.make_key(store, who.actor, name, scopes, days=int(days) if days else None)
    except InputError as error:
        return _account_page(request, store, who, Typed("key", error, key=name, scopes=scopes, days=days))
    title = words_of(request).gettext("A new key")
    return as_secret(page(request, "access/new_key.html", title, view=KeyView(token, secret)))


@router.post("/account/keys/{token_id}/revoke")
def revoke_key(request: Request, who: Person, store: InStore, token_id: str) -> Response:
    """Make a key worthless."""
    if token_id not in {one.id for one in keys.list_keys(store, who.actor, who.user.id)}:
        raise AbsentError(say("there is no such key"), remedy=say("choose one from the list of your keys"))
    revoked = keys.revoke_key(store, who.actor, token_id)
    return done("/account", words_of(request).gettext("The key %(name)s is revoked.", name=revoked.name))


def _account_page(request: Request, store: InStore, who: Visitor, typed: Typed | None = None) -> Response:
    words, given = words_of(request), typed or Typed(name=who.user.name, language=who.user.language)
    role = words.gettext(str(who.role))
    view = AccountView(
        lead=words.gettext("You are %(name)s, with the role %(role)s.", name=who.user.name, role=role),
        person=_person_fields(words, who, given),
        password=_password_fields(words, given),
        key=_key_fields(words, given),
        abilities=_abilities(words, who, given),
        sessions=tuple(map(seat_of, sessions.list_sessions(store, who.user.id))),
        current=who.sign_in.id if who.sign_in else "",
        keys=keys.list_keys(store, who.actor, who.user.id),
        keys_allowed=show_switches(store).keys_allowed,
        typed=given,
    )
    return page(
        request, "access/account.html", words.gettext("Your account"), view=view, status=400 if given.error else 200
    )


def _person_fields(words: Words, who: Visitor, typed: Typed) -> tuple[Field, ...]:
    refused = typed.part == "person"
    name = typed.name if refused else who.user.name
    error = fault_at(typed.error_of("person"), "name")
    return (
        Field("name", words.gettext("Name"), value=name, error=error, required=True, autocomplete="name"),
        language_field(words, typed.language if refused else who.user.language),
    )


def _password_fields(words: Words, typed: Typed) -> tuple[Field, ...]:
    error = typed.error_of("password")
    old = Field(
        "old",
        words.gettext("Password of now"),
        "password",
        error=fault_at(error, "old"),
        required=True,
        autocomplete="current-password",
    )
    return (old, *password_fields(words, error))


def _key_fields(words: Words, typed: Typed) -> tuple[Field, ...]:
    error = fault_at(typed.error_of("key"), "name")
    told = words.gettext("What it is for, so that you know it again.")
    days = tuple(
        Choice(each, words.gettext("%(num)s days", num=each) if each else words.gettext("until it is revoked"))
        for each in DAYS
    )
    return (
        # Another form of the page has a field `name`, and no two may share an id.
        Field("key", words.gettext("Name of the key"), value=typed.key, help=told, error=error, required=True),
        Field("days", words.gettext("It works for"), "select", typed.days, choices=days),
    )


def _abilities(words: Words, who: Visitor, typed: Typed) -> tuple[Ability, ...]:
    return tuple(
        Ability(scope, words.gettext(title), scope in typed.scopes)
        for scope, title in ABILITIES.items()
        if who.role.covers(keys.SCOPES[scope])
    )
