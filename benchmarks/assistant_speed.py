"""Processor time of a message through the whole assistant, over the messages of the demo company's visitors.

OMP_NUM_THREADS=1 python benchmarks/assistant_speed.py
"""

from __future__ import annotations

import csv
import time

from vivavoce.assistant import Assistant, State
from vivavoce.assistant.material import COMPANIES, FOLDER

WARM_UP = 30


def main() -> None:
    begin = time.process_time()
    assistant = Assistant.load("demo").prepare()
    print(f"getting ready: {time.process_time() - begin:.1f} s")
    with (FOLDER / COMPANIES["demo"] / "visitors.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    states: dict[str, State] = {}
    milliseconds = []
    for row in rows:
        start = time.process_time()
        outcome = assistant.reply(states.get(row["who"], State()), row["text"], page_language=row["language"])
        milliseconds.append(1000 * (time.process_time() - start))
        states[row["who"]] = outcome.state
    ordered = sorted(milliseconds[WARM_UP:])
    mean = sum(ordered) / len(ordered)
    print(f"{len(ordered)} messages: mean {mean:.1f} ms, median {ordered[len(ordered) // 2]:.1f} ms, ", end="")
    print(f"95 % under {ordered[int(0.95 * len(ordered))]:.1f} ms; two cores: {2000 / mean:.0f} messages a second")


if __name__ == "__main__":
    main()
