"""The answer to a request that is refused before any page sees it: a plain page, or JSON for programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from types import MappingProxyType

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import Receive, Scope, Send

PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{what}</title></head>
<body><main><h1>{what}</h1><p>{remedy}</p></main></body>
</html>
"""


@dataclass(frozen=True)
class Refusal:
    """What was refused, and what to do next."""

    status: int
    what: str
    remedy: str
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


Answer = Callable[[Scope, Refusal], Response]


def plain_answer(scope: Scope, refusal: Refusal) -> Response:
    """Return the usual answer; an application may give its own with its own look."""
    headers = dict(refusal.headers)
    if wants_page(scope):
        page = PAGE.format(what=escape(refusal.what), remedy=escape(refusal.remedy))
        return HTMLResponse(page, refusal.status, headers)
    return JSONResponse({"detail": refusal.what, "remedy": refusal.remedy}, refusal.status, headers)


def wants_page(scope: Scope) -> bool:
    """Tell whether a person with a browser asks: browsers name HTML first, programs name JSON or anything."""
    accepted = ",".join(Headers(scope=scope).getlist("accept")).lower()
    page, data = accepted.find("text/html"), accepted.find("application/json")
    return page >= 0 and (data < 0 or page < data)


async def refuse(scope: Scope, receive: Receive, send: Send, refusal: Refusal, answer: Answer = plain_answer) -> None:
    """Send the answer; a web socket is closed instead."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": refusal.what})
        return
    await answer(scope, refusal)(scope, receive, send)
