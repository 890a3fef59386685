"""Headers on every answer: what a browser may load, show, guess, tell others and keep."""

from __future__ import annotations

import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vivavoce.web.security.cookies import came_over_https, has_session

CONTENT_POLICY = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
ALWAYS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    # Older browsers do not know `frame-ancestors`.
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": (
        "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), "
        "microphone=(), midi=(), payment=(), usb=()"
    ),
}
# A year; other names under the same domain are not ours to decide about.
STRICT_TRANSPORT = "max-age=31536000"
STATIC = "/static/"
FOR_EVER = "public, max-age=31536000, immutable"
NEVER = "no-store"
ASK_AGAIN = "no-cache"
# For a page that shows a secret: `no-transform` also keeps it from being compressed, see `compression`.
SECRET_PAGE = "no-store, no-transform"  # noqa: S105 - a header, not a secret
_VERSION = re.compile(rb"(?:^|&)v=[^&]+")
_HASHED_NAME = re.compile(r"[.-][0-9a-f]{8,64}\.[a-z0-9.]+$")


class SecurityHeaders:
    """Adds the headers; one that a page has set itself stays."""

    def __init__(self, app: ASGIApp, *, static: str = STATIC, behind_proxy: bool = False) -> None:
        self.app = app
        self.static = static
        self.behind_proxy = behind_proxy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and complete the headers of the answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_completed(message: Message) -> None:
            if message["type"] == "http.response.start":
                message.setdefault("headers", [])
                self._complete(scope, int(message["status"]), MutableHeaders(scope=message))
            await send(message)

        await self.app(scope, receive, send_completed)

    def _complete(self, scope: Scope, status: int, headers: MutableHeaders) -> None:
        for name, value in ALWAYS.items():
            headers.setdefault(name, value)
        headers.setdefault("Cache-Control", cache_rule(scope, status, headers, self.static))
        if came_over_https(scope, behind_proxy=self.behind_proxy):
            headers.setdefault("Strict-Transport-Security", STRICT_TRANSPORT)
            _secure_cookies(headers)


def _secure_cookies(headers: MutableHeaders) -> None:
    """Keep every cookie that came over https from going out in the open: who sets one need not think of it."""
    for place, (name, value) in enumerate(headers.raw):
        if name == b"set-cookie" and b"; secure" not in value.lower():
            headers.raw[place] = (name, value + b"; Secure")


def cache_rule(scope: Scope, status: int, headers: Headers, static: str = STATIC) -> str:
    """Return how long an answer may be kept.

    A static file whose address changes with its content for ever, what belongs to one person never, and the rest
    only if the server is asked again.
    """
    if scope["path"].startswith(static) and "set-cookie" not in headers:
        return FOR_EVER if status in (200, 206, 304) and is_versioned(scope) else ASK_AGAIN
    personal = has_session(scope) or "authorization" in Headers(scope=scope) or "set-cookie" in headers
    return NEVER if personal else ASK_AGAIN


def is_versioned(scope: Scope) -> bool:
    """Tell whether an address names one version of a file: `app.css?v=3f2a` or `app.3f2a9c01.css`."""
    return bool(_VERSION.search(scope.get("query_string", b"")) or _HASHED_NAME.search(scope["path"]))
