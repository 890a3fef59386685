"""The first student: a rough English wording of a sentence, in the word order of its language."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import log

from vivavoce.text.languages.compounds import STEMMED, Splitter
from vivavoce.text.languages.phrases import END, MAX_PHRASE, START, PhraseTable
from vivavoce.text.languages.tokens import UNSPACED, WordCounts, split_words

BEAM = 6
LANGUAGE_MODEL = 0.35
PER_WORD = 0.9
PER_JOINED_WORD = 0.4
DROPPED = 1.2
GUESSED_CHANCE = 0.3
KEPT_CHANCE = 0.2
PREFIX = 4
PREFIX_SHARE = 0.65
COMPOUNDING = ("de", "nl")
# Grows whenever the same table gives other glosses: cached vectors of the old ones are not used again.
VERSION = 2
MAX_WORDS = 200

Choices = list[tuple[str, float]]
# The last English word of a path: its score, and the path.
Beam = dict[str, tuple[float, tuple[str, ...]]]


class Glosser:
    """Words and phrases into English: the likeliest path through the phrase table, from left to right."""

    def __init__(self, table: PhraseTable, language: str) -> None:
        self.language = language
        self._table = table
        self._row = {phrase: row for row, phrase in enumerate(table.phrases)}
        counted = zip(table.phrases, table.frequencies.tolist(), strict=True)
        self._frequency = {phrase: count for phrase, count in counted if count}
        self.counts = WordCounts.of(self._frequency)
        self._word = {word: row for row, word in enumerate(table.words)}
        self._count = table.word_counts.tolist()
        self._total = sum(self._count)
        self._bigram = dict(zip(table.bigrams.tolist(), table.bigram_counts.tolist(), strict=True))
        known = {word: count for word, count in self._frequency.items() if self._translate(word)}
        self._splitter = Splitter(known, language) if language in COMPOUNDING else None
        self._by_prefix: defaultdict[str, list[str]] = defaultdict(list)
        for word in known:
            if len(word) >= PREFIX and language != STEMMED:
                self._by_prefix[word[:PREFIX]].append(word)
        self._look_up = lru_cache(maxsize=20_000)(self._find_choices)
        self._score = lru_cache(maxsize=100_000)(self._compute_score)

    def gloss(self, text: str) -> str:
        """Return the English wording; the text itself where nothing of it is known."""
        words = split_words(text, self.language, self.counts)[:MAX_WORDS]
        if not words:
            return text
        beams: list[Beam] = [{START: (0.0, ())}, *({} for _ in words)]
        for start in range(len(words)):
            ranked = sorted(beams[start].items(), key=lambda item: -item[1][0])[:BEAM]
            for size in range(1, min(MAX_PHRASE, len(words) - start) + 1):
                for translation, chance in self._look_up(" ".join(words[start : start + size])):
                    _extend(
                        beams[start + size], ranked, translation, chance + PER_JOINED_WORD * (size - 1), self._score
                    )
        ends = [(score + LANGUAGE_MODEL * self._score(last, END), path) for last, (score, path) in beams[-1].items()]
        return " ".join(filter(None, max(ends)[1])).replace(" 's", "'s") or text

    def _compute_score(self, left: str, right: str) -> float:
        """Return the logarithm of how likely an English word follows another."""
        first, second = self._word.get(left, -1), self._word.get(right, -1)
        both = self._bigram.get(first * len(self._count) + second, 0) if first >= 0 and second >= 0 else 0
        own = self._count[second] if second >= 0 else 0
        before = self._count[first] if first >= 0 else 0
        return log((both + 10 * (own + 0.1) / self._total) / (before + 10))

    def _find_choices(self, phrase: str) -> Choices:
        """Return the translations of a phrase and their log chances; a single word always has one."""
        row = self._row.get(phrase)
        if row is None:
            return [] if " " in phrase else [self._guess(phrase)]
        table = self._table
        span = slice(int(table.starts[row]), int(table.starts[row + 1]))
        texts = [table.translations[place] for place in table.choices[span].tolist()]
        return [(text, log(chance)) for text, chance in zip(texts, table.chances[span].tolist(), strict=True)]

    def _translate(self, word: str) -> str:
        """Return the best translation of a known word."""
        return self._table.translations[int(self._table.choices[self._table.starts[self._row[word]]])]

    def _guess(self, word: str) -> tuple[str, float]:
        """Translate an unknown word by another form, by its parts or by a word that begins alike; else keep it."""
        if self.language == UNSPACED and not word.isascii():
            return "", log(GUESSED_CHANCE)
        parts = self._splitter.split(word) if self._splitter else ()
        guessed = " ".join(map(self._translate, parts)) or self._find_alike(word)
        return (guessed, log(GUESSED_CHANCE)) if guessed else (word, log(KEPT_CHANCE))

    def _find_alike(self, word: str) -> str:
        """Return the translation of the known word with the longest common beginning."""
        best, likest = (0.0, 0), ""
        for known in self._by_prefix.get(word[:PREFIX], ()):
            common = next(
                (place for place, (one, other) in enumerate(zip(word, known, strict=False)) if one != other),
                min(len(word), len(known)),
            )
            rank = common - 0.5 * abs(len(word) - len(known)), self._frequency[known]
            if common >= max(PREFIX, PREFIX_SHARE * max(len(word), len(known))) and rank > best:
                best, likest = rank, known
        return self._translate(likest) if likest else ""


def _extend(
    beam: Beam,
    paths: Sequence[tuple[str, tuple[float, tuple[str, ...]]]],
    translation: str,
    chance: float,
    score: Callable[[str, str], float],
) -> None:
    """Put a translation after each of these paths; of those that end in one word, the best stays."""
    english = translation.split()
    gain = chance + PER_WORD * len(english) - (0.0 if english else DROPPED)
    for last, (value, path) in paths:
        end = last
        fluency = 0.0
        for word in english:
            fluency += score(end, word)
            end = word
        reached = value + gain + LANGUAGE_MODEL * fluency
        if end not in beam or beam[end][0] < reached:
            beam[end] = reached, (*path, translation)
