"""What docs/trust.md says of the shipped model beyond correlations: does it find poor talks, and is a log new to it?

    python benchmarks/dialogue_trust.py [--out figures.json]

Two tables, on talks that the model never learned from; about two minutes:

1. The worst tenth: of the tenth with the lowest scores, how many have a poor mark (2 or less; means of several marks
   count), beside how many of all talks have one.
2. Distance from the learned talks (`model/explaining.py`), and how often logs drawn from each set warn.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from material import shared
from rich.console import Console
from rich.table import Table

from vivavoce.demo import dialogues_path
from vivavoce.dialogues.corpus.preprocessing import prepare
from vivavoce.dialogues.corpus.published import (
    read_convai2017,
    read_convai2018,
    read_dstc9,
    read_fed,
)
from vivavoce.dialogues.corpus.reading import read_dialogues
from vivavoce.dialogues.dialogue import Dialogue, Kind, Utterance, View, judge_of
from vivavoce.dialogues.model.explaining import LIMIT, measure_drift
from vivavoce.dialogues.raters.learned import load_shipped
from vivavoce.dialogues.refusals import refuse
from vivavoce.dialogues.splits import language_clusters
from vivavoce.statistics import wilson

POOR = 2.0
DRAWS = 20
SIZES = (10, 20, 50)
SCRIPTED = ("sgd_flights", "sgd_doctor", "sgd_dentist", "medquad_medical")
Sets = dict[str, list[Dialogue]]


# --- material ----------------------------------------------------------------------------------------------------


def marked_sets() -> Sets:
    """Return talks of people with bots that have marks and were not learned from."""
    data = shared() / "data"
    autumn = [talk for talk in prepare(read_convai2017(data)).kept if talk.source != "july2017"]
    later = read_convai2018(data)
    every = {
        "ConvAI 2017, autumn": autumn,
        "ConvAI2 2018, paid": [talk for talk in later if talk.source.startswith("toloka")],
        "ConvAI2 2018, volunteers": [talk for talk in later if talk.source.startswith("volunteers")],
        "FED": read_fed(data),
        "DSTC9": read_dstc9(data),
    }
    return {
        name: [talk for talk in talks if talk.kind is Kind.HUMAN_BOT and not refuse(talk)]
        for name, talks in every.items()
    }


def scripted_sets() -> Sets:
    """Return talks about a task: scripted conversations, and the demo about recruiting."""
    folder = shared() / "data" / "conversations"
    found = {name: [_scripted(line) for line in (folder / f"{name}.jsonl").open("rb")] for name in SCRIPTED}
    found["demo (recruiting)"] = list(read_dialogues(dialogues_path()).dialogues)
    return {name: [talk for talk in talks if not refuse(talk)] for name, talks in found.items()}


def _scripted(line: bytes) -> Dialogue:
    item = json.loads(line)
    turns = [
        Utterance(speaker, turn.get(key) or "", speaker == "bot")
        for turn in item["turns"]
        for speaker, key in (("user", "user"), ("bot", "expected"))
    ]
    return Dialogue(item["id"], tuple(turns))


def single_bots(talks: Sequence[Dialogue]) -> Sets:
    """Return talks grouped by how the other side speaks: the data names no bots."""
    labels = language_clusters([View(talk, judge_of(talk)) for talk in talks], n=12, seed=0)
    groups: Sets = {}
    for talk, label in zip(talks, labels, strict=True):
        groups.setdefault(str(label), []).append(talk)
    return groups


# --- the worst tenth -----------------------------------------------------------------------------------------------


def worst_tenth(talks: Sequence[Dialogue]) -> dict[str, Any]:
    """Return how many of the tenth with the lowest scores have a poor mark, and how many of all."""
    rows = [
        (score.score, talk.quality)
        for talk, score in zip(talks, load_shipped().rate(talks), strict=True)
        if score.score is not None and talk.quality is not None and not score.learned
    ]
    scores, marks = np.array(rows, dtype=np.float64).T
    worst = marks[np.argsort(scores, kind="stable")[: round(len(marks) / 10)]]
    share, base = wilson(int((worst <= POOR).sum()), len(worst)), wilson(int((marks <= POOR).sum()), len(marks))
    return {"marks": len(marks), "worst": asdict(share), "all": asdict(base), "means": [worst.mean(), marks.mean()]}


def show_worst(found: dict[str, dict[str, Any]], console: Console) -> None:
    table = Table(title=f"Talks with bots: share with a mark of {POOR:g} or less")
    for head in ("", "marked talks", "worst tenth by score", "all talks", "mean mark, worst tenth / all"):
        table.add_column(head)
    for name, one in found.items():
        means = " / ".join(f"{mean:.2f}" for mean in one["means"])
        table.add_row(name, f"{one['marks']:,}", _share(one["worst"]), _share(one["all"]), means)
    console.print(table)


def _share(rate: dict[str, Any]) -> str:
    return f"{rate['value']:.0%} ({rate['low']:.0%} to {rate['high']:.0%})"


# --- distance ------------------------------------------------------------------------------------------------------


def distances(talks: Sequence[Dialogue], draws: int) -> dict[str, Any]:
    """Return the distance of a set, and the share of small logs drawn from it that warn."""
    whole, draw = measure_drift(load_shipped().model, talks), np.random.default_rng(0)
    warned = {}
    for size in (size for size in SIZES if size < len(talks)):
        logs = [[talks[row] for row in draw.choice(len(talks), size, replace=False)] for _ in range(draws)]
        found = [measure_drift(load_shipped().model, log) for log in logs]
        warned[size] = float(np.mean([one is not None and one.differs for one in found]))
    return {"talks": len(talks), "whole": None if whole is None else asdict(whole), "warned": warned}


def show_distances(found: dict[str, dict[str, Any]], console: Console) -> None:
    table = Table(title=f"Distance from the learned talks; above {LIMIT:g} a log is warned of")
    for head in ("", "talks", "distance", "differs most in", *(f"warned, logs of {size}" for size in SIZES)):
        table.add_column(head)
    for name, one in found.items():
        whole = one["whole"] or {"distance": float("nan"), "traits": ()}
        warned = [f"{one['warned'][size]:.0%}" if size in one["warned"] else "" for size in SIZES]
        table.add_row(name, f"{one['talks']:,}", f"{whole['distance']:.2f}", ", ".join(whole["traits"]), *warned)
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    console, marked = Console(width=160), marked_sets()
    worst = {name: worst_tenth(talks) for name, talks in marked.items()}
    show_worst(worst, console)
    sets = {**marked, **scripted_sets()}
    far = {name: distances(talks, options.draws) for name, talks in sets.items()}
    show_distances(far, console)
    groups = single_bots(marked["ConvAI 2017, autumn"]).values()
    drifts = [measure_drift(load_shipped().model, talks) for talks in groups]
    known = sorted(drift.distance for drift in drifts if drift is not None)
    console.print(f"Autumn, talks of bots that speak alike ({len(known)} groups): {known[0]:.2f} to {known[-1]:.2f}")
    if options.out:
        content = {"worst": worst, "distances": far, "single bots": known}
        options.out.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
