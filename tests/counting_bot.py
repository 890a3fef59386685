"""A bot behind HTTP that remembers: it counts the messages of each session."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Counting:
    """A bot behind HTTP that counts the messages of each session; `broken`: it fails at the second one."""

    url: str = ""
    broken: bool = True
    seen: Counter[str] = field(default_factory=Counter)

    def answer(self, session: str) -> tuple[int, dict[str, str]]:
        self.seen[session] += 1
        if self.broken and self.seen[session] == 2:
            return 500, {"error": "out of order"}
        return 200, {"reply": f"message number {self.seen[session]}"}


@contextmanager
def counting_bot() -> Iterator[Counting]:
    bot = Counting()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, answer = bot.answer(told["session"])
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        bot.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield bot
        finally:
            server.shutdown()
            thread.join()
