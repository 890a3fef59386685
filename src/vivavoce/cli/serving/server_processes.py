"""More processes that answer at the same socket: each Python process computes on one core.

Such a process gets its task as one line of JSON on standard input, so that the list of processes shows no password.
It ends as soon as standard input is closed, however its parent ended.
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
# More do not help: pages are short, and exams need the cores as well.
MAX_PROCESSES = 4


@dataclass(frozen=True, slots=True)
class Task:
    """What a process serves: the workspace at `place`, with `config`, at the socket of this number."""

    place: str
    config: WebConfig
    socket: int


def usual_count() -> int:
    """Return the default number of processes: one per core, or one if sockets cannot be shared."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MAX_PROCESSES) if can_share() else 1


def can_share() -> bool:
    """Return whether processes can share a socket on this system."""
    return os.name == "posix"


def build_server_processes(place: str, config: WebConfig, bound: socket.socket, count: int) -> Processes:
    """Return processes that answer beside this one, not started yet."""
    task = Task(place, config, bound.fileno())

    def start() -> subprocess.Popen[bytes]:
        # A session of its own: Ctrl-C reaches only the parent, which stops the others.
        process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", MODULE], stdin=subprocess.PIPE, pass_fds=[task.socket], start_new_session=True
        )
        if process.stdin is not None:
            with suppress(OSError):  # it ended at once, and is started again
                process.stdin.write(task_to_line(task))
                process.stdin.flush()
        return process

    return Processes("server", count, start, farewell=LEAVE)


def task_to_line(task: Task) -> bytes:
    """Return a task as one line."""
    return json.dumps(asdict(task)).encode() + b"\n"


def task_from_line(line: bytes) -> Task:
    """Return the task of a line."""
    content = json.loads(line)
    config: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in content["config"].items()}
    return Task(content["place"], WebConfig(**config), content["socket"])


def main() -> None:
    """Answer until told to leave."""
    task = task_from_line(sys.stdin.buffer.readline())
    servers: list[Server] = []

    def leave_with_parent() -> None:
        if sys.stdin.buffer.readline() != LEAVE or not servers:
            # The parent died and the next one needs the port at once, or the server has not started yet.
            os._exit(0)
        servers[0].stop()

    threading.Thread(target=leave_with_parent, daemon=True).start()
    from vivavoce.cli.serving.http_server import run_server
    from vivavoce.store.database import open_store
    from vivavoce.web.app import make_app

    store = open_store(task.place)
    with socket.socket(fileno=task.socket) as bound:
        run_server(make_app(store, task.config), bound, servers.append, shared=True)
    store.close()


if __name__ == "__main__":
    main()
