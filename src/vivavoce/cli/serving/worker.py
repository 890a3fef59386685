"""`viva worker`: does the exams of a workspace, on this machine or any other."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from vivavoce.cli.shared.failures import tell
from vivavoce.cli.shared.material import settings_in_force
from vivavoce.cli.shared.options import JsonPath, Quiet
from vivavoce.cli.shared.places import Workspace, load_starter, open_current
from vivavoce.cli.shared.results import check_targets, head, write_content


def worker(
    workspace: Workspace = None,
    *,
    slots: Annotated[
        int | None,
        typer.Option(
            "--slots",
            metavar="N",
            min=1,
            max=1024,
            help="Pieces of work at a time.",
            show_default="one for each core",
        ),
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Leave as soon as no run is open any more.")] = False,
    json_path: JsonPath = None,
    quiet: Quiet = False,
) -> None:
    """Do the exams of a workspace until Ctrl-C; several workers share the work.

    `viva serve` starts one by itself. What a worker is doing when it ends is done again by another.

    Exit codes: 0 ended · 2 the call is wrong, or there is no workspace · 3 the database cannot be reached.

    For example:

        viva worker

        viva worker --workspace postgresql://viva@db/viva --slots 8

        viva worker --once
    """
    check_targets({"--json": json_path})
    settings_in_force()
    store = open_current(workspace)
    from vivavoce.jobs.worker import Worker

    made = Worker(store, slots=slots, start_scheduled=load_starter())
    if json_path:
        write_content(json_path, {**head("worker"), "worker": made.name, "workspace": store.address})
    if not quiet:
        tell(f"Working for {store.address} as {made.name} (to stop: Ctrl-C)")
    with _until_told() as stop:
        made.drain(stop) if once else made.run_until(stop)
    store.close()
    if not quiet:
        tell("Stopped." if stop.is_set() else "No run is open any more.")


@contextmanager
def _until_told() -> Iterator[threading.Event]:
    """Give an event that a signal sets: what is on its way is given back before the process ends."""
    stop = threading.Event()
    before = {name: signal.signal(name, lambda *_: stop.set()) for name in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
