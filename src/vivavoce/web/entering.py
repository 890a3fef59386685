"""Sessions in browsers: their beginning and end, the names of browsers, and pages that show a secret."""

from __future__ import annotations

from typing import TypeVar

from fastapi import Request
from starlette.responses import Response

from vivavoce.store.rows import SignIn
from vivavoce.web.access import config_of
from vivavoce.web.answers import go
from vivavoce.web.held_forms import remember_person
from vivavoce.web.rendering import View
from vivavoce.web.security.cookies import came_over_https, ended_cookie, session_cookie
from vivavoce.web.security.headers import SECRET_PAGE
from vivavoce.workspace.access.sessions import Entry

R = TypeVar("R", bound=Response)
# The store decides when a session is over, counted from the last visit; a browser keeps no cookie longer than this.
COOKIE_SECONDS = 400 * 24 * 3600


def go_signed_in(request: Request, entry: Entry, path: str) -> Response:
    """Lead on as somebody who is signed in now."""
    return with_session(request, entry, go(path))


def with_session(request: Request, entry: Entry, response: Response) -> Response:
    """Give the browser the session of somebody who just came in."""
    cookie = session_cookie(entry.secret, secure=is_secure(request), lifetime=COOKIE_SECONDS)
    response.headers.append("set-cookie", cookie)
    remember_person(response, entry.user.id)
    return as_secret(response)


def go_signed_out(request: Request, path: str) -> Response:
    """Lead on as somebody who is signed out now."""
    response = go(path)
    response.headers.append("set-cookie", ended_cookie(secure=is_secure(request)))
    return as_secret(response)


def as_secret(response: R) -> R:
    """Keep a page that shows a secret out of every cache, and from being compressed."""
    response.headers["Cache-Control"] = SECRET_PAGE
    return response


def is_secure(request: Request) -> bool:
    """Tell whether the browser's connection is encrypted."""
    return came_over_https(request.scope, behind_proxy=config_of(request).behind_proxy)


def agent_of(request: Request) -> str:
    """Return what a browser calls itself."""
    return request.headers.get("user-agent", "")


def base_of(request: Request) -> str:
    """Return the address of this server as the browser knows it, for links to hand over."""
    scheme = "https" if is_secure(request) else "http"
    return f"{scheme}://{request.headers.get('host', request.url.netloc)}"


# The first that fits: nearly all browsers claim to be Safari and Mozilla, too.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)
MOST = 60


def show_session(sign_in: SignIn) -> View:
    """Return a session as pages show it, by the name of its browser."""
    return View(id=sign_in.id, name=browser_name(sign_in.agent), created=sign_in.created, seen=sign_in.seen)


def browser_name(agent: str) -> str:
    """Return the name of a browser and its system; what is unknown is shown as it calls itself."""
    names = (next((name for sign, name in table if sign in agent), "") for table in (BROWSERS, SYSTEMS))
    return ", ".join(name for name in names if name) or agent[:MOST]
