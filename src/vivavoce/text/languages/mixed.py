"""Texts of several languages: each is read by the encoder of its own language."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vivavoce.text.cache import encode_cached
from vivavoce.text.vectors import MINILM, Floats, Progress, encoder_available, load_encoder
from vivavoce.text.words import guess_text_language

ENGLISH = "en"


def encode_mixed(texts: Sequence[str], usual: str, progress: Progress | None = None) -> Floats:
    """Return one row for each text; texts of a language without vectors are read as those of the usual one.

    What a text gets depends on itself and the usual language alone, never on its neighbours.
    """
    languages = np.array([_choose(guess_text_language(text, usual), usual) for text in texts], dtype=object)
    usual_encoder = load_encoder(_name_encoder(usual))
    rows = np.empty((len(texts), usual_encoder.dimension), dtype=np.float32)
    for language in dict.fromkeys([usual, *languages.tolist()]):
        places = np.flatnonzero(languages == language)
        chosen = [texts[place] for place in places.tolist()]
        # Only the many texts of the usual language are worth a progress bar.
        tell = progress if language == usual else None
        if chosen:
            rows[places] = encode_cached(load_encoder(_name_encoder(language)), chosen, tell)
    return rows


def _choose(language: str, usual: str) -> str:
    return language if encoder_available(_name_encoder(language)) else usual


def _name_encoder(language: str) -> str:
    return MINILM if language == ENGLISH else language
