"""`viva worker`: does the exams of a workspace, on this machine or any other."""

from __future__ import annotations

import signal
import threading
from pkgutil import resolve_name
from typing import Annotated

from vivavoce.cli.shared.material import settings_in_force
from vivavoce.cli.shared.options import Output, option
from vivavoce.cli.shared.places import SCHEDULES, TASKS, Workspace, open_current
from vivavoce.cli.shared.results import check_targets, head, write_content


def worker(
    workspace: Workspace = None,
    *,
    slots: Annotated[
        int | None,
        option("--slots", "N", "Units to work on at the same time.", default="one for each core", low=1, high=1024),
    ] = None,
    once: Annotated[bool, option("--once", "", "Exit as soon as no run is open.")] = False,
    output: Output,
) -> None:
    """Run the exams of a workspace until Ctrl-C; several workers share the work.

    `viva serve` starts one. If a worker ends, another one repeats its unfinished units.

    Exit codes: 0 stopped · 2 invalid options, or there is no workspace · 3 the database cannot be reached.

    For example:

        viva worker
        viva worker --workspace postgresql://viva@db/viva --slots 8
        viva worker --once
    """
    check_targets(output.targets)
    settings_in_force()
    store = open_current(workspace)
    from vivavoce.jobs.worker import Worker

    worker = Worker(store, slots=slots, start_scheduled=resolve_name(SCHEDULES), make_tender=resolve_name(TASKS))
    if output.json_path:
        write_content(output.json_path, {**head("worker"), "worker": worker.name, "workspace": store.address})
    output.tell(f"Working for {store.address} as {worker.name} (press Ctrl-C to stop)")
    # A signal sets the event: units in progress are given back before the process ends.
    stop = threading.Event()
    before = {name: signal.signal(name, lambda *_: stop.set()) for name in (signal.SIGINT, signal.SIGTERM)}
    try:
        worker.drain(stop) if once else worker.run_until(stop)
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
    store.close()
    output.tell("Stopped." if stop.is_set() else "No more open runs.")
