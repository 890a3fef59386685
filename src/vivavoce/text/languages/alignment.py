"""Which word translates which: IBM model 1 with a diagonal prior, in both directions, joined by grow-diag."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]
Links = frozenset[tuple[int, int]]
Sentences = Sequence[Sequence[str]]

ROUNDS = 5
DIAGONAL = 4.0
NULL_SHARE = 0.08
NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def align(sources: Sentences, targets: Sentences) -> list[Links]:
    """Return, for each pair of sentences, the links (place in the source, place in the target)."""
    source_ids, source_size = number_words(sources)
    target_ids, target_size = number_words(targets)
    forward = find_best_sources(source_ids, source_size, target_ids, target_size)
    backward = find_best_sources(target_ids, target_size, source_ids, source_size)
    return [
        grow(
            {(int(place), at) for at, place in enumerate(to_source) if place < len(to_target)},
            {(at, int(place)) for at, place in enumerate(to_target) if place < len(to_source)},
        )
        for to_source, to_target in zip(forward, backward, strict=True)
    ]


def number_words(sentences: Sentences) -> tuple[list[Ids], int]:
    """Return the sentences as numbers of words, in the order of their first use, and how many words there are."""
    numbers: dict[str, int] = {}
    rows = [np.array([numbers.setdefault(word, len(numbers)) for word in row], dtype=np.int64) for row in sentences]
    return rows, len(numbers)


def find_best_sources(sources: list[Ids], source_size: int, targets: list[Ids], target_size: int) -> list[Ids]:
    """Return, for each target word, the place of its likeliest source word; the sentence's length means none."""
    source, target, prior, token = _list_links(sources, source_size, targets)
    pairs, pair = np.unique(source * target_size + target, return_inverse=True)
    pair_source = pairs // target_size
    chance = np.full(len(pairs), 1 / target_size)
    n_tokens = int(token[-1]) + 1
    for _ in range(ROUNDS):
        weight = chance[pair] * prior
        weight /= np.bincount(token, weight, minlength=n_tokens)[token]
        counts = np.bincount(pair, weight, minlength=len(pairs))
        totals = np.bincount(pair_source, counts, minlength=source_size + 1)
        # Words that were seldom seen are trusted less.
        chance = counts / (totals[pair_source] + 0.5)
    weight = chance[pair] * prior
    order = np.lexsort((-weight, token))
    best = order[np.r_[True, np.diff(token[order]) > 0]]
    starts = np.r_[0, np.flatnonzero(np.diff(token)) + 1]
    ends = np.cumsum([len(row) for row in targets])
    return np.split(best - starts, ends[:-1])


def _list_links(
    sources: list[Ids], source_size: int, targets: list[Ids]
) -> tuple[Ids, Ids, NDArray[np.float32], Ids]:
    """Return every possible link: source word (the last number is none), target word, prior and target token."""
    own_sources, own_targets, priors, tokens = [], [], [], []
    seen = 0
    for source, target in zip(sources, targets, strict=True):
        n, m = len(source), len(target)
        distance = np.abs((np.arange(n) + 0.5) / n - ((np.arange(m) + 0.5) / m)[:, None])
        near = np.exp(-DIAGONAL * distance)
        near *= (1 - NULL_SHARE) / near.sum(axis=1, keepdims=True)
        priors.append(np.concatenate([near, np.full((m, 1), NULL_SHARE)], axis=1).ravel().astype(np.float32))
        own_sources.append(np.tile(np.append(source, source_size), m))
        own_targets.append(np.repeat(target, n + 1))
        tokens.append(np.repeat(np.arange(seen, seen + m), n + 1))
        seen += m
    return (
        np.concatenate(own_sources),
        np.concatenate(own_targets),
        np.concatenate(priors),
        np.concatenate(tokens),
    )


def grow(forward: set[tuple[int, int]], backward: set[tuple[int, int]]) -> Links:
    """Start from the links of both directions; add neighbours of one direction while they link a new word."""
    links = forward & backward
    offered = forward | backward
    sources, targets = {source for source, _ in links}, {target for _, target in links}
    has_changed = True
    while has_changed:
        has_changed = False
        for source, target in sorted(links):
            for step, shift in NEIGHBOURS:
                link = source + step, target + shift
                if link in offered and link not in links and (link[0] not in sources or link[1] not in targets):
                    links.add(link)
                    sources.add(link[0])
                    targets.add(link[1])
                    has_changed = True
    return frozenset(links)
