"""The first start, and links that were handed to somebody: choosing a password."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import AbsentError, InputError
from vivavoce.web.access import InStore, address_of
from vivavoce.web.answers import go, language_of, page, words_of
from vivavoce.web.entering import agent_of, as_secret, entered
from vivavoce.web.field_faults import fault_at
from vivavoce.web.forms import Form
from vivavoce.web.language import LANGUAGES, Words
from vivavoce.web.pages.access.people import language_field
from vivavoce.web.parts import Field
from vivavoce.workspace.access import people
from vivavoce.workspace.access.links import INVITATION, guest_of
from vivavoce.workspace.access.secrets.passwords import MAX_CHARACTERS, MIN_CHARACTERS

router = APIRouter()


@dataclass(frozen=True, slots=True)
class PasswordView:
    """A form that ends with a password: where it is sent, what it says first, and why it was refused."""

    action: str
    lead: str
    submit: str
    fields: tuple[Field, ...]
    error: InputError | None = None
    login: str = ""


@router.get("/setup")
def explain_setup(request: Request, store: InStore) -> Response:
    """Say where the link for the first admin is printed."""
    if not people.needs_setup(store):
        return go("/sign-in")
    return page(request, "access/setup.html", words_of(request).gettext("First start"))


@router.get("/setup/{secret}")
def show_setup(request: Request, store: InStore, secret: str) -> Response:
    """Show the form for the first admin."""
    people.check_setup(store, secret)
    return _setup_form(request, secret)


@router.post("/setup/{secret}")
def set_up(request: Request, store: InStore, secret: str, form: Form) -> Response:
    """Make the first admin."""
    language = form.choice("language", tuple(LANGUAGES), language_of(request))
    name, login = form.text("name"), form.text("login")
    asked = people.FirstAdmin(name, login, form.secret("password"), form.secret("repeated"), language)
    try:
        form.check()
        entry = people.set_up(store, secret, asked, address=address_of(request), agent=agent_of(request))
    except AbsentError:
        raise
    except InputError as error:
        return _setup_form(request, secret, asked, error)
    return entered(request, entry, "/projects")


@router.get("/link/{secret}")
def show_link(request: Request, store: InStore, secret: str) -> Response:
    """Show the form of an invitation, or of a new password."""
    return _link_form(request, store, secret)


@router.post("/link/{secret}")
def take_up(request: Request, store: InStore, secret: str, form: Form) -> Response:
    """Choose the password and sign in."""
    password, repeated = form.secret("password"), form.secret("repeated")
    try:
        form.check()
        entry = people.take_up(
            store,
            secret,
            password,
            repeated,
            address=address_of(request),
            agent=agent_of(request),
            language=language_of(request),
        )
    except AbsentError:
        raise
    except InputError as error:
        return _link_form(request, store, secret, error)
    return entered(request, entry, "/")


def password_fields(words: Words, error: InputError | None) -> tuple[Field, ...]:
    """Return the two fields of a new password."""
    rule = words.gettext(
        "At least %(low)s characters; several words are easy to keep in mind and hard to guess.", low=MIN_CHARACTERS
    )
    return (
        _secret("password", words.gettext("New password"), error, rule),
        _secret("repeated", words.gettext("The same again"), error),
    )


def _secret(name: str, label: str, error: InputError | None, told: str = "") -> Field:
    return Field(
        name,
        label,
        "password",
        help=told,
        error=fault_at(error, name),
        required=True,
        autocomplete="new-password",
        most=MAX_CHARACTERS,
    )


def _setup_form(
    request: Request,
    secret: str,
    asked: people.FirstAdmin | None = None,
    error: InputError | None = None,
) -> Response:
    words = words_of(request)
    typed = asked or people.FirstAdmin("", "", "", "", language_of(request))
    name, login = fault_at(error, "name"), fault_at(error, "login")
    told = words.gettext("An e-mail address or a short name. It is what you type to sign in.")
    fields = (
        Field("name", words.gettext("Your name"), value=typed.name, error=name, required=True, autocomplete="name"),
        Field(
            "login",
            words.gettext("Login"),
            value=typed.login,
            help=told,
            error=login,
            required=True,
            autocomplete="username",
        ),
        *password_fields(words, error),
        language_field(words, typed.language),
    )
    lead = words.gettext("This workspace has no admin yet. Whoever fills this in becomes the first.")
    view = PasswordView(f"/setup/{secret}", lead, words.gettext("Begin"), fields, error)
    title = words.gettext("First start")
    return as_secret(page(request, "access/new_password.html", title, view=view, status=400 if error else 200))


def _link_form(request: Request, store: InStore, secret: str, error: InputError | None = None) -> Response:
    link, guest = guest_of(store, secret)
    words = words_of(request)
    if link.purpose == INVITATION:
        lead = words.gettext("Welcome, %(name)s. Choose a password and you are in.", name=guest.name)
    else:
        lead = words.gettext("Choose a new password, %(name)s. You are signed out everywhere else.", name=guest.name)
    said = words.gettext("Choose this password")
    view = PasswordView(f"/link/{secret}", lead, said, password_fields(words, error), error, guest.login)
    title = words.gettext("Your password")
    return as_secret(page(request, "access/new_password.html", title, view=view, status=400 if error else 200))
