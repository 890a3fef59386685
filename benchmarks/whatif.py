"""What-if forecasts: how fast, how right, and how honest their intervals are.

    python benchmarks/whatif.py [--seeds 6] [--quick]

Speed: one merge with vectors cached, on about 1,200 examples in 87 topics (BANKING77, thinned to a long tail) and on
11,151 examples in 208 topics (RoboAI, the English file). "First" reads the data and
examines them before the edit, too; "next" is every further edit of the same data.

Truth: the long tail is forecast on; the examples of BANKING77 that were left out are the questions that come later,
weighted to the share that each topic has in the long tail. Ten topics are split at random in two, and the edit merges
the two again ("duplicates"), or a third of a topic was filed under its nearest neighbour, and the edit moves it back
("moved blocks"). Realised is the difference in accuracy of one model trained on all examples before the edit and one
after it. The error of a forecast is |forecast - realised|, that of "no change" is |realised|. Coverage: how often the
90 % interval holds what was realised.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence

import numpy as np
from material import in_scope, intents
from planted import plant
from rich.console import Console
from rich.table import Table

from vivavoce.classifiers.linear import LinearClassifier
from vivavoce.intents.whatif import Edit, Forecaster, MergeTopics, MoveExamples, apply_edit
from vivavoce.records import Dataset

THRESHOLD = 0.5
CONSOLE = Console(width=110)


def by_topic(texts: list[str], labels: list[str]) -> dict[str, list[str]]:
    """Return the texts of each topic."""
    topics: dict[str, list[str]] = {}
    for text, label in zip(texts, labels, strict=True):
        topics.setdefault(label, []).append(text)
    return topics


def measure_speed(name: str, data: Dataset, edits: Sequence[Edit], rounds: int, table: Table) -> None:
    """Time a first forecast and further ones."""
    Forecaster(data, retries=1).forecast(edits[0])  # fills the cache of vectors
    begin = time.perf_counter()
    forecaster = Forecaster(data, retries=rounds)
    forecaster.forecast(edits[0])
    first = time.perf_counter() - begin
    seconds = []
    for edit in edits[1:]:
        begin = time.perf_counter()
        forecaster.forecast(edit)
        seconds.append(time.perf_counter() - begin)
    size = f"{len(data):,} x {len(data.sizes)}"
    table.add_row(name, size, str(rounds), f"{first:.1f}", f"{np.median(seconds):.1f}", f"{max(seconds):.1f}")


def show_speed(topics: dict[str, list[str]]) -> None:
    """Print the seconds of a forecast on two sizes."""
    table = Table(title="Seconds of a forecast (merge), vectors cached")
    for column in ("data", "size", "rounds", "first", "next, median", "next, worst"):
        table.add_column(column, justify="left" if column == "data" else "right")
    tail, pairs = plant(topics, 0, full=False, share=0.5)
    merges = [MergeTopics(*sorted(pair, reverse=True)) for pair in sorted(pairs, key=sorted)][:5]
    robo = Dataset.of(*in_scope(intents("roboai_faq_en")))
    names = list(robo.sizes)
    robo_merges: list[Edit] = [MergeTopics(names[place], names[place + 1]) for place in (2, 50, 120, 180)]
    for rounds in (5, 10):
        measure_speed("long tail", tail, merges, rounds, table)
        measure_speed("RoboAI", robo, robo_merges, rounds, table)
    CONSOLE.print(table)


# --- forecast against what is realised ---------------------------------------------------------------------------


def later_questions(
    topics: dict[str, list[str]], data: Dataset, origin: dict[str, str], seed: int
) -> tuple[list[str], list[str], np.ndarray]:
    """Return questions that the data do not have, their topics as the data cut them, and their weights.

    `origin`: the topic of BANKING77 that each topic of the data was cut from.
    """
    rng, used = np.random.default_rng([seed, 7]), set(data.texts)
    cuts: dict[str, list[str]] = {}
    for topic, source in origin.items():
        cuts.setdefault(source, []).append(topic)
    texts, labels, weights = [], [], []
    for source, parts in cuts.items():
        left = [text for text in topics[source] if text not in used]
        sizes = np.array([data.sizes[part] for part in parts], dtype=float)
        for text in left:
            texts.append(text)
            labels.append(parts[int(rng.choice(len(parts), p=sizes / sizes.sum()))])
            weights.append(sizes.sum() / len(left))
    return texts, labels, np.array(weights) / np.sum(weights)


def score(data: Dataset, texts: list[str], labels: list[str], weights: np.ndarray) -> float:
    """Train once on all examples and return the weighted accuracy."""
    engine = LinearClassifier()
    engine.fit(data.texts, [str(intent) for intent in data.intents])
    guesses = engine.guess(texts)
    right = [g.intent == label and g.confidence >= THRESHOLD for g, label in zip(guesses, labels, strict=True)]
    return float(np.dot(right, weights))


def duplicates(topics: dict[str, list[str]], seed: int) -> tuple[Dataset, list[Edit], dict[str, str]]:
    """Split ten topics; the edits merge them again."""
    data, pairs = plant(topics, seed, full=False, share=0.5)
    merges: list[Edit] = [MergeTopics(*sorted(pair, reverse=True)) for pair in sorted(pairs, key=sorted)]
    return data, merges, {topic: topic.removesuffix(" (2)") for topic in data.sizes}


def moved_blocks(topics: dict[str, list[str]], seed: int) -> tuple[Dataset, list[Edit], dict[str, str]]:
    """File a third of each of ten topics under its nearest neighbour; the edits move it back."""
    from vivavoce.text.cache import encode_cached
    from vivavoce.text.vectors import load_encoder

    planted, _ = plant(topics, seed, full=False, share=0.0)
    data = Dataset.of(planted.texts, planted.intents)
    names = sorted(data.sizes)
    vectors = encode_cached(load_encoder("minilm"), data.texts)
    places = {name: [row for row, intent in enumerate(data.intents) if intent == name] for name in names}
    centres = np.stack([vectors[places[name]].mean(axis=0) for name in names])
    likeness = centres @ centres.T - 9 * np.eye(len(names))
    rng, labels, edits = np.random.default_rng([seed, 8]), list(data.intents), []
    for place in rng.choice(len(names), 10, replace=False):
        own = places[names[place]]
        rows = sorted(int(row) for row in rng.permutation(own)[: max(2, len(own) // 3)])
        for row in rows:
            labels[row] = names[int(likeness[place].argmax())]
        edits.append(MoveExamples(tuple(rows), names[place]))
    return Dataset.of(data.texts, labels), list(edits), {name: name for name in names}


def judge(plant_kind: str, topics: dict[str, list[str]], seed: int, rounds: int) -> Iterator[tuple[float, ...]]:
    """Yield forecast, low, high and realised for each edit."""
    data, edits, origin = (duplicates if plant_kind == "duplicates" else moved_blocks)(topics, seed)
    texts, labels, weights = later_questions(topics, data, origin, seed)
    before, forecaster = score(data, texts, labels, weights), Forecaster(data, retries=rounds, seed=seed)
    for edit in edits:
        later = labels
        if isinstance(edit, MergeTopics):
            later = [edit.into if label == edit.topic else label for label in labels]
        realised = score(apply_edit(data, edit), texts, later, weights) - before
        effect = forecaster.forecast(edit).effects["accuracy"]
        yield effect.difference or 0.0, effect.low or 0.0, effect.high or 0.0, realised


def show_truth(topics: dict[str, list[str]], seeds: int, rounds: int) -> None:
    """Print errors and coverage of both kinds of plant."""
    table = Table(title=f"Forecast of accuracy against what is realised, {seeds} seeds x 10 edits, {rounds} rounds")
    columns = ("plant", "forecast", "realised", "error", "no change", "factor", "correlation", "90 % cover", "width")
    for column in columns:
        table.add_column(column, justify="left" if column == "plant" else "right")
    for kind in ("duplicates", "moved blocks"):
        rows = [row for seed in range(seeds) for row in judge(kind, topics, seed, rounds)]
        forecast, low, high, realised = 100 * np.array(rows).T
        error, none = np.abs(forecast - realised).mean(), np.abs(realised).mean()
        inside = ((low <= realised) & (realised <= high)).mean()
        table.add_row(
            kind,
            f"{forecast.mean():+.2f}",
            f"{realised.mean():+.2f}",
            f"{error:.2f}",
            f"{none:.2f}",
            f"{none / error:.2f}",
            f"{np.corrcoef(forecast, realised)[0, 1]:.2f}",
            f"{inside:.1%} of {len(rows)}",
            f"{(high - low).mean():.2f}",
        )
    CONSOLE.print(table)
    CONSOLE.print("All in points of accuracy; factor: error of 'no change' over that of the forecast.")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--quick", action="store_true", help="two seeds, five rounds")
    parser.add_argument("--only", choices=("speed", "truth"), help="one of the two parts")
    options = parser.parse_args()
    seeds, rounds = (2, 5) if options.quick else (options.seeds, options.rounds)
    topics = by_topic(*intents("banking77", "train"))
    if options.only != "truth":
        show_speed(topics)
    if options.only != "speed":
        show_truth(topics, seeds, rounds)


if __name__ == "__main__":
    main()
