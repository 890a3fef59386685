"""Cross-validation with plausible negatives as a scikit-learn splitter.

from sklearn.model_selection import cross_validate
cross_validate(model, texts, topics, cv=PlausibleNegativeSplit(p=0.15))
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np

from vivavoce.errors import DataError, UsageError
from vivavoce.intents.splits import OUT_OF_SCOPE, Design, Partition, Rows, Setting, Singletons, Split, SplitPlan

E = TypeVar("E", Partition, Singletons)


class PlausibleNegativeSplit:
    """Yields training and test indices; topics that are small under (k, p) are in turn held out as negatives.

    At (0, 0) this is stratified k-fold (or, with `partition="random"`, repeated stratified draws). With `k` or
    `p` some test rows have a topic that was not trained: a plain scorer counts any answer to them as wrong.
    `splits_with_negatives` says which rows they are. `n_splits` counts retries: with the default
    `test_fraction` 0.2 ten of them are two turns of five folds. Labels may be of any kind that can be
    compared; None and NaN mean out of scope: such rows are tested as negatives and never trained. Rows of one
    of `groups` never stand on both sides.
    """

    def __init__(
        self,
        k: int = 0,
        p: float = 0.0,
        *,
        n_splits: int = 10,
        test_fraction: float = 0.2,
        partition: Partition | str = Partition.KFOLD,
        singletons: Singletons | str = Singletons.TRAIN,
        random_state: int = 0,
    ) -> None:
        self.design = Design(
            Setting(k, p),
            n_splits,
            test_fraction,
            _choice(Partition, partition, "partition"),
            _choice(Singletons, singletons, "singletons"),
            _seed(random_state),
        )

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Rows, Rows]]:
        """Yield (train, test) index arrays."""
        for split in self.splits_with_negatives(X, y, groups):
            yield split.train, split.test

    def splits_with_negatives(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Yield the same divisions with a mark on the test rows that no trained topic fits."""
        labels = _topic_codes(y)
        _require_length("X", _length(X), len(labels))
        marks = None if groups is None else _codes(list(groups))
        if marks is not None:
            _require_length("groups", len(marks), len(labels))
        yield from SplitPlan(labels, self.design, marks)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return how many divisions `split` yields."""
        return self.design.retries

    def __repr__(self) -> str:
        design = self.design
        return (
            f"PlausibleNegativeSplit(k={design.setting.k}, p={design.setting.p:g}, n_splits={design.retries}, "
            f"test_fraction={design.test_fraction:g}, partition='{design.partition}', "
            f"singletons='{design.singletons}', random_state={design.seed})"
        )


def _choice(kind: type[E], value: E | str, name: str) -> E:
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(f"'{member}'" for member in kind)
        raise UsageError(f"{name} cannot be {value!r}", remedy=f"choose one of {known}") from None


def _seed(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
        raise UsageError(f"random_state must be a whole number, 0 or more, not {value!r}")
    return int(value)


def _topic_codes(y: Any) -> Rows:
    """Give the topics numbers in their own order, as an exam does, so that both draw the same splits."""
    if y is None:
        raise UsageError("the topics are missing", remedy="call split(X, y) with one topic for each row")
    labels = list(y)
    codes = np.full(len(labels), OUT_OF_SCOPE, dtype=np.intp)
    known = [row for row, label in enumerate(labels) if not _is_missing(label)]
    if not known:
        raise DataError("no row has a topic", remedy="give at least two topics with two examples each")
    codes[known] = _codes([labels[row] for row in known])
    return codes


def _codes(values: Iterable[Hashable]) -> Rows:
    values = list(values)
    try:
        # The name of the type comes first: numbers and texts have no common order.
        ordered = sorted(set(values), key=lambda value: (_kind(value), value))
    except TypeError as error:
        raise DataError(
            f"these labels cannot be told apart or put in order: {error}", remedy="give texts or numbers"
        ) from None
    place = {value: code for code, value in enumerate(ordered)}
    return np.array([place[value] for value in values], dtype=np.intp)


def _kind(value: object) -> str:
    if isinstance(value, (int, float, np.number, np.bool_)):
        return "number"
    return "text" if isinstance(value, str) else type(value).__name__


def _is_missing(label: object) -> bool:
    # pandas writes a missing label as NA, which refuses to be compared with anything.
    is_nan = isinstance(label, (float, np.floating)) and bool(np.isnan(label))
    return label is None or is_nan or type(label).__name__ == "NAType"


def _length(X: Any) -> int | None:
    if X is None:
        return None
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _require_length(name: str, length: int | None, rows: int) -> None:
    if length is not None and length != rows:
        raise DataError(f"{name} has {length} rows but there are {rows} topics", remedy="give one topic for each row")
