"""A platform on this machine, for tests: a server that speaks its wire format and understands by shared words.

A subclass answers in `reply` and words its platform's errors in `error`. What it says about accuracy says nothing
about the vendor's.
"""

from __future__ import annotations

import json
import re
import threading
import traceback
from collections import deque
from collections.abc import Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

THRESHOLD = 0.3


class Call(NamedTuple):
    """A request as the server saw it."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    target: str = ""

    @property
    def json(self) -> Any:
        return json.loads(self.body) if self.body else {}


class Refusal(Exception):  # noqa: N818 - an answer, not a fault
    """What a server refuses: the kind of trouble, and why."""

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(kind, detail)
        self.kind, self.detail = kind, detail


class SharedWords:
    """Knows a topic by the share of the words of its nearest example: how every local platform understands."""

    def __init__(self, rows: Iterable[tuple[str, str]] = ()) -> None:
        self.rows = [(frozenset(re.findall(r"\w+", text.lower())), name) for text, name in rows]

    def rank(self, text: str) -> list[tuple[str, float]]:
        """Return every topic with its likeness, best first."""
        words = frozenset(re.findall(r"\w+", text.lower()))
        best: dict[str, float] = {}
        for known, name in self.rows:
            likeness = len(words & known) / len(words | known) if words | known else 0.0
            best[name] = max(best.get(name, 0.0), likeness)
        return sorted(best.items(), key=lambda row: (-row[1], row[0]))


class LocalPlatform:
    """A running platform. `faults`: what the next calls that match meet, before they are looked at."""

    secret = "s3cr3t-of-the-platform"  # noqa: S105 - for tests

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.faults: deque[tuple[str, str]] = deque()
        self.broken: list[str] = []
        self.polls_until_ready = 1
        platform = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                """Say nothing."""

            def handle_call(self) -> None:
                target = urlsplit(self.path)
                query = {name: values[0] for name, values in parse_qs(target.query, keep_blank_values=True).items()}
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                call = Call(self.command, unquote(target.path), query, headers, body, self.path)
                code, more, payload = platform.answer(call)
                data = b"" if payload is None else json.dumps(payload).encode()
                self.send_response(code)
                for name, value in {"Content-Type": "application/json", **more}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_call  # noqa: N815

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._lock = threading.Lock()
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        assert not self.broken, "\n".join(self.broken)

    def fail(self, kind: str, *, on: str = "", times: int = 1) -> None:
        """Let the next `times` calls whose method and path match the pattern meet this trouble."""
        self.faults.extend([(on, kind)] * times)

    def answer(self, call: Call) -> tuple[int, Mapping[str, str], Any]:
        """Answer a call, one at a time."""
        with self._lock:
            self.calls.append(call)
            try:
                for fault in list(self.faults):
                    if re.search(fault[0], f"{call.method} {call.target}"):
                        self.faults.remove(fault)
                        raise Refusal(fault[1], f"{fault[1]}, as the test asked for")
                code, headers, payload = self.reply(call)
            except Refusal as refusal:
                return self.error(refusal.kind, refusal.detail)
            except Exception:
                # The fault of the test, not of the connector: told when the server is closed.
                self.broken.append(traceback.format_exc())
                return 500, {}, {"error": "the local platform is broken"}
            return code, headers, payload

    def reply(self, call: Call) -> tuple[int, Mapping[str, str], Any]:
        """Answer a call; raise Refusal for one that breaks the platform's own schema."""
        raise NotImplementedError

    def error(self, kind: str, detail: str) -> tuple[int, Mapping[str, str], Any]:
        """Word a trouble as the platform does: throttled, unavailable, credentials, rights, missing, invalid, ..."""
        raise NotImplementedError

    def add_foreign_intent(self, name: str) -> None:
        """Add an intent that vivavoce did not create."""
        raise NotImplementedError

    def intent_names(self) -> list[str]:
        """Return the names of the intents as the platform keeps them, without its own fallback."""
        raise NotImplementedError
