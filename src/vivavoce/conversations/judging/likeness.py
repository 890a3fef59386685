"""Near matches: how alike an expected text and a reply are, by letters or by meaning, under the guards."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from vivavoce.conversations.judging.gaps import Piece, blank_typed, split_pieces
from vivavoce.conversations.judging.plain import bare, find_numbers, language_of, plain, split_sentences, tidy
from vivavoce.errors import MissingPartError
from vivavoce.text.confusions import NEGATING_PREFIXES, NEGATIONS, OPPOSITES

if TYPE_CHECKING:
    from vivavoce.text.vectors import Encoder

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
        ours = {name for name in find_capitalised(expected) if plain(name) not in reply_words}
        theirs = {name for name in find_capitalised(reply) if plain(name) not in expected_words}
    return f"the names differ ({_join(ours - theirs)} / {_join(theirs - ours)})" if ours ^ theirs else ""


def _find_known(text: str, names: Sequence[str]) -> set[str]:
    flat = plain(text)
    known = {plain(name) for name in names if any(map(str.isalpha, name))}
    return {name for name in known if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", flat)}


def find_capitalised(text: str) -> list[str]:
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
    only_ours = {word for word in find_capitalised(expected) if word.casefold() not in folded[1]}
    only_theirs = {word for word in find_capitalised(reply) if word.casefold() not in folded[0]}
    gone: set[str] = set()
    come: set[str] = set()
    for step, a, b, c, d in SequenceMatcher(None, *folded, autojunk=False).get_opcodes():
        before, after = only_ours & set(ours[a:b]), only_theirs & set(theirs[c:d])
        if step == "replace" and before and after:
            gone, come = gone | before, come | after
    return gone, come


NO_ENCODER = "sentence vectors are not installed"
# Sentences of a long reply that are compared together, and how many of its sentences are looked at.
MAX_WIDTH = 3
MAX_SENTENCES = 60


def edit_similarity(expected: str, reply: str) -> float:
    """Return 1 for equal texts, less for every letter that must be changed, down to 0."""
    from rapidfuzz.distance import Levenshtein

    return float(Levenshtein.normalized_similarity(plain(expected), plain(reply)))


def find_encoder(encoder: Encoder | None, texts: Sequence[str] = ()) -> Encoder | None:
    """Return the encoder given, else that of the language of these texts, the English one or None, as installed."""
    from vivavoce.text.languages.mixed import ENGLISH, can_read, name_encoder
    from vivavoce.text.vectors import encoder_available, load_encoder
    from vivavoce.text.words import guess_text_language

    if encoder is not None or not encoder_available():
        return encoder
    language = guess_text_language("\n".join(texts), ENGLISH)
    try:
        return load_encoder(name_encoder(language if can_read(language) else ENGLISH))
    except MissingPartError:
        return None


def meaning_similarity(pairs: Sequence[tuple[str, str]], encoder: Encoder) -> list[float]:
    """Return the cosine of the sentence vectors of each pair."""
    from vivavoce.text.cache import encode_cached

    vectors = encode_cached(encoder, [text for pair in pairs for text in pair])
    return [float(a @ b) for a, b in zip(vectors[::2], vectors[1::2], strict=True)]


def pair_up(text: str, candidates: Sequence[str], values: Mapping[str, str]) -> tuple[list[tuple[str, str]], str]:
    """Return the expected text with each candidate, placeholders put aside; and what all candidates lack, if any."""
    pieces = split_pieces(text, values, bare)
    blanked = [blank_typed(pieces, bare(candidate)) for candidate in candidates]
    pairs = [pair for pair in blanked if not isinstance(pair, str)]
    lacking = next((pair for pair in blanked if isinstance(pair, str)), "")
    return pairs, "" if pairs else f"the reply contains no {lacking}"


def best_pair(
    pairs: Sequence[tuple[str, str]], scores: Sequence[float], minimum: float, names: Sequence[str]
) -> tuple[float, str]:
    """Return the best score that no guard holds back, or the best of all with what held it back."""
    ranked = sorted(zip(scores, pairs, strict=True), key=lambda each: -each[0])
    held_back = ""
    for score, (expected, reply) in ranked:
        if score < minimum:
            break
        difference = find_difference(expected, reply, names)
        if not difference:
            return score, ""
        held_back = held_back or difference
    return ranked[0][0], held_back


def best_excerpt(
    pieces: list[Piece], reply: str, encoder: Encoder, minimum: float, names: Sequence[str]
) -> tuple[float, str]:
    """Return the best score of one to three sentences that no guard holds back, or the best with what held it back.

    Wider excerpts are tried around the nearest sentence only. A sentence elsewhere that is as near and says the
    opposite, or another number, holds the reply back.
    """
    sentences = split_sentences(reply)[:MAX_SENTENCES]

    def score(spans: Iterable[range]) -> list[tuple[float, range, tuple[str, str]]]:
        blanked = [(span, blank_typed(pieces, " ".join(sentences[span.start : span.stop]))) for span in spans]
        excerpts = [(span, pair) for span, pair in blanked if not isinstance(pair, str)]
        scores = meaning_similarity([pair for _, pair in excerpts], encoder)
        return [(value, *excerpt) for value, excerpt in zip(scores, excerpts, strict=True)]

    singles = score(range(place, place + 1) for place in range(len(sentences)))
    if not singles or len(sentences) == 1:
        return 0.0, ""
    nearest = max(singles, key=lambda each: each[0])[1].start
    # Spans of two and three sentences that hold the nearest.
    starts = [(nearest - back, width) for width in range(2, MAX_WIDTH + 1) for back in range(width)]
    wider = [range(start, start + width) for start, width in starts if 0 <= start <= len(sentences) - width]
    ranked = sorted([*singles, *score(wider)], key=lambda each: -each[0])
    best, held_back = best_pair([pair for *_, pair in ranked], [value for value, *_ in ranked], minimum, names)
    if held_back or best < minimum:
        return best, held_back
    chosen = next(span for value, span, _ in ranked if value == best)
    for value, span, pair in singles:
        if value >= minimum and span.start not in chosen:
            difference = find_contradiction(*pair, names)
            if difference:
                return best, f"in another sentence, {difference}"
    return best, ""
