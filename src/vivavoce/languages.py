"""The languages that are known here, and which part of the program knows each of them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Flag, auto
from types import MappingProxyType
from typing import NamedTuple

from vivavoce.messages import say


class Use(Flag):
    """A part of the program that must know a language by its code.

    INTERFACE: pages are translated. PROJECTS: a project may have visitors who write it. GUESSED: texts show it.
    AGENTS: agent files understand its dates and numbers. DEMO: there is shipped material in it.
    """

    INTERFACE = auto()
    PROJECTS = auto()
    GUESSED = auto()
    AGENTS = auto()
    DEMO = auto()


class Language(NamedTuple):
    """A language: its code, its name in English and in itself, and what it is used for."""

    code: str
    name: str
    native_name: str
    uses: Use


_EVERYWHERE = Use.INTERFACE | Use.PROJECTS | Use.GUESSED | Use.AGENTS | Use.DEMO
LANGUAGES = (
    Language("en", say("English"), "English", _EVERYWHERE),
    Language("de", say("German"), "Deutsch", _EVERYWHERE),
    Language("fr", say("French"), "français", Use.PROJECTS | Use.GUESSED),
    Language("es", say("Spanish"), "español", Use.PROJECTS | Use.GUESSED),
    Language("it", say("Italian"), "italiano", Use.PROJECTS | Use.GUESSED),
    Language("nl", say("Dutch"), "Nederlands", Use.PROJECTS | Use.GUESSED),
    Language("pl", say("Polish"), "polski", Use.PROJECTS),
    Language("pt", say("Portuguese"), "português", Use.PROJECTS | Use.GUESSED),
    Language("zh", say("Chinese"), "中文", Use.PROJECTS | Use.GUESSED),
)


def list_codes(use: Use) -> tuple[str, ...]:
    """Return the codes of the languages that a part knows."""
    return tuple(language.code for language in LANGUAGES if use in language.uses)


def name_languages(use: Use, *, native: bool = False) -> Mapping[str, str]:
    """Return the names of the languages that a part knows by their codes: in English, or in the language itself."""
    known = [language for language in LANGUAGES if use in language.uses]
    return MappingProxyType({each.code: each.native_name if native else each.name for each in known})
