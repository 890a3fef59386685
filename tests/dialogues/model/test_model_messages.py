"""One row of numbers for each message."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted_talks import dialogues, talk, view

from vivavoce.dialogues.dialogue import Dialogue, Utterance, View
from vivavoce.dialogues.model.messages import COLUMN, COLUMNS, MAX_WORDS, UNKNOWN_RARITY, encode_view, likeness


def column(name: str, *texts: str, judge: str = "Ann") -> list[float]:
    return encode_view(view(*texts, judge=judge), {}).table[:, COLUMN[name]].tolist()


def sentences(*said: tuple[str, str]) -> View:
    return View(Dialogue("t", tuple(Utterance(speaker, text) for speaker, text in said)), "Ann")


def test_every_column_has_a_name_of_its_own() -> None:
    assert len(set(COLUMNS)) == len(COLUMNS)


@given(dialogues(st.text()))
def test_any_text_becomes_finite_numbers_one_row_for_each_message(dialogue: Dialogue) -> None:
    found = encode_view(View(dialogue, "Ann"), {"the": 1.5})
    assert found.table.shape == (len(dialogue.turns), len(COLUMNS))
    assert np.isfinite(found.table).all()
    assert (found.table >= 0).all()


def test_a_message_that_is_said_again_is_a_repetition_and_another_is_not() -> None:
    assert column("repeat", "hi", "i like old trains", "why?", "i like old trains") == [0, 0, 0, 1]
    assert column("repeated", "hi", "i like old trains", "why?", "i like old trains") == [0, 0, 0, 1]
    assert column("repeat", "hi", "one two", "why?", "three four") == [0, 0, 0, 0]


def test_saying_what_the_other_side_said_is_an_echo_and_no_repetition() -> None:
    assert column("repeat", "hello dear friend", "hello dear friend") == [0, 0]
    assert column("echo", "hello dear friend", "hello dear friend") == [0, 1]


def test_a_repetition_is_remembered_for_twenty_messages_of_its_side() -> None:
    def last(between: int) -> float:
        others = [f"word{number} thing{number}" for number in range(between)]
        own = ["the same again", *others, "the same again"]
        said = [(speaker, text) for text in own for speaker, text in (("Ann", "go on"), ("Bob", text))]
        return float(encode_view(sentences(*said), {}).table[-1, COLUMN["repeat"]])

    assert last(19) == 1
    assert last(20) == 0


def test_relevance_is_the_share_of_topics_taken_up_from_the_other_side() -> None:
    assert column("relevance", "i like trains", "trains run late") == [0, 1 / 3]
    assert column("related", "i like trains", "trains run late") == [0, 1]
    assert column("relevance", "is it the one?", "it is the one") == [0, 1]
    assert column("relevance", "do you?", "do you!") == [0, 0], "words without a topic relate nothing"


def test_relevance_reaches_three_messages_back_and_no_further() -> None:
    near = sentences(("Ann", "trains"), ("Bob", "well"), ("Bob", "hm"), ("Bob", "trains"))
    far = sentences(("Ann", "trains"), ("Bob", "well"), ("Bob", "hm"), ("Bob", "ah"), ("Bob", "trains"))
    assert encode_view(near, {}).table[-1, COLUMN["related"]] == 1
    assert encode_view(far, {}).table[-1, COLUMN["related"]] == 0


@pytest.mark.parametrize(
    ("reply", "asked", "answered", "asked_back"),
    [("trains are fine", 1, 1, 0), ("why do you ask?", 1, 0, 1), ("no trains?", 1, 1, 1), ("hm", 1, 0, 0)],
)
def test_a_question_is_answered_with_its_topic_and_asked_back_with_a_question(
    reply: str, asked: float, answered: float, asked_back: float
) -> None:
    found = encode_view(view("do you like trains?", reply), {}).table[1]
    assert [found[COLUMN[name]] for name in ("asked", "answered", "asked_back")] == [asked, answered, asked_back]


def test_a_statement_asks_nothing() -> None:
    found = encode_view(view("i like trains", "trains are fine"), {}).table[1]
    assert [found[COLUMN[name]] for name in ("asked", "answered", "asked_back")] == [0, 0, 0]


def test_messages_in_a_row_are_a_run_that_the_first_one_opens() -> None:
    found = encode_view(sentences(("Ann", "a"), ("Bob", "b"), ("Bob", "c"), ("Bob", "d"), ("Ann", "e")), {}).table
    assert found[:, COLUMN["run"]].tolist() == [1, 1, 2, 3, 1]
    assert found[:, COLUMN["opens"]].tolist() == [1, 1, 0, 0, 1]


def test_neighbours_are_the_nearest_messages_of_the_other_side() -> None:
    found = encode_view(sentences(("Ann", "a"), ("Bob", "b"), ("Bob", "c"), ("Ann", "d")), {})
    assert found.before == (-1, 0, 0, 2)
    assert found.after == (1, 3, 3, -1)


def test_signs_and_moods_are_counted() -> None:
    found = encode_view(view("What?? (no), I do not know! 42 stupid bots"), {}).table[0]
    names = (
        "question",
        "insisting",
        "brackets",
        "commas",
        "exclaimed",
        "digits",
        "displeased",
        "machine",
        "ignorance",
    )
    assert [found[COLUMN[name]] for name in names] == [1, 1, 2, 1, 1, 1, 1, 1, 1]


def test_words_that_were_never_met_are_unknown_and_rare() -> None:
    found = encode_view(view("known strange"), {"known": 2.0}).table[0]
    assert found[COLUMN["unknown"]] == 1
    assert found[COLUMN["rarity"]] == 2.0 + UNKNOWN_RARITY


def test_nobody_reads_beyond_four_hundred_words() -> None:
    assert column("words", "word " * 10_000) == [MAX_WORDS]


def test_everyone_but_the_judge_is_the_peer() -> None:
    dialogue = Dialogue("t", tuple(Utterance(speaker, "hi") for speaker in ("Ann", "Bob", "Cid", "Ann")))
    assert encode_view(View(dialogue, "Ann"), {}).peer.tolist() == [False, True, True, False]


@settings(max_examples=50)
@given(dialogues(st.sampled_from(["hi", "do you like trains?", "trains", "", "no trains?"])))
def test_rows_do_not_depend_on_which_of_two_sides_judges(dialogue: Dialogue) -> None:
    two = Dialogue("t", tuple(turn for turn in dialogue.turns if turn.speaker in ("Ann", "Bob")))
    one, other = (encode_view(View(two, judge), {}) for judge in ("Ann", "Bob"))
    assert (one.peer != other.peer).all()
    assert np.array_equal(one.table, other.table)


@given(st.frozensets(st.sampled_from("abcdef")), st.frozensets(st.sampled_from("abcdef")))
def test_likeness_is_symmetric_and_one_only_for_the_same_words(one: frozenset[str], other: frozenset[str]) -> None:
    assert likeness(one, other) == likeness(other, one)
    assert 0 <= likeness(one, other) <= 1
    assert (likeness(one, other) == 1) is (one == other and bool(one))


def test_a_talk_without_messages_is_read_as_well() -> None:
    assert encode_view(View(talk(), "Ann"), {}).table.shape == (0, len(COLUMNS))
