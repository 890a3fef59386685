"""Texts of several languages: which encoder reads them, decided once for a data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vivavoce.text.cache import encode_cached
from vivavoce.text.vectors import MINILM, Floats, Progress, encoder_available, has_language, load_encoder
from vivavoce.text.words import choose_language, guess_text_language

ENGLISH = "en"
# English texts that look like another language are one in some thousands; a bot that speaks two has far more.
MIN_OTHER_SHARE = 0.05
SAMPLED_TEXTS = 500


@dataclass(frozen=True)
class Reading:
    """How texts are read: all by the encoder of their usual language, or each by that of its own (`mixed`)."""

    usual: str
    mixed: bool

    @property
    def is_available(self) -> bool:
        """Whether there is an encoder for the usual language."""
        return can_read(self.usual)


def choose_reading(texts: Sequence[str], named: Sequence[str] = ()) -> Reading:
    """Decide how the texts of a data set, and later questions to it, are read.

    `named`: the languages that its owner gave, the most frequent first. If it is one, every text is read in it.
    English texts all stay with the English model, unless a twentieth is of another language.
    """
    usual = choose_language(texts, named)
    if named and named[0] == usual != ENGLISH:
        return Reading(usual, mixed=len(named) > 1)
    return Reading(usual, usual != ENGLISH or _is_mixed(texts))


def encode_texts(texts: Sequence[str], reading: Reading, progress: Progress | None = None) -> Floats:
    """Return one row for each text; texts of a language without vectors are read as those of the usual one.

    What a text gets depends on itself and the reading alone, never on its neighbours.
    """
    usual_encoder = load_encoder(name_encoder(reading.usual))
    if not reading.mixed:
        return encode_cached(usual_encoder, texts, progress)
    languages = np.array(_list_languages(texts, reading.usual), dtype=object)
    rows = np.empty((len(texts), usual_encoder.dimension), dtype=np.float32)
    for language in dict.fromkeys([reading.usual, *languages.tolist()]):
        places = np.flatnonzero(languages == language)
        chosen = [texts[place] for place in places.tolist()]
        # Only the many texts of the usual language are worth a progress bar.
        tell = progress if language == reading.usual else None
        if chosen:
            rows[places] = encode_cached(load_encoder(name_encoder(language)), chosen, tell)
    return rows


def name_encoder(language: str) -> str:
    """Return the name of the encoder of a language."""
    return MINILM if language == ENGLISH else language


def can_read(language: str) -> bool:
    """Say whether there is an encoder for a language."""
    # A folder that is called like the language is no model of it.
    return encoder_available() if language == ENGLISH else has_language(language) and encoder_available(language)


def _is_mixed(texts: Sequence[str]) -> bool:
    # Evenly spaced: the texts of a language often stand together.
    sample = texts[:: -(-len(texts) // SAMPLED_TEXTS) or 1]
    other = sum(language != ENGLISH for language in _list_languages(sample, ENGLISH))
    return other > 0 and other >= MIN_OTHER_SHARE * len(sample)


def _list_languages(texts: Sequence[str], usual: str) -> list[str]:
    """Return the language that each text is read in."""
    guessed = [guess_text_language(text, usual) for text in texts]
    readable = {language for language in set(guessed) if can_read(language)}
    return [language if language in readable else usual for language in guessed]
