"""Where random draws come from: an own generator, or numpy's legacy one in the original order."""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeVar

import numpy as np

from vivavoce.errors import UsageError, nearest

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
