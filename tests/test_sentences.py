"""A sentence that was written with values gives them back, so that it can be told in another language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.sentences import is_number, read_places, say


def test_a_marked_text_is_what_it_says() -> None:
    assert say(f"{3} of 4") == "3 of 4"


@pytest.mark.parametrize(
    ("template", "text", "values"),
    [
        ("Topic {name!s} made", "Topic pay made", {"name": "pay"}),
        ("{better!s} is better", "a bot is better", {"better": "a bot"}),
        ("{n:,} of {total:,} turns", "1,204 of 3,000 turns", {"n": "1,204", "total": "3,000"}),
        ("{n:,} of {total:,} turns", "some of 3,000 turns", None),
        ("{share:.0%} of them", "12% of them", {"share": "12%"}),
        ("ahead{ends}.", "ahead.", {"ends": ""}),
        ("Topic {name!s} made", "Topic pay deleted", None),
        ("no place at all", "no place at all", None),
    ],
)
def test_the_values_of_a_sentence_are_found_again(template: str, text: str, values: dict[str, str] | None) -> None:
    assert read_places(template, text) == values


def test_where_words_repeat_a_sentence_can_be_read_from_either_end() -> None:
    template, text = "right in {right} of {talks}.", "right in 82 % of 22 turns of 4 talks."
    assert read_places(template, text) == {"right": "82 %", "talks": "22 turns of 4 talks"}
    assert read_places(template, text, from_end=True) == {"right": "82 % of 22 turns", "talks": "4 talks"}


@given(st.text(), st.text(), st.booleans())
def test_whatever_was_put_into_the_places_the_sentence_comes_out_again(a: str, b: str, from_end: bool) -> None:
    text = f"Merged {a} into {b} today"
    found = read_places("Merged {a} into {b} today", text, from_end=from_end)
    assert found is not None
    assert "Merged {a} into {b} today".format(**found) == text


@pytest.mark.parametrize(
    ("text", "number"), [("-1.5", True), ("+3", True), ("1,000", True), ("9%", True), ("n", False)]
)
def test_numbers_are_told_from_words(text: str, number: bool) -> None:
    assert is_number(text) is number
