"""Splits with plausible negative examples: pure index generators that know no model.

Topics are large or small (Algorithms 2 and 3 of the nex-cv paper). A large topic is divided between training
and test. A small topic is either trained whole or, in its turn, held out whole: its messages are then
*plausible negatives*, questions of the right domain that no trained topic fits. Near-duplicates (one group)
never stand on both sides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import UsageError
from vivavoce.settings import PAPER, Settings

Rows = NDArray[np.intp]
Flags = NDArray[np.bool_]
OUT_OF_SCOPE = -1


@dataclass(frozen=True, slots=True, order=True)
class Setting:
    """Which topics may serve as negatives: those under `k` examples, or the smallest up to the share `p`."""

    k: int = 0
    p: float = 0.0

    def __post_init__(self) -> None:
        if self.k and self.p:
            raise UsageError(
                f"setting ({self.k}, {self.p:g}) sets both K and P, but only one is allowed",
                remedy="set one of them to 0",
            )
        if self.k < 0 or int(self.k) != self.k:
            raise UsageError(f"K must be a whole number of 0 or more, not {self.k}")
        if not 0 <= self.p < 1:
            raise UsageError(f"P must be at least 0 and below 1, not {self.p}")

    def __str__(self) -> str:
        return f"({self.k}, {self.p:g})"

    @classmethod
    def parse(cls, text: str) -> Setting:
        """Read `K,P` as typed on a command line."""
        parts = text.strip("() ").split(",")
        try:
            k, p = int(parts[0]), float(parts[1])
        except (IndexError, ValueError):
            raise UsageError(f"'{text}' is not a setting", remedy="write K,P, for example 0,0.15 or 5,0") from None
        return cls(k, p)


PAPER_SETTINGS = tuple(Setting(k, p) for k, p in PAPER)


class Singletons(StrEnum):
    """What happens to a topic with one example."""

    TRAIN = "train"
    TEST = "test"
    NEGATIVE = "negative"
    DROP = "drop"


class Partition(StrEnum):
    """How test rows are drawn: rotating folds (every example is tested) or independent draws (the paper)."""

    KFOLD = "kfold"
    RANDOM = "random"


@dataclass(frozen=True, slots=True)
class Design:
    """How often and how the data are divided."""

    setting: Setting = Setting()
    retries: int = Settings.retries
    test_fraction: float = Settings.test_fraction
    partition: Partition = Partition.KFOLD
    singletons: Singletons = Singletons.TRAIN
    seed: int = 0

    def __post_init__(self) -> None:
        if self.retries < 1:
            raise UsageError(f"the number of rounds must be at least 1, not {self.retries}")
        if not 0 < self.test_fraction < 1:
            raise UsageError(f"the test fraction must be between 0 and 1, not {self.test_fraction}")

    @property
    def folds(self) -> int:
        """How many folds a k-fold partition rotates through."""
        return max(2, round(1 / self.test_fraction))


@dataclass(frozen=True, eq=False)
class Split:
    """One division: rows to train on, rows to test on, and which of the latter are negatives."""

    retry: int
    train: Rows
    test: Rows
    negative: Flags
    excluded: Rows


class SplitPlan:
    """All divisions of one data set under one design. `labels` are topic codes, -1 for out of scope."""

    def __init__(self, labels: Rows, design: Design, groups: Rows | None = None) -> None:
        self.labels = np.asarray(labels, dtype=np.intp)
        self.design = design
        self.groups = np.arange(len(self.labels)) if groups is None else np.unique(groups, return_inverse=True)[1]
        if not len(np.setdiff1d(np.flatnonzero(self.sizes > 1), self.low_topics())):
            raise UsageError(
                f"setting {design.setting} leaves no topic to test: every topic is small or has one example",
                remedy="lower K or P, or add examples",
            )

    @cached_property
    def sizes(self) -> Rows:
        """Examples per topic code."""
        known = self.labels[self.labels >= 0]
        return np.bincount(known, minlength=int(known.max()) + 1 if len(known) else 0)

    @cached_property
    def singletons(self) -> Rows:
        """Topic codes with one example."""
        return np.flatnonzero(self.sizes == 1)

    def low_topics(self, rng: np.random.Generator | None = None) -> Rows:
        """Return the small topics; ties in size at the border are broken by `rng`, once for each round."""
        setting, sizes = self.design.setting, self.sizes
        if setting.k:
            low = np.flatnonzero((sizes > 0) & (sizes < setting.k))
        else:
            topics = np.flatnonzero(sizes)
            order = rng.permutation(topics) if rng is not None else topics
            order = order[np.argsort(sizes[order], kind="stable")]
            before = np.cumsum(sizes[order]) - sizes[order]
            low = np.asarray(order[before < setting.p * sizes.sum()])
        if self.design.singletons is Singletons.NEGATIVE:
            low = np.union1d(low, self.singletons)
        if self.design.singletons is Singletons.DROP:
            low = np.setdiff1d(low, self.singletons)
        return low.astype(np.intp)

    @cached_property
    def share_low(self) -> float:
        """The share of examples in small topics: what P reached, or what K took."""
        total = self.sizes.sum()
        return float(self.sizes[self.low_topics()].sum() / total) if total else 0.0

    @property
    def is_plain(self) -> bool:
        """Whether no topic is small, so that the setting is the same as (0, 0)."""
        return len(self.low_topics()) == 0

    def __len__(self) -> int:
        return self.design.retries

    def __iter__(self) -> Iterator[Split]:
        for retry in range(self.design.retries):
            yield self.split(retry)

    def split(self, retry: int) -> Split:
        """Return the division number `retry`; every call gives the same rows."""
        kfold = self.design.partition is Partition.KFOLD
        turn, fold = divmod(retry, self.design.folds) if kfold else (retry, 0)
        rng = np.random.default_rng([self.design.seed, turn])
        low = rng.permutation(self.low_topics(rng))
        place = self._deal_folds(rng) if kfold else self._draw_test_rows(rng)
        negative = np.isin(self.labels, self._choose_negatives(low, turn, fold))
        test = negative | (~np.isin(self.labels, low) & (place == fold))
        return self._finish(retry, test, negative | (self.labels == OUT_OF_SCOPE))

    def _choose_negatives(self, low: Rows, turn: int, fold: int) -> Rows:
        """Choose the small topics whose turn it is to be negatives: at least one when there are any."""
        if not len(low):
            return low
        if self.design.partition is Partition.RANDOM:
            return np.asarray(low[: max(1, int(len(low) * self.design.test_fraction))])
        folds = self.design.folds
        if len(low) >= folds:
            return np.asarray(low[np.arange(len(low)) % folds == fold])
        return np.asarray(low[[(fold + turn * folds) % len(low)]])

    def _shuffle_groups(self, rng: np.random.Generator) -> tuple[Rows, Rows, Rows]:
        """Return group ids in random order within their topic, the topic of each, and rows per group."""
        order = rng.permutation(len(self.labels))
        first = np.full(int(self.groups.max()) + 1, -1, dtype=np.intp)
        first[self.groups[::-1]] = np.arange(len(self.labels))[::-1]
        rank = np.empty(len(first), dtype=np.intp)
        rank[self.groups[order]] = np.arange(len(order))
        topics = self.labels[first]
        ids = np.lexsort((rank, topics))
        return ids, topics[ids], np.bincount(self.groups, minlength=len(first))[ids]

    def _deal_folds(self, rng: np.random.Generator) -> Rows:
        """Deal the groups of each topic over the folds in turn, so that folds are even and stratified."""
        ids, _, _ = self._shuffle_groups(rng)
        deal = np.empty(int(self.groups.max()) + 1, dtype=np.intp)
        # The deal runs on from topic to topic; a random first fold for each topic would make small topics
        # meet in one fold now and then.
        deal[ids] = (np.arange(len(ids)) + rng.integers(self.design.folds)) % self.design.folds
        return np.asarray(deal[self.groups])

    def _draw_test_rows(self, rng: np.random.Generator) -> Rows:
        """Put max(1, floor(n t)) examples of each topic on the test side (place 0), whole groups at a time."""
        ids, topics, sizes = self._shuffle_groups(rng)
        codes = topics - topics.min()
        starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]])
        running = np.cumsum(sizes) - sizes
        within = running - np.repeat(running[starts], np.diff(np.r_[starts, len(codes)]))
        per_topic = np.add.reduceat(sizes, starts)
        # 100 x 0.29 falls short of 29 in floating point.
        quota = np.maximum(1, np.floor(per_topic * self.design.test_fraction + 1e-9))
        in_test = within < np.repeat(quota, np.diff(np.r_[starts, len(codes)]))
        place = np.ones(int(self.groups.max()) + 1, dtype=np.intp)
        place[ids[in_test]] = 0
        return np.asarray(place[self.groups])

    def _finish(self, retry: int, test: Flags, negative: Flags) -> Split:
        """Apply the policies: singletons, topics that would lose all training rows, groups on both sides."""
        single = np.isin(self.labels, self.singletons) & ~negative
        train = ~test & (self.labels != OUT_OF_SCOPE)
        if self.design.singletons is Singletons.TEST:
            test, train = test | single, train & ~single
        else:
            drop = self.design.singletons is Singletons.DROP
            test, train = test & ~single, train & ~single if drop else train | single
        # A topic that would be tested without a single training row is given back to training.
        trained = np.zeros(len(self.sizes) + 1, dtype=bool)
        trained[self.labels[train]] = True
        trained[self.singletons] = True
        orphan = test & ~negative & ~trained[self.labels]
        train, test = train | orphan, test & ~orphan
        leaking = test & np.isin(self.groups, self.groups[train])
        rows = np.flatnonzero(test & ~leaking)
        return Split(retry, np.flatnonzero(train), rows, negative[rows], np.flatnonzero(leaking))
