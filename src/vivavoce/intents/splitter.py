"""Cross-validation with plausible negatives as a scikit-learn splitter.

from sklearn.model_selection import cross_validate
cross_validate(model, texts, topics, cv=PlausibleNegativeSplit(p=0.15))
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
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
        is_whole = isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool)
        if not is_whole or random_state < 0:
            raise UsageError(f"random_state must be a whole number of 0 or more, not {random_state!r}")
        policies = _choose(Partition, partition, "partition"), _choose(Singletons, singletons, "singletons")
        self.design = Design(Setting(k, p), n_splits, test_fraction, *policies, int(random_state))

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Rows, Rows]]:
        """Yield (train, test) index arrays."""
        for split in self.splits_with_negatives(X, y, groups):
            yield split.train, split.test

    def splits_with_negatives(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Yield the same divisions with a mark on the test rows that no trained topic fits."""
        if y is None:
            raise UsageError("the topics are missing", remedy="call split(X, y) with one topic per row")
        topics = list(y)
        # Topics get numbers in their own order, as in an exam, so that both draw the same splits.
        labels = np.full(len(topics), OUT_OF_SCOPE, dtype=np.intp)
        known = [row for row, topic in enumerate(topics) if not _is_missing(topic)]
        if not known:
            raise DataError("no row has a topic", remedy="provide at least two topics with two examples each")
        labels[known] = _number([topics[row] for row in known])
        members = None if groups is None else _number(list(groups))
        counted = None if X is None else int(X.shape[0]) if hasattr(X, "shape") else len(X)
        for name, length in (("X", counted), ("groups", None if members is None else len(members))):
            if length is not None and length != len(labels):
                what = f"{name} has {length} rows, but there are {len(labels)} topics"
                raise DataError(what, remedy="provide one topic per row")
        yield from SplitPlan(labels, self.design, members)

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


def _choose(kind: type[E], value: E | str, name: str) -> E:
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(f"'{member}'" for member in kind)
        raise UsageError(f"{name} cannot be {value!r}", remedy=f"choose one of {known}") from None


def _number(values: Sequence[Hashable]) -> Rows:
    """Give equal values the same number, in the order of the values."""
    try:
        # The name of the type comes first: numbers and texts have no common order.
        ordered = sorted(set(values), key=lambda value: (_name_kind(value), value))
    except TypeError as error:
        raise DataError(
            f"these labels cannot be compared or sorted: {error}", remedy="use texts or numbers"
        ) from None
    place = {value: code for code, value in enumerate(ordered)}
    return np.array([place[value] for value in values], dtype=np.intp)


def _name_kind(value: object) -> str:
    if isinstance(value, (int, float, np.number, np.bool_)):
        return "number"
    return "text" if isinstance(value, str) else type(value).__name__


def _is_missing(label: object) -> bool:
    # pandas writes a missing label as NA, which refuses to be compared with anything.
    is_nan = isinstance(label, (float, np.floating)) and bool(np.isnan(label))
    return label is None or is_nan or type(label).__name__ == "NAType"
