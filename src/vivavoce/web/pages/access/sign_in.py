"""Coming in and going out."""

from __future__ import annotations

from functools import partial
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
    MAX_CHARACTERS,
    HeldForm,
    held_from_text,
    held_to_text,
    hold_form,
    is_short,
    own_path,
    page_before,
)
from vivavoce.web.language import Words
from vivavoce.web.parts import Field, hidden_field
from vivavoce.web.rendering import View
from vivavoce.workspace.access import sessions
from vivavoce.workspace.access.keys import show_switches
from vivavoce.workspace.access.people import count_active

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
        return entered(request, entry, path)
    if not held.is_for(entry.user.id):
        text = words_of(request).gettext("Someone else was signed in here before. Their text is hidden from you.")
        return with_session(request, entry, done(path, text))
    request.state.visitor = Visitor(entry.user, entry.user.role, address_of(request))
    shown = tuple((name, value) for name, value in held.fields if value.strip())
    title = words_of(request).gettext("Your text is saved")
    waiting = page(request, "access/waiting.html", title, view=View(held=held, shown=shown))
    return with_session(request, entry, waiting)


@router.post("/sign-out")
def sign_out(request: Request, who: Reader, store: InStore) -> Response:
    """End the session of this browser."""
    if who.sign_in:
        sessions.end_session(store, who.actor, who.user.id, who.sign_in.id)
    return left(request, "/sign-in")


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
