"""Typing mistakes: natural, within their budget, repeatable, and never where they must not be."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from vivavoce.errors import UsageError
from vivavoce.text.confusions import COMMON, CONFUSIONS
from vivavoce.text.typos import BUDGET, LAYOUTS, NEIGHBOURS, WEIGHTS, count_letters, misspell

PAGE = Path(__file__).resolve().parents[2] / "docs" / "matching.md"
SHOWN = (
    ("qwerty", "I would like one ticket from {from} to {to} at 9pm in economy"),
    ("qwerty", "Can you tell me your opening hours, please?"),
    ("qwerty", "yes"),
    ("qwerty", "ok"),
    ("qwerty", "I have had a headache and a sore throat since yesterday"),
    ("qwerty", "How do I cancel my reservation?"),
    ("qwerty", "Please write to jobs@example.org about the vacancy"),
    ("qwertz", "Ich möchte mich auf die Stelle bewerben"),
    ("qwertz", "Seit wann ist das möglich?"),
    ("qwertz", "Wie lange dauert die Prüfung meiner Unterlagen?"),
)
WORDS = "I would like one ticket from Sydney ok yes a {to} 9pm für Straße book don't"
texts = st.text(max_size=60) | st.lists(st.sampled_from(WORDS.split()), max_size=12).map(" ".join)
seeds = st.integers(0, 50)
layouts = st.sampled_from(LAYOUTS)


def typo_table() -> str:
    """Return the examples of the documentation."""
    rows = ["| keyboard | message | misspelt | mistakes |", "|---|---|---|---|"]
    for layout, text in SHOWN:
        found = misspell(text, seed=0, layout=layout)
        rows.append(f"| {layout} | {text} | {found.text} | {', '.join(edit.kind for edit in found.edits)} |")
    return "\n".join(rows) + "\n"


def section(name: str) -> str:
    page = PAGE.read_text(encoding="utf-8")
    return page.split(f"<!-- begin: {name} -->\n")[1].split(f"<!-- end: {name} -->")[0]


def test_the_examples_of_the_documentation_are_what_the_program_gives() -> None:
    assert section("typos") == typo_table()
    assert len(SHOWN) == 10


def test_the_weights_of_the_documentation_are_those_of_the_program() -> None:
    assert dict(re.findall(r"^\| (\w+) \| (\d+) \|", section("kinds"), re.MULTILINE)) == {
        kind: f"{weight:g}" for kind, weight in WEIGHTS.items()
    }


@given(texts, seeds, layouts)
def test_the_edits_lead_from_the_message_to_its_misspelling(text: str, seed: int, layout: str) -> None:
    found = misspell(text, seed=seed, layout=layout)
    again = text
    for edit in reversed(found.edits):
        assert again[edit.place : edit.place + len(edit.before)] == edit.before
        again = again[: edit.place] + edit.after + again[edit.place + len(edit.before) :]
    assert again == found.text


@given(texts, seeds, layouts)
def test_a_misspelling_differs_or_says_that_nothing_was_possible(text: str, seed: int, layout: str) -> None:
    found = misspell(text, seed=seed, layout=layout)
    assert (found.text != text) == bool(found.edits) == (not found.note)


@given(texts, seeds, st.floats(0.01, 0.5))
def test_the_budget_is_kept_and_no_word_is_hit_twice(text: str, seed: int, budget: float) -> None:
    found = misspell(text, seed=seed, budget=budget)
    assert len(found.edits) <= max(1, round(budget * count_letters(text)))
    ends = [(edit.place, edit.place + len(edit.before)) for edit in found.edits]
    assert all(end <= start for (_, end), (start, _) in pairwise(ends))


def test_a_long_message_uses_its_whole_budget() -> None:
    text = "please book another comfortable apartment somewhere beautiful " * 3
    assert len(misspell(text, seed=1).edits) == round(BUDGET * count_letters(text))


@given(texts, seeds)
def test_the_same_seed_gives_the_same_mistakes(text: str, seed: int) -> None:
    assert misspell(text, seed=seed) == misspell(text, seed=seed)


def test_another_seed_gives_other_mistakes() -> None:
    assert len({misspell("I would like to book a ticket", seed=seed).text for seed in range(20)}) > 10


@given(seeds, layouts)
def test_what_is_protected_stays(seed: int, layout: str) -> None:
    text = "Fly {name} from New York to Sydney on 2026-06-22 at 9pm, see https://x.org/book or mail me@x.org"
    found = misspell(text, seed=seed, layout=layout, budget=1, protect=["new york", "Sydney"])
    for kept in ("{name}", "New York", "Sydney", "2026-06-22", "9pm", "https://x.org/book", "me@x.org"):
        assert kept in found.text
    assert len(found.edits) > 4


@given(texts, seeds)
def test_a_message_that_is_protected_as_a_whole_is_left_alone(text: str, seed: int) -> None:
    assume(text.strip())
    found = misspell(f"say {text.strip()} now", seed=seed, budget=1, protect=[text])
    assert text.strip() in found.text


@pytest.mark.parametrize("text", ["yes", "ok", "no", "a", "I", "Hi!", "ja", "nein"])
@given(seed=seeds)
def test_short_messages_are_covered(text: str, seed: int) -> None:
    found = misspell(text, seed=seed)
    assert len(found.edits) == 1
    assert found.text != text


@pytest.mark.parametrize("text", ["", "12", "9pm", "好的", "👍", "{name}", "me@x.org", "שלום"])
def test_where_nothing_can_be_done_it_is_said(text: str) -> None:
    found = misspell(text, seed=0)
    assert found.text == text
    assert "no word" in found.note


def test_every_kind_of_mistake_occurs_and_first_letters_are_rarely_hit() -> None:
    text = "your flight from Zürich to the hotel will be booked tomorrow, I need the address"
    edits = [edit for seed in range(400) for edit in misspell(text, seed=seed, layout="qwertz").edits]
    assert {edit.kind for edit in edits} == set(WEIGHTS)
    kept = sum(edit.before[0] == edit.after[0] for edit in edits)
    assert kept / len(edits) > 0.95


@given(st.sampled_from(sorted(COMMON)), seeds)
def test_a_slip_does_not_make_another_everyday_word(word: str, seed: int) -> None:
    (edit,) = misspell(word, seed=seed).edits
    assert edit.kind == "confusion" or edit.after not in COMMON


def test_capitals_stay_where_they_were() -> None:
    for seed in range(60):
        assert misspell("HELLO", seed=seed).text.isupper()
        assert misspell("Hello", seed=seed).text[0].isupper()
        assert misspell("hello", seed=seed).text.islower()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_neighbours_are_mutual_and_no_key_is_its_own(layout: str) -> None:
    near = {key: "".join(rows) for key, rows in NEIGHBOURS[layout].items()}
    assert all(key not in others for key, others in near.items())
    assert all(key in near[other] for key, others in near.items() for other in others)


def test_the_keyboards_differ_where_they_should() -> None:
    assert "z" in NEIGHBOURS["qwertz"]["t"][0]
    assert "y" in NEIGHBOURS["qwerty"]["t"][0]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_confusion_is_the_word_itself(layout: str) -> None:
    assert all(right != wrong and right == right.lower() for right, wrong in CONFUSIONS[layout].items())


def test_a_wrong_call_says_what_to_do() -> None:
    with pytest.raises(UsageError, match="Did you mean 'qwertz'"):
        misspell("hello", seed=0, layout="qwerzt")
    with pytest.raises(UsageError, match="above 0"):
        misspell("hello", seed=0, budget=0)
