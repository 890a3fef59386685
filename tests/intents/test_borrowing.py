"""Examples of another language are trained, never tested, and the exam says what they bring."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from vivavoce.errors import UsageError
from vivavoce.intents import examine_intents
from vivavoce.intents.borrowing import borrow, divide_by_language
from vivavoce.intents.json_form import intents_result_from_json
from vivavoce.records import Dataset, Example, Guess

GERMAN = {
    "gehalt": ("Wie hoch ist das Gehalt?", "Was verdient man bei euch?", "Bekomme ich Weihnachtsgeld?", "Lohn?"),
    "urlaub": ("Wie viele Urlaubstage gibt es?", "Habe ich 30 Tage frei?", "Wann ist Betriebsurlaub?", "Ferien?"),
}
ENGLISH = {
    "gehalt": ("What is the salary for this job?", "How much do you pay?", "Is there a bonus?"),
    "urlaub": ("How many days of holiday do I get?", "When can I take a vacation?", "Is leave paid?"),
}


def mixed(**more: tuple[str, ...]) -> Dataset:
    rows = [
        Example(text, topic, language=code)
        for code, topics in (("de", GERMAN), ("en", {**ENGLISH, **more}))
        for topic, texts in topics.items()
        for text in texts
    ]
    return Dataset(tuple(rows))


class Parrot:
    """Remembers what it was taught."""

    name = "parrot"

    def __init__(self) -> None:
        self.lessons: list[dict[str, str]] = []

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        self.lessons.append(dict(zip(texts, intents, strict=True)))

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        return [Guess("gehalt", 0.9) for _ in texts]


def test_borrowed_examples_are_trained_and_only_the_others_are_tested() -> None:
    parrot = Parrot()
    result = examine_intents(mixed(), parrot, settings=[(0, 0.0)], retries=2, borrow="en", text_view=False)
    assert result.data.rows == sum(map(len, GERMAN.values()))
    lent = {text for texts in ENGLISH.values() for text in texts}
    assert any(lent <= lesson.keys() and len(lesson) > len(lent) for lesson in parrot.lessons), "beside own examples"
    assert any(lent == lesson.keys() for lesson in parrot.lessons), "and alone"
    assert any(not lent & lesson.keys() for lesson in parrot.lessons), "and not at all"


def test_a_topic_that_is_left_out_of_training_is_not_taught_by_borrowed_examples() -> None:
    parrot = Parrot()
    _, lent, usual = divide_by_language(mixed(), "en")
    borrow(parrot, lent, "en", usual=usual).fit(["Was verdient man bei euch?"], ["gehalt"])
    assert set(parrot.lessons[0].values()) == {"gehalt"}


def test_topics_without_examples_in_the_other_language_are_not_borrowed() -> None:
    own, lent, usual = divide_by_language(mixed(kantine=("Is there a canteen?", "Can I eat at work?")), "en")
    assert (usual, {each.language for each in own}) == ("de", {"de"})
    assert {each.intent for each in lent} == set(GERMAN)


def test_a_language_that_nobody_speaks_is_refused_with_those_that_are_there() -> None:
    with pytest.raises(UsageError, match=r"de \(8 rows\), en \(6 rows\)"):
        divide_by_language(mixed(), "fr")


def test_the_language_is_found_in_the_text_where_no_column_names_it() -> None:
    texts = ["Wie viele Tage habe ich frei und wann ist das?", "What is the salary and how do you pay it?"] * 4
    own, lent, usual = divide_by_language(Dataset.of(texts, ["a"] * 8), "en")
    assert (len(own), len(lent), usual) == (4, 4, "de")


def test_the_result_says_what_the_borrowed_examples_bring_and_comes_back_from_json() -> None:
    result = examine_intents(mixed(), Parrot(), settings=[(0, 0.0)], retries=3, borrow="en", text_view=False)
    borrowed = result.borrowed
    assert borrowed is not None
    # A parrot that always says the same gains nothing.
    assert (borrowed.examples, borrowed.own_examples, borrowed.gain.difference) == (6, 8, 0.0)
    assert "6 borrowed examples (English) beside 8 own ones" in borrowed.sentence
    assert intents_result_from_json(result.to_json()).borrowed == borrowed


def test_an_exam_without_borrowing_has_no_such_key_filled() -> None:
    result = examine_intents(mixed(), Parrot(), settings=[(0, 0.0)], retries=2, text_view=False)
    assert result.borrowed is None
    assert result.to_json()["borrowed"] is None
