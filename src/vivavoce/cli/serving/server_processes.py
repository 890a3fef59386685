"""More processes that answer at the same socket: Python computes on one core for each process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from vivavoce.jobs.processes import Processes
from vivavoce.web.config import WebConfig

MODULE = "vivavoce.cli.serving.server_main"
LEAVE = b"leave\n"
# More than this help nobody: pages are short, and exams want the cores as well.
MOST = 4


@dataclass(frozen=True, slots=True)
class Task:
    """What a process answers: the workspace at `place`, as `config` says, at the socket of this number."""

    place: str
    config: WebConfig
    socket: int


def usual_count() -> int:
    """Return how many processes answer where nothing is said: one for each core, and one where none can be shared."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MOST) if can_share() else 1


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
