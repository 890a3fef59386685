"""Child processes that serve on this machine only: starting, waiting until they are ready, stopping.

The agreement between parent and child is small. The child gets its material as the first line of its standard
input (JSON), announces where it listens as one line of standard output (`{"url": "http://127.0.0.1:1234"}`), and
ends when its standard input ends. A parent that is killed closes that pipe, so no child outlives it, on any system.
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO

from vivavoce.errors import BotError
from vivavoce.records import Status

HOST = "127.0.0.1"
KEPT_LINES = 40
STOP_SECONDS = 5.0
SETTLE_SECONDS = 1.0
# What a program needs to run. Everything else may hold secrets, which engines of others have no use for.
NEEDED = (
    *("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV", "XDG_DATA_HOME"),
    *("APPDATA", "COMSPEC", "LOCALAPPDATA", "PATHEXT", "SYSTEMROOT", "TEMP", "TMP", "USERPROFILE"),
    "VIVA_HOME",
)


def plain_environment() -> dict[str, str]:
    """Return the variables that a program needs, without those that may hold keys and tokens."""
    return {name: os.environ[name] for name in NEEDED if name in os.environ}


@dataclass(frozen=True, slots=True)
class Launch:
    """How a server is started: the command, what it is told, how long it may take until it is ready."""

    name: str
    command: tuple[str, ...]
    material: object = None
    timeout_s: float = 60.0
    remedy: str = "try again; if it fails again, report this message"
    environment: Mapping[str, str] = field(default_factory=plain_environment)


class Child:
    """A running server: where it listens, what it said, and how to end it.

    `how_to_talk`: the bot name under which an exam can talk to it.
    """

    def __init__(self, launch: Launch, process: subprocess.Popen[bytes]) -> None:
        self.launch = launch
        self.process = process
        self.url = self.how_to_talk = ""
        self._words: deque[str] = deque(maxlen=KEPT_LINES)
        self._announced: queue.Queue[str | None] = queue.Queue()
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._hear, self._drain, self._tell)]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self.process.pid

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self.process.poll() is None

    @property
    def last_words(self) -> str:
        """The last lines that the process wrote to its standard error."""
        return "\n".join(self._words)

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def wait_until_ready(self) -> None:
        """Wait for the announcement; end the process and say why where there is none in time."""
        limit = self.launch.timeout_s
        try:
            self.url = self._announced.get(timeout=limit) or ""
        except queue.Empty:
            self.stop()
            raise self.build_error(
                f"was not ready within {limit:g} seconds{self._quote()}", Status.UNREACHABLE
            ) from None
        except BaseException:
            self.stop()
            raise
        if not self.url:
            self.stop()
            what = f"exited before it was ready (exit code {self.process.returncode}){self._quote()}"
            raise self.build_error(what, Status.UNREACHABLE)

    def wait(self) -> int:
        """Wait until the process ends by itself; return its exit code."""
        return self.process.wait()

    def settle(self) -> None:
        """After a lost connection: give a dying process a moment, so that its last words are here."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(SETTLE_SECONDS)
            for thread in self._threads:
                thread.join(SETTLE_SECONDS)

    def stop(self) -> None:
        """End the process: by closing its standard input, and by force where that is not heard."""
        if self._threads[-1].is_alive():
            # It has not read its material: a pipe that is being written cannot be closed.
            self.process.kill()
            self._threads[-1].join(STOP_SECONDS)
        _close(self.process.stdin)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for thread in self._threads:
            thread.join(STOP_SECONDS)
        for stream in (self.process.stdout, self.process.stderr):
            _close(stream)

    def build_error(self, what: str, status: Status) -> BotError:
        """Return the error that something happened to the server."""
        what = f"the server of {self.launch.name} {what}"
        return BotError(what, status=status, where=self.launch.name, remedy=self.launch.remedy)

    def _quote(self) -> str:
        return f": {self.last_words[-1500:]}" if self._words else ""

    def _tell(self) -> None:
        with suppress(OSError, ValueError):
            stream = _pipe(self.process.stdin)
            stream.write(json.dumps(self.launch.material).encode() + b"\n")
            stream.flush()

    def _hear(self) -> None:
        for line in _pipe(self.process.stdout):
            try:
                message = json.loads(line)
            except ValueError:
                message = None
            url = message.get("url") if isinstance(message, dict) else None
            # Libraries may write other lines before the announcement.
            if isinstance(url, str) and url.startswith(f"http://{HOST}:"):
                self._announced.put(url)
            else:
                self._keep(line)
        self._announced.put(None)

    def _drain(self) -> None:
        # A pipe that nobody empties stops its writer.
        for line in _pipe(self.process.stderr):
            self._keep(line)

    def _keep(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace").rstrip()
        if text:
            self._words.append(text)


def start_child(launch: Launch) -> Child:
    """Start a server and return it when it is ready; blocks."""
    try:
        process = subprocess.Popen(  # noqa: S603
            launch.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(launch.environment),
            # Ctrl-C is for the parent, which then ends the child in order.
            start_new_session=True,
        )
    except OSError as error:
        what = f"cannot start the {launch.name} server: {error.strerror} ({launch.command[0]})"
        raise BotError(what, status=Status.UNREACHABLE, where=launch.name, remedy=launch.remedy) from error
    child = Child(launch, process)
    child.wait_until_ready()
    return child


class LocalServer:
    """A server that is started when it is first needed, and again where it has died.

    Starting happens in a thread under a lock: one that gives up waiting loses nothing, the next finds it.
    """

    def __init__(self, make_launch: Callable[[], Launch]) -> None:
        self._make_launch = make_launch
        self._lock = threading.Lock()
        self._child: Child | None = None

    def ensure_running(self) -> Child:
        """Return the running server; blocks while it starts."""
        # Loaded now, so that the first message is not timed with it.
        import aiohttp  # noqa: F401

        with self._lock:
            if self._child is not None and not self._child.alive:
                self._child.stop()
                self._child = None
            if self._child is None:
                self._child = start_child(self._make_launch())
            return self._child

    async def reach(self) -> str:
        """Return the address of the running server, starting it first where needed."""
        return (await asyncio.to_thread(self.ensure_running)).url

    async def ask(self, path: str, message: Mapping[str, object]) -> dict[str, object]:
        """Post a message to a path of the server and return its answer, starting it first where needed."""
        import aiohttp

        child = await asyncio.to_thread(self.ensure_running)
        # A session for each message: nothing to close, and nothing that belongs to one event loop only.
        no_limit = aiohttp.ClientTimeout(total=None)
        try:
            session, url = aiohttp.ClientSession(timeout=no_limit), child.url + path
            async with session as client, client.post(url, json=message) as response:
                status, body = response.status, await response.read()
        except aiohttp.ClientError as error:
            await asyncio.to_thread(child.settle)
            raise _explain_loss(child, f"closed the connection ({error})", Status.CLOSED) from error
        if status != 200:
            why = f"answered {status}: {body[:300].decode('utf-8', 'replace')}"
            raise _explain_loss(child, why, Status.SERVER_ERROR if status >= 500 else Status.REFUSED)
        try:
            answer = json.loads(body)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise _explain_loss(child, "did not return a JSON object", Status.NOT_JSON)
        return answer

    async def close(self) -> None:
        """End the server, if it was started."""
        await asyncio.to_thread(self.stop)

    def stop(self) -> None:
        """End the server, if it was started; blocks."""
        with self._lock:
            if self._child is not None:
                self._child.stop()
                self._child = None


def _explain_loss(child: Child, what: str, status: Status) -> BotError:
    words = "" if child.alive else f"; its last output: {child.last_words[-1000:]}"
    return child.build_error(f"{what}{words}", status)


# --- the child's side ----------------------------------------------------------------------------------


def read_material() -> object:
    """Return what the parent tells its child: the first line of standard input."""
    return json.loads(sys.stdin.buffer.readline())


def announce(url: str) -> None:
    """Tell the parent where the server listens; from now on standard output is not read for anything else."""
    sys.stdout.write(json.dumps({"url": url}) + "\n")
    sys.stdout.flush()


def wait_for_end() -> None:
    """Wait until the parent closes standard input or is gone."""
    # Not through sys.stdin: a daemon thread inside its lock would keep the process from ending.
    while os.read(0, 4096):
        pass


# --- pipes ---------------------------------------------------------------------------------------------


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise AssertionError("the process was started with pipes")
    return stream


def _close(stream: IO[bytes] | None) -> None:
    with suppress(OSError, ValueError):
        _pipe(stream).close()
