"""The language of a message: its script, phrases that name one, a library, the talk so far, the page, the project."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from vivavoce.assistant.material import general_examples
from vivavoce.assistant.talk import LANGUAGES
from vivavoce.assistant.understanding import bare
from vivavoce.text.words import guess_text_language, is_chinese

# Languages that visitors may write and the assistant does not: better told apart than taken for one of its own.
OTHERS = ("es", "it", "nl")
MIN_WORDS = 3


def detect_language(text: str, *, talk: str = "", page: str = "", first: str = "en") -> str:
    """Return the language of a message, one of LANGUAGES.

    Short messages are often no language at all ("ok", "Berlin"): they are in the language of the talk so far, else of
    the page, else the likeliest one.
    """
    if is_chinese(text):
        return "zh"
    usual = talk or (page if page in LANGUAGES else "")
    named = _phrases().get(bare(text), ())
    if named:
        return usual if usual in named else first if first in named else named[0]
    if len(text.split()) >= MIN_WORDS:
        guessed = identify(text, (*LANGUAGES, *OTHERS), usual or first)
        if guessed in LANGUAGES and guessed != "zh":
            return guessed
    elif not usual and any(map(str.isalpha, text)):
        return identify(text, tuple(code for code in LANGUAGES if code != "zh"), first)
    return usual or first


@lru_cache(maxsize=1)
def _phrases() -> Mapping[str, tuple[str, ...]]:
    languages: defaultdict[str, list[str]] = defaultdict(list)
    for language in LANGUAGES:
        for phrase in dict.fromkeys(map(bare, general_examples(language).texts)):
            # Signs and numbers are in no language.
            if any(map(str.isalpha, phrase)):
                languages[phrase].append(language)
    return {phrase: tuple(named) for phrase, named in languages.items()}


def identify(text: str, languages: Sequence[str], usual: str) -> str:
    """Return the likeliest of these languages; without py3langid, by common words, `usual` where they say nothing."""
    identifier = _load_identifier(tuple(languages))
    return guess_text_language(text, usual) if identifier is None else str(identifier.classify(text)[0])


@lru_cache(maxsize=4)
def _load_identifier(languages: tuple[str, ...]) -> Any:
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ImportError:
        return None
    # An instance of our own: the library's functions share one, whose languages anyone may set.
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(list(languages))
    return identifier
