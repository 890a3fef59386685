"""How fast the shipped dialogue model scores, on one core, beside the mere reading of the text.

    python benchmarks/scoring.py [--dialogues 800]

Data: ConvAI 2017, autumn (about 15 messages each). "Reading" parses the JSON and cuts the text into words: no scorer
can do less. "With grounds" is what users get: the score, its interval, the effect of every message, the reasons.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from material import shared  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from vivavoce.dialogues.corpus.preprocessing import normalise, prepare  # noqa: E402
from vivavoce.dialogues.corpus.published import read_convai2017  # noqa: E402
from vivavoce.dialogues.corpus.reading import stream_dialogues  # noqa: E402
from vivavoce.dialogues.corpus.stored import write_dialogues  # noqa: E402
from vivavoce.dialogues.dialogue import Dialogue, View, judge_of  # noqa: E402
from vivavoce.dialogues.model.messages import tokens_of  # noqa: E402
from vivavoce.dialogues.model.weights import SHIPPED  # noqa: E402
from vivavoce.dialogues.raters.learned import load_shipped  # noqa: E402

ROUNDS = 3
LOG = Path("scoring-benchmark.jsonl")


def best(work: Callable[[], object]) -> float:
    """Return the least CPU time of a few rounds, each without what the last one remembered."""
    found = []
    for _ in range(ROUNDS):
        tokens_of.cache_clear()
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def read(path: Path) -> int:
    return sum(len(normalise(turn.text).split()) for talk in stream_dialogues(path) for turn in talk.turns)


def plain(dialogues: list[Dialogue]) -> None:
    load_shipped().model.predict([View(talk, judge_of(talk)) for talk in dialogues])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dialogues", type=int, default=800)
    options = parser.parse_args()
    kept = prepare(read_convai2017(shared() / "data")).kept
    talks = [talk for talk in kept if talk.source == "autumn2017"][: options.dialogues]
    before = _memory()
    load_shipped().rate(talks[:32])
    write_dialogues(LOG, talks)
    try:
        floor = best(lambda: read(LOG))
    finally:
        LOG.unlink()
    rows = {
        "reading alone": (floor, len(talks)),
        "score alone, in a batch": (best(lambda: plain(talks)), len(talks)),
        "with grounds, in a batch": (best(lambda: load_shipped().rate(talks)), len(talks)),
        "with grounds, one at a time": (best(lambda: [load_shipped().rate([talk]) for talk in talks[:100]]), 100),
    }
    console = Console()
    table = Table(
        title=f"{len(talks)} dialogues, {sum(len(talk.turns) for talk in talks) / len(talks):.1f} messages each"
    )
    for head in ("", "dialogues a second", "ms for one", "times reading"):
        table.add_column(head, justify="left" if not head else "right")
    for name, (seconds, count) in rows.items():
        ratio = (seconds / count) / (floor / len(talks))
        table.add_row(name, f"{count / seconds:,.0f}", f"{1000 * seconds / count:.2f}", f"{ratio:.1f}")
    console.print(table)
    console.print(
        f"model file {SHIPPED.stat().st_size / 1e6:.1f} MB; memory at most {_memory():.0f} MB ({before:.0f} before)"
    )


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


if __name__ == "__main__":
    main()
