"""Live traffic with 30 % out-of-scope questions: how far is each estimate of accuracy from the accuracy in use?

    python benchmarks/traffic.py [--draws 8] [--engine linear] [--share 0.3] [--threshold 0.5] [--data clinc150_full]

Each draw takes 40 topics with 20 examples and 40 out-of-scope messages as the data, and 30 other messages of each
topic with other out-of-scope messages as live traffic. A bot trained on all examples answers the traffic; the
estimates come from cross-validation of the same examples.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from material import intents
from rich.console import Console
from rich.table import Table

from vivavoce.intents.blind import examine_blind
from vivavoce.intents.exam import PLAIN, examine_intents
from vivavoce.intents.splits import Setting
from vivavoce.records import Dataset

TOPICS, EXAMPLES, LIVE, STRANGE = 40, 20, 30, 40
SMALLEST = Setting(0, 0.15)
Rows = list[tuple[str, str | None]]


def draw(name: str, share: float, rng: np.random.Generator) -> tuple[Rows, Rows]:
    """Draw the data of some topics and the live traffic about them: no message is in both."""
    by_topic: dict[str, list[str]] = {}
    for text, intent in zip(*intents(name), strict=True):
        by_topic.setdefault(intent, []).append(text)
    outside = [str(text) for text in rng.permutation(by_topic.pop("oos"))]
    data, live = [], []
    for topic in rng.choice(sorted(by_topic), TOPICS, replace=False):
        rows: Rows = [(str(text), str(topic)) for text in rng.permutation(by_topic[str(topic)])[: EXAMPLES + LIVE]]
        data += rows[:EXAMPLES]
        live += rows[EXAMPLES:]
    asked = STRANGE + round(len(live) * share / (1 - share))
    return [*data, *((t, None) for t in outside[:STRANGE])], [*live, *((t, None) for t in outside[STRANGE:asked])]


def dataset(rows: Rows) -> Dataset:
    """Return rows as a data set."""
    return Dataset.of([text for text, _ in rows], [topic for _, topic in rows])


def accuracies(seed: int, asked: argparse.Namespace) -> dict[str, float]:
    """Return the accuracy in use, and every estimate of it."""
    data, traffic = draw(asked.data, asked.share, np.random.default_rng(seed))
    known = [row for row in data if row[1] is not None]
    engine, threshold = asked.engine, asked.threshold
    blind = examine_blind(dataset(known), dataset(traffic), engine, threshold=threshold, resamples=0)
    live = blind.rates["accuracy"].value
    options: dict[str, Any] = {"retries": 5, "threshold": threshold, "text_view": False}
    options |= {"settings": [PLAIN, SMALLEST]}
    plain = examine_intents(dataset(known), engine, **options)
    borrowed = examine_intents(dataset(known), engine, **options, out_of_scope_share=asked.share)
    own = examine_intents(dataset(data), engine, **options, out_of_scope_share=asked.share)
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
    parser.add_argument("--draws", type=int, default=8)
    parser.add_argument("--engine", default="linear")
    parser.add_argument("--share", type=float, default=0.3)
    parser.add_argument("--threshold", type=float, default=0.5)
    parser.add_argument("--data", default="clinc150_full")
    options = parser.parse_args()
    drawn = [accuracies(seed, options) for seed in range(options.draws)]
    live = np.array([one["live"] for one in drawn])
    design = f"{options.data}, engine {options.engine}, threshold {options.threshold:g}, {options.draws} draws"
    table = Table(title=f"Live accuracy {100 * live.mean():.1f} % ({design})")
    for column in ("estimate", "mean", "too high by (points)", "sd over draws"):
        table.add_column(column, justify="left" if column == "estimate" else "right")
    for name in list(drawn[0])[1:]:
        found = np.array([one[name] for one in drawn])
        gap = 100 * (found - live)
        table.add_row(name, f"{100 * found.mean():.1f} %", f"{gap.mean():+.1f}", f"{gap.std(ddof=1):.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
