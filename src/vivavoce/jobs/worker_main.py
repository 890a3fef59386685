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
from vivavoce.jobs.starting import StartScheduled
from vivavoce.jobs.worker import MakeTender, Worker
from vivavoce.store.database import open_store


def main(arguments: Sequence[str] | None = None) -> int:
    """Work until told to leave."""
    options = _parse(arguments)
    stop = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stop.set())
    if options.with_parent:

        def wait_for_end() -> None:
            while sys.stdin.buffer.read(1024):
                pass
            stop.set()

        threading.Thread(target=wait_for_end, daemon=True).start()
    try:
        store = open_store(options.store)
        starter: StartScheduled | None = _load(options.start_scheduled)
        tender: MakeTender | None = _load(options.tend)
        worker = Worker(store, slots=options.slots, start_scheduled=starter, make_tender=tender)
        worker.drain(stop) if options.drain else worker.run_until(stop)
    except VivaError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    store.close()
    return 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m vivavoce.jobs.worker_main", description=__doc__)
    parser.add_argument("--store", default=os.environ.get(STORE), help=f"the workspace; default: {STORE}")
    parser.add_argument("--slots", type=int, help="number of units computed at the same time")
    parser.add_argument("--start-scheduled", metavar="MODULE:FUNCTION", help="function that starts scheduled runs")
    parser.add_argument("--tend", metavar="MODULE:FUNCTION", help="function that makes what is done beside runs")
    parser.add_argument("--with-parent", action="store_true", help="exit when standard input is closed")
    parser.add_argument("--drain", action="store_true", help="exit when no run is open")
    options = parser.parse_args(arguments)
    if not options.store:
        parser.error(f"use --store or set {STORE}")
    return options


def _load(name: str | None) -> Any:
    if not name:
        return None
    module, _, function = name.partition(":")
    try:
        return getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"function '{name}' not found", remedy="write it as module:function") from error


if __name__ == "__main__":
    sys.exit(main())
