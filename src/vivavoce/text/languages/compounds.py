"""Unknown German and Dutch words by known ones: another form of the same word, or the parts of a compound."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import log

STEMMED = "de"
MIN_COMPOUND = 7
MIN_PART = 3
MIN_STEMMED = 4
# A part that was seen less often is rarely one.
MIN_COUNT = 3
MAX_CUTS = 2
JOINTS = ("", "s", "n", "en", "es", "er", "e", "ns")
# Of a part that is known in another form alone.
OTHER_FORM = 0.5

_FOLDED = str.maketrans({"ä": "a", "ö": "o", "ü": "u", "ß": "ss"})
_TWICE = re.compile(r"(.)\1")
# The sum of the logarithms of how often each part was seen, and the parts.
Parts = tuple[float, tuple[str, ...]]
NONE: Parts = (0.0, ())


def stem(word: str) -> str:
    """Return what the forms of a German word share (CISTEM; Weißweiler and Fraser, 2017)."""
    plain = word.translate(_FOLDED)
    if len(plain) >= 6:
        plain = plain.removeprefix("ge")
    # Sounds written with several letters, and double letters, are not cut apart.
    plain = _TWICE.sub(r"\1*", plain.replace("sch", "$").replace("ei", "%").replace("ie", "&"))
    while len(plain) > 3:
        if len(plain) > 5 and plain.endswith(("em", "er", "nd")):
            plain = plain[:-2]
        elif plain[-1] in "tesn":
            plain = plain[:-1]
        else:
            break
    return plain


class Splitter:
    """Known words, how often each was seen, and what their forms share."""

    def __init__(self, counts: Mapping[str, int], language: str) -> None:
        self._counts = counts
        self._by_stem: dict[str, str] = {}
        if language == STEMMED:
            for word in sorted(counts, key=lambda word: (-counts[word], word)):
                if len(word) >= MIN_PART:
                    self._by_stem.setdefault(stem(word), word)

    def split(self, word: str) -> tuple[str, ...]:
        """Return the known words that an unknown one is a form of or consists of; nothing where that is unclear."""
        form = self._by_stem.get(stem(word)) if self._by_stem else None
        if form is not None:
            return (form,)
        return self._split(word, MAX_CUTS)[1] if len(word) >= MIN_COMPOUND else ()

    def _split(self, word: str, cuts: int) -> Parts:
        """Return the parts that were seen most often on average."""
        return max(self._list_splits(word, cuts), key=lambda parts: parts[0] / len(parts[1]), default=NONE)

    def _list_splits(self, word: str, cuts: int) -> Iterator[Parts]:
        for cut in range(MIN_PART, len(word) - MIN_PART + 1):
            head, tail = self._find_head(word[:cut]), NONE
            if head[1]:
                tail = self._find_part(word[cut:])
            if head[1] and not tail[1] and cuts > 1:
                tail = self._split(word[cut:], cuts - 1)
            if tail[1]:
                yield head[0] + tail[0], (*head[1], *tail[1])

    def _find_head(self, head: str) -> Parts:
        """Return the part without what joins it to the next one."""
        bare = (head.removesuffix(joint) for joint in JOINTS if head.endswith(joint))
        return max((self._find_part(part) for part in bare if len(part) >= MIN_PART), default=NONE)

    def _find_part(self, part: str) -> Parts:
        count = self._counts.get(part, 0)
        if count >= MIN_COUNT:
            return log(1 + count), (part,)
        form = self._by_stem.get(stem(part)) if self._by_stem and len(part) >= MIN_STEMMED else None
        if form is None:
            return NONE
        return log(1 + OTHER_FORM * self._counts[form]), (form,)
