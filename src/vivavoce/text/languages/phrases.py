"""The phrase table of a language: what its words and short phrases are in English, and how likely."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vivavoce.text.languages.alignment import Links, align
from vivavoce.text.languages.pairs import Pair
from vivavoce.text.languages.tokens import split_english, split_words

MAX_WORDS = 20
MAX_PHRASE = 3
MAX_ENGLISH = 5
MIN_COUNT = 3
MIN_BEST = 2
TRANSLATIONS = 4
MIN_SHARE = 0.1
DROPPABLE_WORDS = 80
START, END = "<s>", "</s>"


@dataclass(frozen=True, eq=False)
class PhraseTable:
    """Phrases with their translations (`starts` delimits those of each phrase), and counts of English words.

    `frequencies` holds how often a single word was seen, 0 for longer phrases. A bigram is a number:
    first word times the number of words, plus second word.
    """

    phrases: tuple[str, ...]
    frequencies: NDArray[np.int32]
    starts: NDArray[np.int32]
    choices: NDArray[np.int32]
    chances: NDArray[np.float32]
    translations: tuple[str, ...]
    words: tuple[str, ...]
    word_counts: NDArray[np.int32]
    bigrams: NDArray[np.int64]
    bigram_counts: NDArray[np.int32]


def learn_phrases(pairs: Sequence[Pair], language: str) -> PhraseTable:
    """Align the words of the pairs and keep the phrases that were seen often enough."""
    sentences = [(split_words(pair.text, language), split_english(pair.english)) for pair in pairs]
    sentences = [pair for pair in sentences if all(0 < len(side) <= MAX_WORDS for side in pair)]
    sources, targets = [source for source, _ in sentences], [target for _, target in sentences]
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for source, target, links in zip(sources, targets, align(sources, targets), strict=True):
        for phrase, translation in extract(source, target, links):
            counts[phrase][translation] += 1
    return _build(_choose(counts), counts, targets)


def extract(source: Sequence[str], target: Sequence[str], links: Links) -> Iterator[tuple[str, str]]:
    """Yield the phrases whose links stay among themselves, with their translations; `""` for a word without links."""
    of_source: list[list[int]] = [[] for _ in source]
    of_target: list[list[int]] = [[] for _ in target]
    for left, right in sorted(links):
        of_source[left].append(right)
        of_target[right].append(left)
    for first in range(len(source)):
        for last in range(first, min(len(source), first + MAX_PHRASE)):
            places = [place for word in of_source[first : last + 1] for place in word]
            if not places:
                if first == last:
                    yield source[first], ""
                continue
            low, high = min(places), max(places)
            back = [place for word in of_target[low : high + 1] for place in word]
            if high - low < MAX_ENGLISH and first <= min(back) and max(back) <= last:
                yield " ".join(source[first : last + 1]), " ".join(target[low : high + 1])


def _choose(counts: dict[str, Counter[str]]) -> dict[str, list[tuple[str, float]]]:
    """Return the best translations of each phrase; only the commonest words may be dropped."""
    singles = {phrase: sum(found.values()) for phrase, found in counts.items() if " " not in phrase}
    droppable = set(sorted(singles, key=lambda word: (-singles[word], word))[:DROPPABLE_WORDS])
    table = {}
    for phrase in sorted(counts):
        total = sum(counts[phrase].values())
        ranked = sorted(counts[phrase].items(), key=lambda item: (-item[1], item[0]))[:TRANSLATIONS]
        if " " in phrase and (total < MIN_COUNT or ranked[0][1] < MIN_BEST):
            continue
        if phrase not in droppable:
            ranked = [item for item in ranked if item[0]]
        # Where no translation reaches the share, the best one stands for all.
        kept = [item for item in ranked if item[1] >= MIN_SHARE * total] or ranked[:1]
        if kept:
            table[phrase] = [(translation, count / (total + 0.5)) for translation, count in kept]
    return table


def _build(
    table: dict[str, list[tuple[str, float]]], counts: dict[str, Counter[str]], targets: Sequence[Sequence[str]]
) -> PhraseTable:
    translations = sorted({translation for choices in table.values() for translation, _ in choices})
    number = {translation: place for place, translation in enumerate(translations)}
    framed = [[START, *target, END] for target in targets]
    word_counts = Counter(word for row in framed for word in row)
    words = sorted(word_counts)
    place = {word: at for at, word in enumerate(words)}
    pairs = Counter(place[left] * len(words) + place[right] for row in framed for left, right in pairwise(row))
    bigrams = sorted(pair for pair, count in pairs.items() if count > 1)
    return PhraseTable(
        phrases=tuple(table),
        frequencies=np.array(
            [0 if " " in phrase else sum(counts[phrase].values()) for phrase in table], dtype=np.int32
        ),
        starts=np.cumsum([0, *(len(choices) for choices in table.values())], dtype=np.int32),
        choices=np.array([number[text] for row in table.values() for text, _ in row], dtype=np.int32),
        chances=np.array([chance for row in table.values() for _, chance in row], dtype=np.float32),
        translations=tuple(translations),
        words=tuple(words),
        word_counts=np.array([word_counts[word] for word in words], dtype=np.int32),
        bigrams=np.array(bigrams, dtype=np.int64),
        bigram_counts=np.array([pairs[pair] for pair in bigrams], dtype=np.int32),
    )
