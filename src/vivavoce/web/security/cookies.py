"""The cookie of a session, and where a request came from.

Anybody can write `X-Forwarded-...` headers. They are worth something only where every request passes a proxy
that sets them, so believing them is a choice of whoever runs the server.
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import Scope

PLAIN_NAME = "viva_session"
# Browsers accept this prefix only over https, for the whole site and from the very host: no neighbour can plant one.
SECURE_NAME = f"__Host-{PLAIN_NAME}"
PATH = "/"
LIFETIME_SECONDS = 14 * 24 * 3600


def session_cookie(secret: str, *, secure: bool, lifetime: int = LIFETIME_SECONDS) -> str:
    """Return the value of the `Set-Cookie` header that begins a session."""
    return f"{_name(secure)}={secret}; {_attributes(secure)}; Max-Age={max(lifetime, 0)}"


def ended_cookie(*, secure: bool) -> str:
    """Return the value of the `Set-Cookie` header that makes the browser forget its session."""
    return f"{_name(secure)}=; {_attributes(secure)}; Max-Age=0"


def read_session(scope: Scope, *, behind_proxy: bool = False) -> str | None:
    """Return the secret of the session that a request belongs to, or None.

    Over https only the protected name counts: the plain one may have been planted by an unencrypted page.
    """
    name = _name(came_over_https(scope, behind_proxy=behind_proxy))
    return next((value for key, value in _cookies(scope) if key == name and value), None)


def has_session(scope: Scope) -> bool:
    """Tell whether a request brings a session cookie under either name, good or not."""
    return any(key in (PLAIN_NAME, SECURE_NAME) for key, _ in _cookies(scope))


def _name(secure: bool) -> str:
    return SECURE_NAME if secure else PLAIN_NAME


def _attributes(secure: bool) -> str:
    return f"Path={PATH}; HttpOnly; SameSite=Lax" + ("; Secure" if secure else "")


def _cookies(scope: Scope) -> list[tuple[str, str]]:
    pairs = [pair.partition("=") for line in Headers(scope=scope).getlist("cookie") for pair in line.split(";")]
    return [(name.strip(), value.strip().strip('"')) for name, _, value in pairs]


UNKNOWN_ADDRESS = "unknown"


def came_over_https(scope: Scope, *, behind_proxy: bool = False) -> bool:
    """Tell whether the person's connection is encrypted."""
    if scope.get("scheme") in ("https", "wss"):
        return True
    return behind_proxy and _last(scope, "x-forwarded-proto").lower() == "https"


def client_address(scope: Scope, *, behind_proxy: bool = False) -> str:
    """Return the address a request came from."""
    forwarded = _last(scope, "x-forwarded-for") if behind_proxy else ""
    client = scope.get("client")
    return forwarded or (str(client[0]) if client else UNKNOWN_ADDRESS)


def _last(scope: Scope, name: str) -> str:
    # A proxy appends: only the last value is its own, those before may be made up by the visitor.
    values = Headers(scope=scope).getlist(name)
    return values[-1].rpartition(",")[2].strip() if values else ""
