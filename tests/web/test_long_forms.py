"""Forms with more in them than anybody types: refused with a fault, and never slow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import FormData

from vivavoce.web.forms import Fields
from vivavoce.web.pages.scenarios.editor import MAX_SAID, MAX_TEXTS, letter_changes, read_draft

texts = st.text(st.sampled_from("ab c\n"), max_size=40)


def fields(**values: str) -> Fields:
    return Fields(FormData(list(values.items())), 1)


@pytest.mark.parametrize(("text", "said"), [("a\n" * 4, "3 lines"), ("a" * 21, "20 characters")])
def test_lines_have_a_most(text: str, said: str) -> None:
    form = fields(text=text)
    form.lines("text", most=3, most_letters=20)
    assert said in form.fault_of("text")


def test_lines_within_the_most_have_no_fault() -> None:
    form = fields(text="a\n\n b \nc\n")
    assert form.lines("text", most=3, most_letters=20) == ("a", "b", "c")
    assert not form.faults


def test_a_turn_with_too_many_texts_is_refused() -> None:
    form = Fields(FormData([("count", "1"), ("0-any", "text\n" * (MAX_TEXTS + 1))]), 1)
    read_draft(form)
    assert "lines" in form.fault_of("0-any")


def test_each_slot_that_stands_there_twice_is_told_once() -> None:
    form = Fields(FormData([("count", "1"), ("0-slots", "a = 1\nb = 2\na = 3\na = 4")]), 1)
    read_draft(form)
    assert [fault.message for fault in form.faults] == ["'a' appears twice"]


@given(texts, texts)
def test_a_comparison_by_letters_holds_both_texts(before: str, after: str) -> None:
    pieces = letter_changes(before, after)
    assert "".join(piece.text for piece in pieces if piece.kind != "added") == before
    assert "".join(piece.text for piece in pieces if piece.kind != "removed") == after


@pytest.mark.parametrize("length", [MAX_SAID // 2, MAX_SAID * 100])
def test_texts_that_share_only_blanks_are_compared_at_once(length: int) -> None:
    # A search that takes the cube of the length would not come back within the time of a test run.
    pieces = letter_changes("a " * length, "b " * length)
    assert "".join(piece.text for piece in pieces if piece.kind != "added") == "a " * length
