"""Which topic draws the questions of a topic that is not taught? It is known, and must be named first.

    python benchmarks/attract.py [--seeds 12]

Ten topics lend a few of their examples to a new topic of their own ("X (2)"), which is small, so that setting
(0, 0.15) holds it out: then its questions belong to X. BANKING77 on a long tail, and CLINC150 (the small file).
"""

from __future__ import annotations

import argparse

import numpy as np
from material import in_scope, intents
from planted import thin_topics
from rich.console import Console
from rich.table import Table

from vivavoce.intents import examine_intents
from vivavoce.records import Dataset
from vivavoce.statistics import wilson

LENT, TOPICS = 5, 10


def lend(by_topic: dict[str, list[str]], seed: int) -> tuple[Dataset, dict[str, str]]:
    """Return the data, and of each new topic the one that its examples are from."""
    rng = np.random.default_rng(seed)
    kept = thin_topics(by_topic, rng)
    large = [topic for topic, texts in kept.items() if len(texts) >= 3 * LENT]
    origins = {f"{topic} (2)": str(topic) for topic in rng.choice(large, min(TOPICS, len(large)), replace=False)}
    rows = []
    for topic, texts in kept.items():
        new = f"{topic} (2)"
        rows += [(text, new if new in origins and place < LENT else topic) for place, text in enumerate(texts)]
    return Dataset.of(*map(list, zip(*rows, strict=True))), origins


def judge(data: Dataset, origins: dict[str, str]) -> tuple[int, int]:
    """Count the new topics whose questions mostly went where they came from, of those that were held out."""
    result = examine_intents(data, settings=[(0, 0.15)], text_view=False, workers=1)
    first = tested = 0
    for new, origin in origins.items():
        cells = [cell for cell in result.settings[0].confusion if cell.negative and cell.origin == new and cell.guess]
        if cells:
            tested += 1
            first += max(cells, key=lambda cell: (cell.answered, cell.answered + cell.deferred)).guess == origin
    return first, tested


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=12)
    options = parser.parse_args()
    table = Table(title=f"The topic that draws the questions of a held-out one, {options.seeds} seeds")
    for column in ("data", "held-out topics", "named first", "95 % interval"):
        table.add_column(column, justify="left" if column == "data" else "right")
    for name in ("banking77", "clinc150_small"):
        by_topic: dict[str, list[str]] = {}
        for text, topic in zip(*in_scope(intents(name, "train")), strict=True):
            by_topic.setdefault(topic, []).append(text)
        counts = np.sum([judge(*lend(by_topic, seed)) for seed in range(options.seeds)], axis=0)
        rate = wilson(int(counts[0]), int(counts[1]))
        table.add_row(name, str(counts[1]), f"{rate.value:.3f}", f"{rate.low:.3f} to {rate.high:.3f}")
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
