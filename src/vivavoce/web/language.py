"""The languages of the interface: which one a person reads, and its words.

English stands in the code and the templates; other languages are catalogues under `locale/`.
"""

from __future__ import annotations

import gettext as catalogues
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from vivavoce.languages import Use, name_languages
from vivavoce.web.retelling import retell, retell_ours

__all__ = [
    "DEFAULT",
    "DOMAIN",
    "LANGUAGES",
    "LOCALE",
    "ROLES",
    "Words",
    "catalogue",
    "choose_language",
    "gettext_noop",
]

DOMAIN = "vivavoce"
LOCALE = Path(__file__).parent / "locale"
DEFAULT = "en"
# Each language by its own name: whoever needs it can read it.
LANGUAGES: Mapping[str, str] = name_languages(Use.INTERFACE, native=True)


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language, for views: `Words("de").gettext("Sign out")`."""

    language: str = DEFAULT

    def gettext(self, text: str, /, **values: object) -> str:
        """Return a text in this language, with `%(name)s` filled in from the values."""
        # To gettext an empty text is the head of the catalogue.
        said = catalogue(self.language).gettext(text) if text else ""
        return said % values if values else said

    def ngettext(self, one: str, many: str, n: int, /, **values: object) -> str:
        """Return the form that suits the number; `%(num)s` is the number itself."""
        return catalogue(self.language).ngettext(one, many, n) % {"num": n, **values}

    def said(self, text: str) -> str:
        """Return a text of the layers below (see `vivavoce.sentences`) in this language."""
        return text if self.language == DEFAULT else retell(self.language, text)

    def ours(self, text: str) -> str:
        """Return a text that may be somebody's own in this language, where it is one of ours."""
        return text if self.language == DEFAULT else retell_ours(self.language, text)


def gettext_noop(text: str) -> str:
    """Mark a text for the catalogues and return it as it is, for tables that are translated when shown."""
    return text


def choose_language(cookie: str | None, user: str | None, accept: str | None) -> str:
    """Return the language to show: the choice in this browser, else the person's own, else what the browser asks."""
    for chosen in (cookie, user):
        if chosen in LANGUAGES:
            return str(chosen)
    return next((name for name in _asked(accept or "") if name in LANGUAGES), DEFAULT)


def _asked(accept: str) -> list[str]:
    """Return the languages of an Accept-Language header, the most wanted first; what cannot be read is skipped."""
    wanted = []
    for place, part in enumerate(accept.split(",")):
        name, _, quality = part.partition(";")
        weight = _weight(quality)
        if weight > 0:
            wanted.append((-weight, place, name.strip().lower().partition("-")[0]))
    return [name for _, _, name in sorted(wanted)]


def _weight(quality: str) -> float:
    """Return the weight after `q=`, 1 where there is none, 0 where it is no number from 0 to 1."""
    said = quality.strip().lower()
    if not said:
        return 1.0
    try:
        weight = float(said.removeprefix("q="))
    except ValueError:
        return 0.0
    return weight if 0.0 <= weight <= 1.0 else 0.0


@cache
def catalogue(language: str) -> catalogues.NullTranslations:
    """Return the texts of a language; English is what the code says."""
    return catalogues.translation(DOMAIN, LOCALE, [language], fallback=language == DEFAULT)


# Names that come from other layers and are translated when shown.
ROLES = (gettext_noop("reader"), gettext_noop("reviewer"), gettext_noop("editor"), gettext_noop("admin"))
