"""Accuracy of the default classifier beside published results of chatbot platforms.

    python benchmarks/accuracy.py [--classifier linear --classifier vectors ...]

Published figures: BANKING77 (Casanueva et al. 2020), CLINC150 (Larson et al. 2019, threshold tuned on the validation
part), HINT3 (Arora et al. 2020, from the stored predictions of each platform), Braun et al. 2017 (F1 of intents).
"""

from __future__ import annotations

import argparse
import csv
from dataclasses import dataclass

import numpy as np
from material import Labelled, in_scope, intents, shared
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from vivavoce.classifiers.protocol import Classifier
from vivavoce.intents.exam import load_classifier
from vivavoce.intents.measures import Items, f1_scores, measures, oos_auroc
from vivavoce.statistics import wilson

ENGINES = ("dialogflow", "luis", "rasa", "haptik", "bert")
CLINC_PLATFORMS = {"Dialogflow": (90.8, 26.7), "Rasa": (90.9, 31.2), "MLP (USE)": (93.4, 49.1), "BERT": (96.2, 52.3)}
CLINC_TRAINED = {"Dialogflow": (91.7, 14.0), "Rasa": (91.5, 45.3)}
BRAUN = {
    "braun_chatbot": {"Watson": 0.97, "LUIS": 0.98, "Rasa": 0.98, "Dialogflow": 0.93},
    "braun_askubuntu": {"Watson": 0.92, "LUIS": 0.90, "Rasa": 0.86, "Dialogflow": 0.85},
    "braun_webapplications": {"Watson": 0.83, "LUIS": 0.81, "Rasa": 0.74, "Dialogflow": 0.80},
}


@dataclass(frozen=True)
class Answered:
    """Test rows with what the classifier said."""

    items: Items

    def accuracy(self) -> tuple[int, int]:
        """Count the in-scope rows whose best guess is right, whatever the confidence."""
        known = ~self.items.negative
        return int(self.items.right[known].sum()), int(known.sum())


def ask(classifier: Classifier, train: Labelled, test: Labelled) -> Answered:
    """Train once, test once."""
    classifier.fit(train.texts, train.intents)
    names = sorted(set(train.intents) | set(test.intents) - {"oos"})
    code = {name: place for place, name in enumerate(names)}
    guesses = classifier.guess(test.texts)
    truth = np.array([code.get(intent, -1) for intent in test.intents])
    guess = np.array([-1 if one.intent is None else code[one.intent] for one in guesses])
    return Answered(Items(truth, guess, np.array([one.confidence for one in guesses])))


def share(hits: int, n: int) -> str:
    """Show a share with its interval."""
    rate = wilson(hits, n)
    return f"{100 * (rate.value or 0):.2f} ({100 * (rate.low or 0):.1f} to {100 * (rate.high or 0):.1f}, n = {n:,})"


def banking(classifiers: dict[str, Classifier], console: Console) -> None:
    table = Table(title="BANKING77, accuracy in %")
    for column in ("", "full (10,003 examples)", "10 examples a topic"):
        table.add_column(column)
    test = intents("banking77", "test")
    full, few = intents("banking77", "train"), intents("banking77_fewshot", "train_10")
    for name, classifier in classifiers.items():
        table.add_row(name, *(share(*ask(classifier, train, test).accuracy()) for train in (full, few)))
    table.add_row("published: USE+ConveRT", "93.36", "85.19")
    table.add_row("published: BERT, tuned", "93.66", "")
    console.print(table)


def best_threshold(items: Items) -> float:
    """Return the threshold with the best accuracy, negatives counting as a class."""
    grid = np.arange(0.05, 1.0, 0.01)
    scores = [measures(items, float(threshold))["accuracy"] or 0.0 for threshold in grid]
    return float(grid[int(np.argmax(scores))])


def clinc(classifiers: dict[str, Classifier], console: Console) -> None:
    table = Table(title="CLINC150 (full), in %; threshold tuned on the validation part where one is used")
    for column in ("", "in scope, no threshold", "AUROC", "in scope / out-of-scope recall at the threshold"):
        table.add_column(column)
    train = in_scope(intents("clinc150_full", "train"))
    for name, classifier in classifiers.items():
        valid = ask(classifier, train, intents("clinc150_full", "valid")).items
        test = ask(classifier, train, intents("clinc150_full", "test"))
        found = measures(test.items, best_threshold(valid))
        pair = f"{100 * (found['in_scope_accuracy'] or 0):.1f} / {100 * (found['negative_rejection'] or 0):.1f}"
        table.add_row(name, share(*test.accuracy()), f"{oos_auroc(test.items):.4f}", pair)
    for platform, (inside, outside) in CLINC_PLATFORMS.items():
        table.add_row(f"published: {platform}", "", "", f"{inside} / {outside}")
    for platform, (inside, outside) in CLINC_TRAINED.items():
        table.add_row(f"published: {platform}, trained with out-of-scope rows", "", "", f"{inside} / {outside}")
    console.print(table)


def hint3(bot: str, classifiers: dict[str, Classifier], console: Console) -> None:
    table = Table(title=f"HINT3 {bot}: real messages, {_share_oos(bot)} out of scope")
    for column in (
        "",
        "accuracy at 0.5",
        "in scope / out-of-scope recall at 0.5",
        "best accuracy over thresholds",
        "AURC",
    ):
        table.add_column(column)
    data = f"hint3_{bot}"
    rows = {name: ask(one, intents(data, "train"), intents(data, "test")).items for name, one in classifiers.items()}
    rows |= {f"stored: {engine}": stored(bot, engine) for engine in ENGINES}
    for name, items in rows.items():
        found = measures(items, 0.5)
        best = max(measures(items, t)["accuracy"] or 0.0 for t in np.arange(0.1, 1.0, 0.1))
        pair = f"{found['in_scope_accuracy']:.3f} / {found['negative_rejection']:.3f}"
        table.add_row(name, f"{found['accuracy']:.3f}", pair, f"{best:.3f}", f"{found['aurc']:.3f}")
    console.print(table)


def _share_oos(bot: str) -> str:
    labels = intents(f"hint3_{bot}", "test").intents
    return f"{labels.count('oos') / len(labels):.0%}"


def stored(bot: str, engine: str) -> Items:
    """Read the stored predictions of a platform."""
    path = shared() / "data" / "intents" / "predictions" / f"hint3_{bot}_{engine}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = sorted({row[key] for row in rows for key in ("intent", "predicted")} - {"oos"})
    code = {name: place for place, name in enumerate(names)} | {"oos": -1}
    return Items(
        _codes(rows, "intent", code),
        _codes(rows, "predicted", code),
        np.array([float(r["confidence"]) for r in rows]),
    )


def _codes(rows: list[dict[str, str]], key: str, code: dict[str, int]) -> NDArray[np.intp]:
    return np.array([code[row[key]] for row in rows], dtype=np.intp)


def braun(classifiers: dict[str, Classifier], console: Console) -> None:
    table = Table(
        title="Braun et al. corpora: weighted F1 of intents ('None' is a topic, as it was for the platforms)"
    )
    for column in ("", *BRAUN):
        table.add_column(column)
    notes = []
    for name, classifier in classifiers.items():
        found = {corpus: _braun_scores(classifier, corpus) for corpus in BRAUN}
        table.add_row(name, *(f"{f1:.3f} (accuracy {accuracy:.3f}, n = {n})" for f1, accuracy, n in found.values()))
        notes += [_not_above(name, corpus, *scores) for corpus, scores in found.items()]
    for platform in ("Watson", "LUIS", "Rasa", "Dialogflow"):
        table.add_row(f"published: {platform}", *(f"{BRAUN[corpus][platform]:.2f}" for corpus in BRAUN))
    console.print(table)
    console.print("\n".join(note for note in notes if note))


def _not_above(name: str, corpus: str, f1: float, accuracy: float, n: int) -> str:
    """Say which platforms a classifier is not above."""
    above = [f"{platform} ({figure:.2f})" for platform, figure in BRAUN[corpus].items() if figure >= f1]
    if not above:
        return ""
    return f"not above on {corpus}: {name} with F1 {f1:.3f} (accuracy {accuracy:.3f}, n = {n}): {', '.join(above)}"


def _braun_scores(classifier: Classifier, corpus: str) -> tuple[float, float, int]:
    train, test = (_none_is_a_topic(intents(corpus, split)) for split in ("train", "test"))
    items = ask(classifier, train, test).items
    return f1_scores(items, 0.0)[1] or 0.0, float(items.right.mean()), len(items)


def _none_is_a_topic(data: Labelled) -> Labelled:
    return Labelled(data.texts, ["None" if intent == "oos" else intent for intent in data.intents])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--classifier", action="append", help="may be given several times")
    names = parser.parse_args().classifier or ["linear", "vectors", "tfidf"]
    console = Console(width=140)
    classifiers: dict[str, Classifier] = {name: load_classifier(name) for name in names}  # type: ignore[misc]
    banking(classifiers, console)
    clinc(classifiers, console)
    for bot in ("curekart", "sofmattress"):
        hint3(bot, classifiers, console)
    braun(classifiers, console)


if __name__ == "__main__":
    main()
