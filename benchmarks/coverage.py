"""Do the intervals and verdicts keep their promise? Many small draws, and how often the truth lies inside.

    python benchmarks/coverage.py [--draws 150] [--exam intents] [--processes 2]     # about 20 minutes on two cores

A printed 95 % interval should hold the truth in 93 to 97 of 100 draws, and two equals should be called different in 6
of 100 at most. `coverage_intents.py`, `coverage_conversations.py` and `coverage_dialogues.py` say what is drawn and
what the truth is. Every draw has its own seed, so that any number of processes gives the same table.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from concurrent.futures import ProcessPoolExecutor  # noqa: E402
from itertools import repeat  # noqa: E402

from coverage_conversations import DESIGNS, draw_suite  # noqa: E402
from coverage_dialogues import SIZES, draw_log  # noqa: E402
from coverage_intents import SOURCES, draw_exam  # noqa: E402
from coverage_tally import Drawn, Tallies  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from vivavoce.statistics import wilson  # noqa: E402

# Simulated suites and logs cost milliseconds, exams of a classifier most of a second.
MORE = 5
Draw = Callable[[str, int], Drawn]
EXAMS: dict[str, tuple[Draw, tuple[str, ...], int]] = {
    "intents": (draw_exam, tuple(SOURCES), 1),
    "conversations": (draw_suite, tuple(DESIGNS), MORE),
    "dialogues": (draw_log, tuple(SIZES), MORE),
}


def run(draw: Draw, design: str, draws: int, processes: int) -> Iterator[Drawn]:
    """Yield what each draw printed."""
    if processes == 1:
        yield from map(draw, repeat(design, draws), range(draws))
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(draw, repeat(design, draws), range(draws), chunksize=max(1, draws // (8 * processes)))


def add_rows(table: Table, exam: str, design: str, tallies: Tallies) -> None:
    for line in tallies.lines():
        rate = wilson(line.hits, line.n)
        low, high = 100 * (rate.low or 0), 100 * (rate.high or 0)
        share = f"{100 * (rate.value or 0):.1f} ({low:.1f} to {high:.1f})"
        nominal = "at most 5" if line.verdict else "95"
        table.add_row(exam, design, line.name, nominal, share, f"{line.n:,}", judge(low, high, line.verdict))


def judge(low: float, high: float, verdict: bool) -> str:
    """Say whether the measured share, as far as it is known, may lie where it should."""
    if verdict:
        return "too many" if low > 6 else ""
    return "too few" if high < 93 else "more than promised" if low > 97 else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--draws", type=int, default=150, help="draws of each data set, and five times as many of the rest"
    )
    parser.add_argument("--exam", choices=tuple(EXAMS), action="append", help="only this exam")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    told = parser.parse_args()
    table = Table(title="How often a printed 95 % interval holds the truth, and equals are called different, in %")
    for column in ("exam", "drawn from", "number", "nominal", "measured", "draws", ""):
        table.add_column(column, overflow="fold")
    for exam in told.exam or EXAMS:
        draw, designs, times = EXAMS[exam]
        for design in designs:
            add_rows(table, exam, design, Tallies(run(draw, design, told.draws * times, told.processes)))
    Console(width=max(140, Console().width)).print(table)


if __name__ == "__main__":
    main()
