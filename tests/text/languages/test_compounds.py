"""Unknown words are read by another form of the same word, or by the parts of a compound."""

from __future__ import annotations

import pytest

from vivavoce.text.languages.compounds import Splitter, stem
from vivavoce.text.languages.encoder import LanguageEncoder
from vivavoce.text.vectors import load_encoder

COUNTS = {
    "bewerbung": 5,
    "fahrt": 90,
    "kosten": 70,
    "kost": 9,
    "en": 50,
    "zeit": 400,
    "arbeit": 300,
    "kern": 4,
    "tee": 1,
}


@pytest.mark.parametrize(
    "forms", [("Bewerbung", "Bewerbungen"), ("Haus", "Hauses"), ("Maß", "Masse"), ("Bär", "Bären"), ("gehe", "gehst")]
)
def test_forms_of_a_german_word_share_a_stem(forms: tuple[str, str]) -> None:
    first, second = (stem(form.lower()) for form in forms)
    assert first == second


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("bewerbungen", ("bewerbung",)),
        ("fahrtkosten", ("fahrt", "kosten")),
        ("arbeitszeiten", ("arbeit", "zeit")),
        ("kernarbeitszeit", ("kern", "arbeit", "zeit")),
        ("teezeiten", ()),
        ("xylophon", ()),
    ],
)
def test_an_unknown_word_is_split_into_the_commonest_known_ones(word: str, parts: tuple[str, ...]) -> None:
    assert Splitter(COUNTS, "de").split(word) == parts


def test_dutch_compounds_are_split_but_its_words_have_no_stems() -> None:
    splitter = Splitter({"werk": 40, "tijden": 9}, "nl")
    assert splitter.split("werktijden") == ("werk", "tijden")
    assert splitter.split("werken") == ()


def test_the_shipped_german_glosses_words_that_no_pair_holds() -> None:
    encoder = load_encoder("de")
    assert isinstance(encoder, LanguageEncoder)
    assert encoder.glosser.gloss("Wie viele Urlaubstage habe ich?") == "how many holiday days i have ?"
