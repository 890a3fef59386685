"""A data set is refused with all its faults at once, and its fingerprint is its content."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from vivavoce.errors import DataError
from vivavoce.records import Dataset, Example, Guess, Rate

pytestmark = pytest.mark.slow

contents = st.text(min_size=1, max_size=6).filter(str.strip)
rows = st.lists(st.tuples(contents, st.none() | contents.filter(lambda name: name != "None")), max_size=6)


def dataset(pairs: list[tuple[str, str | None]]) -> Dataset:
    return Dataset.of([text for text, _ in pairs], [intent for _, intent in pairs])


@given(rows)
def test_texts_and_intents_keep_their_order_and_rows_their_number(pairs: list[tuple[str, str | None]]) -> None:
    data = dataset(pairs)
    assert list(zip(data.texts, data.intents, strict=True)) == pairs
    assert [example.row for example in data] == list(range(len(pairs))) == list(range(len(data)))


@pytest.mark.parametrize(("texts", "intents"), [(3, 4), (4, 3), (0, 1)])
def test_unequal_lengths_are_refused_with_both_counts(texts: int, intents: int) -> None:
    with pytest.raises(DataError, match=f"{texts} texts but {intents} intents") as caught:
        Dataset.of(["x"] * texts, ["a"] * intents, source="here.csv")
    assert caught.value.where == "here.csv"
    assert caught.value.remedy


def test_all_faults_are_reported_at_once_with_their_rows() -> None:
    texts = ["fine", 7, "", "  \n", "fine", None, "fine"]
    intents = ["a", "a", "a", None, "", 3.5, " "]
    with pytest.raises(DataError) as caught:
        Dataset.of(texts, intents)  # type: ignore[arg-type]
    assert [(fault.where, fault.message.split(",")[0]) for fault in caught.value.faults] == [
        ("row 1", "the text is int"),
        ("row 2", "the text is empty"),
        ("row 3", "the text is empty"),
        ("row 4", "the intent is empty"),
        ("row 5", "the text is NoneType"),
        ("row 5", "the intent 3.5 is float"),
        ("row 6", "the intent is empty"),
    ]


def test_out_of_scope_rows_are_welcome_but_are_no_topic() -> None:
    data = Dataset.of(["x", "y", "z", "w"], ["b", None, "a", "a"])
    assert list(data.sizes.items()) == [("a", 2), ("b", 1)]


@given(rows, st.randoms(use_true_random=False))
def test_the_hash_changes_with_the_order(pairs: list[tuple[str, str | None]], chance: object) -> None:
    other = list(pairs)
    chance.shuffle(other)  # type: ignore[attr-defined]
    assert (dataset(pairs).hash == dataset(other).hash) == (pairs == other)


@given(rows, rows)
def test_the_hash_is_the_content(one: list[tuple[str, str | None]], other: list[tuple[str, str | None]]) -> None:
    assume(not any("\x1e" in part or "\x1f" in part for pair in one + other for part in pair if part))
    assert (dataset(one).hash == dataset(other).hash) == (one == other)
    assert len(dataset(one).hash) == 16


def test_the_hash_changes_when_a_topic_becomes_out_of_scope() -> None:
    assert Dataset.of(["x"], ["a"]).hash != Dataset.of(["x"], [None]).hash


def test_a_topic_called_none_is_not_out_of_scope_where_every_intent_is_a_topic() -> None:
    assert Dataset.of(["x"], ["None"], out_of_scope=None).hash != Dataset.of(["x"], [None]).hash


def test_lists_with_a_usual_name_for_out_of_scope_are_read_as_files_are() -> None:
    data = Dataset.of(["x", "y", "z"], ["pay", "nlu_fallback", None])
    assert data.intents == ("pay", None, None)
    assert data.recognised == ("nlu_fallback",)
    assert Dataset.of(["x", "y"], ["pay", "mine"], out_of_scope="mine").intents == ("pay", None)


def test_the_hash_knows_nothing_of_where_the_rows_came_from() -> None:
    data = Dataset.of(["x", "y"], ["a", "b"])
    moved = replace(data, source="elsewhere.csv", examples=tuple(replace(e, row=9) for e in data))
    assert moved.hash == data.hash


def test_half_a_surrogate_pair_can_be_hashed() -> None:
    assert Dataset.of(["half \ud83d"], ["a"]).hash != Dataset.of(["half \ud83e"], ["a"]).hash


@given(rows, st.data())
def test_selecting_keeps_the_rows_and_their_origin(pairs: list[tuple[str, str | None]], data: st.DataObject) -> None:
    whole = dataset(pairs)
    keep = data.draw(st.lists(st.integers(0, max(0, len(pairs) - 1)), max_size=len(pairs)))
    part = whole.select(keep)
    assert part.texts == tuple(pairs[index][0] for index in keep)
    assert [example.row for example in part] == keep
    assert part.source == whole.source


def test_a_rate_without_a_value_has_no_interval_in_json() -> None:
    assert Rate(None, None, None, 0).to_json() == {"value": None, "n": 0}
    assert Rate(0.5, 0.4, 0.6, 20).to_json() == {"value": 0.5, "low": 0.4, "high": 0.6, "n": 20}


def test_records_are_frozen_and_cross_process_borders() -> None:
    data = Dataset.of(["x", "y"], ["a", None])
    assert pickle.loads(pickle.dumps(data)) == data  # noqa: S301 - our own bytes
    with pytest.raises(FrozenInstanceError):
        Guess("a", 0.5).confidence = 1.0  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        Example("x", "a").text = "y"  # type: ignore[misc]
