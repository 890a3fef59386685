"""Do the intervals and verdicts keep their promise? Many small draws, and how often the truth lies inside.

    python benchmarks/coverage.py [--draws 150] [--minutes 19] [--exam intents] [--processes 2]

A printed 95 % interval should hold the truth in 93 to 97 of 100 draws, and two equals should be called different in 6
of 100 at most. `coverage_intents.py`, `coverage_conversations.py` and `coverage_dialogues.py` say what is drawn and
what the truth is. Every draw has its own seed, so that as many draws give the same table on any number of processes.
When the time is up, the table shows the draws that were made: on one idle core about all of them.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from concurrent.futures import ProcessPoolExecutor  # noqa: E402

from coverage_conversations import DESIGNS, draw_suite  # noqa: E402
from coverage_dialogues import SIZES, draw_log  # noqa: E402
from coverage_intents import SOURCES, draw_exam  # noqa: E402
from coverage_tally import Drawn, Tallies  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from vivavoce.statistics import wilson  # noqa: E402

Draw = Callable[[str, int], Drawn]
EXAMS: dict[str, tuple[Draw, tuple[str, ...]]] = {
    "intents": (draw_exam, tuple(SOURCES)),
    "conversations": (draw_suite, tuple(DESIGNS)),
    "dialogues": (draw_log, tuple(SIZES)),
}
# Simulated suites and logs cost milliseconds, exams of a classifier most of a second.
MORE_OF = {"intents": 1, "conversations": 5, "dialogues": 5}
# The time is looked at after so many draws.
ROUND = 5


def draw_one(job: tuple[str, str, int]) -> Drawn:
    """Return what one draw printed."""
    exam, design, number = job
    return EXAMS[exam][0](design, number)


def run(exams: Sequence[str], draws: int, seconds: float, processes: int) -> dict[tuple[str, str], list[Drawn]]:
    """Draw from all designs in turn until all draws are made or the time is up."""
    begin = time.monotonic()
    drawn: dict[tuple[str, str], list[Drawn]] = {(exam, design): [] for exam in exams for design in EXAMS[exam][1]}
    with ProcessPoolExecutor(processes) as pool:
        for first in range(0, draws, ROUND):
            numbers = range(first, min(first + ROUND, draws))
            jobs = [
                (exam, design, MORE_OF[exam] * number + more)
                for exam, design in drawn
                for number in numbers
                for more in range(MORE_OF[exam])
            ]
            for (exam, design, _), one in zip(jobs, pool.map(draw_one, jobs, chunksize=5), strict=True):
                drawn[exam, design].append(one)
            print(f"{numbers[-1] + 1} draws in {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
            if time.monotonic() - begin > seconds:
                break
    return drawn


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
    parser.add_argument("--minutes", type=float, default=19, help="begin no more draws after so long")
    parser.add_argument("--exam", choices=tuple(EXAMS), action="append", help="only this exam")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    table = Table(title="How often a printed 95 % interval holds the truth, and equals are called different, in %")
    for column in ("exam", "drawn from", "number", "nominal", "measured", "draws", ""):
        table.add_column(column, overflow="fold")
    ahead = []
    drawn = run(options.exam or list(EXAMS), options.draws, 60 * options.minutes, options.processes)
    for (exam, design), draws in drawn.items():
        tallies = Tallies(draws)
        add_rows(table, exam, design, tallies)
        ahead += [f"{design}: {name} {100 * mean:+.1f}" for name, mean in tallies.means().items()]
    console = Console(width=max(140, Console().width))
    console.print(table)
    if ahead:
        console.print("The bot trained on all examples, less the value of the exam, in points:", *ahead, sep="\n")


if __name__ == "__main__":
    main()
