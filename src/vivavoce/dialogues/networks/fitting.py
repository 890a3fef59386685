"""One training run of a network: every epoch's view of the test part is kept, for two values.

"Best epoch seen" looks at the ratings of the test part to choose the epoch, as the published tables do. The honest
value takes the epoch that did best on an inner part of the training rows, which no gradient has seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from vivavoce.dialogues.dialogue import View
from vivavoce.dialogues.networks.vocabulary import (
    DIMENSIONS,
    NOTHING,
    Floats,
    Lexicon,
    Material,
    Numbers,
    encode,
    make_lexicon,
    spans,
)
from vivavoce.dialogues.splits import check_groups
from vivavoce.errors import DataError, Fault, MissingPartError, UsageError, nearest
from vivavoce.statistics import pearson, spearman

if TYPE_CHECKING:
    from torch import Tensor

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

    `patience`: stop after this many epochs without a better inner part (None: never). `decay`: the rate falls to zero
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
    """How well predictions agree with the ratings. A correlation of constant predictions is 0."""

    mse: float
    pearson: float
    spearman: float


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
    """Train a network on the rated views of `train` and keep what it says of `test` after each epoch.

    The ratings of `test` are never read. `inner`: the share of training dialogues that only chooses the epoch.
    `lexicon`: made once for many runs; without one it is made from these views, its vectors learnt.
    """
    require_torch()
    import torch

    from vivavoce.dialogues.networks.models import build

    check_architectures([architecture])
    _check(train, test, preset, inner)
    lexicon = lexicon or make_lexicon(view.dialogue for view in (*train, *test))
    material = encode([*train, *test], lexicon)
    fit, held = split_inner(material.groups[: len(train)], inner, seed)
    watched = np.concatenate([held, np.arange(len(train), len(material))])
    tell = partial(progress, architecture) if progress else None
    threads_before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        vectors = _make_vectors(material, fit, lexicon, seed)
        model = build(architecture, vectors, seed=seed, learn=not lexicon.glove)
        errors, predictions = [], []
        for error, predicted in _run_epochs(
            model, material, fit, watched, held=len(held), preset=preset, seed=seed, tell=tell
        ):
            errors.append(error)
            predictions.append(predicted)
    finally:
        torch.set_num_threads(threads_before)
    return Fitted(architecture, seed, lexicon.glove, len(fit), len(held), tuple(errors), np.stack(predictions))


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
            "unknown networks" if wrong else "no network given",
            faults=[Fault(f"unknown network '{name}'.{nearest(name, ARCHITECTURES)}") for name in wrong],
            remedy=f"choose from {', '.join(ARCHITECTURES)}",
        )


def _check(train: Sequence[View], test: Sequence[View], preset: Preset, inner: float) -> None:
    views = (*train, *test)
    check_groups(views, range(len(train)), range(len(train), len(views)))
    if preset.epochs < 1 or preset.batch < 1 or not preset.rate > 0 or not 0 < inner < 1:
        raise UsageError(
            f"cannot train with epochs={preset.epochs}, batch={preset.batch}, rate={preset.rate}, inner={inner}",
            remedy="use at least one epoch and row, a rate above 0 and an inner share between 0 and 1",
        )
    unrated = [view.dialogue.id for view in train if view.quality is None]
    if unrated or len({view.dialogue.id for view in train}) < 2:
        raise DataError(
            "the network needs two or more dialogues to train on, and a rating for every view",
            faults=[Fault("no rating", f"dialogue {name}") for name in unrated],
            remedy="remove the views without a rating and add more dialogues",
        )


def split_inner(groups: Numbers, share: float, seed: int) -> tuple[Numbers, Numbers]:
    """Divide rows into those to learn from and those that choose the epoch; a group is never on both sides."""
    names = np.unique(groups)
    count = min(max(1, round(share * len(names))), len(names) - 1)
    held = np.random.default_rng([seed, 1]).permutation(names)[:count]
    inside = np.isin(groups, held)
    return np.flatnonzero(~inside), np.flatnonzero(inside)


def _make_vectors(material: Material, fit: Numbers, lexicon: Lexicon, seed: int) -> Tensor:
    import torch

    if lexicon.vectors is not None:
        return torch.from_numpy(lexicon.vectors)
    vectors = np.random.default_rng([seed, 2]).normal(0, _SPREAD, (lexicon.size, DIMENSIONS)).astype(np.float32)
    dialogues = np.unique(material.dialogue[fit])
    words = material.text[spans(material.text_starts[dialogues], material.text_lengths[dialogues])]
    # A word that training never shows stays nothing, as one without a GloVe vector does.
    vectors[np.setdiff1d(np.arange(lexicon.size), words)] = 0
    vectors[NOTHING] = 0
    return torch.from_numpy(vectors)


def _run_epochs(
    model: Model,
    material: Material,
    fit: Numbers,
    watched: Numbers,
    *,
    held: int,
    preset: Preset,
    seed: int,
    tell: Callable[[int, int], None] | None,
) -> Iterator[tuple[float, Floats]]:
    """Yield the error on the inner part and what is said of the test part after each epoch, until time to stop.

    `watched`: first the rows of the inner part (`held` of them), then those of the test part.
    """
    import torch

    chance = np.random.default_rng([seed, 3])
    optimizer = torch.optim.Adam([weight for weight in model.parameters() if weight.requires_grad], lr=preset.rate)
    best, waited = np.inf, 0
    for epoch in range(preset.epochs):
        parts = list(batches(material, fit, preset.batch, chance))
        for done, rows in enumerate(parts):
            left = 1 - (epoch + done / len(parts)) / preset.epochs if preset.decay else 1
            optimizer.param_groups[0]["lr"] = preset.rate * left
            optimizer.zero_grad()
            loss: Any = torch.nn.functional.mse_loss(model(material, rows), torch.from_numpy(material.ratings[rows]))
            loss.backward()
            optimizer.step()
        predicted = predict(model, material, watched)
        error = float(np.mean((predicted[:held] - material.ratings[watched[:held]]) ** 2))
        yield error, predicted[held:]
        if tell:
            tell(epoch + 1, preset.epochs)
        best, waited = (error, 0) if error < best else (best, waited + 1)
        if preset.patience is not None and waited >= preset.patience:
            return


def batches(material: Material, rows: Numbers, size: int, chance: np.random.Generator) -> Iterator[Numbers]:
    """Yield all rows once in random batches, dialogues of similar length together.

    Only within pools of 800 rows, because ratings go with length: batches of one length would pull to and fro.
    """
    keys = chance.permutation(len(material))[material.groups[rows]]
    shuffled = rows[np.argsort(keys, kind="stable")]
    parts: list[Numbers] = []
    for start in range(0, len(shuffled), _POOL):
        pool = shuffled[start : start + _POOL]
        pool = pool[np.argsort(material.text_lengths[material.dialogue[pool]], kind="stable")]
        parts += [pool[at : at + size] for at in range(0, len(pool), size)]
    for number in chance.permutation(len(parts)):
        yield parts[number]


def predict(model: Model, material: Material, rows: Numbers) -> Floats:
    """Return what the network says of these rows."""
    import torch

    predictions = np.empty(len(rows), dtype=np.float32)
    order = np.argsort(material.text_lengths[material.dialogue[rows]], kind="stable")
    with torch.no_grad():
        for start in range(0, len(order), _AT_ONCE):
            part = order[start : start + _AT_ONCE]
            predictions[part] = model(material, rows[part]).numpy()
    return predictions


def measure(predictions: Floats, ratings: Floats) -> Measured:
    """Return how well these predictions agree with the ratings."""
    error = float(np.mean((predictions - ratings) ** 2))
    return Measured(error, pearson(predictions, ratings) or 0.0, spearman(predictions, ratings) or 0.0)


def best_seen(fitted: Fitted, ratings: Floats) -> Measured:
    """Return the best value of each measure over all epochs, each alone: it has looked at the test ratings."""
    epochs = [measure(predictions, ratings) for predictions in fitted.predictions]
    return Measured(
        min(epoch.mse for epoch in epochs),
        max(epoch.pearson for epoch in epochs),
        max(epoch.spearman for epoch in epochs),
    )
