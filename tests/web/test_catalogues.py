"""The catalogues of the interface are complete, and everyone gets the language that they asked for."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.web.language import DEFAULT, DOMAIN, LANGUAGES, LOCALE, Words, choose_language
from vivavoce.web.rendering import environment

pytestmark = pytest.mark.slow

babel = pytest.importorskip("babel.messages")
TRANSLATED = [name for name in LANGUAGES if name != DEFAULT]
PLACEHOLDER = re.compile(r"%\((\w+)\)s")
PLACE = re.compile(r"\{(\w+)[^}]*\}")


@pytest.fixture(scope="module")
def tool() -> Any:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
    import catalogues

    sys.path.pop(0)
    return catalogues


def read(language: str, ending: str) -> Any:
    from babel.messages.mofile import read_mo
    from babel.messages.pofile import read_po

    with (LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.{ending}").open("rb") as file:
        return read_po(file, locale=language) if ending == "po" else read_mo(file)


def texts(catalogue: Any) -> dict[Any, tuple[str, ...]]:
    def forms(text: Any) -> tuple[str, ...]:
        return (text or "",) if isinstance(text, str | None) else tuple(text)

    return {forms(message.id): forms(message.string) for message in catalogue if message.id}


def translated(catalogue: Any) -> dict[Any, tuple[str, ...]]:
    return {ids: strings for ids, strings in texts(catalogue).items() if all(strings)}


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_text_of_templates_and_views_is_in_the_catalogue(language: str, tool: Any) -> None:
    shown = set(texts(tool.extract()))
    assert len(shown) > 50
    assert set(texts(read(language, "po"))) == shown, "run `make catalogues`"


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_text_is_translated_for_certain(language: str) -> None:
    catalogue = read(language, "po")
    assert not [message.id for message in catalogue if message.id and message.fuzzy]
    assert not [ids for ids, strings in texts(catalogue).items() if not all(strings)]
    assert not [ids for ids, strings in texts(catalogue).items() if len(ids) > 1 and len(strings) != 2]


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_fills_in_the_same_values(language: str) -> None:
    def values(forms: tuple[str, ...]) -> set[str]:
        return {name for form in forms for name in (*PLACEHOLDER.findall(form), *PLACE.findall(form))}

    pairs = translated(read(language, "po")).items()
    assert len(pairs) > 50
    assert not [ids for ids, strings in pairs if values(ids) != values(strings)]
    # A sign that is no placeholder would break the page when values are filled in.
    filled = [s for ids, strings in pairs if PLACEHOLDER.search(ids[0]) for s in strings]
    assert not [s for s in filled if "%" in PLACEHOLDER.sub("", s).replace("%%", "")]


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_compiled_catalogue_says_what_the_written_one_says(language: str) -> None:
    compiled, written = texts(read(language, "mo")), translated(read(language, "po"))
    assert {ids: compiled.get(ids) for ids in written} == written, "run `make catalogues`"
    assert set(compiled) <= set(texts(read(language, "po"))), "run `make catalogues`"


def test_updating_keeps_translations_lets_old_texts_go_and_lists_what_has_none(tool: Any, tmp_path: Path) -> None:
    from babel.messages.pofile import write_po

    path = tmp_path / "de" / "LC_MESSAGES" / f"{DOMAIN}.po"
    path.parent.mkdir(parents=True)
    old, fresh = tool.Catalog(locale="de"), tool.Catalog()
    old.add("kept", "behalten")
    old.add("gone", "fort")
    with path.open("wb") as file:
        write_po(file, old)
    fresh.add("kept")
    fresh.add("50 % of {topics}")
    assert tool.update("de", fresh, tmp_path) == ["de: '50 % of {topics}'"]
    with path.with_suffix(".mo").open("rb") as file:
        assert "behalten" in file.read().decode("utf-8", "replace")
    assert "python-format" not in path.read_text(encoding="utf-8")


def test_every_kind_of_call_is_found_and_bare_numbers_are_not(tool: Any, tmp_path: Path) -> None:
    source = (
        'say("outer {a}", a=say("inner {b}", b=say_count(3, "{n} topic", "{n} topics")))\n'
        'UsageError(say("what"), remedy=say("do"))\nsay("{value:.2f}", value=1)\ngettext_noop("title")\n'
    )
    (tmp_path / "module.py").write_text(source, encoding="utf-8")
    found = set(texts(tool.extract(tmp_path)))
    assert found == {("outer {a}",), ("inner {b}",), ("{n} topic", "{n} topics"), ("what",), ("do",), ("title",)}


@pytest.mark.parametrize(
    ("cookie", "user", "accept", "language"),
    [
        ("de", "en", "en", "de"),
        (None, "de", "en", "de"),
        ("xx", None, "de-AT,de;q=0.9,en;q=0.8", "de"),
        (None, None, "fr, en;q=0.3, de;q=0.7", "de"),
        (None, None, "de;q=0, en;q=0.1", "en"),
        (None, None, "fr", "en"),
        (None, None, None, "en"),
        (None, None, "de;q=none", "en"),
    ],
)
def test_the_language_is_the_choice_then_the_person_then_the_browser(
    cookie: str | None, user: str | None, accept: str | None, language: str
) -> None:
    assert choose_language(cookie, user, accept) == language


@settings(deadline=None)
@given(st.text(), st.text(), st.text())
def test_whatever_a_browser_sends_a_language_is_found(cookie: str, user: str, accept: str) -> None:
    assert choose_language(cookie, user, accept) in LANGUAGES


def test_views_and_templates_speak_the_same_language() -> None:
    assert Words("de").gettext("Sign out") == "Abmelden"
    assert environment("de").from_string("{{ gettext('Sign out') }}").render() == "Abmelden"
    assert Words("de").gettext("no such text") == "no such text"


def test_a_value_in_a_translated_text_is_escaped() -> None:
    page = environment("de").from_string("{{ gettext('Undo: %(what)s', what=said) }}").render(said="<script>")
    assert page == "Rückgängig: &lt;script&gt;"


def test_a_count_takes_the_form_that_suits_it() -> None:
    said = [Words("de").ngettext("%(num)s day ago", "%(num)s days ago", n) for n in (1, 2)]
    assert said == ["vor 1 Tag", "vor 2 Tagen"]
