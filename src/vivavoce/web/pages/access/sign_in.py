"""Coming in and going out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from vivavoce.store.database import Store
from vivavoce.web.access import InStore, Reader, address_of, visitor_of
from vivavoce.web.answers import go, page, words_of
from vivavoce.web.entering import agent_of, entered, left
from vivavoce.web.forms import Form
from vivavoce.web.language import Words
from vivavoce.web.own_paths import own_path
from vivavoce.web.parts import Field, hidden_field
from vivavoce.workspace.access import sessions, signing_in
from vivavoce.workspace.access.setting_up import is_deserted
from vivavoce.workspace.access.switches import show_switches

router = APIRouter()


@dataclass(frozen=True, slots=True)
class SignInView:
    """The form as it was filled in; `contact` says whom to ask for access."""

    fields: tuple[Field, ...]
    contact: str
    refusal: str = ""


@router.get("/sign-in")
def show_sign_in(request: Request, store: InStore, next: Annotated[str, Query()] = "/") -> Response:
    """Show the form, or lead on whoever is signed in already."""
    if visitor_of(request):
        return go(own_path(next))
    if is_deserted(store):
        return go("/setup")
    return _form(request, store, "", own_path(next))


@router.post("/sign-in")
def sign_in(request: Request, store: InStore, form: Form) -> Response:
    """Sign somebody in, with a new session for this browser."""
    login, path = form.text("login", most=1000), own_path(form.text("next"))
    try:
        form.check()
        secret = form.secret("password")
        entry = signing_in.sign_in(store, login, secret, address=address_of(request), agent=agent_of(request))
    except signing_in.SignInRefusedError as error:
        status = 400 if error.wait.allowed else 429
        response = _form(request, store, login, path, refusal=_refusal(words_of(request), error), status=status)
        if not error.wait.allowed:
            response.headers["Retry-After"] = str(error.wait.seconds)
        return response
    return entered(request, entry, path)


@router.post("/sign-out")
def sign_out(request: Request, who: Reader, store: InStore) -> Response:
    """End the session of this browser."""
    if who.sign_in:
        sessions.end_session(store, who.actor, who.user.id, who.sign_in.id)
    return left(request, "/sign-in")


def _form(request: Request, store: Store, login: str, path: str, *, refusal: str = "", status: int = 200) -> Response:
    words = words_of(request)
    fields = (
        Field("login", words.gettext("Login"), value=login, required=True, autocomplete="username"),
        Field("password", words.gettext("Password"), "password", required=True, autocomplete="current-password"),
        hidden_field("next", path),
    )
    view = SignInView(fields, show_switches(store).contact, refusal)
    return page(request, "access/sign_in.html", words.gettext("Sign in"), view=view, status=status)


def _refusal(words: Words, error: signing_in.SignInRefusedError) -> str:
    seconds = error.wait.seconds
    if not seconds:
        return words.gettext("Login and password do not fit together.")
    if seconds < 60:
        told = words.ngettext("%(num)s second", "%(num)s seconds", seconds)
    else:
        told = words.ngettext("%(num)s minute", "%(num)s minutes", -(-seconds // 60))
    return words.gettext("Too many failed attempts. Try again in %(time)s.", time=told)
