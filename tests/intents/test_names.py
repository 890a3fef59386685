"""Names of topics: the same name written twice is found, and opposites are never merged."""

from __future__ import annotations

import pytest

from vivavoce.intents.names import answers_by_topic, are_opposite, find_twins, may_merge
from vivavoce.records import Dataset, Example


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("vocative_yes", "vocative_no"),
        ("mood_great", "mood_unhappy"),
        ("affirm", "deny"),
        ("like", "dislike"),
        ("startTimer", "stop_timer"),
        ("with_pets", "without pets"),
        ("interested", "not_interested"),
        ("available", "unavailable"),
        ("smoker", "non_smoker"),
        ("nonsmoker", "smoker"),
        ("zusage mit gehalt", "zusage ohne gehalt"),
        ("Account.Activate", "account.deactivate"),
    ],
)
def test_opposites_are_recognised_in_either_order(a: str, b: str) -> None:
    assert are_opposite(a, b)
    assert are_opposite(b, a)
    assert not may_merge((a, b), {})


@pytest.mark.parametrize(
    ("a", "b"),
    [("salary", "pay"), ("not_interested", "salary"), ("internships", "working_student"), ("Apply", "apply")],
)
def test_other_topics_are_no_opposites(a: str, b: str) -> None:
    assert not are_opposite(a, b)
    assert may_merge((a, b), {})


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("Opening Hours", "opening_hours", True),
        ("openingHours", "opening-hour", True),
        ("salary", "Salary", True),
        ("accomodation", "accommodation", False),
    ],
)
def test_names_that_differ_in_writing_alone_are_twins(a: str, b: str, same: bool) -> None:
    (twins,) = find_twins([a, "visa", b])
    assert ({twins.a, twins.b}, twins.same) == ({a, b}, same)


@pytest.mark.parametrize(("a", "b"), [("step 1", "step 2"), ("typical", "atypical_no"), ("pay", "day"), ("a", "b")])
def test_names_that_differ_in_a_number_or_a_word_are_no_twins(a: str, b: str) -> None:
    assert find_twins([a, b]) == ()


def test_topics_with_different_answers_are_not_to_be_merged_and_those_that_share_one_are() -> None:
    rows = [("pay", "Monthly."), ("pay", "Monatlich."), ("wage", "Monthly."), ("bonus", "In May."), ("perks", None)]
    examples = tuple(Example(f"question {n}", topic, answer=answer) for n, (topic, answer) in enumerate(rows))
    answers = answers_by_topic(Dataset(examples, "test"))
    assert may_merge(("pay", "wage"), answers)
    assert may_merge(("pay", "perks"), answers)
    assert not may_merge(("pay", "bonus"), answers)
    assert not may_merge(("pay", "wage", "bonus"), answers)
