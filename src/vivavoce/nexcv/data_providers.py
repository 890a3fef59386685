"""Data sets for training and testing: plausible negatives, or the life of a bot in steps."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from vivavoce.errors import DataError, UsageError
from vivavoce.nexcv.checks import (
    Timeline,
    check_lengths,
    check_options,
    check_rows,
    join_labels,
    plain_list,
    published_timeline,
    refuse,
    setting_faults,
    sort_timeline,
)
from vivavoce.nexcv.datasets import Draws, SeededDatasetProvider, TestingDataset, TestingDatasetProvider, check_mode

__all__ = ["NegativeExamplesDatasetProvider", "TestingDatasetProvider", "TimeSeqDatasetProvider"]

Splitter = Callable[[Sequence[Any], Sequence[Any]], tuple[list[Any], list[Any]]]
# Products such as 100 x 0.29 fall just short of the whole number they mean.
ROUNDING = 1e-9


@dataclass(frozen=True)
class LabelIndex:
    """Rows by label in order of first occurrence, and which labels are low-population ones."""

    rows: Mapping[Hashable, list[int]]
    low: list[Any]
    high: list[Any]

    @property
    def low_rows(self) -> list[int]:
        """The rows of all low labels in their original order."""
        return sorted(row for label in self.low for row in self.rows[label])


class NegativeExamplesDatasetProvider(SeededDatasetProvider):
    """Repeated random hold-out in which whole small classes stand in for questions no topic fits."""

    def __init__(
        self,
        min_category_size: int = 0,
        other_min_prop: float = 0.15,
        n_retries: int = 10,
        test_fraction: float = 0.2,
        *,
        mode: str = "fixed",
        random_state: Any = None,
        others_label: str = "__Other",
        singletons: str | None = None,
    ) -> None:
        """Take K and P (K wins), the number of repetitions and the share of each class to test.

        `singletons` says where a class of one example goes: "train", or "test" as the original did.
        """
        self.mode = check_mode(mode)
        self.min_category_size = min_category_size
        self.other_min_prop = other_min_prop
        self.n_retries = n_retries
        self.test_fraction = test_fraction
        self.random_state = random_state
        self.others_label = others_label
        self.singletons = singletons or ("train" if self.mode == "fixed" else "test")
        if self.singletons not in ("train", "test"):
            raise UsageError(f"singletons cannot be {self.singletons!r}", remedy="use 'train' or 'test'")
        if self.mode == "fixed":
            faults = setting_faults(min_category_size, other_min_prop, n_retries, test_fraction)
            refuse(list(faults), "this setting is invalid")
        by_size = min_category_size > 0
        self.splitter: Splitter = self._split_labels_by_size if by_size else self._split_labels_by_prop

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.min_category_size};{self.other_min_prop})"

    def make_datasets(self, X: Sequence[Any], y: Sequence[Any], draws: Draws) -> Iterator[TestingDataset]:
        """Yield one data set for each repetition; None marks negatives."""
        if self.mode == "exact":
            texts, labels = list(X), list(y)
        else:
            texts, labels = plain_list(X), plain_list(y)
            check_rows(texts, labels, self.others_label)
        index = self.index(labels, texts)
        if not index.low and self.singletons == "train" and len(index.rows) == len(labels):
            raise DataError("every label has only one example: nothing is left to test", remedy="add examples")
        low_rows, low = index.low_rows, list(index.low)
        for _ in range(self.n_retries):
            train: list[int] = []
            test: list[int] = []
            for label in index.high:
                rows = draws.shuffle(index.rows[label])
                size = 0 if len(rows) == 1 and self.singletons == "train" else self._test_size(len(rows))
                test += rows[:size]
                train += rows[size:]
            # The list stays shuffled for the next repetition: part of the original order of draws.
            low = draws.shuffle(low)
            held_out = set(low[: self._test_size(len(low))])
            negative = [row for row in low_rows if labels[row] in held_out]
            train += [row for row in low_rows if labels[row] not in held_out]
            yield TestingDataset(
                X_train=[texts[row] for row in train],
                y_train=[labels[row] for row in train],
                X_test=[texts[row] for row in test + negative],
                y_test=[labels[row] for row in test] + [None] * len(negative),
                origins=[labels[row] for row in test + negative],
            )

    def index(self, labels: Sequence[Any], texts: Sequence[Any] | None = None) -> LabelIndex:
        """Group the rows by label and let `splitter` choose the low-population labels."""
        low, high = self.splitter(labels if texts is None else texts, labels)
        return LabelIndex(_rows_by_label(labels), low, high)

    def _split_labels_by_size(self, X: Sequence[Any], y: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return the labels with fewer than K examples, and the others, the largest first."""
        sizes = {label: len(rows) for label, rows in _by_size(y)}
        small = [label for label, size in sizes.items() if size < self.min_category_size]
        return small, [label for label, size in sizes.items() if size >= self.min_category_size]

    def _split_labels_by_prop(self, X: Sequence[Any], y: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return the smallest labels until they hold the share P, and the others, the smallest first."""
        ascending = _by_size(y)[::-1]
        low, taken, wanted = [], 0, self.other_min_prop * len(X)
        for label, rows in ascending:
            if taken >= wanted:
                break
            low.append(label)
            taken += len(rows)
        return low, [label for label, _ in ascending[len(low) :]]

    @staticmethod
    def _random_list_split(l: list[Any], fraction: float) -> tuple[list[Any], list[Any]]:  # noqa: E741 - its name
        """Shuffle a list by numpy's legacy generator and cut it; the first part has at least one item."""
        size = int(len(l) * fraction)
        size = 1 if fraction > 0 and size == 0 else size
        np.random.shuffle(l)
        return l[:size], l[size:]

    def _test_size(self, length: int) -> int:
        exact = self.mode == "exact"
        size = int(length * self.test_fraction + (0 if exact else ROUNDING))
        return 1 if size == 0 and self.test_fraction > 0 else size

    def config(self) -> dict[str, Any]:
        """Return K, P, t, the number of repetitions and the policy for singletons."""
        names = ("min_category_size", "other_min_prop", "test_fraction", "n_retries", "singletons")
        return {name: getattr(self, name) for name in names}

    def describe(self, y: Sequence[Any]) -> dict[str, Any]:
        """Return how many labels are low-population ones, and their share of the examples."""
        index = self.index(plain_list(y))
        return {"low_labels": len(index.low), "low_share": round(len(index.low_rows) / len(y), 3)}

    def warnings(self, X: Sequence[Any], y: Sequence[Any]) -> list[str]:
        """Say when K hides P, the setting equals (0, 0), negatives are few, or classes have one example."""
        index = self.index(plain_list(y))
        size, share = self.min_category_size, self.other_min_prop
        warnings = []
        if size > 0 and share > 0:
            warnings.append(
                f"min_category_size {size} and other_min_prop {share} are both set: only the first is used."
            )
        if size > 0 and not index.low:
            warnings.append(
                f"No label has fewer than {size} examples, so there are no negatives: this "
                "setting equals (0, 0), and its numbers differ only by chance."
            )
        if not index.high:
            warnings.append("Every label is a low-population one: only negatives are tested.")
        elif index.low and self._test_size(len(index.low)) == 1:
            sizes = sorted(len(index.rows[label]) for label in index.low)
            texts = f"{sizes[0]}" if sizes[0] == sizes[-1] else f"{sizes[0]} to {sizes[-1]}"
            warnings.append(
                f"Few negatives: each repetition uses 1 of {len(sizes)} low-population labels, {texts} texts."
            )
        alone = [label for label in index.high if len(index.rows[label]) == 1]
        if alone:
            trained = self.singletons == "train"
            fate = "trained but never tested" if trained else "tested but never trained, so always wrong"
            warnings.append(f"{len(alone)} labels have one example, which is {fate}: {join_labels(alone)}.")
        return warnings


def _rows_by_label(labels: Sequence[Any]) -> dict[Hashable, list[int]]:
    """Return the rows of each label in order of first occurrence."""
    rows: dict[Hashable, list[int]] = {}
    for row, label in enumerate(labels):
        rows.setdefault(label, []).append(row)
    return rows


def _by_size(labels: Sequence[Any]) -> list[tuple[Any, list[int]]]:
    return sorted(_rows_by_label(labels).items(), key=lambda item: -len(item[1]))


class TimeSeqDatasetProvider(SeededDatasetProvider):
    """Train on a growing part of the history; test on items from the same period, every third by default."""

    DATE_KEY = "created"
    INTENT_KEY = "intent_id"
    MAX_RATIO = 0.8
    repeats = False  # each step knows more than the one before: a mean over them would say nothing

    def __init__(  # noqa: PLR0917 - the original's order of arguments
        self,
        min_examples_ratio: float = 0.3,
        max_added_examples: int | None = None,
        n_steps: int = 5,
        date_key: str = DATE_KEY,
        test_on_all: bool = False,
        test_ratio: float = 0.33,
        *,
        mode: str = "fixed",
        random_state: Any = None,
        others_label: str = "__Other",
        undated: str = "error",
    ) -> None:
        """Start with a share of the history, add at most so many examples in so many steps.

        `undated` says what happens to items without a datetime: "error", or "drop" with a warning.
        """
        self.mode = check_mode(mode)
        if self.mode == "fixed":
            check_options(min_examples_ratio, n_steps, test_ratio, undated)
        self.min_examples_ratio = min(min_examples_ratio, self.MAX_RATIO)
        self.max_added_examples = max_added_examples
        self.n_steps = max(n_steps, 1)
        self.date_key = date_key
        self.test_on_all = test_on_all
        self.test_step = int(1 / test_ratio)
        self.random_state = random_state
        self.others_label = others_label
        self.undated = undated

    def __str__(self) -> str:
        options = f"{self.min_examples_ratio};{self.n_steps},{self.test_on_all},{self.test_step}"
        return f"{type(self).__name__}({options})"

    @staticmethod
    def resolve_date(a: Any, date_key: str) -> float | None:
        """Return the date of an item as a timestamp; None where it has none."""
        date = a.get(date_key) if isinstance(a, Mapping) else None
        return date.timestamp() if isinstance(date, datetime) else None

    @staticmethod
    def resolve_intent(a: Any, intent_key: str) -> Any:
        """Return the label of an item; None where it has none."""
        return a.get(intent_key) if isinstance(a, Mapping) else None

    @staticmethod
    def sort_dataset_by_date(
        X: Sequence[Any], y: Sequence[Any], date_key: str, return_timestamps: bool = False
    ) -> tuple[list[Any], ...]:
        """Return texts and labels from the oldest to the newest, with `return_timestamps` when each was created.

        As the original does it: undated items are left out.
        """
        items = published_timeline(X, y, date_key, TimeSeqDatasetProvider.INTENT_KEY)
        parts = (items.texts, items.labels)
        return (*parts, items.seconds) if return_timestamps else parts

    def make_datasets(self, X: Sequence[Any], y: Sequence[Any], draws: Draws) -> Iterator[TestingDataset]:
        """Yield one data set for each step, with its period; `y` holds dicts."""
        train, tests = self._parts(self._timeline(X, y)[0])
        datasets = [self._step(train, tests, cursor) for cursor in self._cursors(len(train))]
        if self.mode == "fixed":
            datasets = [data for data in datasets if data.X_test]
            if not datasets:
                raise DataError(
                    "no test item is older than the training items in any step",
                    remedy="provide items created at different times, or use test_on_all=True",
                )
        return iter(datasets)

    def _timeline(self, X: Sequence[Any], y: Sequence[Any]) -> tuple[Timeline, int]:
        if self.mode == "exact":
            return Timeline(*self.sort_dataset_by_date(X, y, self.date_key, return_timestamps=True)), 0
        check_lengths(X=len(X), y=len(y))
        items, dropped = sort_timeline(list(X), list(y), self.date_key, self.INTENT_KEY, self.undated)
        labels = plain_list(items.labels)
        check_rows(items.texts, labels, self.others_label)
        return Timeline(items.texts, labels, items.seconds), dropped

    def _parts(self, items: Timeline) -> tuple[Timeline, Timeline]:
        rows = range(len(items))
        train = items.at([row for row in rows if row % self.test_step])
        return train, items.at([row for row in rows if not row % self.test_step])

    def _cursors(self, n_train: int) -> list[int]:
        """Return the sizes of the training of each step."""
        start = int(self.min_examples_ratio * n_train)
        added, steps = self.max_added_examples, self.n_steps
        end = n_train if added is None or start + added >= n_train else start + added
        if self.mode == "fixed":
            start, end = max(start, 1), max(end, 1)
            return sorted({start + round((end - start) * step / steps) for step in range(steps + 1)})
        # The original takes equal whole steps, and a short one at the end.
        return [*range(start, end, max((end - start) // steps, 1)), end]

    def _step(self, train: Timeline, tests: Timeline, cursor: int) -> TestingDataset:
        older = [row for row, moment in enumerate(tests.seconds) if moment < train.seconds[cursor - 1]]
        asked, known = tests if self.test_on_all else tests.at(older), train.at(range(cursor))
        facts = {"train_period": known.span(), "test_period": asked.span()}
        return TestingDataset(known.texts, known.labels, asked.texts, asked.labels, None, facts)

    def config(self) -> dict[str, Any]:
        """Return the options that shape the steps."""
        names = ("min_examples_ratio", "max_added_examples", "n_steps", "test_on_all", "test_step", "undated")
        return {name: getattr(self, name) for name in names}

    def warnings(self, X: Sequence[Any], y: Sequence[Any]) -> list[str]:
        """Say which items play no part: undated ones, and the newest when too few may be added."""
        items, dropped = self._timeline(X, y)
        train, tests = self._parts(items)
        cursors = self._cursors(len(train))
        warnings = [f"{dropped} of {len(y)} items have no date and were skipped."] if dropped else []
        if cursors[-1] < len(train):
            warnings.append(f"The newest {len(train) - cursors[-1]} training items are never used.")
        empty = sum(not self._step(train, tests, cursor).X_test for cursor in cursors)
        if empty:
            warnings.append(f"{empty} of {len(cursors)} steps have no older test item and were skipped.")
        return warnings
