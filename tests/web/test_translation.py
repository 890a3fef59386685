"""Messages are translated by their template, with their values; plain text stays as it is."""

from __future__ import annotations

from gettext import GNUTranslations
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.conversations.findings.problems import _KINDS
from vivavoce.messages import Message, join, join_and, say, say_count, sentence
from vivavoce.reports.shared.numbers import milliseconds_text
from vivavoce.web import language
from vivavoce.web.language import Words
from vivavoce.web.rendering import environment

GERMAN = Words("de")
POLISH = {
    ("{n} example", "{n} examples"): ("{n} przykład", "{n} przykłady", "{n} przykładów"),
    ("{n} topic", "{n} topics"): ("{n} temat", "{n} tematy", "{n} tematów"),
    "Added {examples} to {topics}.": "Dodano {examples}: {topics}.",
    "no bot is called '{name}'": "żaden bot nie nazywa się „{name}”",
    "{names} and {last}": "{names} i {last}",
    "{share:.0%} of {topics}": "{share:.0%} z: {topics}",
    "it works": "działa",
    "Topic {name} deleted": "Usunięto temat {name}",
    "Undone: {summary}": "Cofnięto: {summary}",
    "not known": "nieznane",
    "n = {n:,}": "n = {n:,}",
}


@pytest.fixture
def polish(monkeypatch: pytest.MonkeyPatch) -> Words:
    from babel.messages.catalog import Catalog
    from babel.messages.mofile import write_mo

    catalogue, content = Catalog(locale="pl"), BytesIO()
    for text, translation in POLISH.items():
        catalogue.add(text, translation)
    write_mo(content, catalogue)
    content.seek(0)
    translations = GNUTranslations(content)
    known = language.catalogue
    monkeypatch.setattr(language, "catalogue", lambda name: translations if name == "pl" else known(name))
    monkeypatch.setattr(language, "SIGNS", {**language.SIGNS, "pl": str.maketrans(",.", "\u00a0,")})
    return Words("pl")


def count_examples(n: int) -> Message:
    return say_count(n, "{n} example", "{n} examples")


def test_a_language_with_three_plural_forms_needs_nothing_but_a_catalogue(polish: Words) -> None:
    examples = {
        1: "1 przykład",
        2: "2 przykłady",
        5: "5 przykładów",
        22: "22 przykłady",
        1234: "1\u00a0234 przykłady",
    }
    assert {n: polish.said(count_examples(n)) for n in examples} == examples
    topics = say_count(3, "{n} topic", "{n} topics")
    added = say("Added {examples} to {topics}.", examples=count_examples(5), topics=topics)
    assert polish.said(added) == "Dodano 5 przykładów: 3 tematy."
    assert polish.said(say("no bot is called '{name}'", name="it works")) == "żaden bot nie nazywa się „it works”"
    assert polish.said(join_and(["a", "b", say("it works")])) == "a, b i działa"
    assert polish.said(say("{share:.0%} of {topics}", share=0.5, topics=topics)) == "50 % z: 3 tematy"
    assert polish.said(sentence(say("it works"))) == "Działa."
    assert polish.said(milliseconds_text(1234.0)) == "1\u00a0234 ms"
    deleted = say("Topic {name} deleted", name="not known")
    assert polish.said(say("Undone: {summary}", summary=deleted)) == "Cofnięto: Usunięto temat not known"
    assert polish.said("not known") == "nieznane"
    assert polish.said(join("; ", [say("n = {n:,}", n=1000), say("never heard {x:.1f}", x=0.5)])) == (
        "n = 1\u00a0000; never heard 0,5"
    )


@pytest.mark.parametrize(
    ("message", "german"),
    [
        (say("Correct decisions"), "Richtige Entscheidungen"),
        (count_examples(1204), "1.204 Beispiele"),
        (say("Topic {name} deleted with {examples}", name="pay", examples=count_examples(2)),
         "Thema pay gelöscht mit 2 Beispielen"),
        (say("Topic {name} deleted with {examples}", name="pay", examples=count_examples(1)),
         "Thema pay gelöscht mit 1 Beispiel"),
        (say("the file cannot be read: {strerror}", strerror="Permission denied"),
         "die Datei ist nicht lesbar: Permission denied"),
        (say(_KINDS["wrong_reply"].message, about=say("'{topic}'", topic="a, b")),
         "Fragen zu 'a, b' bekommen eine unerwartete Antwort"),
        (milliseconds_text(1234.0), "1.234 ms"),
        (milliseconds_text(1.5), "1,5 ms"),
    ],
)  # fmt: skip
def test_a_message_is_german_with_its_values(message: Message, german: str) -> None:
    assert GERMAN.said(message) == german
    assert Words("en").said(message) == str(message)


def test_what_is_no_message_stays_as_it_is() -> None:
    assert GERMAN.said("Topic pay deleted with 2 examples") == "Topic pay deleted with 2 examples"
    assert GERMAN.ours("Topics") == "Topics"
    assert GERMAN.said("") == ""


def test_texts_of_pages_translate_the_messages_among_their_values() -> None:
    assert "1.204 Beispiele" in GERMAN.gettext("Run %(number)s: %(title)s", number=1, title=count_examples(1204))


def test_templates_translate_by_a_filter_and_escape() -> None:
    page = environment("de").from_string("{{ text|said }}").render(text=say("Bot {name} deleted", name="<b>"))
    assert page == "Bot &lt;b&gt; gelöscht"


@settings(deadline=None)
@given(st.text())
def test_whatever_is_translated_never_fails(text: str) -> None:
    assert isinstance(GERMAN.said(text), str)
    assert text in GERMAN.said(say("Bot {name} deleted", name=text))
