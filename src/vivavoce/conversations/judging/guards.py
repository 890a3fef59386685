"""Guards over near matches: two texts that look alike may still say the opposite, another number or another name.

Similarity alone never tells "you can" from "you cannot": vectors put them close together. What a guard holds back
is not counted as passed, and a person is asked to look.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from vivavoce.conversations.judging.numerals import find_numbers, language_of
from vivavoce.conversations.judging.plain import plain, tidy
from vivavoce.text.confusions import NEGATING_PREFIXES, NEGATIONS, OPPOSITES

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_NEGATED_HAN = re.compile("[不没沒無无未別别]")
_ANSWERS = frozenset(("no", "nein", "nope", "non"))
_THOUSANDS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_ONES = frozenset(("a", "an", "one", "ein", "eine", "einen", "einem", "einer", "eins"))
_SENTENCE_END = re.compile(r"[.!?:;\n\"(]\s*$|^\s*$|(?:^|\s)[-*]\s+$")
_SMALL_I = frozenset(("i", "i'm", "i'll", "i'd", "i've"))


def find_difference(expected: str, reply: str, names: Sequence[str] = ()) -> str:
    """Return which guard holds two texts apart, as the end of a sentence, or nothing.

    `names`: values that are known to matter (of slots, of rows), whatever their case.
    """
    return (
        _negation_difference(expected, reply)
        or _number_difference(expected, reply)
        or _name_difference(tidy(expected), tidy(reply), names)
    )


def find_contradiction(expected: str, sentence: str, names: Sequence[str] = ()) -> str:
    """Return how a sentence denies an expected text, as the end of a sentence; one about another name does not."""
    if _name_difference(tidy(expected), tidy(sentence), names):
        return ""
    return _negation_difference(expected, sentence) or _number_difference(expected, sentence)


def count_negations(text: str) -> int:
    """Return how often a text negates; a "no" that only opens a negative answer is not counted again."""
    flat = re.sub(r"\bno\. ?(?=\d)", "", plain(text))
    words = _WORD.findall(flat)
    negations = [word for word in words if word in NEGATIONS or word.endswith("n't")]
    opens = bool(words) and words[0] in _ANSWERS and len(negations) > 1
    return len(negations) - opens + len(_NEGATED_HAN.findall(flat))


def _negation_difference(expected: str, reply: str) -> str:
    if count_negations(expected) != count_negations(reply):
        return "the negation differs"
    ours, theirs = set(_WORD.findall(plain(expected))), set(_WORD.findall(plain(reply)))
    for a, b in ((ours, theirs), (theirs, ours)):
        for word in sorted(a - b):
            stem = next(
                (word[len(p) :] for p in NEGATING_PREFIXES if word.startswith(p) and len(word) > len(p) + 2), ""
            )
            if stem in b - a:
                return f"the negation differs ({stem} / {word})"
        for word, other in OPPOSITES:
            if word in a - b and other in b - a:
                return f"the meanings are opposite ({word} / {other})"
    return ""


def _normalise_number(number: str) -> str:
    if not number[0].isdigit():
        return number
    if _THOUSANDS.fullmatch(number):
        return re.sub("[.,]", "", number)
    whole, _, rest = number.replace(",", ".").rpartition(".")
    if not whole:
        return rest.lstrip("0") or "0"
    part = rest.rstrip("0")
    return (whole.replace(".", "").lstrip("0") or "0") + (f".{part}" if part else "")


def _number_difference(expected: str, reply: str) -> str:
    language = language_of(expected, reply)
    ours, theirs = (set(map(_normalise_number, find_numbers(plain(text), language))) for text in (expected, reply))
    # "one ticket" and "1 ticket" are the same; "one" alone is too often no number at all.
    if "1" in ours ^ theirs and _ONES & set(_WORD.findall(plain(expected if "1" in theirs else reply))):
        ours, theirs = ours - {"1"}, theirs - {"1"}
    return f"the numbers differ ({_join(ours - theirs)} / {_join(theirs - ours)})" if ours != theirs else ""


def _join(items: Iterable[str]) -> str:
    return ", ".join(sorted(items)) or "none"


def _name_difference(expected: str, reply: str, names: Sequence[str]) -> str:
    from vivavoce.text.words import guess_language

    ours, theirs = _find_known(expected, names), _find_known(reply, names)
    if not ours ^ theirs and guess_language([expected, reply]) == "de":
        # All nouns of German are capitalised: only a noun in the place of another noun says something else.
        ours, theirs = _find_swapped_nouns(expected, reply)
    elif not ours ^ theirs:
        expected_words, reply_words = (set(_WORD.findall(plain(text))) for text in (expected, reply))
        ours = {name for name in capitalised(expected) if plain(name) not in reply_words}
        theirs = {name for name in capitalised(reply) if plain(name) not in expected_words}
    return f"the names differ ({_join(ours - theirs)} / {_join(theirs - ours)})" if ours ^ theirs else ""


def _find_known(text: str, names: Sequence[str]) -> set[str]:
    flat = plain(text)
    known = {plain(name) for name in names if any(map(str.isalpha, name))}
    return {name for name in known if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", flat)}


def capitalised(text: str) -> list[str]:
    """Return words that look like names: a capital letter inside a sentence, or several in one word."""
    if text.upper() == text:
        return []
    names = []
    for match in _WORD.finditer(text):
        word = match[0]
        several = sum(map(str.isupper, word)) > 1
        named = word[0].isupper() and word.lower() not in _SMALL_I
        if several or (named and not _SENTENCE_END.search(text[: match.start()])):
            names.append(word)
    return names


def _find_swapped_nouns(expected: str, reply: str) -> tuple[set[str], set[str]]:
    ours, theirs = _WORD.findall(expected), _WORD.findall(reply)
    folded = [word.casefold() for word in ours], [word.casefold() for word in theirs]
    only_ours = {word for word in capitalised(expected) if word.casefold() not in folded[1]}
    only_theirs = {word for word in capitalised(reply) if word.casefold() not in folded[0]}
    gone: set[str] = set()
    come: set[str] = set()
    for step, a, b, c, d in SequenceMatcher(None, *folded, autojunk=False).get_opcodes():
        before, after = only_ours & set(ours[a:b]), only_theirs & set(theirs[c:d])
        if step == "replace" and before and after:
            gone, come = gone | before, come | after
    return gone, come
