"""Plain JSON back into typed data: what is missing or of the wrong kind is named by its place, all of it at once.

A shape is a table from the name of a key to a function that takes the value and returns it, or raises MisreadError.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from vivavoce.errors import DataError, Fault, nearest
from vivavoce.records import Rate

_NUMBERS_OR_NONE = frozenset({float, int, type(None)})
T = TypeVar("T")
Read = Callable[[Any], Any]
Shape = Mapping[str, Read]


class MisreadError(Exception):
    """What cannot be read, as faults with their places inside the value; it never leaves `read_document`."""

    def __init__(self, *faults: Fault) -> None:
        self.faults = faults
        super().__init__("; ".join(map(str, faults)))

    def inside(self, place: str) -> tuple[Fault, ...]:
        """Return the faults as they are seen from one step further out."""
        return tuple(Fault(one.message, _joined(place, one.where)) for one in self.faults)


def _joined(place: str, rest: str) -> str:
    return place + rest if not rest or rest.startswith("[") else f"{place}.{rest}"


def read_document(data: object, read: Callable[[Any], T], *, what: str, remedy: str) -> T:
    """Read a whole document; DataError with every fault where it is not what it should be."""
    try:
        return read(data)
    except MisreadError as error:
        raise DataError(f"{what} cannot be read", faults=error.faults, remedy=remedy) from None


# --- single values -----------------------------------------------------------------------------------------------


def wrong(value: object, wanted: str) -> MisreadError:
    """Return the error for a value of the wrong kind."""
    told = repr(value)
    return MisreadError(Fault(f"is {told if len(told) <= 60 else f'{told[:57]}...'}, not {wanted}"))


def text(value: Any) -> str:
    """Return a text."""
    if isinstance(value, str):
        return value
    raise wrong(value, "a text")


def number(value: Any) -> float:
    """Return a number as it is: a whole one stays whole."""
    kind = type(value)
    if kind is float or kind is int:
        return value  # type: ignore[no-any-return]
    if isinstance(value, float):
        return float(value)
    raise wrong(value, "a number")


def count(value: Any) -> int:
    """Return a whole number."""
    if type(value) is int:
        return value
    raise wrong(value, "a whole number")


def flag(value: Any) -> bool:
    """Return true or false."""
    if isinstance(value, bool):
        return value
    raise wrong(value, "true or false")


def rate(value: Any) -> Rate:
    """Return a number with its interval and its count, as `Rate.to_json` writes it."""
    if type(value) is dict and "value" in value and type(value.get("n")) is int:
        # The frequent case by itself: a large result holds thousands of rates.
        mean, low, high = value["value"], value.get("low"), value.get("high")
        if {type(mean), type(low), type(high)} <= _NUMBERS_OR_NONE:
            return Rate(mean, low, high, value["n"])
    return Rate(**members(value, _RATE, {"low": None, "high": None}))


def one_of(kind: Callable[[Any], T], wanted: str) -> Callable[[Any], T]:
    """Return a reader of the members of an enumeration (or of anything that refuses a wrong value)."""

    def read(value: Any) -> T:
        try:
            return kind(value)
        except (TypeError, ValueError):
            raise wrong(value, wanted) from None

    return read


# --- values in values --------------------------------------------------------------------------------------------


def maybe(read: Callable[[Any], T]) -> Callable[[Any], T | None]:
    """Return a reader to which null says None."""
    return lambda value: None if value is None else read(value)


def each(read: Callable[[Any], T]) -> Callable[[Any], tuple[T, ...]]:
    """Return a reader of lists."""

    def read_all(value: Any) -> tuple[T, ...]:
        if not isinstance(value, list | tuple):
            raise wrong(value, "a list")
        try:
            return tuple([read(one) for one in value])
        except MisreadError:
            # Only now the places are worth their time.
            raise MisreadError(*_list_faults(value, read)) from None

    return read_all


def _list_faults(value: list[Any] | tuple[Any, ...], read: Read) -> list[Fault]:
    faults: list[Fault] = []
    for place, one in enumerate(value):
        try:
            read(one)
        except MisreadError as error:
            faults += error.inside(f"[{place}]")
    return faults


def named(read: Callable[[Any], T]) -> Callable[[Any], dict[str, T]]:
    """Return a reader of objects whose keys are names and whose values are all of one kind."""
    return lambda value: members(value, dict.fromkeys(as_object(value), read))


def ordered(found: Mapping[str, T], names: tuple[str, ...]) -> dict[str, T]:
    """Return a mapping in the order of a list of names, for a file may hold keys in any order."""
    known = [name for name in names if name in found]
    return {name: found[name] for name in (*known, *(name for name in found if name not in names))}


def as_object(value: Any) -> Mapping[str, Any]:
    """Return an object, that is a table from keys to values."""
    if isinstance(value, Mapping):
        return value
    raise wrong(value, "an object")


def members(value: Any, shape: Shape, spare: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the values of the keys in a shape; keys in `spare` may be missing and then have that value.

    Keys that the shape does not know are passed over: a later version may write more.
    """
    content, found = as_object(value), {}
    faults: list[Fault] = []
    for name, read in shape.items():
        if name not in content:
            if spare is not None and name in spare:
                found[name] = spare[name]
            else:
                faults.append(Fault(f"is missing.{nearest(name, [k for k in content if k not in shape])}", name))
            continue
        try:
            found[name] = read(content[name])
        except MisreadError as error:
            faults += error.inside(name)
    if faults:
        raise MisreadError(*faults)
    return found


def check_head(value: Any, kind: str, definitions: int) -> None:
    """Refuse the result of another exam, and one of a later version whose numbers mean something else."""
    head = members(value, {"kind": text, "definitions": count})
    if head["kind"] != kind:
        raise MisreadError(Fault(f"is '{head['kind']}', not '{kind}'", "kind"))
    if head["definitions"] > definitions:
        told = (
            f"is {head['definitions']}: a later version wrote it; this one knows the definitions up to {definitions}"
        )
        raise MisreadError(Fault(told, "definitions"))


_RATE: Shape = {"value": maybe(number), "low": maybe(number), "high": maybe(number), "n": count}
