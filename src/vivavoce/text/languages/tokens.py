"""Words of a language and of English, as the two students of a language read them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from math import log

from vivavoce.errors import MissingPartError
from vivavoce.text.words import words

_APOSTROPHES = str.maketrans({**dict.fromkeys("’‘ʼ＇`´", "'"), "？": "?", "！": "!"})
_WORD = re.compile(r"\w+(?:'\w+)*|[?!]")
_ELIDED = re.compile(r"\b(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|un|dell|all|nell|sull|dall|quest|quell)'|\w+|[?!]")
_ENGLISH = re.compile(r"\w+(?:'(?!s\b)\w+)?|'s|[?!]")
_RUN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+|[?!]|[^\\W_]+")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")

ELIDING = ("fr", "it")
UNSPACED = "zh"
MAX_HAN_WORD = 6


@dataclass(frozen=True, eq=False)
class WordCounts:
    """How often each word was seen, and the logarithm of their sum."""

    counts: Mapping[str, int]
    log_total: float

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> WordCounts:
        """Add up the counts."""
        return cls(counts, log(sum(counts.values()) + 1))


def split_english(text: str) -> list[str]:
    """Return the lower-cased words and question marks of an English sentence; `'s` stands alone."""
    return _ENGLISH.findall(_normalise(text))


def split_words(text: str, language: str, counts: WordCounts | None = None) -> list[str]:
    """Return the lower-cased words of a sentence.

    Chinese is cut by the word frequencies that a model has learnt; without them, in training, by jieba.
    """
    plain = _normalise(text)
    if language in ELIDING:
        return _ELIDED.findall(plain)
    if language != UNSPACED:
        return _WORD.findall(plain)
    pieces = _RUN.findall(plain)
    cut = _cut_by_jieba if counts is None else partial(cut_han, counts=counts)
    return [word for piece in pieces for word in (cut(piece) if _HAN.match(piece) else [piece])]


def cut_han(run: str, counts: WordCounts) -> list[str]:
    """Cut a run of Chinese characters into its most probable words; unknown characters stand alone."""
    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, len(run) + 1):
        choices = []
        for start in range(max(0, end - MAX_HAN_WORD), end):
            count = counts.counts.get(run[start:end], 0)
            if count or end - start == 1:
                choices.append((best[start][0] + log(count or 0.1) - counts.log_total, start))
        best.append(max(choices))
    parts, end = [], len(run)
    while end:
        parts.append(run[best[end][1] : end])
        end = best[end][1]
    return parts[::-1]


def _cut_by_jieba(run: str) -> list[str]:
    if find_spec("jieba") is None:
        raise MissingPartError(
            "to learn Chinese, sentences must be cut into words by the package `jieba`",
            remedy="run `pip install 'vivavoce[languages]'`",
        )
    return words(run, UNSPACED)


def _normalise(text: str) -> str:
    return unicodedata.normalize("NFC", text).lower().translate(_APOSTROPHES)
