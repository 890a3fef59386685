"""Near matches: how alike an expected text and a reply are, by letters or by meaning, under the guards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vivavoce.conversations.judging.gaps import Piece, blank_typed, split_pieces
from vivavoce.conversations.judging.guards import find_contradiction, find_difference
from vivavoce.conversations.judging.plain import bare, plain, split_sentences
from vivavoce.errors import MissingPartError

if TYPE_CHECKING:
    from vivavoce.text.vectors import Encoder

NO_ENCODER = "sentence vectors are not installed"
# Sentences of a long reply that are compared together, and how many of its sentences are looked at.
WIDEST = 3
MAX_SENTENCES = 60


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Some sentences of a reply beside the expected text, typed gaps put aside in both; `places` of the sentences."""

    places: range
    expected: str
    reply: str
    score: float = 0.0


def edit_similarity(expected: str, reply: str) -> float:
    """Return 1 for equal texts, less for every letter that must be changed, down to 0."""
    from rapidfuzz.distance import Levenshtein

    return float(Levenshtein.normalized_similarity(plain(expected), plain(reply)))


def find_encoder(encoder: Encoder | None) -> Encoder | None:
    """Return the encoder given, else the local one where its weights are installed, else None."""
    from vivavoce.text.vectors import encoder_available, load_encoder

    if encoder is not None or not encoder_available():
        return encoder
    try:
        return load_encoder()
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

    def score(spans: Iterable[range]) -> list[Excerpt]:
        pairs = [(span, blank_typed(pieces, " ".join(sentences[span.start : span.stop]))) for span in spans]
        excerpts = [Excerpt(span, *pair) for span, pair in pairs if not isinstance(pair, str)]
        scores = meaning_similarity([(each.expected, each.reply) for each in excerpts], encoder)
        return [replace(each, score=value) for each, value in zip(excerpts, scores, strict=True)]

    singles = score(range(place, place + 1) for place in range(len(sentences)))
    if not singles or len(sentences) == 1:
        return 0.0, ""
    nearest = max(singles, key=lambda each: each.score).places.start
    # Spans of two and three sentences that hold the nearest.
    starts = [(nearest - back, width) for width in range(2, WIDEST + 1) for back in range(width)]
    wider = [range(start, start + width) for start, width in starts if 0 <= start <= len(sentences) - width]
    ranked = sorted([*singles, *score(wider)], key=lambda each: -each.score)
    pairs = [(each.expected, each.reply) for each in ranked]
    best, held_back = best_pair(pairs, [each.score for each in ranked], minimum, names)
    if held_back or best < minimum:
        return best, held_back
    chosen = next(each for each in ranked if each.score == best)
    for single in singles:
        if single.score >= minimum and single.places.start not in chosen.places:
            difference = find_contradiction(single.expected, single.reply, names)
            if difference:
                return best, f"in another sentence, {difference}"
    return best, ""
