"""Live traffic with 30 % out-of-scope questions: how far is each estimate of accuracy from the accuracy in use?

    python benchmarks/traffic.py [--draws 10] [--engine linear] [--share 0.3]

Data: CLINC150. Each draw takes 40 topics with 20 training examples, and 40 out-of-scope training messages. Live
traffic is the test set of these topics, mixed with its out-of-scope messages. A bot trained on all examples answers
it; the estimates come from cross-validation of the same examples.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
from material import intents
from rich.console import Console
from rich.table import Table

from vivavoce.intents.blind import examine_blind
from vivavoce.intents.exam import PLAIN, examine_intents
from vivavoce.intents.splits import Setting
from vivavoce.records import Dataset

TOPICS, EXAMPLES, STRANGE = 40, 20, 40
SMALLEST = Setting(0, 0.15)
Rows = list[tuple[str, str | None]]


def draw(split: str, topics: Sequence[str], each: int, outside: int, rng: np.random.Generator) -> Rows:
    """Draw messages of some topics, and out-of-scope messages."""
    by_topic: dict[str, list[str]] = {}
    for text, intent in zip(*intents("clinc150_full", split), strict=True):
        by_topic.setdefault(intent, []).append(text)
    known: Rows = [(str(text), topic) for topic in topics for text in rng.permutation(by_topic[topic])[:each]]
    return [*known, *((str(text), None) for text in rng.permutation(by_topic["oos"])[:outside])]


def dataset(rows: Rows) -> Dataset:
    """Return rows as a data set."""
    return Dataset.of([text for text, _ in rows], [topic for _, topic in rows])


def accuracies(seed: int, engine: str, share: float) -> dict[str, float]:
    """Return the accuracy in use, and every estimate of it."""
    rng = np.random.default_rng(seed)
    everything = sorted(set(intents("clinc150_full", "train")[1]) - {"oos"})
    topics = [str(topic) for topic in rng.choice(everything, TOPICS, replace=False)]
    data = draw("train", topics, EXAMPLES, STRANGE, rng)
    known = [row for row in data if row[1] is not None]
    asked = draw("test", topics, 30, round(30 * TOPICS * share / (1 - share)), rng)
    live = examine_blind(dataset(known), dataset(asked), engine, resamples=0).rates["accuracy"].value
    options: dict[str, Any] = {"retries": 5, "text_view": False, "settings": [PLAIN, SMALLEST]}
    plain = examine_intents(dataset(known), engine, **options)
    borrowed = examine_intents(dataset(known), engine, **options, out_of_scope_share=share)
    own = examine_intents(dataset(data), engine, **options, out_of_scope_share=share)
    return {
        "live": live or 0.0,
        "plain cross-validation (0, 0)": plain.rate("accuracy", PLAIN).value or 0.0,
        "with plausible negatives (0, 0.15)": plain.rate("accuracy", SMALLEST).value or 0.0,
        "weighed, plausible negatives": borrowed.rate("accuracy", PLAIN).value or 0.0,
        f"weighed, {STRANGE} out-of-scope messages in the data": own.rate("accuracy", PLAIN).value or 0.0,
    }


def main() -> None:
    """Measure and show the bias of each estimate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--engine", default="linear")
    parser.add_argument("--share", type=float, default=0.3)
    options = parser.parse_args()
    drawn = [accuracies(seed, options.engine, options.share) for seed in range(options.draws)]
    live = np.array([one["live"] for one in drawn])
    table = Table(title=f"Live accuracy {100 * live.mean():.1f} %, engine {options.engine}, {options.draws} draws")
    for column in ("estimate", "mean", "too high by (points)", "sd over draws"):
        table.add_column(column, justify="left" if column == "estimate" else "right")
    for name in list(drawn[0])[1:]:
        found = np.array([one[name] for one in drawn])
        gap = 100 * (found - live)
        table.add_row(name, f"{100 * found.mean():.1f} %", f"{gap.mean():+.1f}", f"{gap.std(ddof=1):.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
