"""Coming in and going out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from vivavoce.store.database import Store
from vivavoce.web.access import InStore, Reader, SignInNeededError, Visitor, address_of, store_of, visitor_of
from vivavoce.web.answers import done, go, page, words_of
from vivavoce.web.entering import agent_of, entered, left, with_session
from vivavoce.web.failures import answer_error
from vivavoce.web.forms import Form
from vivavoce.web.held_forms import (
    MOST_CHARACTERS,
    HeldForm,
    held_from_text,
    held_to_text,
    hold_form,
    is_short,
    page_before,
)
from vivavoce.web.language import Words
from vivavoce.web.own_paths import own_path
from vivavoce.web.parts import Field, hidden_field
from vivavoce.workspace.access import sessions, signing_in
from vivavoce.workspace.access.people import is_deserted
from vivavoce.workspace.access.switches import show_switches

router = APIRouter()


@dataclass(frozen=True, slots=True)
class SignInView:
    """The form as it was filled in; `contact` says whom to ask for access."""

    fields: tuple[Field, ...]
    contact: str
    refusal: str = ""
    notice: str = ""


@dataclass(frozen=True, slots=True)
class WaitingView:
    """A form that was sent without a session, to be sent again."""

    held: HeldForm
    shown: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Filled:
    """What the form of signing in shows beside its empty password."""

    login: str = ""
    path: str = "/"
    held: HeldForm | None = None
    refusal: str = ""
    lost: bool = False


@router.get("/sign-in")
def show_sign_in(
    request: Request, store: InStore, next: Annotated[str, Query()] = "/", lost: Annotated[str, Query()] = ""
) -> Response:
    """Show the form, or lead on whoever is signed in already."""
    if visitor_of(request):
        return go(own_path(next))
    if is_deserted(store):
        return go("/setup")
    return _form(request, store, _Filled(path=own_path(next), lost=bool(lost)))


async def ask_to_sign_in(request: Request, error: Exception) -> Response:
    """Answer a request that came without a session: what was typed waits until somebody has signed in."""
    if not isinstance(error, SignInNeededError):
        raise error
    if request.method != "POST" or request.url.path.startswith("/api/"):
        return await run_in_threadpool(answer_error, request, error)
    held = await hold_form(request)
    if held is not None:
        return await run_in_threadpool(_form, request, store_of(request), _Filled(path=held.back, held=held), 401)
    lost = "" if is_short(request) else "&lost=1"
    return go(f"/sign-in?next={quote(page_before(request))}{lost}")


@router.post("/sign-in")
def sign_in(request: Request, store: InStore, form: Form) -> Response:
    """Sign somebody in, with a new session for this browser."""
    login, path = form.text("login", most=1000), own_path(form.text("next"))
    held = held_from_text(form.text("held", most=MOST_CHARACTERS))
    try:
        form.check()
        secret = form.secret("password")
        entry = signing_in.sign_in(store, login, secret, address=address_of(request), agent=agent_of(request))
    except signing_in.SignInRefusedError as error:
        status = 400 if error.wait.allowed else 429
        filled = _Filled(login, path, held, refusal=_refusal(words_of(request), error))
        response = _form(request, store, filled, status)
        if not error.wait.allowed:
            response.headers["Retry-After"] = str(error.wait.seconds)
        return response
    if held is None:
        return entered(request, entry, path)
    if not held.is_for(entry.user.id):
        text = words_of(request).gettext(
            "Somebody else was signed in here before. What they typed is not shown to you."
        )
        return with_session(request, entry, done(path, text))
    request.state.visitor = Visitor(entry.user, entry.user.role, address_of(request))
    shown = tuple((name, value) for name, value in held.fields if value.strip())
    title = words_of(request).gettext("Your text is waiting")
    waiting = page(request, "access/waiting.html", title, view=WaitingView(held, shown))
    return with_session(request, entry, waiting)


@router.post("/sign-out")
def sign_out(request: Request, who: Reader, store: InStore) -> Response:
    """End the session of this browser."""
    if who.sign_in:
        sessions.end_session(store, who.actor, who.user.id, who.sign_in.id)
    return left(request, "/sign-in")


def _form(request: Request, store: Store, filled: _Filled, status: int = 200) -> Response:
    words = words_of(request)
    fields = (
        Field("login", words.gettext("Login"), value=filled.login, required=True, autocomplete="username"),
        Field("password", words.gettext("Password"), "password", required=True, autocomplete="current-password"),
        hidden_field("next", filled.path),
        *([hidden_field("held", held_to_text(filled.held))] if filled.held else ()),
    )
    view = SignInView(fields, show_switches(store).contact, filled.refusal, _notice(words, filled))
    return page(request, "access/sign_in.html", words.gettext("Sign in"), view=view, status=status)


def _notice(words: Words, filled: _Filled) -> str:
    if filled.held:
        return words.gettext("You were signed out. Sign in and your text will be waiting.")
    if filled.lost:
        return words.gettext(
            "You were signed out, and what you sent is too long to be kept here. Sign in and send it again."
        )
    return ""


def _refusal(words: Words, error: signing_in.SignInRefusedError) -> str:
    seconds = error.wait.seconds
    if not seconds:
        return words.gettext("Login and password do not fit together.")
    if seconds < 60:
        told = words.ngettext("%(num)s second", "%(num)s seconds", seconds)
    else:
        told = words.ngettext("%(num)s minute", "%(num)s minutes", -(-seconds // 60))
    return words.gettext("Too many failed attempts. Try again in %(time)s.", time=told)
