"""One training run of a network: every epoch's view of the test part is kept, so that two stories can be told.

"Best epoch seen" looks at the marks of the test part to choose the epoch, as the published tables do. The honest
value takes the epoch that did best on an inner part of the training rows, which no gradient has seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from vivavoce.dialogues.dialogue import View
from vivavoce.dialogues.networks.packing import Numbers, spans
from vivavoce.dialogues.networks.vocabulary import (
    DIMENSIONS,
    NOTHING,
    Floats,
    Lexicon,
    Material,
    encode,
    make_lexicon,
)
from vivavoce.dialogues.splits import check_groups
from vivavoce.errors import DataError, Fault, MissingPartError, UsageError, nearest
from vivavoce.statistics import pearson, spearman

if TYPE_CHECKING:
    from torch import Tensor
    from torch.optim import Optimizer

    from vivavoce.dialogues.networks.models import Model

ARCHITECTURES = ("gru", "bigru", "hre")
EXTRA = 'pip install "vivavoce[train]"'

# What is under way, how many epochs are done, of how many.
Progress = Callable[[str, int, int], None]

_POOL = 800
_AT_ONCE = 400
_SPREAD = 0.4


@dataclass(frozen=True)
class Preset:
    """How a network is trained.

    `patience`: stop after so many epochs without a better inner part (None: never). `decay`: the rate falls to zero
    in a straight line.
    """

    name: str
    epochs: int
    rate: float
    batch: int = 100
    patience: int | None = None
    decay: bool = False


# As published: Adam at 0.0003 for 60 epochs, batches of 100, no stop.
FAITHFUL = Preset("faithful", epochs=60, rate=3e-4)
# The same networks with a fifth of the work: smaller batches, and larger steps that become smaller.
FAST = Preset("fast", epochs=8, rate=1e-3, batch=50, decay=True)
# To see that everything runs: far too short to learn much.
QUICK = Preset("quick", epochs=2, rate=1e-3)
PRESETS = {preset.name: preset for preset in (FAITHFUL, FAST, QUICK)}


@dataclass(frozen=True)
class Fitted:
    """What one run left behind. `inner_mse`: one value an epoch; `predictions`: epochs x test rows."""

    architecture: str
    seed: int
    glove: bool
    rows: int
    inner_rows: int
    inner_mse: tuple[float, ...]
    predictions: Floats

    @property
    def epoch(self) -> int:
        """The epoch that did best on the inner part, counted from 0: chosen without the test part."""
        return int(np.argmin(self.inner_mse))

    @property
    def honest(self) -> Floats:
        """What the network of the chosen epoch says of the test rows."""
        chosen: Floats = self.predictions[self.epoch]
        return chosen


@dataclass(frozen=True, slots=True)
class Measured:
    """How well predictions agree with the marks. A correlation of constant predictions is 0."""

    mse: float
    pearson: float
    spearman: float


def fit_network(
    architecture: str,
    train: Sequence[View],
    test: Sequence[View],
    *,
    epochs: int,
    rate: float,
    seed: int = 0,
    inner: float = 0.1,
    batch: int = 100,
    patience: int | None = None,
    decay: bool = False,
    lexicon: Lexicon | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> Fitted:
    """Train a network on the rated views of `train` and keep what it says of `test` after each epoch.

    The marks of `test` are never read. `inner`: the share of training dialogues that only chooses the epoch.
    `lexicon`: made once for many runs; without one it is made from these views, its vectors learnt.
    """
    preset = Preset("", epochs, rate, batch, patience, decay)
    return fit_preset(
        architecture,
        train,
        test,
        preset,
        seed=seed,
        inner=inner,
        lexicon=lexicon,
        threads=threads,
        progress=progress,
    )


def fit_preset(
    architecture: str,
    train: Sequence[View],
    test: Sequence[View],
    preset: Preset,
    *,
    seed: int = 0,
    inner: float = 0.1,
    lexicon: Lexicon | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> Fitted:
    """Do the same with the numbers of a preset."""
    require_torch()
    check_architectures([architecture])
    _check(train, test, preset, inner)
    known = lexicon or make_lexicon(view.dialogue for view in (*train, *test))
    material = encode([*train, *test], known)
    fit, held = split_inner(material.groups[: len(train)], inner, seed)
    run = _Run(material, fit, held, np.arange(len(train), len(material)), preset, seed)
    tell = partial(progress, architecture) if progress else None
    with _threads(threads):
        seen = list(_epochs(_start(architecture, run, known), run, tell))
    errors, said = zip(*seen, strict=True)
    return Fitted(architecture, seed, known.glove, len(fit), len(held), errors, np.stack(said))


@dataclass(frozen=True)
class _Run:
    """What a run works on: the rows to learn from, those that choose the epoch, those that are tested."""

    material: Material
    fit: Numbers
    held: Numbers
    test: Numbers
    preset: Preset
    seed: int


def require_torch() -> None:
    """Refuse to start where torch is not installed."""
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise MissingPartError("the network models need torch, which is not installed", remedy=EXTRA) from error


def check_architectures(names: Sequence[str]) -> None:
    """Refuse names of networks that do not exist, all at once."""
    wrong = [name for name in names if name not in ARCHITECTURES]
    if wrong or not names:
        raise UsageError(
            "these networks do not exist" if wrong else "no network is named",
            faults=[Fault(f"'{name}' is not known.{nearest(name, ARCHITECTURES)}") for name in wrong],
            remedy=f"take some of {', '.join(ARCHITECTURES)}",
        )


def _check(train: Sequence[View], test: Sequence[View], preset: Preset, inner: float) -> None:
    views = (*train, *test)
    check_groups(views, range(len(train)), range(len(train), len(views)))
    if preset.epochs < 1 or preset.batch < 1 or not preset.rate > 0 or not 0 < inner < 1:
        raise UsageError(
            f"epochs={preset.epochs}, batch={preset.batch}, rate={preset.rate}, inner={inner} cannot be trained with",
            remedy="give at least one epoch and row, a rate above 0 and an inner share between 0 and 1",
        )
    unrated = [view.dialogue.id for view in train if view.quality is None]
    if unrated or len({view.dialogue.id for view in train}) < 2:
        raise DataError(
            "the network needs two or more dialogues to learn from, every view with a mark",
            faults=[Fault("no mark", f"dialogue {name}") for name in unrated],
            remedy="leave out the views without a mark and give more dialogues",
        )


def split_inner(groups: Numbers, share: float, seed: int) -> tuple[Numbers, Numbers]:
    """Divide rows into those to learn from and those that choose the epoch; a group is never on both sides."""
    names = np.unique(groups)
    count = min(max(1, round(share * len(names))), len(names) - 1)
    held = np.random.default_rng([seed, 1]).permutation(names)[:count]
    inside = np.isin(groups, held)
    return np.flatnonzero(~inside), np.flatnonzero(inside)


@contextmanager
def _threads(count: int) -> Iterator[None]:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _start(architecture: str, run: _Run, known: Lexicon) -> Model:
    from vivavoce.dialogues.networks.models import build

    return build(architecture, _vectors(run, known), seed=run.seed, learn=not known.glove)


def _vectors(run: _Run, known: Lexicon) -> Tensor:
    import torch

    if known.vectors is not None:
        return torch.from_numpy(known.vectors)
    drawn = np.random.default_rng([run.seed, 2]).normal(0, _SPREAD, (known.size, DIMENSIONS)).astype(np.float32)
    talks = np.unique(run.material.talk[run.fit])
    shown = run.material.text[spans(run.material.text_starts[talks], run.material.text_lengths[talks])]
    # A word that training never shows stays nothing, as one without a GloVe vector does.
    drawn[np.setdiff1d(np.arange(known.size), shown)] = 0
    drawn[NOTHING] = 0
    return torch.from_numpy(drawn)


def _epochs(model: Model, run: _Run, tell: Callable[[int, int], None] | None) -> Iterator[tuple[float, Floats]]:
    """Yield the error on the inner part and what is said of the test part after each epoch, until time to stop."""
    import torch

    preset, chance = run.preset, np.random.default_rng([run.seed, 3])
    optimizer = torch.optim.Adam([weight for weight in model.parameters() if weight.requires_grad], lr=preset.rate)
    watched, best, waited = np.concatenate([run.held, run.test]), np.inf, 0
    for epoch in range(preset.epochs):
        made = list(batches(run.material, run.fit, preset.batch, chance))
        for done, rows in enumerate(made):
            left = 1 - (epoch + done / len(made)) / preset.epochs if preset.decay else 1
            optimizer.param_groups[0]["lr"] = preset.rate * left
            _learn(model, run.material, rows, optimizer)
        said = predict(model, run.material, watched)
        error = float(np.mean((said[: len(run.held)] - run.material.marks[run.held]) ** 2))
        yield error, said[len(run.held) :]
        if tell:
            tell(epoch + 1, preset.epochs)
        best, waited = (error, 0) if error < best else (best, waited + 1)
        if preset.patience is not None and waited >= preset.patience:
            return


def _learn(model: Model, material: Material, rows: Numbers, optimizer: Optimizer) -> None:
    import torch

    optimizer.zero_grad()
    wanted = torch.from_numpy(material.marks[rows])
    loss: Any = torch.nn.functional.mse_loss(model(material, rows), wanted)
    loss.backward()
    optimizer.step()


def batches(material: Material, rows: Numbers, size: int, chance: np.random.Generator) -> Iterator[Numbers]:
    """Yield all rows once in random batches, talks of similar length together: short ones need not wait.

    Only within pools of 800 rows, because marks go with length: batches of one length would pull to and fro.
    """
    keys = chance.permutation(len(material))[material.groups[rows]]
    shuffled = rows[np.argsort(keys, kind="stable")]
    made: list[Numbers] = []
    for start in range(0, len(shuffled), _POOL):
        pool = shuffled[start : start + _POOL]
        pool = pool[np.argsort(material.text_lengths[material.talk[pool]], kind="stable")]
        made += [pool[at : at + size] for at in range(0, len(pool), size)]
    for number in chance.permutation(len(made)):
        yield made[number]


def predict(model: Model, material: Material, rows: Numbers) -> Floats:
    """Return what the network says of these rows."""
    import torch

    said = np.empty(len(rows), dtype=np.float32)
    order = np.argsort(material.text_lengths[material.talk[rows]], kind="stable")
    with torch.no_grad():
        for start in range(0, len(order), _AT_ONCE):
            part = order[start : start + _AT_ONCE]
            said[part] = model(material, rows[part]).numpy()
    return said


def measure(said: Floats, marks: Floats) -> Measured:
    """Return how well these predictions agree with the marks."""
    error = float(np.mean((said - marks) ** 2))
    return Measured(error, pearson(said, marks) or 0.0, spearman(said, marks) or 0.0)


def best_seen(fitted: Fitted, marks: Floats) -> Measured:
    """Return the best value of each measure over all epochs, each on its own: it has looked at the test marks."""
    every = [measure(said, marks) for said in fitted.predictions]
    return Measured(
        min(found.mse for found in every),
        max(found.pearson for found in every),
        max(found.spearman for found in every),
    )
