"""Does the guarantee of a threshold hold, and how near is the cheapest threshold to the best one?

    python benchmarks/threshold.py [--resamples 1000] [--engine linear]

A classifier is trained once on the training split; the scored test split is the population, in which the true share
of wrong answers at every threshold is known. Each resample draws questions from it, chooses a threshold and is judged
by the population. Costs: chosen where 6 % of the questions are out of scope, paid where 40 % are.
"""

from __future__ import annotations

import argparse

import numpy as np
from material import Labelled, in_scope, intents
from rich.console import Console
from rich.table import Table

from vivavoce.intents.blind import examine_blind
from vivavoce.intents.threshold import GRID, NEVER, Scored, advise, count_at, find_guarantee
from vivavoce.records import Dataset

# Data set, training examples and test questions of a topic at most, questions in a resample.
SETS = (
    ("clinc150_full", 20, 20, 600),
    ("clinc150_full", 20, 20, 1600),
    ("hint3_curekart", 1000, 1000, 600),
    ("hint3_sofmattress", 1000, 1000, 300),
)
LEVELS = ((0.05, 0.9), (0.1, 0.9), (0.2, 0.9))
TESTED, LIVE, WRONG_COSTS = 0.06, 0.4, 5.0


def draw_rows(data: Labelled, most: int, most_outside: int, rng: np.random.Generator) -> Dataset:
    """Return at most so many rows of each topic and so many out of scope."""
    by_topic: dict[str, list[str]] = {}
    for text, intent in zip(*data, strict=True):
        by_topic.setdefault(intent, []).append(text)
    rows = [
        (str(text), topic)
        for topic, texts in sorted(by_topic.items())
        for text in rng.permutation(texts)[: most_outside if topic == "oos" else most]
    ]
    return Dataset.of([text for text, _ in rows], [topic for _, topic in rows])


def score(name: str, examples: int, questions: int, engine: str) -> Scored:
    """Train once and score the test split."""
    rng = np.random.default_rng(0)
    train = draw_rows(in_scope(intents(name, "train")), examples, 0, rng)
    test = draw_rows(intents(name, "test"), questions, 1000, rng)
    result = examine_blind(train, test, engine, unknown="negative", resamples=0)
    known = set(train.sizes)
    truth = [row.intent if row.intent in known else None for row, _ in result.predictions]
    guesses = [guess for _, guess in result.predictions]
    sure = [NEVER if guess.intent is None else guess.confidence for guess in guesses]
    right = [topic is not None and guess.intent == topic for topic, guess in zip(truth, guesses, strict=True)]
    return Scored(np.array(sure), np.array(right), np.array([topic is None for topic in truth]))


def resample(population: Scored, n: int, share: float | None, rng: np.random.Generator) -> Scored:
    """Draw questions with replacement; with this share of out-of-scope questions, else as they come."""
    if share is None:
        rows = rng.integers(0, len(population), n)
    else:
        outside = round(n * share)
        known = rng.choice(np.flatnonzero(~population.out_of_scope), n - outside)
        rows = np.concatenate([known, rng.choice(np.flatnonzero(population.out_of_scope), outside)])
    return Scored(population.confidence[rows], population.right[rows], population.out_of_scope[rows])


def add_guarantees(table: Table, name: str, population: Scored, n: int, resamples: int) -> None:
    """Count how often a promise was made and kept: in samples as they come, then weighted to the live share."""
    truths = {share: [count_at(population, step, share=share) for step in GRID] for share in (None, LIVE)}
    for (max_wrong, confidence), share in ((level, share) for level in LEVELS for share in truths):
        rng, promised, broken, answered = np.random.default_rng(1), 0, 0, 0.0
        for _ in range(resamples):
            sample = resample(population, n, None if share is None else 0.2, rng)
            threshold = find_guarantee(sample, max_wrong, confidence, share).threshold
            if threshold is not None:
                truth = truths[share][GRID.index(threshold)]
                promised += 1
                broken += (truth.wrong.value or 0.0) > max_wrong
                answered += truth.answered.value or 0.0
        mean = f"{answered / promised:.0%}" if promised else "-"
        weighted = "as drawn" if share is None else f"{share:.0%}"
        held = f"{1 - broken / resamples:.1%}"
        table.add_row(name, str(n), f"{max_wrong:.0%}", weighted, f"{promised / resamples:.0%}", held, mean)


def add_costs(table: Table, name: str, population: Scored, n: int, resamples: int) -> None:
    """Compare what thresholds cost that were chosen by samples with another share of out-of-scope questions."""
    prices = [count_at(population, step, wrong_costs=WRONG_COSTS, share=LIVE).cost.value / 100 for step in GRID]
    rng, plain, weighted = np.random.default_rng(2), list[float](), list[float]()
    for _ in range(min(50, resamples)):
        sample = resample(population, n, TESTED, rng)
        for share, costs in ((None, plain), (LIVE, weighted)):
            chosen = advise(sample, 0.5, wrong_costs=WRONG_COSTS, out_of_scope_share=share).cheapest
            costs.append(prices[GRID.index(chosen.threshold)])
    oracle = min(prices)
    means = (float(np.mean(weighted)), float(np.mean(plain)))
    shown = [f"{mean:.3f} ({mean / oracle - 1:+.1%})" for mean in means]
    table.add_row(name, str(n), *shown, f"{oracle:.3f}", f"{prices[50]:.3f}", f"{prices[0]:.3f}", "1.000")


def main() -> None:
    """Measure and show."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--engine", default="linear")
    options = parser.parse_args()
    promises = Table(title=f"Guarantees with 90 % confidence, {options.resamples} resamples, {options.engine}")
    for column in ("data", "questions", "at most wrong", "out of scope", "promised", "held", "answered"):
        promises.add_column(column, justify="left" if column == "data" else "right")
    costs = Table(title="Cost of a message, chosen at 6 % and paid at 40 % out of scope (above the oracle)")
    for column in ("data", "questions", "weighted", "not weighted", "oracle", "0.5", "answer all", "answer none"):
        costs.add_column(column, justify="left" if column == "data" else "right")
    populations: dict[str, Scored] = {}
    for name, examples, questions, n in SETS:
        if name not in populations:
            populations[name] = score(name, examples, questions, options.engine)
        add_guarantees(promises, name, populations[name], n, options.resamples)
        add_costs(costs, name, populations[name], n, options.resamples)
    console = Console(width=120)
    console.print(promises, costs)


if __name__ == "__main__":
    main()
