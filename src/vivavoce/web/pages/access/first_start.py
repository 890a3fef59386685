"""The first start, and links that were handed to somebody: choosing a password."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import AbsentError, InputError
from vivavoce.web.access import InStore, address_of
from vivavoce.web.answers import go, language_of, page, words_of
from vivavoce.web.entering import agent_of, as_secret, entered
from vivavoce.web.forms import Form, fault_at
from vivavoce.web.language import LANGUAGES, Words
from vivavoce.web.pages.access.people import language_field
from vivavoce.web.parts import Field
from vivavoce.web.rendering import View
from vivavoce.workspace.access import people
from vivavoce.workspace.access.secrets import MAX_CHARACTERS, MIN_CHARACTERS
from vivavoce.workspace.access.sessions import INVITATION, guest_of

router = APIRouter()


@router.get("/setup")
def explain_setup(request: Request, store: InStore) -> Response:
    """Say where the link for the first admin is printed."""
    if not people.needs_setup(store):
        return go("/sign-in")
    return page(request, "access/setup.html", words_of(request).gettext("Set up vivavoce"))


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
    try:
        form.check()
        entry = people.take_up(
            store,
            secret,
            form.secret("password"),
            form.secret("repeated"),
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
        "At least %(low)s characters. A few unrelated words are easy to remember and hard to guess.",
        low=MIN_CHARACTERS,
    )
    labels = {"password": (words.gettext("New password"), rule), "repeated": (words.gettext("Repeat password"), "")}
    return tuple(
        Field(
            name,
            label,
            "password",
            help=help_text,
            error=fault_at(error, name),
            required=True,
            autocomplete="new-password",
            most=MAX_CHARACTERS,
        )
        for name, (label, help_text) in labels.items()
    )


def _setup_form(
    request: Request, secret: str, asked: people.FirstAdmin | None = None, error: InputError | None = None
) -> Response:
    words, typed = words_of(request), asked or people.FirstAdmin("", "", "", "", language_of(request))
    help_text = words.gettext("An email address or a short name. You sign in with it.")

    def field(name: str, label: str, value: str, autocomplete: str, help_text: str = "") -> Field:
        wrong = fault_at(error, name)
        return Field(name, label, value=value, help=help_text, error=wrong, required=True, autocomplete=autocomplete)

    view = View(
        action=f"/setup/{secret}",
        lead=words.gettext("This workspace has no admin yet. Fill in this form to become the first."),
        submit=words.gettext("Start"),
        fields=(
            field("name", words.gettext("Your name"), typed.name, "name"),
            field("login", words.gettext("Login"), typed.login, "username", help_text),
            *password_fields(words, error),
            language_field(words, typed.language),
        ),
        error=error,
        login="",
    )
    title = words.gettext("Set up vivavoce")
    return as_secret(page(request, "access/new_password.html", title, view=view, status=400 if error else 200))


def _link_form(request: Request, store: InStore, secret: str, error: InputError | None = None) -> Response:
    words, (link, guest) = words_of(request), guest_of(store, secret)
    lead = words.gettext("Choose a new password, %(name)s. You will be signed out everywhere else.", name=guest.name)
    if link.purpose == INVITATION:
        lead = words.gettext("Welcome, %(name)s. Choose a password to get started.", name=guest.name)
    view = View(
        action=f"/link/{secret}",
        lead=lead,
        submit=words.gettext("Save password"),
        fields=password_fields(words, error),
        error=error,
        login=guest.login,
    )
    title = words.gettext("Your password")
    return as_secret(page(request, "access/new_password.html", title, view=view, status=400 if error else 200))
