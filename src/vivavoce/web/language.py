"""The languages of the interface: which one a person reads, and its words.

English stands in the code and the templates; other languages are catalogues under `locale/`, which `make catalogues`
brings up to date. A message of the layers below (`vivavoce.messages`) is looked up by its template.
"""

from __future__ import annotations

import gettext as catalogues
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from types import MappingProxyType

from vivavoce.languages import Use, name_languages
from vivavoce.messages import TIMES, Message, fill, is_dated, write_english

DOMAIN = "vivavoce"
LOCALE = Path(__file__).parent / "locale"
DEFAULT = "en"
# Each language by its own name: whoever needs it can read it.
LANGUAGES: Mapping[str, str] = name_languages(Use.INTERFACE, native=True)
# What English sets between groups of three digits and before decimals, and what other languages set there.
SIGNS: Mapping[str, Mapping[int, int]] = MappingProxyType({"de": str.maketrans(",.", ".,")})


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language, for views: `Words("de").gettext("Sign out")`."""

    language: str = DEFAULT

    def gettext(self, text: str, /, **values: object) -> str:
        """Return a text in this language, with `%(name)s` filled in from the values; messages are translated."""
        # To gettext an empty text is the head of the catalogue.
        translation = catalogue(self.language).gettext(text) if text else ""
        return translation % self._write(values) if values else translation

    def ngettext(self, one: str, many: str, n: int, /, **values: object) -> str:
        """Return the form that suits the number; `%(num)s` is the number itself."""
        return catalogue(self.language).ngettext(one, many, n) % {"num": self._value(n, ","), **self._write(values)}

    def said(self, text: str) -> str:
        """Return a text of the layers below in this language; what no catalogue has stays English."""
        if not text or (self.language == DEFAULT and not (isinstance(text, Message) and is_dated(text))):
            return text
        if not isinstance(text, Message):
            return catalogue(self.language).gettext(text)
        if text.plural:
            template = catalogue(self.language).ngettext(text.template, text.plural, int(text.values["n"]))
        else:
            template = catalogue(self.language).gettext(text.template) if text.template else ""
        return fill(template, text.values, self._value, count=bool(text.plural))

    def ours(self, text: str) -> str:
        """Return a text in this language if it is a message; anything else is somebody's own."""
        return self.said(text) if isinstance(text, Message) else text

    def _write(self, values: Mapping[str, object]) -> dict[str, object]:
        return {name: self.ours(value) if isinstance(value, str) else value for name, value in values.items()}

    def _value(self, value: str | float, form: str) -> str:
        """Write a value of a message: numbers as the language does, messages translated."""
        if not isinstance(value, str):
            number = format(value, form).translate(SIGNS.get(self.language, {}))
            return number.replace("%", " %")
        if form in TIMES:
            from vivavoce.web.formats import Writer

            return Writer(self).near_day(datetime.fromisoformat(value), clock=form == "moment")
        text = self.ours(value)
        if form == "dative" and isinstance(value, Message) and value.values.get("n", 1) != 1:
            return text if text.endswith(("n", "s")) else f"{text}n"
        return write_english(text, form)


def gettext_noop(text: str) -> str:
    """Mark a text for the catalogues and return it as it is, for tables that are translated when shown."""
    return text


def choose_language(cookie: str | None, user: str | None, accept: str | None) -> str:
    """Return the language to show: the choice in this browser, else the person's own, else what the browser asks."""
    for chosen in (cookie, user):
        if chosen in LANGUAGES:
            return str(chosen)
    wanted = []
    for place, part in enumerate((accept or "").split(",")):
        name, _, quality = part.partition(";")
        try:
            # What follows `q=`, 1 where there is none.
            weight = float(quality.strip().lower().removeprefix("q=")) if quality.strip() else 1.0
        except ValueError:
            continue
        if 0 < weight <= 1:
            wanted.append((-weight, place, name.strip().lower().partition("-")[0]))
    return next((name for _, _, name in sorted(wanted) if name in LANGUAGES), DEFAULT)


@cache
def catalogue(language: str) -> catalogues.NullTranslations:
    """Return the texts of a language; English is what the code says."""
    return catalogues.translation(DOMAIN, LOCALE, [language], fallback=language == DEFAULT)


# Names that come from other layers and are translated when shown.
ROLES = (gettext_noop("reader"), gettext_noop("reviewer"), gettext_noop("editor"), gettext_noop("admin"))
