"""One's own page: name, language, password, browsers, keys."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal
from urllib.parse import unquote

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import AbsentError, InputError
from vivavoce.messages import say
from vivavoce.web.access import InStore, Person, Visitor
from vivavoce.web.answers import LANGUAGE_COOKIE, done, page, words_of
from vivavoce.web.entering import as_secret, go_signed_out, show_session
from vivavoce.web.forms import Form, fault_at
from vivavoce.web.language import LANGUAGES, Words, gettext_noop
from vivavoce.web.local_time import BROWSER_ZONE, DETECTED, ZONE_COOKIE, current_zone, zone_names
from vivavoce.web.pages.access.people import MEANINGS, language_field
from vivavoce.web.pages.access.sign_in import keep, password_fields
from vivavoce.web.parts import Choice, Field
from vivavoce.web.rendering import View
from vivavoce.workspace.access import keys, people, sessions
from vivavoce.workspace.access.keys import show_switches

router = APIRouter()
Part = Literal["", "person", "password", "key"]
PARTS: tuple[Part, ...] = ("person", "password", "key")
ABILITIES = {
    "read": gettext_noop("read everything"),
    "review": gettext_noop("rate dialogues and answers"),
    "edit": gettext_noop("change content and start exams"),
    "admin": gettext_noop("manage access"),
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
    response = done("/account", Words(language).gettext("Account updated."))
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
    text = words_of(request).gettext("Password changed. All other browsers are signed out.")
    return done("/account", text)


@router.post("/account/sessions/{sign_in_id}/end")
def end_session(request: Request, who: Person, store: InStore, sign_in_id: str) -> Response:
    """Sign one browser out."""
    sessions.end_session(store, who.actor, who.user.id, sign_in_id)
    return done("/account", words_of(request).gettext("Browser signed out."))


@router.post("/account/sessions/end")
def end_sessions(request: Request, who: Person, store: InStore) -> Response:
    """Sign all browsers out, this one too."""
    sessions.end_sessions(store, who.actor, who.user.id)
    return go_signed_out(request, "/sign-in")


@router.post("/account/keys")
def make_key(request: Request, who: Person, store: InStore, form: Form) -> Response:
    """Make a key and show its secret."""
    name, scopes, days = form.text("key"), form.all("scopes"), form.choice("days", DAYS)
    try:
        form.check()
        token, secret = keys.make_key(store, who.actor, name, scopes, days=int(days) if days else None)
    except InputError as error:
        return _account_page(request, store, who, Typed("key", error, key=name, scopes=scopes, days=days))
    title = words_of(request).gettext("New key")
    return as_secret(page(request, "access/new_key.html", title, view=View(token=token, secret=secret)))


@router.post("/account/keys/{token_id}/revoke")
def revoke_key(request: Request, who: Person, store: InStore, token_id: str) -> Response:
    """Make a key worthless."""
    if token_id not in {key.id for key in keys.list_keys(store, who.actor, who.user.id)}:
        raise AbsentError(say("this key does not exist"), remedy=say("choose one from the list of your keys"))
    revoked = keys.revoke_key(store, who.actor, token_id)
    return done("/account", words_of(request).gettext("Key %(name)s revoked.", name=revoked.name))


def _key_fields(words: Words, filled: Typed, fault: str) -> tuple[Field, ...]:
    """Return the fields of a new key."""
    usage = words.gettext("What you use it for, so you can recognise it later.")
    days = tuple(
        Choice(each, words.gettext("%(num)s days", num=each) if each else words.gettext("until revoked"))
        for each in DAYS
    )
    return (
        # Another form of the page has a field `name`, and no two may share an id.
        Field("key", words.gettext("Key name"), value=filled.key, help=usage, error=fault, required=True),
        Field("days", words.gettext("Expires after"), "select", filled.days, choices=days),
    )


def _zone_field(words: Words, cookie: str | None) -> Field:
    """Return the choice of a time zone; as long as none was chosen, the browser decides."""
    chosen = cookie is not None and not unquote(cookie).startswith(DETECTED)
    choices = (
        Choice(BROWSER_ZONE, words.gettext("as in this browser")),
        *(Choice(name, name.replace("_", " ")) for name in zone_names()),
    )
    help_text = words.gettext("All times on these pages are written in this zone, in this browser.")
    value = current_zone().key if chosen else BROWSER_ZONE
    return Field("zone", words.gettext("Time zone"), "select", value, help_text, choices=choices)


def _account_page(request: Request, store: InStore, who: Visitor, typed: Typed | None = None) -> Response:
    words, user = words_of(request), who.user
    filled = typed or Typed(name=user.name, language=user.language)
    refused = filled.part == "person"
    name = filled.name if refused else user.name
    wrong = {part: filled.error_of(part) for part in PARTS}
    person_fault = fault_at(wrong["person"], "name")
    view = View(
        lead=words.gettext(
            "You are signed in as %(name)s (%(role)s).", name=user.name, role=words.gettext(str(who.role))
        ),
        role=f"{words.gettext(str(who.role))}: {words.gettext(MEANINGS[who.role])}",
        zone=_zone_field(words, request.cookies.get(ZONE_COOKIE)),
        now=datetime.now(UTC),
        person=(
            Field("name", words.gettext("Name"), value=name, error=person_fault, required=True, autocomplete="name"),
            language_field(words, filled.language if refused else user.language),
        ),
        password=(
            Field(
                "old",
                words.gettext("Current password"),
                "password",
                error=fault_at(wrong["password"], "old"),
                required=True,
                autocomplete="current-password",
            ),
            *password_fields(words, wrong["password"]),
        ),
        key=_key_fields(words, filled, fault_at(wrong["key"], "name")),
        abilities=[
            View(scope=scope, title=words.gettext(title), chosen=scope in filled.scopes)
            for scope, title in ABILITIES.items()
            if who.role.covers(keys.SCOPES[scope])
        ],
        sessions=[show_session(sign_in) for sign_in in sessions.list_sessions(store, user.id)],
        current=who.sign_in.id if who.sign_in else "",
        keys=keys.list_keys(store, who.actor, user.id),
        keys_allowed=show_switches(store).keys_allowed,
        typed=filled,
    )
    title, status = words.gettext("Your account"), 400 if filled.error else 200
    return page(request, "access/account.html", title, view=view, status=status)
