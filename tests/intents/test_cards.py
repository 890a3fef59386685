"""Explanation cards: typical examples, and the words that pull, found by asking the classifier itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vivavoce.classifiers.lexical import tfidf
from vivavoce.errors import ClassifierError
from vivavoce.intents import Card, explain_problems
from vivavoce.intents.problem_record import Attraction, Problem, ProblemKind
from vivavoce.intents.quality import ProblemExample
from vivavoce.records import NO_GUESS, Dataset, Guess
from vivavoce.reports.intents.cards import attraction_sentences, card_sentences

PAY = [
    "salary please",
    "when is the salary paid",
    "salary and overtime",
    "my salary",
    "salary day",
    "tell me the salary",
]
LEAVE = [
    "holiday please",
    "when is the holiday",
    "holiday and days off",
    "my holiday",
    "holiday day",
    "tell me the holiday",
]
BORDER = "holiday salary"
DATA = Dataset.of([*PAY, *LEAVE, BORDER], ["pay"] * 6 + ["leave"] * 6 + ["pay"])
PROBLEM = Problem(
    ProblemKind.PAIR, ("pay", "leave"), 5, 2, 9, evidence=1, remedies=(), rows=(12,),
    examples=(ProblemExample(BORDER, 12, "pay", "leave"),),
)  # fmt: skip


class Keyword:
    """Guesses leave where it reads holiday, as sure as the words that follow make it."""

    name = "keyword"

    def __init__(self) -> None:
        self.taught: list[str] = []

    def fit(self, texts: list[str], intents: list[str]) -> None:
        self.taught = list(texts)

    def guess(self, texts: list[str]) -> list[Guess]:
        return [Guess("leave", 0.9) if "holiday" in text else NO_GUESS for text in texts]


@pytest.fixture(scope="module")
def card() -> Card:
    (card,) = explain_problems(DATA, [PROBLEM], tfidf())
    return card


def test_each_word_pulls_to_the_topic_whose_examples_have_it(card: Card) -> None:
    assert {(pull.word, pull.topic) for pull in card.words} == {("holiday", "leave"), ("salary", "pay")}
    assert all(pull.pull > 0 and pull.texts == 1 for pull in card.words)
    assert card.asked == 1


def test_the_pull_of_a_word_is_what_the_classifier_says_with_it_and_without(card: Card) -> None:
    engine = tfidf()
    engine.fit(DATA.texts[:12], [str(intent) for intent in DATA.intents[:12]])
    both, without = engine.probabilities([BORDER, "salary"]).rows.astype(float)
    names = engine.probabilities([BORDER]).intents
    leave, pay = names.index("leave"), names.index("pay")
    odds = [np.log(row[leave] + 1e-4) - np.log(row[pay] + 1e-4) for row in (both, without)]
    (holiday,) = (pull for pull in card.words if pull.word == "holiday")
    assert holiday.pull == pytest.approx(odds[0] - odds[1], abs=1e-6)


def test_the_classifier_has_not_seen_the_texts_that_it_is_asked() -> None:
    engine = Keyword()
    (card,) = explain_problems(DATA, [PROBLEM], engine)
    assert BORDER not in engine.taught
    assert [(pull.word, pull.topic) for pull in card.words] == [("holiday", "leave")]


def test_typical_examples_are_of_their_topic_and_the_numbers_are_those_of_the_problem(card: Card) -> None:
    assert [typical.topic for typical in card.typical] == ["pay", "leave"]
    assert set(card.typical[0].texts) <= {*PAY, BORDER}
    assert set(card.typical[1].texts) <= set(LEAVE)
    assert card.problem is PROBLEM
    assert card.to_json()["problem"] == {"kind": "pair", "topics": ["pay", "leave"]}


def test_a_card_in_words_names_topics_and_words(card: Card) -> None:
    said = list(card_sentences(card))
    assert any(line.startswith("Typical of 'pay'") for line in said)
    assert "Words that pull to 'leave' in these examples: “holiday”." in said


def test_a_card_names_the_words_because_of_which_a_topic_attracts_questions(card: Card) -> None:
    attracted = (Attraction("leave", "pay", 3, 4), Attraction("bonus", None, 1, 4))
    drawn = replace(card, problem=replace(PROBLEM, attracted=attracted))
    assert list(attraction_sentences(drawn)) == [
        "'leave' answers 3 of 4 questions about 'pay', which was not taught. Words that attract them: “holiday”.",
        "'bonus' answers 1 of 4 out-of-scope questions.",
    ]


def test_a_problem_without_mistaken_examples_has_typical_ones_alone() -> None:
    problem = Problem(ProblemKind.TOO_SMALL, ("pay", "gone"), 5, 2, 9, evidence=3, remedies=())
    (card,) = explain_problems(DATA, [problem], Keyword())
    assert (card.words, [typical.topic for typical in card.typical]) == ((), ["pay"])


def test_what_an_engine_raises_is_said_plainly() -> None:
    class Broken(Keyword):
        def guess(self, texts: list[str]) -> list[Guess]:
            raise RuntimeError("no connection")

    with pytest.raises(ClassifierError, match="no connection"):
        explain_problems(DATA, [PROBLEM], Broken())
