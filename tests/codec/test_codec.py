"""Data to JSON and back: what fits is returned as it is, what does not is named with its place, all at once."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.codec import FLAT, Hook, from_json, number_or_nan, ordered, read_members, rows, shape, to_json
from vivavoce.errors import DataError, UsageError
from vivavoce.records import Rate

numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers()
rates = st.builds(Rate, numbers, st.none() | numbers, st.none() | numbers, st.integers(0, 9))
plain = st.none() | st.booleans() | numbers | st.text(max_size=3) | st.just([]) | st.just({})
KINDS: dict[type, tuple[type, ...]] = {str: (str,), float: (int, float), int: (int,), bool: (bool,)}


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Place:
    bot: str
    number: int = 0

    def __post_init__(self) -> None:
        if self.number < 0:
            raise UsageError(f"the number must not be {self.number}")


@dataclass(frozen=True)
class Whole:
    place: Place
    colour: Colour
    shares: Mapping[str, Rate]
    turns: tuple[tuple[str, int], ...] = ()
    effect: float = 0.0
    since: datetime | None = None
    size: int = 3
    extras: Mapping[str, object] = field(default_factory=dict)
    cache: str = ""
    later: str = "not there"


shape(Place, blame=lambda _: "number")
shape(
    Whole,
    order="double colour place shares turns effect since size extras later",
    optional={"later": "older"},
    brief="since size",
    skip="cache",
    added={"double": lambda whole: 2 * whole.size},
    hooks={"turns": rows("script number", str, int), "effect": Hook(None, number_or_nan)},
    place=FLAT,
    colour="color",
)
WHOLE = Whole(Place("b", 1), Colour.RED, {"x": Rate(None, None, None, 0)}, (("s", 2),), math.nan)
WRITTEN = {
    "double": 6,
    "color": "red",
    "bot": "b",
    "number": 1,
    "shares": {"x": {"value": None, "n": 0}},
    "turns": [{"script": "s", "number": 2}],
    "effect": None,
    "extras": {},
    "later": "not there",
}


def read(kind: Any, data: Any) -> Any:
    return from_json(kind, data, what="this", remedy="write it again")


def test_a_table_says_how_the_json_of_a_class_differs_from_its_fields() -> None:
    assert to_json(WHOLE) == WRITTEN
    assert list(to_json(WHOLE)) == list(WRITTEN)
    again = read(Whole, {key: value for key, value in WRITTEN.items() if key != "later"} | {"unknown": 1})
    assert (again.place, again.colour, again.shares, again.turns) == (
        WHOLE.place,
        WHOLE.colour,
        WHOLE.shares,
        WHOLE.turns,
    )
    assert math.isnan(again.effect)
    assert (again.size, again.later, again.cache) == (3, "older", "")


def test_every_fault_is_told_with_its_place() -> None:
    wrong = {
        "colour": "red",
        "number": "two",
        "shares": {"x": {"value": "much", "n": 1}, "y": 3, "z": {"n": 1.5}},
        "turns": [{"script": "s", "number": 1}, {"script": 2}, 5],
        "effect": "high",
        "extras": [],
        "since": "yesterday",
        "later": None,
    }
    with pytest.raises(DataError) as caught:
        read(Whole, wrong)
    assert sorted(map(str, caught.value.faults)) == sorted(
        [
            "color: is missing. Did you mean 'colour'?",
            "bot: is missing.",
            "number: is 'two', not a whole number",
            "shares.x.value: is 'much', not a number",
            "shares.y: is 3, not an object",
            "shares.z.value: is missing.",
            "shares.z.n: is 1.5, not a whole number",
            "turns[1].number: is missing.",
            "turns[1].script: is 2, not a text",
            "turns[2]: is 5, not an object",
            "effect: is 'high', not a number",
            "extras: is [], not an object",
            "since: is 'yesterday', not a time",
            "later: is None, not a text",
        ]
    )
    assert "write it again" in str(caught.value)


def test_what_a_class_refuses_is_the_fault_of_the_key_that_its_table_names() -> None:
    with pytest.raises(DataError, match="number: the number must not be -1"):
        read(Whole, WRITTEN | {"number": -1})


@settings(deadline=None)
@given(rate=rates | st.just(Rate(None, None, None, 0)))
def test_a_rate_is_read_as_it_was_written(rate: Rate) -> None:
    assert read(Rate, to_json(rate)) == rate


def test_what_json_cannot_write_is_null() -> None:
    assert to_json(Rate(math.nan, math.inf, 1.0, 2)) == {"value": None, "n": 2}


@settings(deadline=None)
@given(value=plain, kind=st.sampled_from(list(KINDS)))
def test_a_value_is_returned_as_it_is_or_refused(value: Any, kind: type) -> None:
    if isinstance(value, KINDS[kind]) and (kind is bool or not isinstance(value, bool)):
        assert read(kind, value) == value
        assert type(read(kind, value)) is type(value)
    else:
        with pytest.raises(DataError, match="not "):
            read(kind, value)


@settings(deadline=None)
@given(value=plain)
def test_null_is_none_only_where_it_may_be(value: Any) -> None:
    if value is None:
        assert read(str | None, value) is None
    elif not isinstance(value, str):
        with pytest.raises(DataError):
            read(str | None, value)


def test_a_name_is_a_member_of_its_enumeration() -> None:
    assert read(tuple[Colour, ...], ["blue"])[0] is Colour.BLUE
    with pytest.raises(DataError, match=re.escape("[1]: is 'green', not a colour")):
        read(tuple[Colour, ...], ["blue", "green"])


def test_members_of_an_object_are_read_by_their_names() -> None:
    assert read_members({"b": 1, "a": 2, "c": "x"}, ("a", "b", "d"), int, {"d": 0}) == {"a": 2, "b": 1, "d": 0}
    with pytest.raises(Exception, match=re.escape("accuracy: is missing. Did you mean 'acuracy'?")):
        read_members({"acuracy": 1}, ("accuracy",), float)


@settings(deadline=None)
@given(names=st.lists(st.text(max_size=2), unique=True), known=st.lists(st.text(max_size=2), unique=True))
def test_order_is_put_back_and_nothing_is_lost(names: list[str], known: list[str]) -> None:
    content = ordered(dict.fromkeys(names, 1), tuple(known))
    assert set(content) == set(names)
    shared = [name for name in known if name in names]
    assert list(content)[: len(shared)] == shared


def test_a_long_value_is_cut_in_the_error() -> None:
    with pytest.raises(DataError) as caught:
        read(str, ["x" * 500])
    assert len(str(caught.value)) < 200
