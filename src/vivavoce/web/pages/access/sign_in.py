"""Signing in and out, the first start, links by which somebody chooses a password, and how the pages look."""

from __future__ import annotations

from functools import partial
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from vivavoce.errors import AbsentError, InputError
from vivavoce.store.database import Store
from vivavoce.web.access import InStore, Reader, SignInNeededError, Visitor, address_of, store_of, visitor_of
from vivavoce.web.answers import LANGUAGE_COOKIE, THEME_COOKIE, done, go, language_of, page, words_of
from vivavoce.web.entering import agent_of, as_secret, go_signed_in, go_signed_out, is_secure, with_session
from vivavoce.web.failures import answer_error
from vivavoce.web.forms import Form, fault_at
from vivavoce.web.held_forms import (
    MAX_CHARACTERS,
    HeldForm,
    held_from_text,
    held_to_text,
    hold_form,
    is_short,
    own_path,
    page_before,
)
from vivavoce.web.language import LANGUAGES, Words
from vivavoce.web.local_time import BROWSER_ZONE, ZONE_COOKIE, zone_names
from vivavoce.web.pages.access.people import language_field
from vivavoce.web.parts import Field, hidden_field
from vivavoce.web.rendering import THEMES, View
from vivavoce.workspace.access import people, secrets, sessions
from vivavoce.workspace.access.keys import show_switches
from vivavoce.workspace.access.people import change_language, count_active
from vivavoce.workspace.access.sessions import INVITATION, guest_of

router = APIRouter()


@router.get("/sign-in")
def show_sign_in(
    request: Request, store: InStore, next: Annotated[str, Query()] = "/", lost: Annotated[str, Query()] = ""
) -> Response:
    """Show the form, or lead on whoever is signed in already."""
    if visitor_of(request):
        return go(own_path(next))
    if not count_active(store):
        return go("/setup")
    return _form(request, store, own_path(next), lost=bool(lost))


async def ask_to_sign_in(request: Request, error: Exception) -> Response:
    """Answer a request that came without a session: what was typed waits until somebody has signed in."""
    if not isinstance(error, SignInNeededError):
        raise error
    if request.method != "POST" or request.url.path.startswith("/api/"):
        return await run_in_threadpool(answer_error, request, error)
    held = await hold_form(request)
    if held is not None:
        form = partial(_form, request, store_of(request), held.back, held, status=401)
        return await run_in_threadpool(form)
    lost = "" if is_short(request) else "&lost=1"
    return go(f"/sign-in?next={quote(page_before(request))}{lost}")


@router.post("/sign-in")
def sign_in(request: Request, store: InStore, form: Form) -> Response:
    """Sign somebody in, with a new session for this browser."""
    login, path = form.text("login", most=1000), own_path(form.text("next"))
    held = held_from_text(form.text("held", most=MAX_CHARACTERS))
    try:
        form.check()
        secret = form.secret("password")
        entry = sessions.sign_in(store, login, secret, address=address_of(request), agent=agent_of(request))
    except sessions.SignInRefusedError as error:
        status, refusal = 400 if error.wait.allowed else 429, _describe_refusal(words_of(request), error)
        response = _form(request, store, path, held, login=login, refusal=refusal, status=status)
        if not error.wait.allowed:
            response.headers["Retry-After"] = str(error.wait.seconds)
        return response
    if held is None:
        return go_signed_in(request, entry, path)
    if not held.is_for(entry.user.id):
        text = words_of(request).gettext("Someone else was signed in here before. Their text is hidden from you.")
        return with_session(request, entry, done(path, text))
    request.state.visitor = Visitor(entry.user, entry.user.role, address_of(request))
    shown = tuple((name, value) for name, value in held.fields if value.strip())
    title = words_of(request).gettext("Your text is still here")
    waiting = page(request, "access/waiting.html", title, view=View(held=held, shown=shown))
    return with_session(request, entry, waiting)


@router.post("/sign-out")
def sign_out(request: Request, who: Reader, store: InStore) -> Response:
    """End the session of this browser."""
    if who.sign_in:
        sessions.end_session(store, who.actor, who.user.id, who.sign_in.id)
    return go_signed_out(request, "/sign-in")


def _form(
    request: Request,
    store: Store,
    path: str,
    held: HeldForm | None = None,
    *,
    login: str = "",
    refusal: str = "",
    lost: bool = False,
    status: int = 200,
) -> Response:
    """Return the form of signing in: `held` waits for the person, `lost` was too long to wait."""
    words, notice = words_of(request), ""
    if held:
        notice = words.gettext("You were signed out. Sign in to continue with your text.")
    elif lost:
        notice = words.gettext(
            "You were signed out, and your text is too long to keep here. Sign in and send it again."
        )
    fields = (
        Field("login", words.gettext("Login"), value=login, required=True, autocomplete="username"),
        Field("password", words.gettext("Password"), "password", required=True, autocomplete="current-password"),
        hidden_field("next", path),
        *([hidden_field("held", held_to_text(held))] if held else ()),
    )
    view = View(fields=fields, contact=show_switches(store).contact, refusal=refusal, notice=notice)
    return page(request, "access/sign_in.html", words.gettext("Sign in"), view=view, status=status)


def _describe_refusal(words: Words, error: sessions.SignInRefusedError) -> str:
    seconds = error.wait.seconds
    if not seconds:
        return words.gettext("Wrong login or password.")
    time = words.ngettext("%(num)s minute", "%(num)s minutes", -(-seconds // 60))
    if seconds < 60:
        time = words.ngettext("%(num)s second", "%(num)s seconds", seconds)
    return words.gettext("Too many failed attempts. Try again in %(time)s.", time=time)


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
    return go_signed_in(request, entry, "/projects")


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
    return go_signed_in(request, entry, "/")


def password_fields(words: Words, error: InputError | None) -> tuple[Field, ...]:
    """Return the two fields of a new password."""
    rule = words.gettext(
        "At least %(low)s characters. A few unrelated words are easy to remember and hard to guess.",
        low=secrets.MIN_CHARACTERS,
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
            most=secrets.MAX_CHARACTERS,
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


A_YEAR = 365 * 24 * 3600


@router.post("/preferences")
def choose(request: Request, store: InStore, form: Form) -> Response:
    """Keep what was chosen and go back to the page; the language follows a person to other browsers."""
    theme, language = form.text("theme"), form.text("language")
    response = go(own_path(form.text("next")))
    who = visitor_of(request)
    if theme in THEMES:
        keep(request, response, THEME_COOKIE, theme)
    if language in LANGUAGES:
        keep(request, response, LANGUAGE_COOKIE, language)
        if who:
            change_language(store, who.actor, language)
    if form.text("zone") in zone_names():
        # A slash would have to stand in quotes, which not every client reads.
        keep(request, response, ZONE_COOKIE, quote(form.text("zone"), safe=""))
    elif form.text("zone") == BROWSER_ZONE:
        response.delete_cookie(ZONE_COOKIE)
    return response


def keep(request: Request, response: Response, name: str, value: str) -> None:
    """Let the browser keep a choice."""
    response.set_cookie(name, value, max_age=A_YEAR, httponly=True, samesite="lax", secure=is_secure(request))
