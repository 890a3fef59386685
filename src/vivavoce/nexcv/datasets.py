"""One training with its test, and what every provider of such data sets can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from vivavoce.nexcv.randomness import Draws, Mode, draws_for

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
