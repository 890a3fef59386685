"""The application as people meet it: `viva serve` as a process of its own, and browsers that are signed in."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from vivavoce.store.database import Store
from vivavoce.store.rows import User
from vivavoce.store.stamps import now
from vivavoce.web.security.cookies import session_cookie
from vivavoce.workspace.access.secrets import new_secret

PATIENCE = 240.0
MILLISECONDS = 45_000


@dataclass
class Server:
    """A server with its worker; `port` 0 takes a free one, which stays the same when it is started again."""

    workspace: str
    folder: Path
    port: int = 0
    options: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    url: str = ""
    setup_link: str | None = None
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> Server:
        """Start it and wait until it says where it is."""
        where = self.folder / "where.json"
        where.unlink(missing_ok=True)
        words = ["--port", str(self.port), "--workspace", self.workspace, "--json", str(where), "--quiet"]
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "vivavoce.cli", "serve", *words, *self.options],
                cwd=self.folder,
                env={**os.environ, "VIVA_PRIVATE_BOTS": "yes", **self.environment},
                stdin=subprocess.DEVNULL,
                stderr=log,
            )
        until(lambda: where.is_file() or self._failed(), "the server did not start")
        told = json.loads(where.read_text(encoding="utf-8"))
        self.url, self.setup_link = told["url"], told["setup_link"]
        self.port = int(self.url.rsplit(":", 1)[1])
        return self

    def kill(self) -> tuple[int, ...]:
        """End the server and its workers as a loss of power would; return which processes that were."""
        assert self.process is not None
        pids = (self.process.pid, *children(self.process.pid))
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        self.process.wait()
        until(lambda: not any(alive(pid) for pid in pids), "a killed process is still there")
        return pids

    def stop(self) -> None:
        """End it in peace."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(PATIENCE)

    def _failed(self) -> bool:
        if self.process is not None and self.process.poll() is not None:
            pytest.fail((self.folder / "server.log").read_text(encoding="utf-8"))
        return False


@contextmanager
def served(workspace: str | Path, folder: Path, **more: Any) -> Iterator[Server]:
    """Keep a server running."""
    server = Server(str(workspace), folder, **more)
    try:
        yield server.start()
    finally:
        server.stop()


def children(pid: int) -> tuple[int, ...]:
    """Return the processes that a process started, with those that they started."""
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout.split()
    return tuple(one for child in map(int, found) for one in (child, *children(child)))


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and waits to be looked at does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def until(happened: Callable[[], object], told: str = "it did not happen") -> None:
    """Wait for something that another process does."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        if time.monotonic() > deadline:
            pytest.fail(told)
        time.sleep(0.05)


# --- browsers ----------------------------------------------------------------------------------------------------


def signed_in(store: Store, user: User, url: str) -> dict[str, Any]:
    """Return the state of a browser in which somebody has signed in, as Playwright keeps it."""
    secret = new_secret()
    with store.writing() as tx:
        tx.sessions.open(user.id, secret.digest, "a browser under test", now() + timedelta(days=1))
    name, _, value = session_cookie(secret.text, secure=False).split(";")[0].partition("=")
    return {"cookies": [{"name": name, "value": value, "url": url}], "origins": []}


@contextmanager
def visiting(browser: Any, url: str, state: dict[str, Any] | None = None, **more: Any) -> Iterator[Any]:
    """Open a page in a browser of its own: nobody is signed in unless its state says so."""
    context = browser.new_context(base_url=url, viewport={"width": 1280, "height": 900}, **more)
    context.set_default_timeout(MILLISECONDS)
    if state:
        context.add_cookies(state["cookies"])
    try:
        yield context.new_page()
    finally:
        context.close()


class Hand:
    """Clicks on a page, and counts how often."""

    def __init__(self, page: Any) -> None:
        self.page, self.count = page, 0

    def click(self, place: Any) -> None:
        self.count += 1
        place.click()


def fill(page: Any, **fields: str) -> None:
    """Fill in fields by their names."""
    for name, value in fields.items():
        page.locator(f"main [name='{name}']").first.fill(value)


def press(page: Any, label: str | re.Pattern[str]) -> None:
    """Press a button of the page itself."""
    page.locator("main").get_by_role("button", name=label).first.click()


def heading(page: Any) -> str:
    """Return what the page is called."""
    return str(page.locator("main h1").first.inner_text())


def flash(page: Any, text: str | re.Pattern[str]) -> Any:
    """Wait until the page says that something was done."""
    said = page.locator(".flash", has_text=text).first
    said.wait_for()
    return said


def bar_value(page: Any, bar: str) -> str:
    """Return how far a bar is; nothing where there is none, or where the page is just being left."""
    from playwright.sync_api import Error

    try:
        found = page.locator(bar).all()
        return str(found[0].evaluate("element => element.value", timeout=1000)) if found else ""
    except Error:
        return ""
