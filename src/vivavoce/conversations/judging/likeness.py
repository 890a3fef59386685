"""Near matches: how alike an expected text and a reply are, by letters or by meaning, under the guards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from vivavoce.conversations.judging.gaps import blank_typed, split_pieces
from vivavoce.conversations.judging.guards import find_difference
from vivavoce.conversations.judging.plain import plain, tidy
from vivavoce.errors import MissingPartError

if TYPE_CHECKING:
    from vivavoce.text.vectors import Encoder

NO_ENCODER = "sentence vectors are not installed"


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
    pieces = split_pieces(text, values, tidy)
    blanked = [blank_typed(pieces, tidy(candidate)) for candidate in candidates]
    pairs = [pair for pair in blanked if not isinstance(pair, str)]
    lacking = next((pair for pair in blanked if isinstance(pair, str)), "")
    return pairs, "" if pairs else f"there is no {lacking} in the reply"


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
