"""The published preprocessing: its rules, its counts, its form of text."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.dialogues.corpus.preprocessing import normalise, prepare, rows
from vivavoce.dialogues.corpus.published import read_convai2017
from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance

pytestmark = pytest.mark.slow

RATED = (Rating("a", 3.0),)


def talk(*texts: str, name: str = "x", speakers: str = "ab", ratings: tuple[Rating, ...] = RATED) -> Dialogue:
    turns = tuple(Utterance(speakers[place % len(speakers)], text) for place, text in enumerate(texts))
    return Dialogue(name, turns, ratings)


FINE = talk("1", "2", "3", "4")


def test_the_first_of_two_with_one_id_is_kept() -> None:
    other = replace(FINE, turns=())
    prepared = prepare([FINE, other])
    assert (prepared.kept, prepared.duplicates) == ((FINE,), (other,))


def test_a_side_needs_two_utterances_and_empty_ones_count() -> None:
    short = [talk("1", "2", "3", name="p"), talk("1", "2", "3", speakers="a", name="q"), talk(name="r")]
    empty = talk("1", "", "3", "", name="s")
    prepared = prepare([*short, empty])
    assert (list(prepared.short), prepared.kept) == (short, (empty,))


def test_two_hundred_characters_are_not_too_long() -> None:
    fine, long = talk("1", "2", "3", "x" * 200, name="p"), talk("1", "2", "3", "x" * 201, name="q")
    prepared = prepare([fine, long])
    assert (prepared.kept, prepared.long) == ((fine,), (long,))


def test_messages_in_a_row_are_not_joined() -> None:
    dialogue = talk("x" * 150, "y" * 150, "1", "2", speakers="aabb")
    assert prepare([dialogue]).kept == (dialogue,)


def test_short_comes_before_long_and_long_before_unrated() -> None:
    both = talk("x" * 300, name="p", ratings=())
    long = talk("1", "2", "3", "x" * 300, name="q", ratings=())
    unrated = talk("1", "2", "3", "4", name="r", ratings=(Rating("a", None),))
    prepared = prepare([both, long, unrated])
    assert (prepared.short, prepared.long, prepared.unrated) == ((both,), (long,), (unrated,))


texts = st.lists(st.text("x y", max_size=210), max_size=6)
talks = st.builds(
    lambda said, name, marks: talk(*said, name=name, ratings=marks),
    texts, st.sampled_from("pqrs"), st.sampled_from([(), RATED]),
)  # fmt: skip


@given(st.lists(talks, max_size=8))
def test_no_dialogue_is_lost_and_a_second_pass_removes_nothing(dialogues: list[Dialogue]) -> None:
    prepared = prepare(dialogues)
    parts = (prepared.kept, prepared.duplicates, prepared.unrated, prepared.short, prepared.long)
    assert sorted(map(id, dialogues)) == sorted(id(each) for part in parts for each in part)
    assert prepare(prepared.kept).kept == prepared.kept


def test_a_dialogue_that_both_sides_marked_gives_two_rows() -> None:
    both = talk("1", "2", "3", "4", ratings=(Rating("a", 3.0), Rating("b", 5.0)))
    views = rows(prepare([both]))
    assert [(view.judge, view.quality) for view in views] == [("a", 3.0), ("b", 5.0)]


@pytest.mark.shared
def test_the_july_part_gives_exactly_the_published_subset(shared: Path) -> None:
    lines = (shared / "data" / "convai2017" / "dialogues.jsonl").read_text(encoding="utf-8").splitlines()
    flagged = {
        item["id"] for item in map(json.loads, lines) if item["in_seed_subset"] and item["source"] == "july2017"
    }
    prepared = prepare(each for each in read_convai2017(shared / "data") if each.source == "july2017")
    assert (len(prepared.short), len(prepared.long), len(prepared.kept)) == (775, 62, 1660)
    assert not prepared.duplicates
    assert not prepared.unrated
    assert {each.id for each in prepared.kept} == flagged


@pytest.mark.shared
def test_both_parts_together_give_the_known_number_of_rows(shared: Path) -> None:
    prepared = prepare(read_convai2017(shared / "data"))
    sources = [view.dialogue.source for view in rows(prepared)]
    assert (len(prepared.kept), len(sources)) == (2470, 2840)
    assert (sources.count("july2017"), sources.count("autumn2017")) == (1974, 866)


# The form of the text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, I don't know!", "hello , i do n't know !"),
        ("DON'T", "do n't"),
        ("I’m sure it’s (perhaps) they'll", "i'm sure it 's ( perhaps ) they 'll"),
        ("a.b; c - d :)", "a b c d )"),
        ("Привет 🙂", ""),
    ],
)
def test_text_takes_the_published_form(text: str, expected: str) -> None:
    assert normalise(text) == expected


@given(st.text() | st.text("n't' sreDLv,!?()`’Iİ ", max_size=30))
def test_to_normalise_twice_changes_nothing(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert once.isascii()


@pytest.mark.shared
def test_both_parts_look_alike_once_normalised(shared: Path) -> None:
    dialogues = read_convai2017(shared / "data")
    autumn = [turn.text for each in dialogues if each.source == "autumn2017" for turn in each.turns]
    july = [turn.text for each in dialogues if each.source == "july2017" for turn in each.turns]
    assert sum(normalise(text) != text for text in autumn) == 1  # the stray "don't"
    signs = set("".join(autumn))
    assert set("".join(map(normalise, july))) <= signs
    common = {word for text in autumn for word in text.split()}
    tokens = [word for text in july for word in normalise(text).split()]
    assert sum(word in common for word in tokens) / len(tokens) > 0.9
