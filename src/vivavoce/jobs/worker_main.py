"""A worker as a process: `python -m vivavoce.jobs.worker_main`, with the address in the environment.

With `--with-parent` it leaves when its standard input is closed, so that it never outlives the process that started
it, however that one ended.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from vivavoce.errors import UsageError, VivaError
from vivavoce.jobs.processes import STORE
from vivavoce.jobs.schedules import StartScheduled
from vivavoce.jobs.worker import Worker
from vivavoce.store.database import open_store


def main(arguments: Sequence[str] | None = None) -> int:
    """Work until told to leave."""
    given = _parsed(arguments)
    stop = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stop.set())
    if given.with_parent:
        threading.Thread(target=_wait_for_end, args=(stop,), daemon=True).start()
    try:
        store = open_store(given.store)
        worker = Worker(store, slots=given.slots, start_scheduled=_loaded(given.start_scheduled))
        worker.drain(stop) if given.drain else worker.run_until(stop)
    except VivaError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    store.close()
    return 0


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m vivavoce.jobs.worker_main", description=__doc__)
    parser.add_argument("--store", default=os.environ.get(STORE), help=f"the workspace; else as {STORE} says")
    parser.add_argument("--slots", type=int, help="units computed at a time")
    parser.add_argument("--start-scheduled", metavar="MODULE:FUNCTION", help="what starts the run of a schedule")
    parser.add_argument("--with-parent", action="store_true", help="leave when the standard input is closed")
    parser.add_argument("--drain", action="store_true", help="leave when no run is open any more")
    given = parser.parse_args(arguments)
    if not given.store:
        parser.error(f"give --store or set {STORE}")
    return given


def _loaded(name: str | None) -> StartScheduled | None:
    if not name:
        return None
    module, _, function = name.partition(":")
    try:
        found: Any = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"there is no function '{name}'", remedy="write it as module:function") from error
    return found  # type: ignore[no-any-return]


def _wait_for_end(stop: threading.Event) -> None:
    while sys.stdin.buffer.read(1024):
        pass
    stop.set()


if __name__ == "__main__":
    sys.exit(main())
