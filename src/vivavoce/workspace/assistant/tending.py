"""How a worker performs tasks: each in a process of its own, which is ended when it takes too long."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

from vivavoce.jobs.processes import STOP_SECONDS, STORE
from vivavoce.messages import say
from vivavoce.store.database import Store, open_store
from vivavoce.store.rows import TaskRow, TaskState
from vivavoce.store.stamps import now
from vivavoce.workspace.assistant.tasks import KINDS, LEASE, claim, fail, perform, plan_due

# A slow renewal of openings must not hold up the mail.
AT_ONCE = 3


@dataclass(slots=True)
class Child:
    """A task in progress."""

    task: TaskRow
    process: subprocess.Popen[bytes]
    begun: datetime
    leased: datetime


class Tender:
    """Plans what is due, performs tasks and watches over them; a worker calls `step` every now and then."""

    def __init__(self, store: Store, worker: str) -> None:
        self._store, self._worker = store, worker
        self._children: dict[str, Child] = {}
        # A worker that stops does not wait for the step that its thread is in.
        self._lock, self._closed = Lock(), False

    def step(self) -> None:
        """Look after the tasks in progress, then begin what can be begun."""
        with self._lock:
            if self._closed:
                return
            for child in list(self._children.values()):
                self._look_after(child)
            plan_due(self._store)
            while len(self._children) < AT_ONCE and (task := claim(self._store, self._worker)):
                at = now()
                self._children[task.id] = Child(task, self._begin(task), at, at)

    def close(self) -> None:
        """End the tasks in progress; another worker begins them again."""
        with self._lock:
            self._closed = True
            for child in self._children.values():
                _end(child.process)
                with self._store.writing() as tx:
                    # Ended by us, which is no failed attempt.
                    tx.tasks.release(child.task.id, self._worker, now(), attempts=child.task.attempts - 1)
            self._children.clear()

    def _begin(self, task: TaskRow) -> subprocess.Popen[bytes]:
        address = self._store.engine.url.render_as_string(hide_password=False)
        command = [sys.executable, "-m", "vivavoce.workspace.assistant.tending", task.id]
        return subprocess.Popen(  # noqa: S603 - this program
            command, stdin=subprocess.DEVNULL, env={**os.environ, STORE: address}, start_new_session=True
        )

    def _look_after(self, child: Child) -> None:
        timeout, at = KINDS[child.task.kind].timeout, now()
        code = child.process.poll()
        if code is not None:
            del self._children[child.task.id]
            if code:
                # Its own failures it has noted itself.
                fail(self._store, child.task, say("the process ended with code {code}", code=code))
        elif at - child.begun >= timeout:
            del self._children[child.task.id]
            _end(child.process)
            minutes = round(timeout.total_seconds() / 60)
            fail(self._store, child.task, say("it took longer than {minutes} minutes", minutes=minutes))
        elif at - child.leased >= LEASE / 3:
            child.leased = at
            with self._store.writing() as tx:
                tx.tasks.lease(child.task.id, self._worker, at + LEASE)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def main(arguments: Sequence[str] | None = None) -> int:
    """Perform one task of the workspace that the environment names."""
    logging.basicConfig(level=logging.WARNING)
    (task_id,) = sys.argv[1:] if arguments is None else arguments
    store = open_store(os.environ[STORE])
    with store.reading() as tx:
        task = tx.tasks.get(task_id)
    if task is not None and task.state is TaskState.RUNNING:
        perform(store, task)
    store.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
