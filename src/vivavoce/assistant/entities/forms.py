"""Forms of words: what is written with or without accents, in the plural, for men or for women, is one form."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

HAN = "\u3400-\u4dbf\u4e00-\u9fff"
# Words; gendered German endings (Pfleger/in, Pfleger*innen) stay with theirs.
_TOKEN = re.compile(rf"(?:(?![{HAN}])[^\W_])+(?:(?:[*:_/]|\()(?:in|innen|r|e|euse|trice)\)?(?!\w))?|[{HAN}]+")
_GENDER = re.compile(r"[*:_/(].*$")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_SHARP = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l"})


class Token(NamedTuple):
    """A word of a message with its place: `form` is its folded form, `stem` what its inflections share."""

    text: str
    start: int
    end: int
    form: str
    stem: str


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """Return a text in small letters without accents."""
    plain = unicodedata.normalize("NFD", text.casefold().translate(_SHARP))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def folds(text: str) -> set[str]:
    """Return the ways to write a name without accents: München is munchen and muenchen."""
    whole = unicodedata.normalize("NFC", text.casefold())
    return {fold(whole), fold(whole.translate(_UMLAUTS))}


def split(text: str, language: str) -> list[Token]:
    """Return the words of a text. Length and places are those of the text as it is."""
    tokens = []
    for match in _TOKEN.finditer(text):
        form = fold(_GENDER.sub("", match[0]))
        tokens.append(Token(match[0], match.start(), match.end(), form, stem(form, language)))
    return tokens


@lru_cache(maxsize=65536)
def stem(form: str, language: str) -> str:
    """Return what the inflections of a folded word share: singular and plural, feminine and masculine."""
    if len(form) < 4:
        return form
    for pattern, ending in _ENDINGS.get(language, ()):
        shortened, n = pattern.subn(ending, form)
        if n and len(shortened) >= 3:
            return shortened
    return form


def _compile(*pairs: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(f"(?:{pattern})$"), ending) for pattern, ending in pairs)


# The first ending that fits is cut. German umlauts are folded already: Ärzte, Ärztin -> arzt.
_ENDINGS = {
    "en": _compile(("women|woman", "man"), ("men", "man"), ("ies", "y"), ("(?<=ss|ch|sh)es", ""), ("(?<!s)s", "")),
    "de": _compile(
        ("(frauen|frau|leute|maenner|manner|mannern)", "mann"),
        ("(erinnen|erin|ern|ers|er)", "er"),
        ("(innen|in)", ""),
        ("kraefte|krafte|kraften", "kraft"),
        ("(en|n|e|s)", ""),
    ),
    "fr": _compile(
        ("trices?", "teur"),
        ("euses?|eurs", "eur"),
        ("ieres?|iers", "ier"),
        ("iennes?|iens", "ien"),
        ("eres?|ers", "er"),
        ("(e|s|x|es)", ""),
    ),
}
