"""Single values of JSON: each is returned as it is, or refused."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import Any, get_args

from cattrs import Converter
from cattrs.cols import homogenous_tuple_structure_factory, mapping_structure_factory

from vivavoce.codec.faults import MisreadError, wrong
from vivavoce.errors import Fault
from vivavoce.messages import say
from vivavoce.records import Rate

Read = Callable[[Any, Any], Any]
# What is returned as it is without a further look.
PLAIN: dict[Any, frozenset[type]] = {
    str: frozenset({str}),
    int: frozenset({int}),
    float: frozenset({float, int}),
    bool: frozenset({bool}),
}
_NUMBERS_OR_NONE = frozenset({float, int, type(None)})


def make_checker(kind: type, noun: str) -> Read:
    """Return the reader of values that are of one type already."""

    def read(value: Any, _: Any) -> Any:
        # True is a whole number to Python, but not in JSON.
        if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
            return value
        raise wrong(value, noun)

    return read


def read_number(value: Any, _: Any) -> float:
    """Return a number as it is: a whole one stays whole."""
    if type(value) is float or type(value) is int or isinstance(value, float):
        return value
    raise wrong(value, "a number")


def number_or_nan(value: Any, _: Any) -> float:
    """Return a number; null stands for what JSON cannot write."""
    return math.nan if value is None else read_number(value, _)


def read_time(value: Any, _: Any) -> datetime:
    """Return a moment."""
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise wrong(value, "a time") from None


def write_number(value: float) -> float | None:
    """Return the number, None for what JSON cannot write."""
    return value if math.isfinite(value) else None


def read_rate(value: Any, _: Any) -> Rate:
    """Return a rate without looking for what is wrong: a large result holds thousands."""
    mean, low, high, n = value["value"], value.get("low"), value.get("high"), value["n"]
    if type(n) is int and {type(mean), type(low), type(high)} <= _NUMBERS_OR_NONE:
        return Rate(mean, low, high, n)
    raise MisreadError


def write_rate(rate: Rate) -> dict[str, float | int | None]:
    """Return a share with its interval and its count: no interval where there is no value."""
    value, low, high = (None if end is None else write_number(end) for end in (rate.value, rate.low, rate.high))
    return Rate(value, low, high, rate.n).to_json()


def read_name(value: Any, kind: type[StrEnum]) -> StrEnum:
    """Return a member of an enumeration."""
    try:
        return kind(value)
    except ValueError:
        noun = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.__name__).lower()
        raise wrong(value, f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}") from None


def make_optional_reader(kind: Any, converter: Converter) -> Read:
    """Return the reader of what may be null."""
    (inner,) = (part for part in get_args(kind) if part is not type(None))
    plain, read_inner = PLAIN.get(inner, ()), converter.get_structure_hook(inner)

    def read(value: Any, _: Any) -> Any:
        return value if value is None or type(value) in plain else read_inner(value, inner)

    return read


def make_tuple_reader(kind: Any, converter: Converter) -> Read:
    """Return the reader of lists: of one kind, or with a kind of its own for each place."""
    kinds = get_args(kind)
    if kinds[1:] == (...,):
        plain, read_all = PLAIN.get(kinds[0], frozenset()), homogenous_tuple_structure_factory(kind, converter)

        def read_list(value: Any, _: Any) -> Any:
            if not isinstance(value, list | tuple):
                raise wrong(value, "a list")
            return tuple(value) if plain.issuperset(map(type, value)) else read_all(value, kind)

        return read_list
    readers = [converter.get_structure_hook(part) for part in kinds]

    def read(value: Any, _: Any) -> Any:
        if not isinstance(value, list | tuple):
            raise wrong(value, "a list")
        if len(value) != len(kinds):
            raise MisreadError(Fault(say("has {count} entries, not {count2}", count=len(value), count2=len(kinds))))
        return tuple([reader(part, part_kind) for reader, part, part_kind in zip(readers, value, kinds, strict=True)])

    return read


def make_mapping_reader(kind: Any, converter: Converter) -> Read:
    """Return the reader of objects whose keys are names."""
    read_all = mapping_structure_factory(kind, converter, structure_to=dict)

    def read(value: Any, _: Any) -> Any:
        if isinstance(value, dict):
            return read_all(value, kind)
        raise wrong(value, "an object")

    return read


read_object = make_checker(dict, "an object")
READERS: dict[Any, Read] = {
    str: make_checker(str, "a text"),
    StrEnum: read_name,
    float: read_number,
    int: make_checker(int, "a whole number"),
    bool: make_checker(bool, "true or false"),
    datetime: read_time,
}
