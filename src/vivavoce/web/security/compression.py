"""Smaller answers where that is safe.

Who can make a browser ask for a page again and again, choose a part of its text and see the length of the answer
can read a secret out of the same page letter by letter (BREACH): a right guess compresses better. Three things
keep that from us. Pages hold no long-lived secret: requests are told apart by where they come from, so there is no
token in any form, and the secret of a session is only in a cookie that no page shows. The few pages that show a
secret once (a new API token, a link to sign in) say `Cache-Control: no-transform` and are sent as they are. And
what another site asks for is sent as it is, too.
"""

from __future__ import annotations

from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MINIMUM_BYTES = 1_000
# Nearly as small as the highest level, for a third of its time.
LEVEL = 5
TEXT_TYPES = frozenset(
    {
        "application/javascript",
        "application/json",
        "application/problem+json",
        "application/x-ndjson",
        "application/xml",
        "image/svg+xml",
    }
)
FOREIGN_SITES = frozenset({"cross-site", "same-site"})
AS_IT_IS = "identity"


class Compression:
    """Compresses texts for those who accept it, except where a secret could be guessed by the length."""

    def __init__(self, app: ASGIApp, *, minimum_bytes: int = MINIMUM_BYTES, level: int = LEVEL) -> None:
        self.app = app
        self.compressing = GZipMiddleware(self._answer_marked, minimum_size=minimum_bytes, compresslevel=level)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, compressed or not."""
        if scope["type"] != "http" or Headers(scope=scope).get("sec-fetch-site", "") in FOREIGN_SITES:
            await self.app(scope, receive, send)
            return

        def unmark(headers: MutableHeaders) -> None:
            if headers.get("content-encoding") == AS_IT_IS:
                del headers["content-encoding"]

        await self.compressing(scope, receive, _changing_start(send, unmark))

    async def _answer_marked(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Mark answers that stay as they are: the compressing part leaves alone what already names an encoding."""

        def mark(headers: MutableHeaders) -> None:
            if not may_compress(headers):
                headers.setdefault("Content-Encoding", AS_IT_IS)

        await self.app(scope, receive, _changing_start(send, mark))


def may_compress(headers: Headers) -> bool:
    """Tell whether an answer is a text that shows no secret."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    is_text = (kind.startswith("text/") and kind != "text/event-stream") or kind in TEXT_TYPES
    return is_text and "no-transform" not in headers.get("cache-control", "").lower()


def _changing_start(send: Send, change: Callable[[MutableHeaders], None]) -> Send:
    async def send_changed(message: Message) -> None:
        if message["type"] == "http.response.start":
            message.setdefault("headers", [])
            change(MutableHeaders(scope=message))
        await send(message)

    return send_changed
