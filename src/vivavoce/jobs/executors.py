"""Where units are computed: processes of this machine, or a Dask cluster."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from vivavoce.errors import MissingPartError, WorkError

T = TypeVar("T")
_log = logging.getLogger(__name__)
CLUSTER = "VIVA_CLUSTER"
# Each process computes on one core: several that each take all of them are slower together.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
CONNECT_SECONDS = 20


class ComputePool:
    """An executor that computes units. A broken one is replaced once, however many units noticed."""

    def __init__(
        self,
        make: Callable[[], Executor],
        slots: int,
        *,
        dismiss: Callable[[Executor], None],
        disconnect: Callable[[], None] = lambda: None,
    ) -> None:
        self.slots = slots
        self._make, self._dismiss, self._disconnect = make, dismiss, disconnect
        self._executor: Executor | None = None

    def submit(self, do: Callable[..., T], *arguments: Any) -> tuple[Executor, Future[T]]:
        """Submit a call; return the executor and the future."""
        if self._executor is None:
            self._executor = self._make()
        return self._executor, self._executor.submit(do, *arguments)

    def replace(self, broken: Executor) -> None:
        """Dismiss an executor that broke down; the next unit gets a new one."""
        if self._executor is broken:
            self._executor = None
            self._dismiss(broken)

    def close(self) -> None:
        """End the executor and give up what it still computes."""
        if self._executor is not None:
            self._dismiss(self._executor)
            self._executor = None
        self._disconnect()


def open_pool(slots: int | None = None, executor: Executor | None = None) -> ComputePool:
    """Return the pool: the given executor, the cluster of VIVA_CLUSTER, or processes of this machine."""
    own = slots or os.cpu_count() or 1
    if executor is not None:
        return ComputePool(lambda: executor, own, dismiss=lambda _: None)
    if scheduler := os.environ.get(CLUSTER, "").strip():
        return _connect_cluster(scheduler, slots)
    spawn = multiprocessing.get_context("spawn")
    return ComputePool(
        lambda: ProcessPoolExecutor(own, mp_context=spawn, initializer=prepare_process), own, dismiss=_end_processes
    )


def prepare_process() -> None:
    """Prepare a process for computing: one core, no reaction to Ctrl+C, gone with its parent."""
    for name in THREADS:
        os.environ[name] = "1"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if "numpy" in sys.modules:
        # Too late for the variables: the libraries have read them.
        from threadpoolctl import threadpool_limits

        threadpool_limits(1)
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    from multiprocessing.connection import wait

    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _end_processes(executor: Executor) -> None:
    # Listed before: shutting down forgets them, and nobody needs their results.
    running = list((getattr(executor, "_processes", None) or {}).values())
    executor.shutdown(wait=False, cancel_futures=True)
    for process in running:
        with suppress(ProcessLookupError, ValueError, AttributeError):
            process.terminate()


def _connect_cluster(scheduler: str, slots: int | None) -> ComputePool:
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingPartError(
            f"{CLUSTER} names a Dask cluster, but Dask is not installed",
            remedy="pip install 'vivavoce[cluster]', or unset the variable to compute on this machine",
        ) from error
    connect: Any = Client
    try:
        client: Any = connect(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise WorkError(
            f"the Dask scheduler does not respond ({type(error).__name__})",
            where=f"{CLUSTER}={scheduler}",
            remedy="start it, or unset the variable to compute on this machine",
        ) from error
    return ComputePool(
        lambda: client.get_executor(pure=False),
        slots or sum(client.nthreads().values()) or 1,
        dismiss=lambda executor: executor.shutdown(wait=False),
        disconnect=client.close,
    )
