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
    import make_catalogues

    sys.path.pop(0)
    return make_catalogues


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
    shown = set(texts(tool.extract_catalogue()))
    assert len(shown) > 50
    assert set(texts(read(language, "po"))) == shown, "run tools/make_catalogues.py"


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
    assert {ids: compiled.get(ids) for ids in written} == written, "run tools/make_catalogues.py"
    assert set(compiled) <= set(texts(read(language, "po"))), "run tools/make_catalogues.py"


def test_updating_keeps_translations_and_lets_old_texts_go(
    tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool, "LOCALE", tmp_path)
    old = tool.empty_catalogue("de")
    old.add("kept", "behalten")
    old.add("gone", "fort")
    tool.write("de", old)
    fresh = tool.empty_catalogue(None)
    fresh.add("kept")
    fresh.add("new")
    assert texts(tool.update("de", fresh)) == {("kept",): ("behalten",), ("new",): ("",)}


def test_translations_of_a_file_are_added_and_take_the_place_of_old_ones(
    tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool, "LOCALE", tmp_path)
    old = tool.empty_catalogue("de")
    old.add("day", "alt")
    tool.write("de", old)
    fresh = tool.empty_catalogue(None)
    for text in ("day", ("one", "many"), "later"):
        fresh.add(text)
    (tmp_path / "words.json").write_text('[["day", "Tag"], [["one", "many"], ["eins", "viele"]]]', encoding="utf-8")
    made = tool.update("de", fresh, tool.read_translations(tmp_path / "words.json"))
    assert texts(made) == {("day",): ("Tag",), ("one", "many"): ("eins", "viele"), ("later",): ("",)}


def test_the_nouns_of_the_plural_filter_are_found(tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "page.html").write_text("{{ n|plural('topic', 'topics') }}", encoding="utf-8")
    monkeypatch.setattr(tool, "TEMPLATES", tmp_path)
    assert list(tool._counted()) == [("topic", "topics")]


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
