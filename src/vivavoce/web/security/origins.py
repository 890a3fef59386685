"""Requests that another site makes a browser send: refused before they can change anything.

A browser sends the cookie of a session wherever a request comes from, so a page of a stranger could press our
buttons. Browsers say where a request comes from; that is what is checked. A name of a stranger that suddenly
leads to this machine (DNS rebinding) would make the stranger's page look like our own: hence the list of hosts.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from vivavoce.messages import say
from vivavoce.web.security.cookies import has_session
from vivavoce.web.security.refusals import Answer, Refusal, plain_answer, refuse

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
OWN_SITES = frozenset({"same-origin", "none"})
LOOPBACK = ("localhost", "127.0.0.1", "::1")
ANY_HOST = "*"
DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}

FOREIGN_REQUEST = Refusal(
    403,
    say("This request came from another site and was rejected"),
    say("Open the page here and submit the form again. A program needs an API key instead of a session."),
)
UNKNOWN_HOST = Refusal(
    400,
    say("This server does not answer to this host name"),
    say("Use the address that the server was started with, or add this name to its allowed hosts."),
)


class OriginGuard:
    """Refuses requests that would change something unless they come from our own pages or from a program.

    `open_paths`: beginnings of paths that look at no session, and check themselves which sites may ask.
    """

    def __init__(self, app: ASGIApp, answer: Answer = plain_answer, *, open_paths: tuple[str, ...] = ()) -> None:
        self.app = app
        self.answer = answer
        self.open_paths = open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        is_guarded = scope["type"] in ("http", "websocket") and not scope["path"].startswith(self.open_paths)
        if is_guarded and not is_own_request(scope):
            await refuse(scope, receive, send, FOREIGN_REQUEST, self.answer)
            return
        await self.app(scope, receive, send)


class HostGuard:
    """Refuses requests for names that are not this server's: loopback names, and those given.

    `any_host`: beginnings of paths with nothing to protect, such as those of probes, which know only addresses.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Iterable[str] = (),
        answer: Answer = plain_answer,
        *,
        any_host: tuple[str, ...] = (),
    ) -> None:
        self.app = app
        self.any_host = any_host
        self.hosts = frozenset(_bare(host) for host in (*LOOPBACK, *hosts))
        self.answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        is_guarded = scope["type"] in ("http", "websocket") and not scope["path"].startswith(self.any_host)
        if is_guarded and not is_known_host(scope, self.hosts):
            await refuse(scope, receive, send, UNKNOWN_HOST, self.answer)
            return
        await self.app(scope, receive, send)


def is_own_request(scope: Scope) -> bool:
    """Tell whether a request may change something.

    A web socket counts as one that does: it begins with a GET, but what follows is not checked again.
    """
    if scope["type"] == "http" and scope["method"].upper() in SAFE_METHODS:
        return True
    headers = Headers(scope=scope)
    sites = headers.getlist("sec-fetch-site")
    if sites:
        return all(site.strip().lower() in OWN_SITES for site in sites)
    origins = headers.getlist("origin")
    if origins:  # a browser that is too old to name the site
        return all(_is_same_host(origin, headers.getlist("host")) for origin in origins)
    # No browser of today sends neither. Without a session there is nothing that a stranger could abuse.
    return not has_session(scope)


def is_known_host(scope: Scope, hosts: Iterable[str]) -> bool:
    """Tell whether a request names exactly one host, and a known one; `*` knows every host."""
    known = frozenset(hosts)
    named = [_split(host)[0] for host in Headers(scope=scope).getlist("host")]
    return ANY_HOST in known or (len(named) == 1 and named[0] is not None and named[0] in known)


def _is_same_host(origin: str, hosts: list[str]) -> bool:
    """Compare host and port. The scheme is left out: behind a proxy that ends the encryption it is not ours."""
    scheme, separator, address = origin.strip().partition("://")
    usual = DEFAULT_PORTS.get(scheme.lower())
    if not separator or usual is None or len(hosts) != 1:
        return False  # `null` among them: a sandboxed or local page
    name, port = _split(address)
    host, host_port = _split(hosts[0])
    return name is not None and name == host and (port or usual) == (host_port or usual)


def _split(address: str) -> tuple[str | None, int | None]:
    """Return name and port of `name:port`; None for what is no such thing."""
    try:
        parts = urlsplit(f"//{address.strip()}")
        odd = parts.path or parts.query or parts.fragment or "@" in parts.netloc
        return (None, None) if odd or not parts.hostname else (_bare(parts.hostname), parts.port)
    except ValueError:
        return None, None


def _bare(host: str) -> str:
    """Return a name as it is compared: small letters, no brackets, no dot at its end."""
    return host.strip().strip("[]").rstrip(".").lower()
