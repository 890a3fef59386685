"""Does 0.5 mean one in two? Stated confidence beside the share that is right, with few and with many examples.

    python benchmarks/calibration.py [--classifier linear]

Each row trains once on so many examples of a topic and asks test questions that it never saw: the test part of the
data, or where there is none, examples that were left out. ECE: the average gap between confidence and truth over ten
bins of equal size (the ECE of an exam is higher: it is that of single rounds, whose bins are small). "Right and above
0.5": what a bot with the usual threshold answers rightly. The last columns ask questions that no topic covers, and
count what would be decided rightly were 15 of 100 messages such.
"""

from __future__ import annotations

import argparse

import numpy as np
from accuracy import ask
from material import Labelled, in_scope, intents
from rich.console import Console
from rich.table import Table

from vivavoce.classifiers.protocol import Classifier
from vivavoce.intents.exam import load_classifier
from vivavoce.intents.measures import Items, calibration, oos_auroc

ROWS = (
    ("banking77", (5, 10, 50)),
    ("clinc150_full", (5, 10, 50)),
    ("roboai_faq_en", (5, 10, 25)),
    ("hint3_curekart", (10, 1000)),
    ("hint3_sofmattress", (10, 1000)),
)
MOST_TESTS, OUT_OF_SCOPE_SHARE, THRESHOLD = 3000, 0.15, 0.5


def draw(data: Labelled, most: int, rng: np.random.Generator) -> tuple[Labelled, Labelled]:
    """Return so many examples of each topic, and those that are left."""
    topics = np.array(data.intents)
    kept = [row for topic in np.unique(topics) for row in rng.permutation(np.flatnonzero(topics == topic))[:most]]
    left = rng.permutation(np.setdiff1d(np.arange(len(topics)), kept))
    return take(data, np.array(kept)), take(data, left)


def take(data: Labelled, rows: np.ndarray) -> Labelled:
    return Labelled([data.texts[row] for row in rows], [data.intents[row] for row in rows])


def measure(items: Items) -> tuple[str, ...]:
    """Return the cells of one row."""
    topics = ~items.negative
    known = Items(items.truth[topics], items.guess[topics], items.confidence[topics])
    sure = items.confidence >= THRESHOLD
    right = float((known.right & (known.confidence >= THRESHOLD)).mean())
    cells = (
        f"{calibration(known)[0]:.3f}",
        f"{known.confidence.mean():.3f}",
        f"{known.right.mean():.3f}",
        f"{right:.3f}",
    )
    if not items.negative.any():
        return *cells, "-", "-", "-"
    declined = float((~sure[items.negative]).mean())
    mixed = (1 - OUT_OF_SCOPE_SHARE) * right + OUT_OF_SCOPE_SHARE * declined
    return *cells, f"{oos_auroc(items):.3f}", f"{declined:.3f}", f"{mixed:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--classifier", default="linear")
    options = parser.parse_args()
    table = Table(title=f"Calibration, classifier {options.classifier}")
    for column in (
        "data",
        "examples",
        "ECE",
        "confidence",
        "right",
        "right, above 0.5",
        "AUROC",
        "declined",
        "decided",
    ):
        table.add_column(column, justify="left" if column == "data" else "right")
    for name, sizes in ROWS:
        whole = name.startswith("roboai")
        for most in sizes:
            rng = np.random.default_rng(0)
            train, left = draw(in_scope(intents(name) if whole else intents(name, "train")), most, rng)
            test = left if whole else intents(name, "test")
            test = take(test, rng.permutation(len(test.texts))[:MOST_TESTS])
            engine = load_classifier(options.classifier)
            assert isinstance(engine, Classifier)
            items = ask(engine, train, test).items
            table.add_row(name, f"{len(train.texts):,} ({most})", *measure(items))
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
