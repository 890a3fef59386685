"""Sentences of the exams and of stored edits are told in German, with their values, and nothing else is touched."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.web.language import Words
from vivavoce.web.rendering import environment

GERMAN = Words("de")


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("Decisions right", "Richtige Entscheidungen"),
        ("1,204 examples", "1.204 Beispiele"),
        ("1 topic", "1 Thema"),
        (
            "Of 100 questions about its topics, the bot would answer 86 (70 to 95) by itself; of 100 such answers, "
            "under 1 would be right.",
            "Von 100 Fragen zu seinen Themen würde der Bot 86 (70 bis 95) selbst beantworten; von 100 solchen "
            "Antworten wären unter 1 richtig.",
        ),
        (
            "Right is the best of 3 bots: right in 73 % of 1,319 turns, 13 points ahead of Top (5 to 20).",
            "Right ist der beste von 3 Bots: richtig in 73 % von 1.319 Wortwechseln, 13 Punkte vor Top (5 bis 20).",
        ),
        (
            "parrot: questions about 'a, b' get another reply than expected (1 turn)",
            "parrot: auf Fragen zu 'a, b' kommt eine andere Antwort als erwartet (1 Wortwechsel)",
        ),
        (
            "Topic pay: renamed to Right, answer written (en)",
            "Thema pay: umbenannt in Right, Antwort geschrieben (en)",
        ),
        ("Moved 'what's new' to Topics", "'what's new' nach Topics verschoben"),
        ("Settings: threshold 0.3 to 0.5", "Einstellungen: Schwelle 0,3 auf 0,5"),
        ("Undone: Bot parrot deleted", "Rückgängig gemacht: Bot parrot gelöscht"),
    ],
)
def test_a_sentence_with_values_is_told_in_german(english: str, german: str) -> None:
    assert GERMAN.said(english) == german
    assert Words("en").said(english) == english


def test_sentences_in_a_row_are_told_one_by_one_and_an_unknown_one_stays() -> None:
    said = "The difference is real. Somebody wrote this. So no bot has a rank."
    assert GERMAN.said(said) == "Der Unterschied ist echt. Somebody wrote this. Daher hat kein Bot einen Rang."


def test_a_sentence_is_told_as_a_whole_or_not_at_all() -> None:
    half = "a and b: somebody's own verdict (+1 points)."
    assert GERMAN.said(half) == half


def test_templates_tell_sentences_by_a_filter_and_escape_them() -> None:
    page = environment("de").from_string("{{ text|said }}").render(text="Bot <b> deleted")
    assert page == "Bot &lt;b&gt; gelöscht"


@settings(deadline=None)
@given(st.text())
def test_whatever_is_told_never_fails(text: str) -> None:
    assert isinstance(GERMAN.said(text), str)
    assert GERMAN.said(f"Topic {text} deleted with 2 examples")


def test_what_stands_before_a_colon_is_told_with_what_follows_it():
    told = Words("de").said("expected topic pay, got a fallback: the bot says that it did not understand")
    assert told == "Thema pay erwartet, Fallback bekommen: der Bot sagt, dass er nicht verstanden hat"
