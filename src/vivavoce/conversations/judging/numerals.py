"""Numbers in one way of writing: `1,200` and `1200`, `thirty` and `30`.

Words are known from 0 to 100 in English, German, French and Spanish. A word that more often means something else is
no number here: one, ein, un (articles), neuf (new). A larger number in words ("two hundred") stays as it is, whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from vivavoce.text.words import guess_language

UNKNOWN = "und"
_WORD = re.compile(r"[^\W\d_]+")
_PARTED = re.compile(r"\d[,.' ]\d{3}")
# The signs that part thousands, by language. A text of unknown language may be written in any of these ways.
_GROUPING = {"en": ",", "zh": ",", "de": ".' ", "fr": ".' ", "es": ". ", UNKNOWN: ",.' "}
_SPANISH = frozenset(
    ("el", "los", "las", "y", "para", "por", "con", "su", "del", "días", "usted", "es", "una", "son")
)
_FRENCH = frozenset(("le", "les", "et", "pour", "vous", "des", "du", "est", "votre", "nous", "dans", "une", "jours"))

_SMALL = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen",
    "de": "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn "
    "siebzehn achtzehn neunzehn",
    "fr": "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept "
    "dix-huit dix-neuf",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis "
    "diecisiete dieciocho diecinueve",
}
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreissig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "fr": "vingt trente quarante cinquante soixante septante huitante nonante",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
}
_HUNDRED = {"en": ("hundred", "one hundred"), "de": ("hundert", "einhundert"), "fr": ("cent",), "es": ("cien",)}
# Words of larger numbers, fractions and ordinals.
_LARGER = {
    "en": "hundred hundreds thousand thousands million millions billion dozen half quarter quarters third thirds "
    "first fourth fifth sixth seventh eighth ninth point",
    "de": "hundert tausend million millionen milliarde milliarden dutzend halb viertel einhalb komma",
    "fr": "cent cents mille million millions milliard demi demie virgule",
    "es": "cien ciento cientos mil millón millones medio media coma",
}
_VEINTI = "uno dós trés cuatro cinco séis siete ocho nueve"
_NO_NUMBERS = frozenset(("one", "eins", "un", "une", "uno", "neuf"))
# Words of one language that are everyday words of another: no numbers where the language is not known.
_DOUBTFUL = frozenset(("once", "sept", "cent", "elf", "dos", "null", "ten", "seize", "four", "quince"))


def language_of(*texts: str) -> str:
    """Return the language in which these texts write their numbers."""
    guessed = guess_language(texts)
    if guessed not in ("fr", UNKNOWN):
        return guessed
    words = re.findall(r"\w+", " ".join(texts).casefold())
    spanish, french = (sum(word in known for word in words) for known in (_SPANISH, _FRENCH))
    return "es" if spanish > french else guessed


@lru_cache(maxsize=4096)
def may_be_rewritten(text: str) -> bool:
    """Tell whether a folded text holds a number in words, or in parted thousands, in any of the languages."""
    return bool(_PARTED.search(text)) or not _all_words().isdisjoint(_WORD.findall(text))


@cache
def _all_words() -> frozenset[str]:
    return frozenset(word for name in _SMALL for words in number_words(name) for word in words.split()) - {"et", "y"}


@lru_cache(maxsize=4096)
def as_digits(text: str, language: str) -> str:
    """Return a folded text with its numbers in digits, thousands not parted."""
    ungrouped = _groups(_GROUPING.get(language, ",")).sub(lambda found: re.sub(r"\D", "", found[0]), text)
    runs = _runs(language)
    return runs.sub(lambda run: _in_digits(run[0], language), ungrouped) if runs else ungrouped


def find_numbers(text: str, language: str) -> Iterator[str]:
    """Yield the numbers of a folded text in digits; larger ones in words as they are written."""
    digits = as_digits(text, language)
    yield from re.findall(r"\d+(?:[.,]\d+)*", digits)
    runs = _runs(language)
    for run in runs.finditer(digits) if runs else ():
        words = _key(run[0]).split()
        if len(words) > 1 and any(word in number_words(language) for word in words):
            yield _key(run[0])


@cache
def _groups(signs: str) -> re.Pattern[str]:
    begin = r"(?<![\d.,'])[1-9]\d{0,2}"
    return re.compile(rf"{begin}(?P<sign>[{signs}])\d{{3}}(?:(?P=sign)\d{{3}})*(?!\d|(?P=sign)\d)")


def _in_digits(run: str, language: str) -> str:
    """Return a run of numbers in digits where it is one number, or several joined by "and"."""
    table = number_words(language)
    if _key(run) in table:
        return str(table[_key(run)])
    parts = re.split(r"( (?:and|et|y) )", run)
    if len(parts) == 1 or _larger(language) & set(_key(run).split()):
        return run
    return "".join(str(table.get(_key(part), part)) for part in parts)


def _key(run: str) -> str:
    return run.replace("-", " ")


@cache
def _runs(language: str) -> re.Pattern[str] | None:
    """Return what finds numbers in a row: they may be one number."""
    words = {word for key in (*number_words(language), *_NO_NUMBERS) for word in key.split()} | _larger(language)
    if not number_words(language):
        return None
    listed = "|".join(sorted(words - {"et", "y"}, key=len, reverse=True))
    number = rf"(?:(?:{listed})\b|\d+(?:[.,]\d+)*)"
    return re.compile(rf"(?<![\w.,]){number}(?:(?:[ -]|[ -](?:and|et|y)[ -]){number})*(?!\w)")


def _names(language: str) -> tuple[str, ...]:
    return tuple(_SMALL) if language == UNKNOWN else (language,) if language in _SMALL else ()


@cache
def _larger(language: str) -> frozenset[str]:
    return frozenset(word for name in _names(language) for word in _LARGER[name].split())


@cache
def number_words(language: str) -> dict[str, int]:
    """Return the numbers from 0 to 100 by their words, folded, with blanks for hyphens."""
    known = {_key(words): number for name in _names(language) for words, number in _numbers(name)}
    dropped = _NO_NUMBERS | (_DOUBTFUL if language == UNKNOWN else frozenset())
    return {words: number for words, number in known.items() if words not in dropped}


def _numbers(name: str) -> Iterator[tuple[str, int]]:
    small = _SMALL[name].split()
    yield from ((word, number) for number, word in enumerate(small))
    yield from ((word, 100) for word in _HUNDRED[name])
    for tens, word in enumerate(_TENS[name].split(), 2):
        yield word, tens * 10
        for unit in range(1, 10):
            number = tens * 10 + unit
            if name == "de":
                yield f"{'ein' if unit == 1 else small[unit]}und{word}", number
            else:
                yield f"{word}{' y ' if name == 'es' else ' '}{small[unit]}", number
            if name == "fr" and unit == 1:
                yield f"{word} et un", number
    if name == "es":
        yield from ((f"veinti{word}", number) for number, word in enumerate(_VEINTI.split(), 21))
    if name == "fr":
        # Some French numbers count in twenties.
        yield from (("quatre vingts", 80), ("quatre vingt", 80), ("soixante et onze", 71))
        yield from ((f"soixante {small[unit]}", 60 + unit) for unit in range(10, 20))
        yield from ((f"quatre vingt {small[unit]}", 80 + unit) for unit in range(1, 20))
