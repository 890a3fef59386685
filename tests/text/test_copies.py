"""Copies with and without stop words are near-duplicates; other questions with the same words are not."""

from __future__ import annotations

import pytest

from vivavoce.intents.material import Material
from vivavoce.intents.splits import Design, SplitPlan
from vivavoce.records import Dataset
from vivavoce.text.duplicates import duplicate_groups

# Enough plain sentences that the language is beyond doubt, none like another.
ENGLISH = (
    "where is the canteen of this building",
    "what do you do when it is raining",
    "who has the keys to my room",
)
GERMAN = ("wo ist die Kantine in diesem Haus", "wer hat den Schlüssel für mein Zimmer", "wann gibt es das Essen")
FRENCH = ("où est la cantine dans ce bâtiment", "qui a les clés de ma chambre", "quand est le repas du soir")


def grouped(first: str, second: str, others: tuple[str, ...] = ENGLISH) -> bool:
    groups = duplicate_groups([first, second, *others])
    assert len(set(groups[1:])) == len(others) + 1, "the other texts stand alone"
    return bool(groups[0] == groups[1])


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("reset password", "how do I reset my password"),
        ("Reset password!", "Please reset the password"),
        ("cash in my credit card points", "how can I cash in my credit card points?"),
        ("report stolen blue city bike number 7", "report my stolen blue electric city bike number 7"),
    ],
)
def test_a_text_and_its_copy_without_stop_words_are_one_group(short: str, long: str) -> None:
    assert grouped(short, long)
    assert grouped(long, short)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("yes", "yes I want to apply"),
        ("apply", "how do I apply"),
        ("what is my user name", "what is your user name"),
        ("my card is working", "my card is not working"),
        ("get my holiday pay", "when do I get my holiday pay"),
        ("a transfer to my bank account", "a transfer from my bank account"),
        ("order a card", "order a virtual card"),
        ("list all open jobs in Berlin sorted by date", "list all open jobs in Berlin not sorted by date"),
        ("book seats for the evening train to Paris", "book 4 seats for the evening train to Paris"),
    ],
)
def test_another_question_with_nearly_the_same_words_is_no_copy(first: str, second: str) -> None:
    assert not grouped(first, second)


def test_stop_words_are_those_of_the_language_of_the_texts() -> None:
    assert grouped("Passwort zurücksetzen", "wie kann ich mein Passwort zurücksetzen", GERMAN)
    assert grouped("changer adresse", "comment changer mon adresse", FRENCH)
    assert not grouped("changer adresse", "how do I changer adresse bitte", FRENCH)
    unknown = ("hvor er kantinen henne nu", "hvem har nøglerne til rummet", "hvornår serveres maden")
    assert not grouped(
        "reset password", "how do I reset my password", (*unknown, *(f"ord{n} ting{n}" for n in range(99)))
    )


def test_copies_without_stop_words_never_stand_on_both_sides_of_a_split() -> None:
    subjects = (
        "password",
        "address",
        "invoice",
        "contract",
        "parking",
        "laptop",
        "badge",
        "salary",
        "holiday",
        "visa",
    )
    bare = [f"{verb} {subject}" for verb in ("change", "lose") for subject in subjects]
    full = [f"how do I {text.replace(' ', ' my ')}" for text in bare]
    data = Dataset.of([*bare, *full], ["change" if text.startswith("change") else "lose" for text in bare] * 2)
    material = Material.of(data)
    assert len(set(material.groups.tolist())) == len(bare)
    for split in SplitPlan(material.labels, Design(), material.groups):
        assert not set(material.groups[split.train]) & set(material.groups[split.test])
