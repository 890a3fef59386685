"""A data set in numbers: topic codes and groups of near-duplicates, found once for the whole exam."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vivavoce.errors import DataError
from vivavoce.intents.splits import OUT_OF_SCOPE, Rows
from vivavoce.records import Dataset
from vivavoce.text.duplicates import duplicate_groups


@dataclass(frozen=True, eq=False)
class Material:
    """What is examined. `labels[i]` is the place of row i's topic in `topics`, -1 for out of scope."""

    data: Dataset
    topics: tuple[str, ...]
    labels: Rows
    groups: Rows

    @classmethod
    def of(cls, data: Dataset, *, leak_proof: bool = True) -> Material:
        """Code the topics in alphabetical order; refuse data that no classifier could learn from."""
        topics = tuple(sorted(data.sizes))
        if len(topics) < 2:
            what = f"all rows belong to one topic ('{topics[0]}')" if topics else "no row has a topic"
            remedy = "an exam needs at least two topics"
            more = f". {data.recognition}" if data.recognised else ""
            raise DataError(what, where=data.source, remedy=remedy + more)
        if max(data.sizes.values()) < 2:
            raise DataError(
                (f"each of the {len(topics)} topics has a single example: too few for training and testing"),
                where=data.source,
                remedy="add examples: at least two per topic, ideally ten",
            )
        code = {topic: place for place, topic in enumerate(topics)}
        labels = np.array([OUT_OF_SCOPE if i is None else code[i] for i in data.intents], dtype=np.intp)
        groups = duplicate_groups(data.texts, data.languages) if leak_proof else np.arange(len(data))
        return cls(data, topics, labels, np.asarray(groups, dtype=np.intp))

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def repeated(self) -> Rows:
        """Rows that have a near-duplicate."""
        _, inverse, counts = np.unique(self.groups, return_inverse=True, return_counts=True)
        return np.flatnonzero(counts[inverse] > 1)

    @cached_property
    def contradictory(self) -> Rows:
        """Rows whose near-duplicate is filed under another topic."""
        order = np.lexsort((self.labels, self.groups))
        groups, labels = self.groups[order], self.labels[order]
        clash = (groups[1:] == groups[:-1]) & (labels[1:] != labels[:-1])
        return np.flatnonzero(np.isin(self.groups, groups[1:][clash]))

    def name(self, code: int) -> str | None:
        """Return the topic of a code, None for out of scope or no guess."""
        return self.topics[code] if code >= 0 else None

    def texts(self, rows: Sequence[int] | Rows) -> list[str]:
        """Return the texts of these rows."""
        texts = self.data.texts
        return [texts[row] for row in rows]

    def intents(self, rows: Rows) -> list[str]:
        """Return the topics of these rows, all of which have one."""
        return [self.topics[code] for code in self.labels[rows]]
