"""Child processes: started, watched, restarted, and gone with their parent."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from vivavoce.retries import backoff

_log = logging.getLogger(__name__)
MODULE = "vivavoce.jobs.worker_main"
# The address may hold a password, which others could read in the list of processes: it goes by the environment.
STORE = "VIVA_WORKER_STORE"
# A process that dies at once would die again at once: pauses grow five times each.
FIRST_PAUSE_S = 0.2
STEADY_SECONDS = 60.0
STOP_SECONDS = 10.0


class Processes:
    """Some processes that do the same, kept running by a thread that watches them. `noun`: what one of them is.

    `make` starts one with a pipe as its standard input, which closes when this process ends in any way: the other
    one leaves then. `farewell` is written there before, unless this process was killed.
    """

    def __init__(
        self, noun: str, count: int, make: Callable[[], subprocess.Popen[bytes]], *, farewell: bytes = b""
    ) -> None:
        self._stop = threading.Event()
        self._watched = [_Process(noun, make, farewell) for _ in range(count)]
        self._thread = threading.Thread(target=self._watch, name=f"viva-{noun}s", daemon=True)

    def start(self) -> None:
        """Start the processes and watch them."""
        for process in self._watched:
            process.start()
        self._thread.start()

    @property
    def count(self) -> int:
        """How many processes there are to be."""
        return len(self._watched)

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes that are running now."""
        return tuple(
            watched.process.pid for watched in self._watched if watched.process and watched.process.poll() is None
        )

    def stop(self) -> None:
        """Ask the processes to leave, and make them where they do not."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        for watched in self._watched:
            watched.let_go()
        for watched in self._watched:
            watched.end(STOP_SECONDS)

    def _watch(self) -> None:
        while not self._stop.wait(0.2):
            for watched in self._watched:
                watched.restart_if_gone()


class WorkerProcesses(Processes):
    """Some workers."""

    def __init__(self, address: str, *, count: int = 1, options: Sequence[str] = (), module: str = MODULE) -> None:
        self._command = [sys.executable, "-m", module, "--with-parent", *options]
        self._address = address
        super().__init__("worker", count, self._start)

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603
            self._command, stdin=subprocess.PIPE, env={**os.environ, STORE: self._address}, start_new_session=True
        )


class _Process:
    """One process that is kept running."""

    def __init__(self, noun: str, make: Callable[[], subprocess.Popen[bytes]], farewell: bytes) -> None:
        self._noun = noun
        self._farewell = farewell
        self._make = make
        self.process: subprocess.Popen[bytes] | None = None
        self._begun = 0.0
        self._deaths = 0
        self._again_at: float | None = None

    def start(self) -> None:
        self.process = self._make()
        self._begun = time.monotonic()
        self._again_at = None

    def restart_if_gone(self) -> None:
        """Start the process again when it is gone, after a pause."""
        if self.process is None or self.process.poll() is None:
            return
        if self._again_at is None:
            self._again_at = time.monotonic() + self._pause()
            _log.warning("a %s exited with code %s and is restarted", self._noun, self.process.returncode)
        if time.monotonic() >= self._again_at:
            self.let_go()
            self.start()

    def _pause(self) -> float:
        lived = time.monotonic() - self._begun
        self._deaths = 0 if lived > STEADY_SECONDS else self._deaths + 1
        return backoff(max(1, self._deaths), first_s=FIRST_PAUSE_S, factor=5.0)

    def let_go(self) -> None:
        """Close the pipe, which tells the process to leave."""
        if self.process is not None and self.process.stdin is not None:
            with suppress(OSError, ValueError):
                self.process.stdin.write(self._farewell)
                self.process.stdin.close()

    def end(self, seconds: float) -> None:
        """Wait for the process to leave, and end it when it does not."""
        if self.process is None:
            return
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
