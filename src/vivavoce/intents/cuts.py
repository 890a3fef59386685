"""Where to cut a history: pure index generators over rows from the oldest to the newest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vivavoce.intents.splits import Flags, Rows

BULK_SHARE = 0.05
EVEN_PERIODS = 5
TEST_STEP = 3
FIRST_SHARE = 0.3


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows to train on and rows to test on; `excluded` had a near-duplicate in training."""

    train: Rows
    test: Rows
    excluded: Rows


@dataclass(frozen=True, eq=False)
class History:
    """Rows from the oldest to the newest: when each came, its topic code (-1: none) and its near-duplicates."""

    moments: tuple[datetime, ...]
    labels: Rows
    groups: Rows

    def __len__(self) -> int:
        return len(self.moments)

    @cached_property
    def seconds(self) -> NDArray[np.float64]:
        """The moments as numbers."""
        return np.array([moment.timestamp() for moment in self.moments], dtype=np.float64)

    @cached_property
    def first_seen(self) -> Rows:
        """For each row: where a near-duplicate of it (or itself) is first found with a topic."""
        first = np.full(int(self.groups.max(initial=-1)) + 1, len(self), dtype=np.intp)
        known = np.flatnonzero(self.labels >= 0)
        np.minimum.at(first, self.groups[known], known)
        return first[self.groups]

    def bulk(self) -> list[tuple[datetime, int]]:
        """Return each moment at which more than 5 % of all rows came, and how many."""
        _, first, counts = np.unique(self.seconds, return_index=True, return_counts=True)
        large = (counts > BULK_SHARE * len(self)) & (counts > 1)
        return [(self.moments[row], int(n)) for row, n in zip(first[large], counts[large], strict=True)]

    def forward(self, periods: int | None, min_test: int) -> list[Fold]:
        """Cut where a period begins: train on all rows before, test on the period.

        Without a number of periods they are calendar months, or of even size where months give fewer than two.
        """
        months = [(moment.year, moment.month) for moment in self.moments]
        starts = [row for row in range(1, len(months)) if months[row] != months[row - 1]]
        bounds = self._merge_periods(starts, min_test) if periods is None else []
        if len(bounds) < 3:
            parts = (periods or EVEN_PERIODS) + 1
            targets = (round(len(self) * turn / parts) for turn in range(1, parts))
            starts = sorted({start for target in targets if 0 < (start := self._find_start(target)) < len(self)})
            bounds = self._merge_periods(starts, min_test)
        folds = []
        for begin, end in pairwise(bounds):
            known = np.flatnonzero(self.labels[:begin] >= 0)
            folds.append(_build_fold(known, np.arange(begin, end), self.first_seen[begin:end] < begin))
        return folds

    def _find_start(self, row: int) -> int:
        """Return the nearest row that is later than the one before it: equal moments stay together."""
        if row >= len(self):
            return len(self)
        left, right = (int(np.searchsorted(self.seconds, self.seconds[row], side)) for side in ("left", "right"))
        return left if row - left <= right - row else right

    def _merge_periods(self, starts: Iterable[int], min_test: int) -> list[int]:
        """Leave out starts until the first training part can be learnt from and each period has enough tests."""
        usable = [start for start in starts if start >= min_test and self._is_learnable(np.arange(start))]
        if not usable:
            return []
        bounds = [usable[0]]
        for end in [*usable[1:], len(self)]:
            if int((self.first_seen[bounds[-1] : end] >= bounds[-1]).sum()) >= min_test:
                bounds.append(end)
        if bounds[-1] == len(self):
            return bounds
        # What is left at the end is too little for a period of its own.
        return [*bounds[: max(1, len(bounds) - 1)], len(self)]

    def _is_learnable(self, rows: Rows) -> bool:
        labels = self.labels[rows]
        return len(np.unique(labels[labels >= 0])) > 1

    def interleaved(self, steps: int | None) -> list[Fold]:
        """Test every third row, train on more and more of the others; tests are older than the last training row.

        This is how the original nex-cv played back a history: it tests on the past.
        """
        rows = np.arange(len(self))
        tests, others = rows[rows % TEST_STEP == 0], rows[rows % TEST_STEP != 0]
        others = others[self.labels[others] >= 0]
        start, end, count = int(FIRST_SHARE * len(others)), len(others), steps or EVEN_PERIODS
        folds = []
        for size in sorted({start + round((end - start) * step / count) for step in range(count + 1)}):
            train = others[:size]
            if size and self._is_learnable(train):
                older = tests[self.seconds[tests] < self.seconds[train[-1]]]
                folds.append(_build_fold(train, older, np.isin(self.groups[older], self.groups[train])))
        return [fold for fold in folds if len(fold.test)]


def _build_fold(train: Rows, tests: Rows, repeated: Flags) -> Fold:
    return Fold(train, tests[~repeated], tests[repeated])
