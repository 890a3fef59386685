"""Words and pairs of words, counted message by message and weighed: the wording of each side of a dialogue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Message = Sequence[str]

# Stands before and after each message, so that a pair can tell how a message begins and ends.
EDGE = "_"


@dataclass(frozen=True)
class Terms:
    """The known terms and how rare they are (smoothed inverse document frequency)."""

    names: tuple[str, ...]
    rarity: Floats = field(repr=False)

    @cached_property
    def index(self) -> dict[str, int]:
        """The number of each term."""
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def rarities(self) -> dict[str, float]:
        """How rare each term is, by name."""
        return dict(zip(self.names, self.rarity.tolist(), strict=True))

    def count(self, terms: Iterable[str]) -> dict[int, int]:
        """Return how often each known term stands among these."""
        index = self.index
        return Counter([index[term] for term in terms if term in index])


def learn_terms(
    documents: Iterable[Sequence[Message]], least: int, split: Callable[[Message], Iterable[str]] | None = None
) -> Terms:
    """Keep the terms that at least `least` documents hold; a document is a list of messages.

    `split` makes terms of a message: words and pairs unless told otherwise.
    """
    frequency: Counter[str] = Counter()
    total = 0
    for document in documents:
        frequency.update({term for message in document for term in (split or terms_of)(message)})
        total += 1
    names = tuple(sorted(term for term, count in frequency.items() if count >= least))
    rarity = np.array([np.log((1 + total) / (1 + frequency[name])) + 1 for name in names])
    return Terms(names, rarity.astype(np.float32).astype(np.float64))


def terms_of(message: Message) -> list[str]:
    """Return the words of a message, its pairs of neighbours with the edges, and one edge: a message was sent."""
    if not message:
        return []
    return [EDGE, *message, *(f"{first} {second}" for first, second in pairwise((EDGE, *message, EDGE)))]


def weigh(counts: Floats, rarity: Floats) -> Floats:
    """Return rows of unit length: the logarithm of how often a term stands there, times how rare it is."""
    weights = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0.0) * rarity
    norms = np.sqrt((weights**2).sum(axis=-1, keepdims=True))
    return np.asarray(weights / np.where(norms > 0, norms, 1.0))


def count_rows(terms: Terms, messages: Sequence[Sequence[str]]) -> tuple[NDArray[np.intp], Floats]:
    """Return the numbers of all known terms met, and a table of counts: one row for each message, given as terms."""
    rows = [terms.count(message) for message in messages]
    met = sorted(set().union(*rows))
    place = {number: column for column, number in enumerate(met)}
    table = np.zeros((len(messages), len(met)))
    for row, counts in enumerate(rows):
        for number, count in counts.items():
            table[row, place[number]] = count
    return np.array(met, dtype=np.intp), table
