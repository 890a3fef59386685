"""One training with its test, and what every provider of such data sets can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

import numpy as np

from vivavoce.errors import UsageError, nearest

Tuple4 = tuple[list[Any], list[Any], list[Any], list[Any]]


@dataclass(frozen=True)
class TestingDataset:
    """One training and what to ask after it; `y_test` is None for negatives, `origins` their own labels."""

    __test__ = False  # not a test case, whatever its name says

    X_train: list[Any]
    y_train: list[Any]
    X_test: list[Any]
    y_test: list[Any]
    origins: list[Any] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def as_tuple(self) -> Tuple4:
        """Return the four lists of the original."""
        return self.X_train, self.y_train, self.X_test, self.y_test


class TestingDatasetProvider(ABC):
    """Makes the data sets that an evaluator trains and tests on. A subclass needs `get_datasets` only."""

    __test__ = False  # not a test case, whatever its name says
    repeats = True  # whether the data sets are repetitions of one experiment, so that a mean has a meaning

    def __str__(self) -> str:
        return type(self).__name__

    @abstractmethod
    def get_datasets(self, X: Sequence[Any], y: Sequence[Any]) -> list[Tuple4]:
        """Return `(X_train, y_train, X_test, y_test)` for each training."""

    def make_datasets(self, X: Sequence[Any], y: Sequence[Any], draws: Draws) -> Iterator[TestingDataset]:
        """Yield the data sets one at a time."""
        return (TestingDataset(*data) for data in self.get_datasets(X, y))

    def draws(self) -> Draws:
        """Return the draws of one evaluation."""
        return draws_for("fixed", None)

    def config(self) -> dict[str, Any]:
        """Return the options that results record."""
        return {}

    def describe(self, y: Sequence[Any]) -> dict[str, Any]:
        """Return what the options make of these labels."""
        return {}

    def warnings(self, X: Sequence[Any], y: Sequence[Any]) -> list[str]:
        """Say what in these data or options spoils the numbers."""
        return []


class SeededDatasetProvider(TestingDatasetProvider):
    """A provider of ours: it draws by mode and seed, and yields its data sets one at a time."""

    mode: Mode
    random_state: Any

    def draws(self) -> Draws:
        """Return fresh draws at the seed."""
        return draws_for(self.mode, self.random_state)

    def get_datasets(self, X: Sequence[Any], y: Sequence[Any]) -> list[Tuple4]:
        """Return one `(X_train, y_train, X_test, y_test)` for each training."""
        return [data.as_tuple() for data in self.make_datasets(X, y, self.draws())]


Mode = Literal["fixed", "exact"]
MODES: tuple[Mode, ...] = ("fixed", "exact")
T = TypeVar("T")


class Draws(Protocol):
    """The two kinds of draws of an evaluation."""

    seed: int | None

    def shuffle(self, items: list[T]) -> list[T]:
        """Return the items in random order, for a split."""
        ...

    def sample(self, items: list[T], count: int) -> list[T]:
        """Return `count` of the items to show to people."""
        ...


class OwnDraws:
    """Draws from a generator of its own, so that nothing else in the process disturbs them."""

    def __init__(self, random_state: int | np.random.Generator | None) -> None:
        """Start at the seed; without one, choose and remember one so that the run can be repeated."""
        if random_state is None:
            random_state = int(np.random.SeedSequence().generate_state(1)[0])
        self.seed = random_state if isinstance(random_state, int) else None
        self._splits = np.random.default_rng(random_state)
        # A child: how many samples are shown must not change which splits are drawn.
        self._samples = self._splits.spawn(1)[0]

    def shuffle(self, items: list[T]) -> list[T]:
        """Return the items in random order."""
        return [items[index] for index in self._splits.permutation(len(items)).tolist()]

    def sample(self, items: list[T], count: int) -> list[T]:
        """Return a random choice in random order."""
        return [items[index] for index in self._samples.permutation(len(items))[:count].tolist()]


class LegacyDraws:
    """Draws as the original made them: one generator, lists shuffled in place, the first items as samples."""

    def __init__(self, random_state: int | np.random.RandomState | None) -> None:
        """Start at the seed, or use numpy's global generator where it stands."""
        self.seed = random_state if isinstance(random_state, int) else None
        if isinstance(random_state, int):
            random_state = np.random.RandomState(random_state)
        self._shuffle: Any = np.random.shuffle if random_state is None else random_state.shuffle

    def shuffle(self, items: list[T]) -> list[T]:
        """Return the items in random order."""
        copy = list(items)
        self._shuffle(copy)
        return copy

    def sample(self, items: list[T], count: int) -> list[T]:
        """Return the first items, shuffled: the original's choice, not a random one."""
        return self.shuffle(items[:count])


def check_mode(mode: str) -> Mode:
    """Return the mode, or refuse it with the nearest known one."""
    for known in MODES:
        if mode == known:
            return known
    raise UsageError(f"unknown mode {mode!r}.{nearest(str(mode), MODES)}", remedy="use 'fixed' or 'exact'")


def draws_for(mode: Mode, random_state: Any) -> Draws:
    """Return fresh draws: the same seed gives the same draws again."""
    if isinstance(random_state, np.integer):
        random_state = int(random_state)
    kinds = (int, np.random.Generator) if mode == "fixed" else (int, np.random.RandomState)
    wrong_kind = isinstance(random_state, bool) or not isinstance(random_state, (*kinds, type(None)))
    too_large = mode == "exact" and isinstance(random_state, int) and random_state >= 2**32
    if wrong_kind or too_large or (isinstance(random_state, int) and random_state < 0):
        raise UsageError(
            f"random_state {random_state!r} cannot be used in mode {mode!r}",
            remedy="use a whole number of 0 or more, or None",
        )
    return OwnDraws(random_state) if mode == "fixed" else LegacyDraws(random_state)
