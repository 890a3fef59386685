"""Learns a language from pairs of sentences: no randomness, so the same pairs give the same file on one machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from vivavoce.text.cache import VectorCache, encode_cached
from vivavoce.text.languages.gloss import Glosser
from vivavoce.text.languages.model import LanguageModel, check_language
from vivavoce.text.languages.pairs import Pair
from vivavoce.text.languages.phrases import learn_phrases
from vivavoce.text.languages.static import learn_static
from vivavoce.text.languages.tokens import split_words
from vivavoce.text.vectors import Encoder

ENCODING, ALIGNING, FITTING = "English vectors", "phrases", "words and letters"
Tell = Callable[[str, int, int], None]


def train_language(
    pairs: Sequence[Pair],
    language: str,
    teacher: Encoder,
    tell: Tell | None = None,
    cache: VectorCache | None = None,
) -> LanguageModel:
    """Learn the phrase table and the static rows; `tell` hears (stage, done, in all).

    The vectors of the English sides are kept in the cache, so a second training starts where the first one stopped.
    """
    check_language(language)
    tell = tell or (lambda stage, done, total: None)
    english = [pair.english for pair in pairs]
    vectors = encode_cached(teacher, english, partial(tell, ENCODING), cache)
    tell(ALIGNING, 0, 1)
    phrases = learn_phrases(pairs, language)
    tell(ALIGNING, 1, 1)
    counts = Glosser(phrases, language).counts
    sentences = [split_words(pair.text, language, counts) for pair in pairs]
    static = learn_static(sentences, vectors, language, partial(tell, FITTING))
    return LanguageModel(language, teacher.name, len(pairs), phrases, static)
