"""Where a request came from: by the connection itself, or by what a proxy says, only if the proxy is trusted.

Anybody can write `X-Forwarded-...` headers. They are worth something only where every request passes a proxy
that sets them, so believing them is a choice of whoever runs the server.
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import Scope

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
