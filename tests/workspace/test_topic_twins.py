"""Names that are one topic by all but their spelling are found; others never are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.workspace.topics.names import find_twins


@pytest.mark.parametrize(
    ("name", "into"),
    [
        ("SALARY", "Salary"),
        ("salary_", "Salary"),
        ("technical-skills", "Technical skills"),
        ("Internship", "Internships"),
        ("Company", "Companies"),
        ("Bewerbungen", "Bewerbung"),
        ("Kuendigung", "Kündigung"),
    ],
)
def test_case_signs_and_plurals_make_no_other_topic(name: str, into: str) -> None:
    [twin] = find_twins({into: 5, name: 2}, ())
    assert (twin.name, twin.into, twin.rows, twin.sure) == (name, into, 2, True)


@pytest.mark.parametrize(("name", "into"), [("salery", "salary"), ("vacatoin", "vacation"), ("vacaton", "vacation")])
def test_a_slip_of_one_letter_is_offered_but_not_sure(name: str, into: str) -> None:
    [twin] = find_twins({into: 5, name: 2}, ())
    assert (twin.name, twin.into, twin.sure) == (name, into, False)


@pytest.mark.parametrize(
    ("one", "other"), [("level 1", "level 2"), ("yes", "no"), ("vocative_no", "vocative_yes"), ("pay", "day")]
)
def test_other_names_stay_apart(one: str, other: str) -> None:
    assert find_twins({one: 3, other: 3}, ()) == ()


def test_a_topic_that_is_there_is_never_folded_and_keeps_its_name() -> None:
    assert find_twins({"NAME": 5, "name": 2}, ["NAME", "name"]) == ()
    [twin] = find_twins({"NAME": 5}, ["Name"])
    assert (twin.name, twin.into) == ("NAME", "Name")


@given(st.dictionaries(st.text(min_size=1, max_size=9), st.integers(1, 9), max_size=12), st.sets(st.text(max_size=9)))
def test_a_name_is_folded_into_another_one_that_exists(counts: dict[str, int], present: set[str]) -> None:
    for twin in find_twins(counts, present):
        assert twin.name in counts
        assert twin.name not in present
        assert twin.into != twin.name
        assert twin.into in {*counts, *present}
