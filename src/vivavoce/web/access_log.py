"""One line of JSON for each request, where whoever runs the server wants that.

No line holds a query, a cookie, a header but the name of the browser, or the secret of a link.
"""

from __future__ import annotations

import json
import logging
import time
from datetime import UTC, datetime
from logging.handlers import WatchedFileHandler

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vivavoce.errors import FileError
from vivavoce.messages import say
from vivavoce.web.security.cookies import client_address

STANDARD_ERROR = "-"
# What follows these is the secret of a link that lets its reader in.
SECRET_PATHS = ("/setup/", "/link/", "/subscription/", "/unsubscribe/")
MAX_CHARACTERS = 500


class AccessLog:
    """Writes a line when a request has been answered."""

    def __init__(self, app: ASGIApp, target: str, *, behind_proxy: bool = False) -> None:
        self.app = app
        self._behind_proxy = behind_proxy
        self._lines = logging.Logger("vivavoce.access", logging.INFO)
        try:
            handler = logging.StreamHandler() if target == STANDARD_ERROR else _LogFile(target, encoding="utf-8")
        except OSError as error:
            raise FileError(
                say("cannot write the access log: {strerror}", strerror=error.strerror or error),
                where=target,
                remedy=say("check that the folder exists and that you have write access"),
            ) from error
        self._lines.addHandler(handler)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and note how it was answered."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start, status, size = time.perf_counter(), 500, 0

        async def send_counted(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = int(message["status"])
            size += len(message.get("body", b""))
            await send(message)

        try:
            await self.app(scope, receive, send_counted)
        finally:
            self._lines.info(self._line(scope, status, size, time.perf_counter() - start))

    def close(self) -> None:
        """Let go of the file."""
        for handler in self._lines.handlers:
            handler.close()

    def _line(self, scope: Scope, status: int, size: int, seconds: float) -> str:
        path = scope["path"]
        # The secret of a link is left out.
        secret = next((start for start in SECRET_PATHS if path.startswith(start)), None)
        facts = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "address": client_address(scope, behind_proxy=self._behind_proxy)[:MAX_CHARACTERS],
            "method": scope["method"][:MAX_CHARACTERS],
            "path": f"{secret}-" if secret else path[:MAX_CHARACTERS],
            "status": status,
            "bytes": size,
            "ms": round(seconds * 1000),
            "agent": Headers(scope=scope).get("user-agent", "")[:MAX_CHARACTERS],
        }
        return json.dumps(facts)


class _LogFile(WatchedFileHandler):
    """A file that may be moved away by a program that rotates logs: the next line begins a new one."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is that of the library
        """Lose the line: a full disk must not keep anybody from being answered."""
