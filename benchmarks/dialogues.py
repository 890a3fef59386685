"""The dialogue score beside the published networks and simple baselines, on the same splits of ConvAI 2017.

    python benchmarks/dialogues.py [--workers 2] [--quick] [--without-networks] [--out result.json]

Data: the subset of the published metric (2,470 dialogues, 2,840 marks). Splits: 2 x 10 folds by dialogue; one
pseudo-bot (language cluster) left out at a time; learn July, test autumn. Within a run nothing is chosen on a scored
row: networks take the epoch that is best on an inner part, our equation is learned from inner folds. (The members of
our model and their settings were chosen before, on other folds of the same dialogues: docs/decisions/dialogues.md.)
"Best epoch" is what the published tables show: the epoch that looks best on the test rows. Needs torch (extra
`train`); GloVe vectors are used where `viva models get glove` has put them.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402
from material import shared  # noqa: E402
from numpy.typing import NDArray  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from vivavoce.dialogues.corpus.preprocessing import normalise, prepare, rows  # noqa: E402
from vivavoce.dialogues.corpus.published import read_convai2017, read_dstc9, read_fed  # noqa: E402
from vivavoce.dialogues.dialogue import Dialogue, Kind, View, judge_of  # noqa: E402
from vivavoce.dialogues.model.recipe import learn_parts  # noqa: E402
from vivavoce.dialogues.model.training import bot_splits, learn_equation, learn_guess, predict_splits  # noqa: E402  # noqa: E402
from vivavoce.dialogues.networks.fitting import FAST, QUICK, Fitted, Preset, fit_preset  # noqa: E402
from vivavoce.dialogues.networks.vocabulary import Lexicon, find_vectors, make_lexicon  # noqa: E402
from vivavoce.dialogues.raters.learned import load_shipped  # noqa: E402
from vivavoce.dialogues.result import Score  # noqa: E402
from vivavoce.dialogues.splits import by_dialogue, grouped_folds  # noqa: E402
from vivavoce.dialogues.systems import system_agreement  # noqa: E402
from vivavoce.statistics import paired_correlation_difference, pearson, spearman  # noqa: E402
from vivavoce.text import viva_home  # noqa: E402

Floats = NDArray[np.float64]
Split = tuple[NDArray[np.intp], NDArray[np.intp]]

NETWORKS = ("gru", "bigru", "hre")
INNER = 2
# Folds that took no part in choosing the model.
FOLDS = (2, 3)
OURS, OURS_UNTOLD = "ours", "ours, not told who is a bot"
BASELINES = ("peer is human (bit)", "length", "TF-IDF ridge")
HONEST = "hre, honest"


@dataclass(frozen=True)
class Task:
    """One learner on one split."""

    learner: str
    splits: str
    number: int


@dataclass(frozen=True)
class Bench:
    """What all tasks share."""

    views: tuple[View, ...]
    marks: Floats
    human: NDArray[np.bool_]
    splits: dict[str, list[Split]]


@cache
def bench() -> Bench:
    """Read the data and draw all splits: the same in every process."""
    views = rows(prepare(read_convai2017(shared() / "data")))
    marks = np.array([view.quality for view in views], dtype=np.float64)
    human = np.array([view.dialogue.kind is Kind.HUMAN_HUMAN for view in views])
    july = np.array([view.dialogue.source == "july2017" for view in views])
    splits = {f"folds {seed}": grouped_folds(by_dialogue(views), 10, seed) for seed in FOLDS}
    splits["unseen"] = bot_splits(views)
    splits["later"] = [(np.flatnonzero(july), np.flatnonzero(~july))]
    return Bench(views, marks, human, splits)


@cache
def lexicon() -> Lexicon:
    dialogues = [view.dialogue for view in bench().views]
    return make_lexicon(dialogues, find_vectors(viva_home(), dialogues))


# --- learners ------------------------------------------------------------------------------------------


def run(task: Task, preset: Preset) -> tuple[Task, dict[str, Floats], float]:
    """Learn from one side of a split and return what is said about the other, by row of the table."""
    start = time.process_time()
    learning, testing = bench().splits[task.splits][task.number]
    if task.learner in NETWORKS:
        found = run_network(task.learner, learning, testing, preset)
    else:
        found = {"ours": run_ours, "baselines": run_baselines}[task.learner](learning, testing)
    return task, found, time.process_time() - start


def run_network(
    name: str, learning: NDArray[np.intp], testing: NDArray[np.intp], preset: Preset
) -> dict[str, Floats]:
    views = bench().views
    fitted = fit_preset(
        name, [views[row] for row in learning], [views[row] for row in testing], preset, seed=1, lexicon=lexicon()
    )
    return {
        f"{name}, honest": np.asarray(fitted.honest, dtype=np.float64),
        f"{name}, best epoch": _best_seen(fitted, testing),
    }


def _best_seen(fitted: Fitted, testing: NDArray[np.intp]) -> Floats:
    said = [np.asarray(epoch, dtype=np.float64) for epoch in fitted.predictions]
    return max(said, key=lambda epoch: pearson(epoch, bench().marks[testing]) or -1.0)


def run_ours(learning: NDArray[np.intp], testing: NDArray[np.intp]) -> dict[str, Floats]:
    one = bench()
    views = [one.views[row] for row in learning]
    marks, human = one.marks[learning], one.human[learning]
    inner = predict_splits(views, grouped_folds(by_dialogue(views), INNER, 0))
    guess = learn_guess(inner, human)
    parts = learn_parts(views)
    outputs = parts.predict([parts.read(one.views[row]) for row in testing])
    told = learn_equation(inner, marks, human.astype(np.float64))
    untold = learn_equation(inner, marks, guess.chance(inner))
    return {
        OURS: told.apply(outputs, one.human[testing].astype(np.float64)),
        OURS_UNTOLD: untold.apply(outputs, guess.chance(outputs)),
    }


def run_baselines(learning: NDArray[np.intp], testing: NDArray[np.intp]) -> dict[str, Floats]:
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    one = bench()
    marks = one.marks[learning]
    means = {kind: marks[one.human[learning] == kind].mean() for kind in set(one.human[learning].tolist())}
    lengths, words = _lengths(), _tfidf(learning)
    counting = make_pipeline(StandardScaler(), Ridge()).fit(lengths[learning], marks)
    return {
        BASELINES[0]: np.array([means.get(bool(kind), marks.mean()) for kind in one.human[testing]]),
        BASELINES[1]: counting.predict(lengths[testing]),
        BASELINES[2]: Ridge(alpha=4.0).fit(words[learning], marks).predict(words[testing]),
    }


@cache
def _sides() -> tuple[list[str], list[str]]:
    views = bench().views
    texts = [[(turn.speaker == view.judge, normalise(turn.text)) for turn in view.dialogue.turns] for view in views]
    own, other = (
        [" _ ".join(text for judge, text in talk if judge is side) for talk in texts] for side in (True, False)
    )
    return own, other


@cache
def _lengths() -> Floats:
    """Messages and words of each side, plain and as logarithms, words a message, and the share of messages."""
    messages = np.array([[len(text.split(" _ ")) for text in side] for side in _sides()], dtype=np.float64).T
    words = np.array([[len(text.split()) for text in side] for side in _sides()], dtype=np.float64).T
    counts = np.hstack([messages, words])
    share = messages[:, :1] / messages.sum(axis=1, keepdims=True)
    return np.hstack([counts, np.log1p(counts), words / messages, share])


def _tfidf(learning: NDArray[np.intp]) -> Any:
    from scipy import sparse
    from sklearn.feature_extraction.text import TfidfVectorizer

    tables = []
    for texts in _sides():
        made = TfidfVectorizer(
            tokenizer=str.split, token_pattern=None, ngram_range=(1, 2), min_df=2, sublinear_tf=True
        )
        made.fit([texts[row] for row in learning])
        tables.append(made.transform(texts))
    return sparse.hstack(tables).tocsr()


# --- running -------------------------------------------------------------------------------------------


def tasks(*, networks: bool, quick: bool) -> list[Task]:
    """List all work, long tasks first, so that no worker is left alone with one at the end."""
    learners = ("bigru", "ours", "gru", "hre", "baselines") if networks else ("ours", "baselines")
    return [
        Task(learner, name, number)
        for learner in learners
        for name, splits in bench().splits.items()
        for number in range(len(splits))
        if not quick or (number < 2 and name != f"folds {FOLDS[1]}")
    ]


def collect(todo: Sequence[Task], preset: Preset, workers: int, console: Console) -> dict[str, dict[str, Floats]]:
    """Run all tasks; return for each kind of split and each row of the table what was said (NaN: not tested)."""
    said: dict[str, dict[str, Floats]] = {}
    cost: dict[str, float] = {}
    with ProcessPoolExecutor(workers) as pool, console.status("starting") as status:
        waiting = [pool.submit(run, task, preset) for task in todo]
        for done, future in enumerate(as_completed(waiting), start=1):
            task, found, seconds = future.result()
            cost[task.learner] = cost.get(task.learner, 0.0) + seconds
            testing = bench().splits[task.splits][task.number][1]
            for row, values in found.items():
                empty = np.full(len(bench().views), np.nan)
                said.setdefault(task.splits, {}).setdefault(row, empty)[testing] = values
            status.update(f"{done} of {len(todo)} runs")
    for learner, seconds in cost.items():
        console.print(f"{learner}: {seconds:.0f} CPU s in all")
    return said


# --- tables --------------------------------------------------------------------------------------------


def numbers(said: Floats, mask: NDArray[np.bool_]) -> dict[str, float | None]:
    """Return what one row of the table says about some of the rows of the data."""
    mask = mask & ~np.isnan(said)
    x, y = said[mask], bench().marks[mask]
    return {
        "pearson": pearson(x, y),
        "spearman": spearman(x, y),
        "mse": float(((x - y) ** 2).mean()) if x.size else None,
    }


def columns(said: dict[str, dict[str, Floats]], row: str) -> dict[str, dict[str, float | None]]:
    bots = ~bench().human
    every = np.ones(len(bots), dtype=bool)
    folds = [said[name][row] for name in said if name.startswith("folds")]
    return {
        "overall": _mean([numbers(one, every) for one in folds]),
        "human-bot": _mean([numbers(one, bots) for one in folds]),
        "unseen bot": numbers(said["unseen"][row], bots),
        "later": numbers(said["later"][row], every),
        "later, human-bot": numbers(said["later"][row], bots),
    }


def _mean(found: Sequence[dict[str, float | None]]) -> dict[str, float | None]:
    def mean(name: str) -> float | None:
        values = [one[name] for one in found if one[name] is not None]
        return float(np.mean(values)) if len(values) == len(found) else None  # type: ignore[arg-type]

    return {name: mean(name) for name in found[0]}


def show(results: dict[str, dict[str, dict[str, float | None]]], console: Console) -> None:
    table = Table(title="Agreement with people: Pearson / Spearman / mean squared error")
    names = list(next(iter(results.values())))
    for name in ("", *names):
        table.add_column(name, justify="left" if not name else "right", no_wrap=True)
    for row, found in results.items():
        table.add_row(row, *(" / ".join(_text(found[name][measure]) for measure in found[name]) for name in names))
    console.print(table)


def _text(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.3f}"


def differences(said: dict[str, dict[str, Floats]], console: Console) -> dict[str, Any]:
    """Compare ours with the honest HRE on the same rows; dialogues are resampled whole."""
    found: dict[str, Any] = {}
    names = [name for name in said if name.startswith("folds")]
    groups = [view.dialogue.id for view in bench().views] * len(names)
    table = Table(title="Pearson of ours minus Pearson of the honest HRE, same rows, 2,000 resamples of dialogues")
    for head in ("", "rows", "difference", "95 % interval"):
        table.add_column(head)
    for row in (OURS, OURS_UNTOLD):
        for part, mask in (("overall", np.ones(len(bench().human), dtype=bool)), ("human-bot", ~bench().human)):
            own, other, marks = (
                np.concatenate([values[mask] for values in one])
                for one in (
                    [said[name][row] for name in names],
                    [said[name][HONEST] for name in names],
                    [bench().marks] * len(names),
                )
            )
            kept = ~(np.isnan(own) | np.isnan(other))
            chosen = [
                group for group, use in zip(np.array(groups)[np.tile(mask, len(names))], kept, strict=True) if use
            ]
            test = paired_correlation_difference(own[kept], other[kept], marks[kept], chosen)
            found[f"{row}: {part}"] = [test.difference, test.low, test.high]
            table.add_row(row, part, _text(test.difference), f"{_text(test.low)} to {_text(test.high)}")
    console.print(table)
    return found


# --- other data sets -----------------------------------------------------------------------------------


def transfer(console: Console) -> dict[str, Any]:
    """Score FED and DSTC9, never trained on: by the shipped model (July) and by the same recipe on all of 2017."""
    folder = shared() / "data"
    fed, dstc9 = read_fed(folder), read_dstc9(folder)
    table = Table(title="Other data sets, never trained on: Pearson / Spearman")
    for head in ("", "FED dialogues (125)", "FED, bots only", "DSTC9 dialogues", "DSTC9 systems (11)"):
        table.add_column(head)
    found: dict[str, Any] = {}
    for name, score in _scorers():
        on_fed, on_dstc9 = score(fed), score(dstc9)
        bots = [row for row, talk in enumerate(fed) if talk.kind is Kind.HUMAN_BOT]
        systems = system_agreement(dstc9, [Score(talk.id, float(x)) for talk, x in zip(dstc9, on_dstc9, strict=True)])
        cells = {
            "fed": _pair(fed, on_fed),
            "fed bots": _pair([fed[row] for row in bots], on_fed[bots]),
            "dstc9": _pair(dstc9, on_dstc9),
            "dstc9 systems": [systems.pearson.value, systems.spearman.value] if systems else [None, None],
        }
        found[name] = cells
        table.add_row(name, *(" / ".join(map(_text, cell)) for cell in cells.values()))
    console.print(table)
    return found


def _pair(dialogues: Sequence[Dialogue], said: Floats) -> list[float | None]:
    kept = ~np.isnan(said)
    marks = np.array([np.nan if talk.quality is None else talk.quality for talk in dialogues])[kept]
    return [pearson(said[kept], marks), spearman(said[kept], marks)]


def _scorers() -> Iterator[tuple[str, Any]]:
    def by_shipped(dialogues: Sequence[Dialogue]) -> Floats:
        return np.array([np.nan if one.score is None else one.score for one in load_shipped().rate(dialogues)])

    yield "shipped model (learned from July)", by_shipped
    one = bench()
    parts = learn_parts(one.views)
    inner = predict_splits(one.views, grouped_folds(by_dialogue(one.views), INNER, 0))
    told, guess = learn_equation(inner, one.marks, one.human.astype(np.float64)), learn_guess(inner, one.human)
    untold = learn_equation(inner, one.marks, guess.chance(inner))

    def outputs(dialogues: Sequence[Dialogue]) -> Floats:
        return parts.predict([parts.read(View(talk, judge_of(talk))) for talk in dialogues])

    def by_told(dialogues: Sequence[Dialogue]) -> Floats:
        people = np.array([float(talk.kind is Kind.HUMAN_HUMAN) for talk in dialogues])
        return told.apply(outputs(dialogues), people)

    def by_untold(dialogues: Sequence[Dialogue]) -> Floats:
        found = outputs(dialogues)
        return untold.apply(found, guess.chance(found))

    yield "the recipe on July and autumn", by_told
    yield "the recipe on July and autumn, not told", by_untold


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="two splits of each kind, networks hardly trained")
    parser.add_argument("--without-networks", action="store_true")
    parser.add_argument("--epochs", type=int, default=FAST.epochs)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    console, start = Console(width=200), time.perf_counter()
    networks = not options.without_networks
    preset = QUICK if options.quick else replace(FAST, epochs=options.epochs)
    console.print(f"{len(bench().views):,} marks; GloVe vectors: {'yes' if networks and lexicon().glove else 'no'}")
    said = collect(tasks(networks=networks, quick=options.quick), preset, options.workers, console)
    order = [
        *BASELINES,
        *(f"{name}, {way}" for name in NETWORKS for way in ("honest", "best epoch")),
        OURS_UNTOLD,
        OURS,
    ]
    results = {row: columns(said, row) for row in order if row in said[f"folds {FOLDS[0]}"]}
    show(results, console)
    gaps = differences(said, console) if networks else {}
    others = transfer(console)
    seconds = time.perf_counter() - start
    console.print(f"{seconds / 60:.1f} minutes")
    if options.out:
        content = {"table": results, "differences": gaps, "transfer": others, "seconds": seconds}
        options.out.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
