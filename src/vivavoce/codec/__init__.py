"""Data to JSON and back through one converter (cattrs): a class needs at most a small table of what differs.

`to_json` writes, `from_json` reads and names everything that is missing or wrong, with its place, in one DataError.
Keys that a class does not know are passed over: a later version may write more. Why so: docs/decisions/codec.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, make_dataclass
from typing import Any, TypeVar

from vivavoce.codec.converters import FAST, THOROUGH
from vivavoce.codec.faults import MisreadError, faults_of, inside, missing, wrong
from vivavoce.codec.shapes import FLAT, SHAPES, Hook, Shape, shape
from vivavoce.codec.values import number_or_nan
from vivavoce.errors import DataError, Fault
from vivavoce.messages import restore_messages, say

__all__ = [
    "FLAT",
    "Hook",
    "MisreadError",
    "check_head",
    "from_json",
    "hook",
    "number_or_nan",
    "ordered",
    "read_members",
    "rows",
    "shape",
    "to_json",
    "wrong",
]

T = TypeVar("T")
ReadAs = Callable[[Any, Any], Any]
to_json = FAST.unstructure


def from_json(kind: type[T], data: object, *, what: str, remedy: str, where: str = "") -> T:
    """Return the data whose JSON form this is; DataError with every fault where it is something else."""
    try:
        return FAST.structure(data, kind)
    except Exception:  # Whatever it is, the thorough converter says it with its place.
        try:
            return THOROUGH.structure(data, kind)
        except Exception as error:
            faults = faults_of(error)
        raise DataError(say("{what} cannot be read", what=what), where=where, faults=faults, remedy=remedy) from None


def check_head(data: Any, kind: str, definitions: int, *, what: str, remedy: str) -> Any:
    """Return a result with the messages that it lists in the places of their texts.

    Refused is the result of another exam, and one of a later version whose numbers mean something else.
    """
    head = from_json(_Head, data, what=what, remedy=remedy)
    if head.kind != kind:
        faults = [Fault(say("is '{kind}', not '{kind2}'", kind=head.kind, kind2=kind), "kind")]
    elif head.definitions > definitions:
        later = say(
            "is {definitions}, written by a newer version; this version supports definitions up to {definitions2}",
            definitions=head.definitions,
            definitions2=definitions,
        )
        faults = [Fault(later, "definitions")]
    else:
        try:
            return restore_messages(data)
        except Exception as error:
            faults = inside("messages", faults_of(error))
    raise DataError(say("{what} cannot be read", what=what), faults=faults, remedy=remedy)


@dataclass(frozen=True)
class _Head:
    kind: str
    definitions: int


def hook(kind: Any, write: Callable[[Any], Any], read: Callable[[Any, Any], Any]) -> None:
    """Write and read a class by two functions; the second takes a value and the class."""
    for converter in (FAST, THOROUGH):
        converter.register_unstructure_hook(kind, write)
        converter.register_structure_hook(kind, read)


def rows(names: str, *kinds: Any, single: bool = False) -> Hook:
    """Return the hook of tuples whose parts have names in the JSON; `single`: one tuple or None, not a list of them.

    A part with the name `*` puts its own keys among the others.
    """
    keys = {f"part_{place}": FLAT if key == "*" else key for place, key in enumerate(names.split())}
    row: Any = make_dataclass("Row", list(zip(keys, kinds, strict=True)), frozen=True)
    SHAPES[row] = Shape(keys=keys)

    def write(value: Any) -> Any:
        if single:
            return None if value is None else to_json(row(*value))
        return [to_json(row(*parts)) for parts in value]

    def read(value: Any, read_as: ReadAs) -> Any:
        if single:
            return None if value is None else tuple(vars(read_as(value, row)).values())
        return tuple([tuple(vars(parts).values()) for parts in read_as(value, tuple[row, ...])])

    return Hook(write, read)


def read_members(
    value: Any, names: Iterable[str], kind: Any, spare: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the values of some keys of an object, all of one type; keys in `spare` may be missing."""
    if not isinstance(value, dict):
        raise wrong(value, "an object")
    members, faults = dict(spare or {}), []
    for name in names:
        try:
            if name in value:
                members[name] = THOROUGH.structure(value[name], kind)
            elif name not in members:
                faults.append(missing(name, value))
        except Exception as error:
            faults += inside(name, faults_of(error))
    if faults:
        raise MisreadError(*faults)
    return ordered(members, names)


def ordered(content: Mapping[str, T], names: Iterable[str]) -> dict[str, T]:
    """Return a mapping in the order of a list of names, for a file may hold keys in any order."""
    known = [name for name in names if name in content]
    return {name: content[name] for name in (*known, *(name for name in content if name not in known))}
