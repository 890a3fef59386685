"""Speed of the whole intents exam (3 settings x 10 retries) beside the algorithm of the original nex-cv.

    python benchmarks/intents.py [--data roboai_faq_en ...] [--original-retries 1]

*Original* is our own faithful re-statement: sequential, every class scanned for every repetition, retrained with
scikit-learn's default solver on the same vectors, one text classified at a time. It is measured on some retries
of each setting and scaled to ten (the table says how many). *As it would really run*: the original keeps no vectors,
so each retry encodes its texts again, one at a time; the time of one text is measured on a sample.
Both sides solve the same problem: logistic regression, C = 20, on the same 384 numbers a text.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from material import Labelled, intents
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.linear_model import LogisticRegression

from vivavoce import Dataset, examine_intents
from vivavoce.classifiers.fakes import NullClassifier
from vivavoce.classifiers.linear import STRENGTH, LinearClassifier
from vivavoce.intents.material import Material
from vivavoce.intents.splits import PAPER_SETTINGS, Design, Setting, SplitPlan
from vivavoce.text.cache import VectorCache, encode_cached
from vivavoce.text.vectors import load_encoder

RETRIES = 10
SAMPLE = 200
Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class Cost:
    """CPU and wall seconds."""

    cpu: float
    wall: float

    def times(self, factor: float) -> Cost:
        """Scale both."""
        return Cost(self.cpu * factor, self.wall * factor)

    def plus(self, other: Cost) -> Cost:
        """Add both."""
        return Cost(self.cpu + other.cpu, self.wall + other.wall)


def measure(call: Callable[[], object]) -> Cost:
    """Run a call and return what it cost."""
    cpu, wall = time.process_time(), time.perf_counter()
    call()
    return Cost(time.process_time() - cpu, time.perf_counter() - wall)


# --- the original's algorithm, re-stated ------------------------------------------------------------------------


def original_split(labels: list[str], setting: Setting, fraction: float = 0.2) -> tuple[list[int], list[int]]:
    """Split as the original does: one scan of all labels for every class."""
    sizes = {label: labels.count(label) for label in set(labels)}
    order = sorted(sizes, key=lambda label: sizes[label])
    low: list[str] = []
    for label in order:
        below = sizes[label] < setting.k if setting.k else sum(sizes[one] for one in low) < setting.p * len(labels)
        if below:
            low.append(label)
    train, test = [], []
    for label in order:
        if label not in low:
            rows = [row for row, one in enumerate(labels) if one == label]
            cut = max(1, int(len(rows) * fraction))
            random.shuffle(rows)
            test += rows[:cut]
            train += rows[cut:]
    random.shuffle(low)
    held = set(low[: max(1, int(len(low) * fraction))] if low else [])
    test += [row for row, label in enumerate(labels) if label in held]
    train += [row for row, label in enumerate(labels) if label in low and label not in held]
    return train, test


def original_retry(vectors: Vectors, labels: list[str], setting: Setting) -> None:
    """Split, retrain with the default solver, classify one text at a time."""
    train, test = original_split(labels, setting)
    model = LogisticRegression(C=STRENGTH, max_iter=1000)
    model.fit(vectors[train], [labels[row] for row in train])
    for row in test:
        chances = model.predict_proba(vectors[row : row + 1])[0]
        best = int(chances.argmax())
        _ = {"intent_id": model.classes_[best], "confidence": float(chances[best])}


def original_cost(vectors: Vectors, labels: list[str], retries: int) -> Cost:
    """Measure some retries of each setting and scale them to the whole exam."""

    def run() -> None:
        for setting in PAPER_SETTINGS:
            for _ in range(retries):
                original_retry(vectors, labels, setting)

    return measure(run).times(RETRIES / retries)


def encoding_one_by_one(texts: list[str]) -> Cost:
    """Measure one text at a time on a sample; returns the cost of all texts once."""
    encoder = load_encoder()
    chosen = random.Random(0).sample(texts, min(SAMPLE, len(texts)))
    return measure(lambda: [encoder.encode([text]) for text in chosen]).times(len(texts) / len(chosen))


# --- comparison --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Agreement:
    """How near the fits are to each other on the same splits."""

    ours: float
    default: float
    agree_tight: float
    default_agree_tight: float


def agreement(data: Dataset, splits: int) -> Agreement:
    """Compare our fits with scikit-learn's default and with a tightly converged fit, on our splits."""
    material = Material.of(data)
    plan = SplitPlan(material.labels, Design(retries=RETRIES), material.groups)
    prepared = LinearClassifier(lexical=False).prepare(data.texts, material.labels)
    vectors = prepared.vectors.astype(np.float64)
    rows = []
    for retry in range(splits):
        split = plan.split(retry)
        columns, chances = prepared.train(split.train).probabilities(split.test)
        ours = columns[chances.argmax(axis=1)]
        guesses = [_fit(vectors, material.labels, split.train, split.test, **how) for how in (_DEFAULT, _TIGHT)]
        truth = material.labels[split.test]
        rows.append([(ours == truth), (guesses[0] == truth), (ours == guesses[1]), (guesses[0] == guesses[1])])
    means = [float(np.concatenate([row[place] for row in rows]).mean()) for place in range(4)]
    return Agreement(*means)


_DEFAULT: dict[str, float] = {"tol": 1e-4, "max_iter": 1000}
_TIGHT: dict[str, float] = {"tol": 1e-9, "max_iter": 20000}


def _fit(
    vectors: NDArray[np.float64],
    labels: NDArray[np.intp],
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    **how: float,
) -> NDArray[np.intp]:
    model = LogisticRegression(C=STRENGTH, tol=how["tol"], max_iter=int(how["max_iter"]))
    model.fit(vectors[train], labels[train])
    return np.asarray(model.predict(vectors[test]))


def examine_costs(data: Dataset) -> dict[str, Cost]:
    """Measure our whole exam: vectors cached, the default classifier, and everything from nothing."""
    costs = {
        "vivavoce, same model": measure(lambda: examine_intents(data, "vectors")),
        "vivavoce, default classifier": measure(lambda: examine_intents(data, "linear")),
    }
    encoding = measure(lambda: encode_cached(load_encoder(), data.texts, cache=VectorCache(limit=0)))
    costs["vivavoce, same model, vectors too"] = costs["vivavoce, same model"].plus(encoding)
    return costs


def compare(name: str, labelled: Labelled, options: argparse.Namespace) -> None:
    """Print one table for one data set."""
    data = Dataset.of(labelled.texts, labelled.intents)
    vectors = encode_cached(load_encoder(), data.texts)
    ours = examine_costs(data)
    original = original_cost(vectors, labelled.intents, options.original_retries)
    real = original.plus(encoding_one_by_one(labelled.texts).times(RETRIES * len(PAPER_SETTINGS)))
    table = Table(title=f"{name}: {len(data):,} texts, {len(data.sizes)} topics, 3 settings x {RETRIES} retries")
    for column in ("", "CPU s", "wall s", "CPU ratio", "wall ratio"):
        table.add_column(column, justify="left" if not column else "right")
    base = ours["vivavoce, same model"]
    rows = {
        **ours,
        f"original, vectors kept (scaled from {options.original_retries} of 10)": original,
        "original as it would really run": real,
    }
    for label, cost in rows.items():
        ratios = (f"{cost.cpu / base.cpu:.1f}", f"{cost.wall / base.wall:.1f}")
        table.add_row(label, f"{cost.cpu:.1f}", f"{cost.wall:.1f}", *ratios)
    console = Console()
    console.print(table)
    found = agreement(data, options.agreement_splits)
    console.print(
        f"accuracy on the same splits: ours {found.ours:.4f}, scikit-learn default {found.default:.4f}; agreement "
        f"with a tightly converged fit: ours {found.agree_tight:.4%}, scikit-learn default "
        f"{found.default_agree_tight:.4%} ({options.agreement_splits} splits)\n"
    )


def overhead() -> None:
    """Print what the framework itself costs: a classifier that does nothing."""
    rng = random.Random(0)
    words = [f"word{number}" for number in range(3000)]
    texts = [" ".join(rng.choices(words, k=9)) for _ in range(30_000)]
    labels = [f"topic{number % 300}" for number in range(30_000)]
    data = Dataset.of(texts, labels)
    plain = [Setting(0, 0.0)]
    examine_intents(data, NullClassifier(), settings=plain, retries=1, text_view=False)
    ours = measure(lambda: examine_intents(data, NullClassifier(), settings=plain, retries=5, text_view=False))
    original = measure(lambda: _null_retries(labels, 5))
    table = Table(title="framework overhead: 30,000 texts, 300 topics, 5 retries, a classifier that does nothing")
    for column in ("", "CPU s", "ratio"):
        table.add_column(column, justify="left" if not column else "right")
    table.add_row("vivavoce", f"{ours.cpu:.2f}", "1.0")
    table.add_row("original's algorithm", f"{original.cpu:.2f}", f"{original.cpu / ours.cpu:.1f}")
    Console().print(table)


def _null_retries(labels: list[str], retries: int) -> None:
    for _ in range(retries):
        train, test = original_split(labels, Setting(0, 0.0))
        trained = [labels[row] for row in train]
        for label in set(trained):
            _ = [row for row, one in enumerate(trained) if one == label]
        _ = [[{"intent_id": None, "confidence": 0.0}] for _ in test]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="*", default=["roboai_faq_en", "banking77"])
    parser.add_argument("--original-retries", type=int, default=1)
    parser.add_argument("--agreement-splits", type=int, default=2)
    options = parser.parse_args()
    overhead()
    for name in options.data:
        compare(name, intents(name, "train"), options)


if __name__ == "__main__":
    main()
