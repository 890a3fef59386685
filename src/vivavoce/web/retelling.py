"""Sentences of the layers below, told in the reader's language.

They reach a page as English text, some of them from the database. The catalogue knows the template of each; the text
is held against the templates, and what stands in the places is put into the translation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType

from vivavoce.sentences import is_number, places_of, read_places

__all__ = ["SIGNS", "Texts", "retell", "retell_ours"]

# What the standard library keeps of a catalogue: a text, or a text with the number of its form.
Texts = Mapping[str | tuple[str, int], str]

# What English sets between groups of three digits and before decimals, and what other languages set there.
SIGNS: Mapping[str, Mapping[int, int]] = MappingProxyType({"de": str.maketrans(",.", ".,")})
_AND: Mapping[str, str] = MappingProxyType({"de": " und "})
_COUNT = re.compile(r"(\d[\d,]*) (\S.*)")
_QUOTED = re.compile(r"'.*'|\".*\"", re.DOTALL)
_WORD = re.compile(r"\w+")
_BRACKETED = re.compile(r"(.+?)?(?: |^)\(([^()]+)\)")
_PLACE = re.compile(r"\{(\w+)(?:![a-z])?(?::([^}]*))?\}")
# A comma between items, not one inside brackets.
_COMMA = re.compile(r", (?![^(]*\))")
_UNITS = (" %", " ms", " s")
_STOPS = (".", ";", ":")
_BETWEEN = re.compile(r"(?<=[.!?:;…]) (?=\S)|\n")
# So many pieces of a text, parted at its stops and colons, may be one sentence of the catalogue.
_MOST_TOGETHER = 6


@lru_cache(maxsize=4096)
def retell(language: str, text: str) -> str:
    """Return a text of the layers below in a language; what no catalogue knows stays as it is."""
    core = text.strip()
    return text.replace(core, _teller(language).tell(core)) if core else text


def retell_ours(language: str, text: str) -> str:
    """Return a text that may be somebody's own, such as a title: told anew where it is a template of ours, filled in.

    `row 3` and `Intents with tfidf` are; a word that the catalogue happens to have is not.
    """
    return (_teller(language).filled(text) if " " in text else None) or text


@cache
def _teller(language: str) -> _Teller:
    from vivavoce.web.language import catalogue

    # The library offers no other way to list what a catalogue holds; English holds nothing.
    texts: Texts = vars(catalogue(language)).get("_catalog", {})
    forms = (_form(text, said) for text, said in texts.items() if isinstance(text, str) and "{" in text)
    # The more of a sentence is fixed, the surer it is that it is this one.
    ranked = tuple(sorted(forms, key=lambda form: -len(_PLACE.sub("", form.template))))
    return _Teller(language, texts, ranked, _index(ranked))


@lru_cache(maxsize=16384)
def _known(language: str, text: str) -> str | None:
    """Return a text that the catalogue has, with its places or without; what was looked for once is remembered."""
    return _teller(language).find(text)


@dataclass(frozen=True, slots=True)
class _Form:
    """A template and its translation; `longest` is the longest of its fixed parts, to look for first."""

    template: str
    said: str
    longest: str
    own: frozenset[str]
    loose: frozenset[str]
    bent: frozenset[str]
    words: frozenset[str]

    def said_with(self, values: Mapping[str, str]) -> str:
        """Return the translation with its values."""
        return _PLACE.sub(lambda place: values[place[1]], self.said)


def _form(template: str, said: str) -> _Form:
    places, end = places_of(template)
    longest = max((*(place.before for place in places), end), key=len)
    own = frozenset(place.name for place in places if place.own)
    free = frozenset(place.name for place in places if place.loose)
    bent = frozenset(place[1] for place in _PLACE.finditer(said) if place[2] == "dative")
    return _Form(template, said, longest, own, free, bent, _whole_words(template))


def _whole_words(template: str) -> frozenset[str]:
    """Return the words of a template that no value can lengthen."""
    fixed = _PLACE.sub("\0", template)
    found = (word for word in _WORD.finditer(fixed))
    return frozenset(w[0] for w in found if "\0" not in fixed[max(0, w.start() - 1) : w.end() + 1])


def _index(forms: Sequence[_Form]) -> Mapping[str, tuple[int, ...]]:
    """Return the numbers of the forms under the rarest of their words; under "" those that have none."""
    often = Counter(word for form in forms for word in form.words)
    found: dict[str, tuple[int, ...]] = {}
    for number, form in enumerate(forms):
        key = min(form.words, key=lambda word: (often[word], word), default="")
        found[key] = (*found.get(key, ()), number)
    return found


@dataclass(frozen=True, slots=True)
class _Teller:
    """Tells texts in one language; the templates with most fixed words come first, and are found by a word."""

    language: str
    texts: Texts
    forms: tuple[_Form, ...]
    index: Mapping[str, tuple[int, ...]]

    def tell(self, text: str) -> str:
        """Return a text in the language: sentence by sentence, else as a whole, else what of it is known."""
        # Somebody's own words at the end of a sentence would swallow the next one: so the whole comes second.
        told = list(self._several(_BETWEEN.split(text)))
        whole = self._whole(text) if any(said is None for _, said in told) else None
        return whole if whole is not None else " ".join(piece if said is None else said for piece, said in told)

    def _whole(self, text: str) -> str | None:
        """Return a text that is known as a whole."""
        said = self._one(text)
        return self._row(text) if said is None else said

    def _row(self, text: str) -> str | None:
        """Return known texts with commas between them; nothing where one of them is not known."""
        told = [self._known(one) for one in _COMMA.split(text)]
        return ", ".join(one for one in told if one) if len(told) > 1 and all(told) else None

    def _one(self, text: str) -> str | None:
        """Return one sentence or word, as it is or with the capital and the stop that a remark was given."""
        # A loose place would take a stop for a part of its value.
        said = None if text[:-1] in self.texts and text[-1:] in _STOPS else self._known(text)
        if said is None and text[:1].isupper():
            said = _capital(self._known(text[0].lower() + text[1:]))
        if said is None and text.endswith(_STOPS):
            said = self._one(text[:-1])
            return said if said is None else f"{said}{text[-1]}"
        return said

    def _several(self, pieces: Sequence[str]) -> Iterator[tuple[str, str | None]]:
        """Yield sentences that stand in a row with what they are told as; some sentences are known together only."""
        at = 0
        while at < len(pieces):
            joined = [
                " ".join(pieces[at:until]) for until in range(at + 1, min(len(pieces), at + _MOST_TOGETHER) + 1)
            ]
            # What stands before a colon may be known by itself, too, and then as something else.
            both = self.filled(joined[1], within=": ") if pieces[at].endswith(":") and len(joined) > 1 else None
            told = ((size, self._whole(text)) for size, text in enumerate(joined, 1))
            size, said = (2, both) if both else next((one for one in told if one[1] is not None), (1, None))
            yield joined[size - 1], said
            at += size

    def _known(self, text: str) -> str | None:
        return _known(self.language, text)

    def find(self, text: str) -> str | None:
        """Return a text that the catalogue has, with its places or without."""
        if is_number(text):
            return self._number(text)
        if text.endswith(_UNITS):
            value, _, unit = text.rpartition(" ")
            said = self._known(value)
            return None if said is None else f"{said} {unit}"
        if text in self.texts and "%(" not in text:
            return self.texts[text]
        return self._count(text) or self.filled(text) or self._bracketed(text)

    def _bracketed(self, text: str) -> str | None:
        """Return a text that ends with something in brackets."""
        found = _BRACKETED.fullmatch(text)
        if found is None:
            return None
        said = self._known(found[1]) if found[1] else ""
        inside = self._known(f"({found[2]})") if found[1] else None
        inside = inside or f"({retell(self.language, found[2])})"
        return None if said is None else f"{said} {inside}".lstrip()

    def _count(self, text: str, *, dative: bool = False) -> str | None:
        found = _COUNT.fullmatch(text)
        if found is None:
            return None
        number, noun = found.groups()
        form = int(number.replace(",", "") != "1")
        said = self.texts.get((f"{{num}} {noun.removesuffix('s') if form else noun}", form))
        if said is None:
            return None
        bent = "n" if dative and form and not said.endswith(("n", "s")) else ""
        return said.replace("{num}", self._number(number)) + bent

    def _number(self, text: str) -> str:
        return text.translate(SIGNS.get(self.language, {})).replace("%", " %")

    def filled(self, text: str, *, within: str = "") -> str | None:
        """Return a sentence whose template and values are all known; `within`: what the template must hold."""
        words = {"", *_WORD.findall(text)}
        for number in sorted(number for word in words for number in self.index.get(word, ())):
            form = self.forms[number]
            if form.longest in text and within in form.template:
                told = self._values(form, text, from_end=False) or self._values(form, text, from_end=True)
                if told:
                    return form.said_with(told)
        return None

    def _values(self, form: _Form, text: str, *, from_end: bool) -> dict[str, str]:
        """Return what goes into the places of a translation; nothing where one of the values is not known."""
        told = {}
        for name, value in (read_places(form.template, text, from_end=from_end) or {}).items():
            said = value if name in form.own else self._value(name, value, dative=name in form.bent)
            if said is None and name not in form.loose:
                return {}
            told[name] = value if said is None else said
        return told

    def _value(self, name: str, value: str, *, dative: bool) -> str | None:
        core = value.strip()
        if not core or _QUOTED.fullmatch(core):
            return value
        if name in ("names", "parts"):
            return self._listed(value, own_words=name == "names")
        said = (self._count(core, dative=True) if dative else None) or self._whole(core)
        return None if said is None else value.replace(core, said)

    def _listed(self, text: str, *, own_words: bool) -> str:
        """Return a list, its last two joined as the language joins them."""
        *first, last = text.rsplit(" and ", 1)
        groups: Iterable[str] = (", ".join(self._items(group, own_words)) for group in (*first, last))
        return _AND.get(self.language, " and ").join(groups)

    def _items(self, group: str, own_words: bool) -> Iterable[str]:
        return (one if own_words else retell(self.language, one) for one in _COMMA.split(group))


def _capital(text: str | None) -> str | None:
    return text if text is None else text[:1].upper() + text[1:]
