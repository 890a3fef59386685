"""Texts made comparable: the same words in another dress (Markdown, tags, quotes, case) become the same text."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache

from vivavoce.text.numerals import convert_numerals
from vivavoce.text.words import guess_language

_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0eff"
_LETTER = rf"[^\W_{_UNSPACED}]"
# What Markdown is made of; most replies have none of it.
_SIGN = re.compile(r"[*_`~\[\\#|>•]")
_LINE_MARK = re.compile(r"\s*(?:---|(?:[-+]|\d{1,3}[.)])\s)")

_FENCE = re.compile(r"^ {0,3}(?P<fence>```+|~~~+)[^\n`]*\n(?P<code>.*?)(?:\n {0,3}(?P=fence)[ \t]*$|\Z)", re.M | re.S)
_CODE = re.compile(r"`(?<!``)(?P<more>`?)(?!`)(?P<code>[^`\n]+?)`(?P=more)(?!`)")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_ADDRESS = re.compile(r"<((?:https?://|mailto:)[^\s<>]+)>|(?:https?://|www\.)[^\s<>()\[\]|]*[^\s<>()\[\]|*_~]")
_TARGET = r"\((?:<[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*)(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?[ \t]*\)"
_LINK = re.compile(rf"\[(?<!\w\[)(?P<text>[^\[\]\n]{{0,500}})\]{_TARGET}")
_IMAGE = re.compile(f"!{_LINK.pattern}")
_DEFINITION = re.compile(r"^ {0,3}\[(?P<name>[^\[\]\n]+)\]:[ \t]+\S+[^\n]*$", re.MULTILINE)
_REFERENCE = re.compile(r"\[(?P<text>[^\[\]\n]+)\](?:\[(?P<name>[^\[\]\n]*)\])?")

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(?P<text>[^\n]*?)(?:[ \t]+#+)?[ \t]*$", re.MULTILINE)
_QUOTE = re.compile(r"^ {0,3}(?:>[ \t]?)+", re.MULTILINE)
_BULLET = re.compile(r"^[ \t]*[-*+•][ \t]+(?:\[[ xX]\][ \t]+)?(?=\S)", re.MULTILINE)
_NUMBERED = re.compile(r"^[ \t]*(?P<number>\d{1,3})[.)][ \t]+(?=\S)", re.MULTILINE)
_RULE = re.compile(r"^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$", re.MULTILINE)
_COLUMNS = frozenset("|-: \t")
_BETWEEN_DIGITS = re.compile(r"(?<=[\d*_~])[ \t]*\|[ \t]*(?=[*_~]*\d)")

# Two stars may touch letters ("**URL**s"), never a digit: `2**3**4` is no emphasis. One star touches neither.
# Each begins with its sign, not with what must not stand before it: so the sign is found fast.
_EMPHASES = (
    re.compile(r"\*\*(?<![\d*]\*\*)(?=\S)(?P<text>(?:(?!\*\*|\n\s*\n).){1,2000}?)(?<=\S)\*\*(?!\d)", re.DOTALL),
    re.compile(rf"\*(?<!{_LETTER}\*)(?<!\*\*)(?=[^\s*])(?P<text>[^*]{{1,2000}}?)(?<=\S)\*(?!{_LETTER}|\*)"),
    re.compile(r"__(?<!\w__)(?=[^\s_])(?P<text>(?:(?!__|\n\s*\n).){1,2000}?)(?<=\S)__(?!\w)", re.DOTALL),
    re.compile(r"_(?<!\w_)(?=[^\s_])(?P<text>(?:[^_]|(?<=\w)_(?=\w)){1,2000}?)(?<=[^\s_])_(?!\w)"),
    re.compile(r"~~(?<!~~~)(?=\S)(?P<text>(?:(?!~~).){1,2000}?)(?<=\S)~~(?!~)", re.DOTALL),
)
_MAX_DEPTH = 3
# Code and addresses are held aside while emphasis is looked for: these stand in their places.
_HELD = 0xF8000
_HELDS = re.compile("[\U000f8000-\U000fbfff]")


@lru_cache(maxsize=4096)
def unmark(text: str) -> str:
    """Return a text without the marks of Markdown; one that has none comes back as it is."""
    lines = text.split("\n")
    if not _SIGN.search(text) and not any(_LINE_MARK.match(line) for line in lines) and not _LINE_MARK.match(text):
        return text
    held: list[str] = []
    bare = _unmark_blocks(_hold_literals(_HELDS.sub("", text), held))
    for _ in range(_MAX_DEPTH):
        before = bare
        for emphasis in _EMPHASES:
            bare = emphasis.sub(r"\g<text>", bare)
        if bare == before:
            break
    return _HELDS.sub(lambda match: held[ord(match[0]) - _HELD], bare) or text


def _hold_literals(text: str, held: list[str]) -> str:
    """Put aside what Markdown leaves alone: code, escaped signs and addresses; links become their text."""

    def hold(literal: str) -> str:
        if len(held) > 0x3FFF:
            return literal
        held.append(literal)
        return chr(_HELD + len(held) - 1)

    text = _FENCE.sub(lambda match: hold(match["code"]), text) if "```" in text or "~~~" in text else text
    text = _CODE.sub(lambda match: hold(match["code"].strip()), text) if "`" in text else text
    text = _ESCAPED.sub(lambda match: hold(match[1]), text)
    text = _resolve_references(_LINK.sub(r"\g<text>", _IMAGE.sub(r"\g<text>", text))) if "[" in text else text
    return _ADDRESS.sub(lambda match: hold(match[1] or match[0]), text)


def _resolve_references(text: str) -> str:
    """Turn `[text][name]` into its text where the name is defined; `[1]` alone is a citation and stays."""
    names = {match["name"].casefold() for match in _DEFINITION.finditer(text)}
    if not names:
        return text

    def show(match: re.Match[str]) -> str:
        return match["text"] if (match["name"] or match["text"]).casefold() in names else match[0]

    return _REFERENCE.sub(show, _DEFINITION.sub("", text))


def _unmark_blocks(text: str) -> str:
    text = _unmark_tables(text) if "|" in text else text
    text = _BULLET.sub("", _QUOTE.sub("", _RULE.sub("", text)))
    text = _HEADING.sub(r"\g<text>", text)
    # A list counts from 1; `30. June` is a date.
    numbers = [int(match["number"]) for match in _NUMBERED.finditer(text)]
    counts = len(numbers) > 1 and numbers == list(range(1, len(numbers) + 1))
    return _NUMBERED.sub("", text) if counts else text


def _unmark_tables(text: str) -> str:
    """Turn the rows of tables into lines: those around a line of columns (`|---|---|`)."""
    lines = text.split("\n")
    rows: list[str] = []
    inside = False
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        inside = "|" in line and (inside or _parts_columns(after))
        if not inside:
            rows.append(line)
        elif not _parts_columns(line):
            # `1 | 200` must not become one number.
            rows.append(" ".join(_BETWEEN_DIGITS.sub("; ", line).replace("|", " ").split()))
    return "\n".join(rows)


def _parts_columns(line: str) -> bool:
    return "-" in line and "|" in line and _COLUMNS.issuperset(line)


# Only real tags go: `<name>` may be a placeholder that a bot forgot to fill, and a tester wants to find it.
_BLOCKS = "article|blockquote|br|dd|div|dl|dt|h[1-6]|hr|li|ol|p|pre|section|table|tbody|td|th|thead|tr|ul"
_INLINE = (
    "a|abbr|audio|b|big|break|button|center|cite|code|del|em|emphasis|font|i|img|ins|kbd|label|mark|prosody|q|s|"
    "say-as|small|span|speak|strike|strong|sub|sup|tt|u|video|voice"
)
_BLOCK = re.compile(rf"</?(?:{_BLOCKS})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_BLOCK_OR_COMMENT = re.compile(rf"{_BLOCK.pattern}|<!--.*?-->", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(rf"</?(?:{_INLINE})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_SIGNS = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛ʼ´`′＇", "'"),
        **dict.fromkeys("“”„‟″«»＂", '"'),
        **dict.fromkeys("‐‑‒–—―−﹘－", "-"),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
    }
)

_BETWEEN_NUMBERS = re.compile(r"(?<=\d)[ \t]*\n\s*(?=\d)")
# "30. Juni", "e.g. Rome" and "Dr. Who" do not end a sentence.
_SENTENCE_END = re.compile(
    r"(?<=[.!?…])(?<![\d.]\.)(?<![\s.(]\w\.)(?<!\b(?:Dr|Mr|Nr|No|St|ca|vs)\.)\s+(?=[^a-z\s])|(?<=[。！？])"
)


@lru_cache(maxsize=4096)
def tidy(text: str) -> str:
    """Return a text without tags and in one way of writing: Unicode NFKC, straight quotes, single blanks."""
    if text.isascii() and not ("<" in text or "&" in text or "`" in text):
        return " ".join(text.split())
    # Beyond the last end of a comment none is looked for: each beginning would be followed up to the end of the text.
    commented, end, rest = text.rpartition("-->")
    blocks_gone = _BLOCK_OR_COMMENT.sub(" ", commented + end) + _BLOCK.sub(" ", rest)
    bare = html.unescape(_TAG.sub("", blocks_gone))
    return " ".join(unicodedata.normalize("NFKC", bare.translate(_SIGNS)).split())


def bare(text: str) -> str:
    """Return a tidy text without Markdown: what a visitor reads."""
    return tidy(unmark(text))


def bare_lines(text: str) -> str:
    """Return a bare text in which a number that ends a line does not run into one that begins the next."""
    return tidy(_BETWEEN_NUMBERS.sub("; ", _BLOCK.sub("\n", unmark(text))))


def plain(text: str) -> str:
    """Return a tidy text with its case folded: what most kinds of match compare."""
    return unicodedata.normalize("NFKC", tidy(text).casefold())


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text, bare; a line, a list item and a row of a table end one too."""
    lines = _BLOCK.sub("\n", unmark(text)).split("\n")
    return [sentence.strip() for line in lines for sentence in _SENTENCE_END.split(tidy(line)) if sentence.strip()]


def shorten(text: str, length: int = 60) -> str:
    """Return a text in quotes for a sentence, cut where it is long."""
    one_line = " ".join(text.split())
    return f'"{one_line}"' if len(one_line) <= length else f'"{one_line[: length - 3].rstrip()}..."'


UNKNOWN = "und"
_WORD = re.compile(r"[^\W\d_]+")
_PARTED = re.compile(r"\d[,.' ]\d{3}")
# The signs that part thousands, by language. A text of unknown language may be written in any of these ways.
_GROUPING = {"en": ",", "zh": ",", "de": ".' ", "fr": ".' ", "es": ". ", UNKNOWN: ",.' "}

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
    return guessed if guessed in _GROUPING else UNKNOWN


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
    ungrouped = _groups(_GROUPING.get(language, ",")).sub(lambda match: re.sub(r"\D", "", match[0]), text)
    if language == "zh":
        return convert_numerals(ungrouped)
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
