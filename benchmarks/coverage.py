"""Do the intervals and verdicts keep their promise? Many small draws, and how often the truth lies inside.

    python benchmarks/coverage.py [--draws 250] [--minutes 40] [--exam intents] [--design BANKING77] [--keep FOLDER]

A printed 95 % interval should hold the truth in 93 to 97 of 100 draws, and two equals should be called different in 6
of 100 at most. `coverage_verdicts.py` judges all lines together. `coverage_intents.py`, `coverage_conversations.py`
and `coverage_dialogues.py` say what is drawn and what the truth is. Every draw has its own seed: the table does not
depend on the number of processes. When the time is up, it shows the draws that were made.

`--keep` stores the draws, so that a table can be made in pieces: run one `--design` after another with the same
folder, then all of them together, which draws nothing twice. Empty the folder when the code changes.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from concurrent.futures import ProcessPoolExecutor  # noqa: E402

from coverage_conversations import DESIGNS, draw_suite  # noqa: E402
from coverage_dialogues import SIZES, draw_log  # noqa: E402
from coverage_intents import SOURCES, draw_exam  # noqa: E402
from coverage_tally import Drawn, Line, Tallies  # noqa: E402
from coverage_verdicts import HIGH, LOW, MANY, PASS, count_outside, find_reach, judge  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from vivavoce.records import Rate  # noqa: E402
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


Designs = dict[tuple[str, str], list[Drawn]]


def draw(drawn: Designs, first_draw: int, draws: int, seconds: float, processes: int) -> None:
    """Add draws to all designs in turn until all draws are made or the time is up."""
    begin = time.monotonic()
    with ProcessPoolExecutor(processes) as pool:
        for first in range(0, draws, ROUND):
            last = min(first + ROUND, draws)
            jobs = [
                (exam, design, first_draw + number)
                for (exam, design), own in drawn.items()
                for number in range(len(own), MORE_OF[exam] * last)
            ]
            for (exam, design, _), one in zip(jobs, pool.map(draw_one, jobs, chunksize=5), strict=True):
                drawn[exam, design].append(one)
            if jobs:
                print(f"{last} draws in {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
            if time.monotonic() - begin > seconds:
                break


def file_of(folder: Path, design: str) -> Path:
    return folder / f"{re.sub('[^A-Za-z0-9]+', '-', design)}.json"


def load_draws(folder: Path | None, design: str) -> list[Drawn]:
    """Return the draws of an earlier piece."""
    if folder is None or not file_of(folder, design).exists():
        return []
    draws = json.loads(file_of(folder, design).read_text())
    return [Drawn(**one | {"rates": {name: Rate(**rate) for name, rate in one["rates"].items()}}) for one in draws]


def print_table(console: Console, lines: Sequence[tuple[str, str, Line]]) -> None:
    """Print every line with its raw coverage and its verdict, then how many lie where."""
    table = Table(title="How often a printed 95 % interval holds the truth, and equals are called different, in %")
    for column in ("exam", "drawn from", "number", "nominal", "measured", "draws", "verdict"):
        table.add_column(column, overflow="fold")
    only_lines = [line for _, _, line in lines]
    verdicts = judge(only_lines)
    for (exam, design, line), verdict in zip(lines, verdicts, strict=True):
        rate = wilson(line.hits, line.n)
        share = f"{100 * (rate.value or 0):.1f} ({100 * (rate.low or 0):.1f} to {100 * (rate.high or 0):.1f})"
        nominal = "at most 5" if line.verdict else "95"
        table.add_row(exam, design, line.name, nominal, share, f"{line.n:,}", verdict)
    console.print(table)
    below, above = count_outside(only_lines)
    numbers = sum(not line.verdict for line in only_lines)
    console.print(f"Measured outside 93 to 97: {below} of {numbers} numbers below, {above} above.")
    counts = ", ".join(f"{word}: {verdicts.count(word)}" for word in (PASS, LOW, HIGH, MANY))
    console.print(f"Verdicts on {len(lines)} lines together (5 % chance of any false complaint): {counts}.")
    for n in sorted({line.n for line in only_lines if not line.verdict}, reverse=True)[:2]:
        reach = find_reach(n, 2 * numbers + len(lines) - numbers)
        console.print(
            f"A line of {n:,} draws fails with {reach.fails_below:,} hits at most or {reach.fails_above:,} at least: "
            f"coverage of {100 * reach.finds_below:.1f} or {100 * reach.finds_above:.1f} is found in 80 of 100 runs."
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--draws", type=int, default=250, help="draws of each data set, and five times as many of the rest"
    )
    parser.add_argument("--first", type=int, default=0, help="number of the first draw: others draw other data")
    parser.add_argument("--minutes", type=float, default=40, help="begin no more draws after so long")
    parser.add_argument("--exam", choices=tuple(EXAMS), action="append", help="only this exam")
    parser.add_argument("--design", default="", help="only designs whose name contains this")
    parser.add_argument("--keep", type=Path, help="store the draws in this folder, and continue those stored there")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    names = [(exam, name) for exam in options.exam or EXAMS for name in EXAMS[exam][1] if options.design in name]
    drawn = {(exam, name): load_draws(options.keep, name) for exam, name in names}
    draw(drawn, options.first, options.draws, 60 * options.minutes, options.processes)
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        for (_, name), own in drawn.items():
            file_of(options.keep, name).write_text(json.dumps([asdict(one) for one in own]))
    tallies = {key: Tallies(own) for key, own in drawn.items()}
    console = Console(width=max(140, Console().width))
    print_table(console, [(*key, line) for key, tally in tallies.items() for line in tally.lines()])
    ahead = [
        f"{design}: {name} {100 * mean:+.1f}"
        for (_, design), tally in tallies.items()
        for name, mean in tally.means().items()
    ]
    if ahead:
        console.print("The bot trained on all examples, less the value of the exam, in points:", *ahead, sep="\n")


if __name__ == "__main__":
    main()
