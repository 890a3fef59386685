"""Progress on standard error: a bar in a terminal, an occasional line in a log, or nothing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from vivavoce.cli.shared.failures import tell

Report = Callable[[str, int, int], None]
LINE_SECONDS = 15.0


@contextmanager
def progress_bar(hidden: bool) -> Iterator[Report]:
    """Give a function that takes the stage, what is done and the total."""
    console = Console(file=sys.stderr)
    # What an engine prints must not get between the lines of a result on standard output.
    with redirect_stdout(sys.stderr):
        if hidden:
            yield lambda _stage, _done, _total: None
        elif not console.is_terminal:
            yield _report_lines()
        else:
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            tasks: dict[str, TaskID] = {}

            def report(stage: str, done: int, total: int) -> None:
                if stage not in tasks:
                    tasks[stage] = bar.add_task(stage, total=total)
                bar.update(tasks[stage], completed=done, total=total)

            with Progress(*columns, console=console, transient=True) as bar:
                yield report


def _report_lines() -> Report:
    """Write a line at most every few seconds, so that a log shows that something happens."""
    last = time.monotonic()

    def report(stage: str, done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= LINE_SECONDS:
            last = time.monotonic()
            tell(f"{stage}: {done} of {total}")

    return report
