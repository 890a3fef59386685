"""Plain JSON back into typed data: what fits is returned as it is, what does not is named with its place."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.errors import DataError
from vivavoce.files.objects import (
    Read,
    count,
    each,
    flag,
    maybe,
    members,
    named,
    number,
    ordered,
    rate,
    read_document,
    text,
)
from vivavoce.records import Rate

numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers()
rates = st.builds(Rate, numbers, st.none() | numbers, st.none() | numbers, st.integers(0, 9))
plain = st.none() | st.booleans() | numbers | st.text(max_size=3) | st.just([]) | st.just({})
KINDS: dict[Read, tuple[type, ...]] = {text: (str,), number: (int, float), count: (int,), flag: (bool,)}


def read(data: Any, reader: Read) -> Any:
    return read_document(data, reader, what="this", remedy="write it again")


@settings(deadline=None)
@given(rate=rates | st.just(Rate(None, None, None, 0)))
def test_a_rate_is_read_as_it_was_written(rate: Rate) -> None:
    assert read(rate.to_json(), globals()["rate"]) == rate


@settings(deadline=None)
@given(value=plain, reader=st.sampled_from(list(KINDS)))
def test_a_value_is_returned_as_it_is_or_refused(value: Any, reader: Read) -> None:
    fits = isinstance(value, KINDS[reader]) and (reader is flag or not isinstance(value, bool))
    if fits:
        found = read(value, reader)
        assert found == value
        assert type(found) is type(value)
    else:
        with pytest.raises(DataError, match="not "):
            read(value, reader)


@settings(deadline=None)
@given(value=plain)
def test_null_is_none_only_where_it_may_be(value: Any) -> None:
    if value is None:
        assert read(value, maybe(text)) is None
    elif not isinstance(value, str):
        with pytest.raises(DataError):
            read(value, maybe(text))


def test_every_fault_is_told_with_its_place() -> None:
    shape = {"a": text, "b": each(lambda value: members(value, {"n": count, "r": rate})), "c": named(flag)}
    data = {"b": [{"n": 1, "r": {"value": 1, "n": 2}}, {"r": {"value": "x", "n": 2}}, 5], "c": {"x": 1, "y": True}}
    with pytest.raises(DataError) as caught:
        read(data, lambda value: members(value, shape))
    assert [str(fault) for fault in caught.value.faults] == [
        "a: is missing.",
        "b[1].n: is missing.",
        "b[1].r.value: is 'x', not a number",
        "b[2]: is 5, not an object",
        "c.x: is 1, not true or false",
    ]
    assert "write it again" in str(caught.value)


def test_a_key_that_may_be_missing_has_its_spare_value_and_a_misspelt_one_its_nearest() -> None:
    assert members({"a": 1}, {"a": count, "b": text}, {"b": "spare"}) == {"a": 1, "b": "spare"}
    with pytest.raises(DataError, match=re.escape("accuracy: is missing. Did you mean 'acuracy'?")):
        read({"acuracy": 1}, lambda value: members(value, {"accuracy": number}))


@settings(deadline=None)
@given(names=st.lists(st.text(max_size=2), unique=True), known=st.lists(st.text(max_size=2), unique=True))
def test_order_is_put_back_and_nothing_is_lost(names: list[str], known: list[str]) -> None:
    found = ordered(dict.fromkeys(names, 1), tuple(known))
    assert set(found) == set(names)
    shared = [name for name in known if name in names]
    assert list(found)[: len(shared)] == shared


def test_a_long_value_is_cut_in_the_error() -> None:
    with pytest.raises(DataError) as caught:
        read(["x" * 500], text)
    assert len(str(caught.value)) < 200
