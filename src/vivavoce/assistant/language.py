"""The language of a message: its script, phrases that name one, a library, the talk so far, the page, the project."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from vivavoce.assistant.material import general_examples
from vivavoce.assistant.talk import LANGUAGES
from vivavoce.assistant.understanding import bare
from vivavoce.errors import MissingPartError
from vivavoce.text.words import is_chinese

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
        guessed = identify(text, (*LANGUAGES, *OTHERS))
        if guessed in LANGUAGES and guessed != "zh":
            return guessed
    elif not usual and any(map(str.isalpha, text)):
        return identify(text, tuple(code for code in LANGUAGES if code != "zh"))
    return usual or first


@lru_cache(maxsize=1)
def _phrases() -> Mapping[str, tuple[str, ...]]:
    languages: defaultdict[str, list[str]] = defaultdict(list)
    for language in LANGUAGES:
        for phrase in dict.fromkeys(map(bare, general_examples(language).texts)):
            languages[phrase].append(language)
    return {phrase: tuple(named) for phrase, named in languages.items()}


def identify(text: str, languages: Sequence[str]) -> str:
    """Return the likeliest of these languages."""
    return str(_load_identifier(tuple(languages)).classify(text)[0])


@lru_cache(maxsize=4)
def _load_identifier(languages: tuple[str, ...]) -> Any:
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ImportError as error:
        raise MissingPartError(
            "py3langid is not installed, which tells the languages of visitors apart",
            remedy="pip install 'vivavoce[assistant]'",
        ) from error
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(list(languages))
    return identifier
