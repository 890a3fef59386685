"""One definition of languages, and the parts that bring data of their own for each."""

from __future__ import annotations

from vivavoce import demo
from vivavoce.agents import languages as agent_languages
from vivavoce.languages import LANGUAGES, Use, list_codes, name_languages
from vivavoce.text import words
from vivavoce.web.language import LANGUAGES as INTERFACE
from vivavoce.web.language import catalogue


def test_codes_and_names_differ() -> None:
    assert len({language.code for language in LANGUAGES}) == len(LANGUAGES)
    assert len({language.name for language in LANGUAGES}) == len(LANGUAGES)


def test_every_part_has_what_it_needs_for_its_languages() -> None:
    assert tuple(agent_languages.LANGUAGES) == list_codes(Use.AGENTS)
    assert {*words._BY_STOP_WORDS, *words._FURTHER_WORDS, "zh"} == set(list_codes(Use.GUESSED))
    assert {f"recruiting-{code}" for code in list_codes(Use.DEMO)} == set(demo.shipped())
    assert all(catalogue(code) for code in list_codes(Use.INTERFACE))
    assert INTERFACE == {"en": "English", "de": "Deutsch"}
    assert name_languages(Use.GUESSED)["zh"] == "Chinese"
