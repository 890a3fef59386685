"""How the pages look: colours, language and time zone, kept in the browser."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.web.access import InStore, visitor_of
from vivavoce.web.answers import LANGUAGE_COOKIE, THEME_COOKIE, go
from vivavoce.web.entering import is_secure
from vivavoce.web.forms import Form
from vivavoce.web.held_forms import own_path
from vivavoce.web.language import LANGUAGES
from vivavoce.web.local_time import BROWSER_ZONE, ZONE_COOKIE, zone_names
from vivavoce.web.rendering import THEMES
from vivavoce.workspace.access.people import change_language

router = APIRouter()
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
