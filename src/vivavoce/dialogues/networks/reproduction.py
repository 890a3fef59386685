"""The published tables of the network models beside what the same networks give here.

What is the same: the architectures and their sizes, frozen GloVe vectors of 100 dimensions with zeros for unknown
words and for the end mark, Adam at 0.0003, mean squared error, batches of 100, 60 epochs, five fixed splits of 10
percent made before the second copy of a dialogue that both sides rated. What differs: the splits themselves; rows
are shuffled in each epoch (published: always the same order, the rest behind the last full batch never seen); the
test part is looked at once an epoch (published: every 10 steps, so that its best value had more chances); one tenth
of the training dialogues chooses the epoch of the honest value and is not learnt from; the copy of GloVe at hand has
no single letters, numbers and endings such as "n't" (random vectors in their place changed nothing).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from vivavoce.dialogues.dialogue import Dialogue, View, rated_views
from vivavoce.dialogues.networks.fitting import (
    ARCHITECTURES,
    FAITHFUL,
    Measured,
    Preset,
    Progress,
    best_seen,
    check_architectures,
    fit_preset,
    measure,
    require_torch,
)
from vivavoce.dialogues.networks.vocabulary import Lexicon, make_lexicon
from vivavoce.dialogues.splits import SEEDS, by_dialogue, fixed_splits
from vivavoce.errors import DataError
from vivavoce.text.glove import WordVectors

SHARE = 0.1
# Validation loss, Pearson and Spearman as published: the best of all epochs, mean of five splits.
PUBLISHED = {"gru": Measured(1.64, 0.39, 0.39), "bigru": Measured(1.66, 0.37, 0.37), "hre": Measured(1.6, 0.42, 0.42)}


@dataclass(frozen=True, slots=True)
class Spread:
    """A mean over splits and its standard deviation (None for a single split)."""

    mean: float
    sd: float | None


@dataclass(frozen=True, slots=True)
class Averages:
    """The three measures over all splits."""

    mse: Spread
    pearson: Spread
    spearman: Spread


@dataclass(frozen=True, slots=True)
class Row:
    """One architecture: as published, best of all epochs seen here, and with the epoch chosen without the test."""

    architecture: str
    published: Measured
    best: Averages
    honest: Averages


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The tables. `views`: the rows that were learnt from and tested on; `glove`: GloVe or vectors learnt here."""

    rows: tuple[Row, ...]
    preset: Preset
    seeds: tuple[int, ...]
    dialogues: int
    views: int
    glove: bool


# Architecture and seed of a network, and the rows that it learns from and is tested on.
_Unit = tuple[str, int, tuple[int, ...], tuple[int, ...]]
# Best epoch seen, and the honest value.
_Result = tuple[Measured, Measured]


def reproduce(
    dialogues: Sequence[Dialogue],
    *,
    preset: Preset = FAITHFUL,
    seeds: Sequence[int] = SEEDS,
    architectures: Sequence[str] = ARCHITECTURES,
    vectors: WordVectors | None = None,
    progress: Progress | None = None,
    workers: int = 1,
) -> Reproduction:
    """Train each network on each split of these prepared dialogues and set the results beside the published ones.

    `vectors`: from `vocabulary.find_vectors`; without them each network learns its own. `workers`: processes.
    """
    require_torch()
    check_architectures(architectures)
    views = tuple(rated_views(dialogues))
    if not views or not seeds:
        raise DataError("nothing to train on", remedy="provide rated dialogues and at least one split")
    splits = fixed_splits(by_dialogue(views), SHARE, seeds)
    units = [
        (name, seed, tuple(train.tolist()), tuple(test.tolist()))
        for name, (seed, (train, test)) in product(architectures, zip(seeds, splits, strict=True))
    ]
    lexicon = make_lexicon(dialogues, vectors)
    run = partial(_run, views=views, lexicon=lexicon, preset=preset)
    results = list(_run_all(units, run, preset.epochs, progress, workers))
    rows = []
    for place, name in enumerate(architectures):
        best, honest = zip(*results[place * len(seeds) : (place + 1) * len(seeds)], strict=True)
        rows.append(Row(name, PUBLISHED[name], _average(best), _average(honest)))
    return Reproduction(tuple(rows), preset, tuple(seeds), len(dialogues), len(views), lexicon.glove)


def _run(
    unit: _Unit, *, views: Sequence[View], lexicon: Lexicon, preset: Preset, progress: Progress | None = None
) -> _Result:
    architecture, seed, *sides = unit
    train, test = ([views[row] for row in rows] for rows in sides)
    fitted = fit_preset(architecture, train, test, preset, seed=seed, lexicon=lexicon, progress=progress)
    ratings = np.asarray([view.quality for view in test], dtype=np.float32)
    return best_seen(fitted, ratings), measure(fitted.honest, ratings)


def _run_all(
    units: Sequence[_Unit], run: Callable[..., _Result], epochs: int, progress: Progress | None, workers: int
) -> Iterator[_Result]:
    """Yield the results in order; with several workers each network runs in a process."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    tell: Progress = progress or (lambda name, done, total: None)
    total = len(units) * epochs
    if workers < 2:
        for number, unit in enumerate(units):
            yield run(unit, progress=partial(_shift, tell, number * epochs, total))
            # A network that has stopped early has done its share too.
            tell(unit[0], (number + 1) * epochs, total)
        return
    # Fresh processes: a copy of one in which torch has started threads may hang.
    with ProcessPoolExecutor(min(workers, len(units)), mp_context=get_context("spawn")) as pool:
        for number, result in enumerate(pool.map(run, units), 1):
            tell(units[number - 1][0], number * epochs, total)
            yield result


def _shift(tell: Progress, before: int, total: int, name: str, epoch: int, _: int) -> None:
    tell(name, before + epoch, total)


def _average(results: Sequence[Measured]) -> Averages:
    spreads = []
    for name in ("mse", "pearson", "spearman"):
        values = [getattr(result, name) for result in results]
        spreads.append(Spread(float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else None))
    return Averages(*spreads)
