"""More processes that answer at the same socket: Python computes on one core for each process.

What such a process needs comes as one line of JSON on its standard input: no password is seen in the list of
processes. It ends as soon as that is closed, however the process that started it ended.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from vivavoce.jobs.processes import Processes
from vivavoce.web.config import WebConfig

if TYPE_CHECKING:
    from vivavoce.cli.serving.http_server import Server

MODULE = "vivavoce.cli.serving.server_processes"
LEAVE = b"leave\n"
# More than this help nobody: pages are short, and exams want the cores as well.
MAX_PROCESSES = 4


@dataclass(frozen=True, slots=True)
class Task:
    """What a process answers: the workspace at `place`, as `config` says, at the socket of this number."""

    place: str
    config: WebConfig
    socket: int


def usual_count() -> int:
    """Return how many processes answer where nothing is said: one for each core, and one where none can be shared."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MAX_PROCESSES) if can_share() else 1


def can_share() -> bool:
    """Tell whether processes can share a socket here."""
    return os.name == "posix"


def server_processes(task: Task, count: int) -> Processes:
    """Return processes that answer beside this one, not started yet."""
    return Processes("server", count, lambda: _start(task), farewell=LEAVE)


def _start(task: Task) -> subprocess.Popen[bytes]:
    # A session of its own: Ctrl-C reaches the process that watches, which tells the others.
    made = subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", MODULE], stdin=subprocess.PIPE, pass_fds=[task.socket], start_new_session=True
    )
    if made.stdin is not None:
        with suppress(OSError):  # it ended at once, and is started again
            made.stdin.write(task_to_line(task))
            made.stdin.flush()
    return made


def task_to_line(task: Task) -> bytes:
    """Return a task as one line."""
    return json.dumps(asdict(task)).encode() + b"\n"


def task_from_line(line: bytes) -> Task:
    """Return the task that a line holds."""
    said = json.loads(line)
    lists = {name: tuple(value) for name, value in said["config"].items() if isinstance(value, list)}
    config: dict[str, Any] = {**said["config"], **lists}
    return Task(said["place"], WebConfig(**config), said["socket"])


# --- inside such a process ------------------------------------------------------------------------------------------


def main() -> None:
    """Answer until told to leave."""
    task = task_from_line(sys.stdin.buffer.readline())
    begun: list[Server] = []
    threading.Thread(target=_leave_with_parent, args=(begun,), daemon=True).start()
    from vivavoce.cli.serving.http_server import run_server
    from vivavoce.store.database import open_store
    from vivavoce.web.app import make_app

    store = open_store(task.place)
    with socket.socket(fileno=task.socket) as bound:
        run_server(make_app(store, task.config), bound, begun.append, shared=True)
    store.close()


def _leave_with_parent(begun: list[Server]) -> None:
    if sys.stdin.buffer.readline() != LEAVE or not begun:
        # The other process died and the next one needs the port at once, or nothing was asked here yet.
        os._exit(0)
    begun[0].stop()


if __name__ == "__main__":
    main()
