"""Is the first remedy the inverse of what was planted, and does our order of fixes gain more than cleanlab's?

    python benchmarks/remedies.py [--seeds 6] [--only inverse|replay]

Inverse: in each copy of the data (thinned to a long tail), four topics are cut in two, of four topics a third is
filed under the nearest topic, and four pairs of topics are filed under one name. An exam lists its problems; the
remedies of each problem about a plant are forecast as `viva intents improve` does. "Listed": so is the plant.
"Inverse first": the first remedy merges the halves, moves examples of the block back (and hardly any others), or
splits the merged topic (with nine of ten examples on the right side); as a share of those listed, and of all.

Replay: ten topics are cut in two. The first ten pairs of our ranking are merged one after the other, and those of
cleanlab's `find_overlapping_classes`; after each merge a bot is trained and asked the questions that the data do not
hold. A question is right if the answer is that of its true topic: a topic answers what most of its examples are
about.
Area: the mean gain in accuracy over the ten steps.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from material import in_scope, intents
from planted import plant, rankings, thin_topics
from rich.console import Console
from rich.table import Table

from vivavoce.classifiers.bayes import Counts, count
from vivavoce.classifiers.linear import LinearClassifier
from vivavoce.intents import examine_intents
from vivavoce.intents.exam import PLAIN
from vivavoce.intents.improve import are_one_topic, list_remedies, order_remedies
from vivavoce.intents.material import Material
from vivavoce.intents.problems import ProblemKind
from vivavoce.intents.similarity import text_vectors
from vivavoce.intents.whatif import Edit, Forecaster, MergeTopics, MoveExamples, SplitTopic
from vivavoce.records import Dataset
from vivavoce.statistics import wilson
from vivavoce.text.cache import encode_cached

PLANTS, MIN_EXAMPLES, THRESHOLD, STEPS = 4, 12, 0.5, 10
ORDERS = ("vivavoce", "cleanlab")
ABOUT = {
    "cut in two": (ProblemKind.PAIR, ProblemKind.CLUSTER, ProblemKind.TWIN_NAMES),
    "block moved": (ProblemKind.PAIR, ProblemKind.CLUSTER, ProblemKind.SUSPECTS),
    "two in one": (ProblemKind.TO_SPLIT,),
}
ByTopic = dict[str, list[str]]


@dataclass(frozen=True)
class Plant:
    """What was planted: the topics as the data now name them, and the rows of the block or of one merged topic."""

    kind: str
    topics: frozenset[str]
    rows: frozenset[int] = frozenset()
    home: str = ""


def plant_all(by_topic: ByTopic, seed: int) -> tuple[Dataset, list[Plant]]:
    """Plant four faults of each kind in distinct topics."""
    rng = np.random.default_rng(seed)
    kept = thin_topics(by_topic, rng)
    rows = [(text, topic) for topic, texts in kept.items() for text in texts]
    data = Dataset.of(*map(list, zip(*rows, strict=True)))
    nearest = find_nearest_topics(data)
    labels, plants, used = list(data.intents), [], set()
    large = [topic for topic, texts in kept.items() if len(texts) >= MIN_EXAMPLES]
    free = [str(topic) for topic in rng.permutation(large)]

    def take() -> str:
        topic = next(each for each in free if each not in used)
        used.add(topic)
        return topic

    for _ in range(PLANTS):
        topic = take()
        own = [row for row, label in enumerate(labels) if label == topic]
        for row in own[: len(own) // 2]:
            labels[row] = f"{topic} (2)"
        plants.append(Plant("cut in two", frozenset((topic, f"{topic} (2)"))))
    for _ in range(PLANTS):
        topic = take()
        other = next(each for each in nearest[topic] if each not in used)
        used.add(other)
        own = [row for row, label in enumerate(labels) if label == topic]
        block = own[: len(own) // 3]
        for row in block:
            labels[row] = other
        plants.append(Plant("block moved", frozenset((topic, other)), frozenset(block), topic))
    for _ in range(PLANTS):
        topic, other = take(), take()
        moved = [row for row, label in enumerate(labels) if label == other]
        for row in moved:
            labels[row] = topic
        plants.append(Plant("two in one", frozenset((topic,)), frozenset(moved), topic))
    return Dataset.of(data.texts, labels), plants


def find_nearest_topics(data: Dataset) -> dict[str, list[str]]:
    material = Material.of(data)
    vectors = text_vectors(material)
    means = np.stack([vectors[material.labels == code].mean(axis=0) for code in range(len(material.topics))])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    order = np.argsort(-(means @ means.T), axis=1)
    return {
        topic: [material.topics[other] for other in order[code][1:]] for code, topic in enumerate(material.topics)
    }


def is_inverse(edits: Sequence[Edit], found: Plant, data: Dataset) -> bool:
    """Tell whether edits undo a plant."""
    if found.kind == "cut in two":
        merged = {frozenset((edit.topic, edit.into)) for edit in edits if isinstance(edit, MergeTopics)}
        return found.topics in merged
    if found.kind == "block moved":
        moved = {
            row for edit in edits if isinstance(edit, MoveExamples) and edit.to == found.home for row in edit.rows
        }
        every = {row for edit in edits if isinstance(edit, MoveExamples) for row in edit.rows}
        return len(moved & found.rows) > len(every) / 2 and not any(isinstance(edit, MergeTopics) for edit in edits)
    split = {row for edit in edits if isinstance(edit, SplitTopic) for row in edit.rows}
    size = data.sizes[found.home]
    wrong = len(split ^ found.rows)
    return bool(split) and min(wrong, size - wrong) <= size / 10


def judge_seed(by_topic: ByTopic, seed: int) -> Iterator[tuple[str, bool, bool]]:
    """Yield for each plant whether it is listed, and whether its inverse is the first remedy."""
    data, plants = plant_all(by_topic, seed)
    result = examine_intents(data, settings=[PLAIN], workers=1)
    forecaster = Forecaster(data, retries=5, workers=1)
    for found in plants:
        about = [p for p in result.problems if found.topics <= set(p.topics) and p.kind in ABOUT[found.kind]]
        inverse = False
        for problem in about[:1]:
            tried = [forecaster.forecast(edits) for edits in list_remedies(problem, data, result.pairs)]
            first = next(iter(order_remedies(tried, one_topic=are_one_topic(problem.topics, result.pairs))), None)
            inverse = first is not None and is_inverse(first.edits, found, data)
        yield found.kind, bool(about), inverse


def show_inverse(by_topic: ByTopic, name: str, seeds: int, console: Console) -> None:
    table = Table(title=f"First remedies, {name} on a long tail, {seeds} seeds x {PLANTS} plants of each kind")
    for column in ("planted", "listed", "inverse first, of those listed", "of all"):
        table.add_column(column, justify="left" if column == "planted" else "right")
    rows = [row for seed in range(seeds) for row in judge_seed(by_topic, seed)]
    for kind in (*dict.fromkeys(kind for kind, _, _ in rows), "all"):
        own = [row for row in rows if kind in (row[0], "all")]
        listed, inverse = sum(row[1] for row in own), sum(row[2] for row in own)
        of_listed, of_all = wilson(inverse, listed), wilson(inverse, len(own))
        cells = [
            f"{rate.value or 0:.2f} ({rate.low or 0:.2f} to {rate.high or 0:.2f})" for rate in (of_listed, of_all)
        ]
        table.add_row(kind, f"{listed} of {len(own)}", *cells)
    console.print(table)


@dataclass(frozen=True)
class Traffic:
    """Questions that the data do not hold, in the proportions of the data, read once. `true`: topics by text."""

    texts: list[str]
    topics: list[str]
    weights: np.ndarray
    true: dict[str, str]
    vectors: np.ndarray
    counts: Counts

    @classmethod
    def of(cls, by_topic: ByTopic, data: Dataset) -> Traffic:
        """Read the questions that are left."""
        true = {text: topic for topic, texts in by_topic.items() for text in texts}
        used = set(data.texts)
        texts = [text for text in true if text not in used]
        topics = [true[text] for text in texts]
        sizes, left = Counter(true[text] for text in data.texts), Counter(topics)
        weights = np.array([sizes[topic] / left[topic] for topic in topics])
        vectors = encode_cached(LinearClassifier().encoder, texts)
        return cls(texts, topics, weights / weights.sum(), true, vectors, count(texts))

    def measure(self, data: Dataset) -> float:
        """Train once and return how much of the traffic gets the right answer."""
        about: dict[str, Counter[str]] = {}
        for text, topic in zip(data.texts, data.intents, strict=True):
            about.setdefault(str(topic), Counter())[self.true[text]] += 1
        answers = {topic: each.most_common(1)[0][0] for topic, each in about.items()}
        engine = LinearClassifier()
        engine.fit(data.texts, [str(topic) for topic in data.intents])
        guesses = engine.weigh(self.texts, self.vectors, self.counts).guesses()
        right = [
            guess.confidence >= THRESHOLD and answers[str(guess.intent)] == topic
            for guess, topic in zip(guesses, self.topics, strict=True)
        ]
        return float(np.dot(right, self.weights))


def replay(by_topic: ByTopic, seed: int) -> dict[str, list[float]]:
    """Return the gain after each merge, in our order and in cleanlab's."""
    data, _ = plant(by_topic, seed, full=False, share=0.5)
    traffic, orders = Traffic.of(by_topic, data), rankings(data, "linear", 10)
    before, gains = traffic.measure(data), {}
    for name in ORDERS:
        step, gains[name] = data, list[float]()
        for topics in orders.get(name, ())[:STEPS]:
            step = merge(step, sorted(topics))
            gains[name].append(traffic.measure(step) - before)
    return {name: each for name, each in gains.items() if each}


def merge(data: Dataset, topics: Sequence[str]) -> Dataset:
    """File two topics under one name; of topics that were merged before, the names are joined already."""
    names = {topic for topic in data.sizes if set(topic.split(" + ")) & set(topics)}
    joined = " + ".join(sorted({part for name in names for part in name.split(" + ")}))
    examples = (replace(e, intent=joined) if e.intent in names else e for e in data.examples)
    return replace(data, examples=tuple(examples))


def show_replay(by_topic: ByTopic, seeds: int, console: Console) -> None:
    runs = [replay(by_topic, seed) for seed in range(seeds)]
    table = Table(title=f"Gain in right answers, merges in order, mean of {seeds} seeds (points)")
    for column in ("order", *(str(step) for step in (1, 3, 5, 10)), "area"):
        table.add_column(column, justify="left" if column == "order" else "right")
    areas = {}
    for name in runs[0]:
        mean = 100 * np.mean([run[name] for run in runs], axis=0)
        areas[name] = float(mean.mean())
        table.add_row(name, *(f"{mean[step - 1]:+.2f}" for step in (1, 3, 5, 10)), f"{areas[name]:+.2f}")
    console.print(table)
    if "cleanlab" in areas:
        better = sum(np.mean(run["vivavoce"]) > np.mean(run["cleanlab"]) for run in runs)
        # Who merges real topics loses: then there is no multiple.
        ours, theirs = areas["vivavoce"], areas["cleanlab"]
        times = f"{ours / theirs:.2f} times cleanlab's, " if theirs > 0 else ""
        console.print(f"Area: {times}{ours - theirs:+.2f} points; larger in {better} of {seeds}.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--only", choices=("inverse", "replay"))
    options = parser.parse_args()
    console = Console(width=118)
    sets = {}
    for name in ("banking77", "clinc150_small"):
        sets[name] = dict[str, list[str]]()
        for text, topic in zip(*in_scope(intents(name, "train")), strict=True):
            sets[name].setdefault(topic, []).append(text)
    if options.only != "replay":
        for name, by_topic in sets.items():
            show_inverse(by_topic, name, options.seeds, console)
    if options.only != "inverse":
        show_replay(sets["banking77"], options.seeds, console)


if __name__ == "__main__":
    main()
