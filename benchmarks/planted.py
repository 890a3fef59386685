"""Planted problems: ten topics are split at random in two; are the ten halves ranked first, and listed to be fixed?

    python benchmarks/planted.py [--seeds 12] [--engine linear] [--full]

Data: BANKING77 train, thinned to a long tail (120 r^-0.7, at least 8 and at most 120 examples a topic), the size of a
company's FAQ. P@3 and P@10 are the shares of planted pairs among the three and ten pairs ranked first; "found" is the
share of planted pairs that the whole list holds. "What to fix next" is the list of problems, ordered by the messages
they cost (pairs alone). Where it is installed, cleanlab's `find_overlapping_classes` gets the same out-of-sample
probabilities.
"""

from __future__ import annotations

import argparse
import warnings
from importlib.util import find_spec

import numpy as np
from material import intents
from rich.console import Console
from rich.table import Table

from vivavoce.intents.exam import PLAIN, judge_texts, load_classifier
from vivavoce.intents.findings import find
from vivavoce.intents.losses import find_losses
from vivavoce.intents.material import Material
from vivavoce.intents.pairs import CANDIDATES, MAX_PAIRS, mean_probabilities, rank_pairs
from vivavoce.intents.problems import ProblemKind, find_problems
from vivavoce.intents.quality import DataQuality
from vivavoce.intents.record import UnitKey
from vivavoce.intents.runner import Unit, run_units
from vivavoce.intents.splits import Design, SplitPlan
from vivavoce.records import Dataset

PLANTED = 10
MIXED = (ProblemKind.PAIR, ProblemKind.CLUSTER, ProblemKind.TWIN_NAMES)
THRESHOLD = 0.5


def plant(
    by_topic: dict[str, list[str]], seed: int, *, full: bool, share: float
) -> tuple[Dataset, set[frozenset[str]]]:
    """Thin the topics to a long tail and split ten of them at random in two."""
    rng = np.random.default_rng(seed)
    kept = thin_topics(by_topic, rng, full=full)
    topics = list(kept)
    chosen = {str(topic) for topic in rng.choice(topics, PLANTED, replace=False)}
    texts, labels = [], []
    for topic in topics:
        for place, text in enumerate(kept[topic]):
            texts.append(text)
            second = topic in chosen and place < len(kept[topic]) * share
            labels.append(f"{topic} (2)" if second else topic)
    return Dataset.of(texts, labels), {frozenset((topic, f"{topic} (2)")) for topic in chosen}


def thin_topics(
    by_topic: dict[str, list[str]], rng: np.random.Generator, *, full: bool = False
) -> dict[str, list[str]]:
    """Thin the topics to a long tail, in a random order of the topics."""
    topics = [str(topic) for topic in rng.permutation(sorted(by_topic))]
    return {topic: _thin(by_topic[topic], rank, rng, full=full) for rank, topic in enumerate(topics)}


def _thin(texts: list[str], rank: int, rng: np.random.Generator, *, full: bool) -> list[str]:
    size = len(texts) if full else int(np.clip(round(120 * (rank + 1) ** -0.7), 8, 120))
    return [str(text) for text in rng.permutation(texts)[:size]]


def rankings(data: Dataset, engine: str, retries: int) -> dict[str, list[frozenset[str]]]:
    """Rank the pairs by our score and by cleanlab's, from the same probabilities."""
    material = Material.of(data)
    plan = SplitPlan(material.labels, Design(retries=retries), material.groups)
    units = [Unit(UnitKey(PLAIN, retry), plan, keep_probabilities=True) for retry in range(retries)]
    run = run_units(units, material, load_classifier(engine), workers=2)
    bot = mean_probabilities(run.of(PLAIN), material)
    assert bot is not None
    text = judge_texts(material).chances
    losses = find_losses(run.of(PLAIN), material, THRESHOLD)
    ours = rank_pairs(bot, text, material, seed=0, most=CANDIDATES, losses=losses)
    engine_only = rank_pairs(bot, None, material, seed=0)
    findings = find(run.of(PLAIN), material, plan, threshold=THRESHOLD, seed=0)
    problems = find_problems([findings], ours, DataQuality())
    found = {
        "vivavoce": [frozenset((pair.a, pair.b)) for pair in ours[:MAX_PAIRS]],
        "vivavoce, bot only": [frozenset((pair.a, pair.b)) for pair in engine_only],
        "what to fix next": [frozenset(problem.topics) for problem in problems if problem.kind in MIXED],
    }
    return {**found, "cleanlab": _cleanlab(bot, material)} if find_spec("cleanlab") else found


def _cleanlab(bot: np.ndarray, material: Material) -> list[frozenset[str]]:
    from cleanlab.dataset import find_overlapping_classes

    chances = np.nan_to_num(bot)
    chances = chances / np.maximum(chances.sum(axis=1, keepdims=True), 1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = find_overlapping_classes(labels=material.labels, pred_probs=chances)
    pairs = zip(found["Class Index A"][:50], found["Class Index B"][:50], strict=True)
    return [frozenset((material.topics[int(a)], material.topics[int(b)])) for a, b in pairs]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--engine", default="linear")
    parser.add_argument("--retries", type=int, default=10)
    parser.add_argument("--share", type=float, default=0.5, help="part of a topic that becomes the second one")
    parser.add_argument("--full", action="store_true", help="do not thin the data to a long tail")
    options = parser.parse_args()
    data = intents("banking77", "train")
    by_topic: dict[str, list[str]] = {}
    for text, intent in zip(*data, strict=True):
        by_topic.setdefault(intent, []).append(text)
    scores: dict[str, list[tuple[float, float, float]]] = {}
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        planted, truth = plant(by_topic, seed, full=options.full, share=options.share)
        for name, ranking in rankings(planted, options.engine, options.retries).items():
            scores.setdefault(name, []).append(_score(ranking, truth))
    _show(scores, options)


def _score(ranking: list[frozenset[str]], truth: set[frozenset[str]]) -> tuple[float, float, float]:
    """Return P@3, P@10 and the share of planted pairs that the list holds."""
    # A problem of three topics is a hit if two of them are one that was split.
    hits = [any(pair <= topics for pair in truth) for topics in ranking]
    return sum(hits[:3]) / 3, sum(hits[:PLANTED]) / PLANTED, sum(hits) / PLANTED


def _show(scores: dict[str, list[tuple[float, float, float]]], options: argparse.Namespace) -> None:
    shape = "full" if options.full else "long tail"
    table = Table(title=f"Planted duplicate topics, {shape}, engine {options.engine}, {options.seeds} seeds")
    table.add_column("ranking")
    for column in ("P@3", "P@10", "sd", "worst seed", "found"):
        table.add_column(column, justify="right")
    for name, values in scores.items():
        first, sample, found = np.array(values).T
        sd = f"{sample.std(ddof=1):.3f}" if len(sample) > 1 else "n/a"
        table.add_row(
            name, f"{first.mean():.3f}", f"{sample.mean():.3f}", sd, f"{sample.min():.2f}", f"{found.mean():.3f}"
        )
    Console().print(table)


if __name__ == "__main__":
    main()
