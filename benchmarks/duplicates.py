"""Near-duplicates: changed copies of examples are added; how many are found, and what else is taken for one?

    python benchmarks/duplicates.py [--seeds 12]

BANKING77, thinned to a long tail, gets copies of 40 examples, changed in one of five ways. "Found": the copy and its
source are one group. "Groups with strangers": groups of copies that hold an example that was no near-duplicate of the
source before. "Natural": contradictions that the data had from the start; a person would have to judge them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from material import intents
from planted import thin_topics
from rich.console import Console
from rich.table import Table

from vivavoce.statistics import wilson
from vivavoce.text.duplicates import duplicate_groups

COPIES = 40


def change_case(text: str, rng: np.random.Generator) -> str:
    return text.upper().rstrip("?.!") + "!"


def make_typo(text: str, rng: np.random.Generator) -> str:
    """Swap two letters inside the longest word."""
    word = max(text.split(), key=len)
    place = int(rng.integers(1, max(2, len(word) - 2)))
    return text.replace(word, word[:place] + word[place + 1 : place + 2] + word[place] + word[place + 2 :], 1)


def change_order(text: str, rng: np.random.Generator) -> str:
    first, *rest = text.rstrip("?.!").split()
    return " ".join([*rest, first])


def add_stop_word(text: str, rng: np.random.Generator) -> str:
    return f"{rng.choice(['and', 'but', 'so'])} {text}"


CHANGES: dict[str, Callable[[str, np.random.Generator], str]] = {
    "none": lambda text, _: text,
    "case and punctuation": change_case,
    "typo": make_typo,
    "word order": change_order,
    "stop word": add_stop_word,
}


def inject(by_topic: dict[str, list[str]], kind: str, seed: int) -> tuple[int, int, int]:
    """Return how many copies were found, how many of their groups hold strangers, and natural contradictions."""
    rng = np.random.default_rng(seed)
    topics = thin_topics(by_topic, rng)
    texts = [text for each in topics.values() for text in each]
    owners = [topic for topic, each in topics.items() for _ in each]
    before = np.asarray(duplicate_groups(texts))
    chosen = rng.choice(len(texts), COPIES, replace=False)
    copies = [CHANGES[kind](texts[row], rng) for row in chosen]
    groups = np.asarray(duplicate_groups([*texts, *copies]))
    found = false = 0
    for copy, row in enumerate(chosen):
        own = groups[len(texts) + copy]
        found += own == groups[row]
        known = set(np.flatnonzero(before == before[row]))
        members = set(np.flatnonzero(groups[: len(texts)] == own))
        false += bool(members - known)
    labels: dict[int, set[str]] = {}
    for group, owner in zip(before, owners, strict=True):
        labels.setdefault(int(group), set()).add(owner)
    return found, false, sum(len(each) > 1 for each in labels.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=12)
    options = parser.parse_args()
    by_topic: dict[str, list[str]] = {}
    for text, topic in zip(*intents("banking77", "train"), strict=True):
        by_topic.setdefault(topic, []).append(text)
    table = Table(title=f"Injected copies, {options.seeds} seeds x {COPIES}")
    for column in ("change", "found", "95 % interval", "groups with strangers", "natural"):
        table.add_column(column, justify="left" if column == "change" else "right")
    for kind in CHANGES:
        totals = np.sum([inject(by_topic, kind, seed) for seed in range(options.seeds)], axis=0)
        n = options.seeds * COPIES
        rate = wilson(int(totals[0]), n)
        interval = f"{rate.low:.3f} to {rate.high:.3f}"
        table.add_row(kind, f"{rate.value:.3f}", interval, f"{totals[1]} of {n}", f"{totals[2] / options.seeds:.1f}")
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
