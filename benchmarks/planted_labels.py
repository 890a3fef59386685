"""Planted label errors: 5 of 100 examples are filed under another topic; are they ranked first?

    python benchmarks/planted_labels.py [--seeds 3] [--tail-seeds 12] [--quick]

Flips go to any other topic (random) or to one of the three topics whose mean vector is nearest (confusable). AP is
the average precision of the whole ranking, P@n the precision at as many examples as were flipped. "List": precision
and recall of what `viva intents suspects` lists, or what an exam takes for suspects. cleanlab, where it is installed,
ranks by self-confidence and by normalised margin, from MiniLM vectors and scikit-learn's logistic regression (C = 20,
stratified 5-fold); "cleanlab, our model" gets the probabilities of our default classifier. The data have errors of
their own, so precision is a lower bound. The constants of the ranking were chosen on seeds 100 to 105.
"""

from __future__ import annotations

import argparse
import warnings
from collections import defaultdict
from importlib.util import find_spec
from typing import Any

import numpy as np
from material import Labelled, in_scope, intents
from rich.console import Console
from rich.table import Table

from vivavoce.intents.exam import PLAIN, judge_texts, load_classifier
from vivavoce.intents.label_odds import MIN_EXAM_SCORE, TEXT_WEIGHT, compare_topics, odds_to_scores
from vivavoce.intents.material import Material
from vivavoce.intents.pairs import mean_probabilities
from vivavoce.intents.record import UnitKey
from vivavoce.intents.runner import Unit, run_units
from vivavoce.intents.similarity import text_vectors
from vivavoce.intents.splits import Design, SplitPlan
from vivavoce.intents.suspects import judge_labels, list_suspects
from vivavoce.records import Dataset

SHARE = 0.05
ROWS = (
    ("banking77", "full", "random"),
    ("banking77", "full", "confusable"),
    ("banking77", "long tail", "random"),
    ("banking77", "long tail", "confusable"),
    ("clinc150_small", "full", "random"),
    ("clinc150_small", "full", "confusable"),
    ("roboai_faq_en", "full", "random"),
    ("roboai_faq_en", "full", "confusable"),
)


def load(name: str) -> Labelled:
    return in_scope(intents(name) if name.startswith("roboai") else intents(name, "train"))


def thin(data: Labelled, rng: np.random.Generator) -> Labelled:
    """Thin the topics to a long tail: 120 r^-0.7, at least 8 and at most 120 examples."""
    topics = np.array(data.intents)
    kept: list[int] = []
    for rank, topic in enumerate(rng.permutation(np.unique(topics))):
        size = int(np.clip(round(120 * (rank + 1) ** -0.7), 8, 120))
        kept += rng.permutation(np.flatnonzero(topics == topic))[:size].tolist()
    return Labelled([data.texts[row] for row in kept], [data.intents[row] for row in kept])


def flip(data: Labelled, kind: str, rng: np.random.Generator) -> tuple[Dataset, np.ndarray]:
    """File 5 of 100 examples under another topic; returns the data and which rows are wrong."""
    material = Material.of(Dataset.of(*data))
    labels, width = material.labels.copy(), len(material.topics)
    rows = rng.choice(len(labels), round(SHARE * len(labels)), replace=False)
    if kind == "random":
        labels[rows] = (labels[rows] + rng.integers(1, width, len(rows))) % width
    else:
        vectors = text_vectors(material)
        means = np.array([vectors[labels == topic].mean(axis=0) for topic in range(width)])
        means /= np.linalg.norm(means, axis=1, keepdims=True)
        likeness = means @ means.T
        np.fill_diagonal(likeness, -1)
        near = np.argsort(-likeness, axis=1)[:, :3]
        labels[rows] = near[labels[rows], rng.integers(0, 3, len(rows))]
    wrong = np.zeros(len(labels), dtype=bool)
    wrong[rows] = True
    return Dataset.of(data.texts, [material.topics[label] for label in labels]), wrong


def score(ranking: np.ndarray, wrong: np.ndarray) -> tuple[float, float]:
    """Return AP and P@n of a ranking by these values, highest first."""
    hits = wrong[np.argsort(-ranking, kind="stable")]
    places = np.flatnonzero(hits)
    ap = float(np.mean(np.arange(1, len(places) + 1) / (places + 1)))
    return ap, float(hits[: len(places)].mean())


def judge_once(material: Material) -> np.ndarray:
    """Return the mean probabilities of our default classifier, as an exam has them."""
    plan = SplitPlan(material.labels, Design(retries=10), material.groups)
    units = [Unit(UnitKey(PLAIN, retry), plan, keep_probabilities=True) for retry in range(10)]
    run = run_units(units, material, load_classifier("linear"), workers=1)
    chances = mean_probabilities(run.of(PLAIN), material)
    assert chances is not None
    return chances


def rank_by_cleanlab(material: Material, ours: np.ndarray) -> dict[str, np.ndarray]:
    from cleanlab.rank import get_label_quality_scores
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    model = LogisticRegression(C=20, tol=1e-5, max_iter=1000)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = cross_val_predict(model, text_vectors(material), material.labels, cv=folds, method="predict_proba")
    ours = np.nan_to_num(ours)
    ours = ours / np.maximum(ours.sum(axis=1, keepdims=True), 1e-9)
    rankings = {}
    for name, chances in (("cleanlab", theirs), ("cleanlab, our model", ours)):
        for method in ("self_confidence", "normalized_margin"):
            values = get_label_quality_scores(material.labels, chances, method=method)
            rankings[f"{name}, {method.replace('_', ' ')}"] = -values
    return rankings


def run_seed(data: Labelled, shape: str, kind: str, seed: int) -> dict[str, tuple[float, ...]]:
    """Return AP and P@n of every ranking; of our lists also precision and recall."""
    rng = np.random.default_rng(seed)
    planted, wrong = flip(thin(data, rng) if shape == "long tail" else data, kind, rng)
    material = Material.of(planted)
    suspicion = judge_labels(material, load_classifier("linear"), workers=1)
    chances = judge_once(material)
    odds, _ = compare_topics(chances + TEXT_WEIGHT * judge_texts(material).chances, material.labels)
    scores: dict[str, tuple[float, ...]] = {
        "vivavoce": score_list(suspicion.odds, list_suspects(suspicion), wrong),
        "vivavoce, exam alone": score_list(odds, np.flatnonzero(odds_to_scores(odds) >= MIN_EXAM_SCORE), wrong),
    }
    if find_spec("cleanlab"):
        scores |= {name: score(values, wrong) for name, values in rank_by_cleanlab(material, chances).items()}
    return scores


def score_list(odds: np.ndarray, listed: np.ndarray, wrong: np.ndarray) -> tuple[float, ...]:
    """Return AP and P@n of a ranking by odds, and precision and recall of the rows that are listed."""
    found = float(wrong[listed].sum())
    ranking = np.where(np.isfinite(odds), odds, -1e9)
    return *score(ranking, wrong), found / max(1, len(listed)), found / wrong.sum()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3, help="for full data")
    parser.add_argument("--tail-seeds", type=int, default=12, help="for the long tail")
    parser.add_argument("--quick", action="store_true", help="one seed, three for the long tail")
    parser.add_argument("--only", action="append", metavar="NAME", help="data set; may be repeated")
    options = parser.parse_args()
    seeds = (1, 3) if options.quick else (options.seeds, options.tail_seeds)
    table = Table(title="Planted label errors, 5 %", expand=False)
    for column in ("data", "flips", "seeds", "ranking", "AP", "sd", "P@n", "list: precision", "recall"):
        table.add_column(column)
    behind = []
    for name, shape, kind in ROWS:
        if options.only and name not in options.only:
            continue
        scores: dict[str, list[tuple[float, ...]]] = defaultdict(list)
        count = seeds[shape == "long tail"]
        for seed in range(count):
            for ranking, values in run_seed(load(name), shape, kind, seed).items():
                scores[ranking].append(values)
        behind += _add_rows(table, (f"{name}, {shape}", kind, str(count)), scores)
        Console(stderr=True).print(f"{name}, {shape}, {kind}: {np.mean(scores['vivavoce'], axis=0).round(3)}")
    Console(width=160).print(table)
    if find_spec("cleanlab"):
        print("Behind cleanlab:", "; ".join(behind) or "in no row")
    else:
        print("cleanlab is not installed: its rankings are missing (pip install cleanlab)")


def _add_rows(table: Table, head: tuple[str, ...], scores: dict[str, list[Any]]) -> list[str]:
    """Add the rankings of one experiment to the table; returns those of cleanlab that beat ours."""
    behind = []
    for ranking, values in scores.items():
        mean, sd = np.mean(values, axis=0), np.array(values)[:, 0]
        spread = f"{sd.std(ddof=1):.3f}" if len(sd) > 1 else "n/a"
        cells = [f"{mean[0]:.3f}", spread, *(f"{value:.2f}" for value in mean[1:])]
        table.add_row(*head, ranking, *cells)
        if ranking.startswith("cleanlab") and mean[0] > np.mean(scores["vivavoce"], axis=0)[0]:
            behind.append(f"{' '.join(head[:2])}: {ranking}")
    return behind


if __name__ == "__main__":
    main()
