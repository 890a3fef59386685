"""How the JSON of a class differs from its fields, and the functions that write and read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from types import NoneType, UnionType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from cattrs import Converter
from cattrs.errors import ClassValidationError
from cattrs.fns import identity
from cattrs.gen import make_dict_structure_fn, override

from vivavoce.codec.faults import MisreadError, faults_of, inside, missing, wrong
from vivavoce.errors import Fault

# Instead of a key: the keys of the field's value stand among those of its owner.
FLAT = ""
_ADDED = "\0"
Content = Mapping[str, Any]


class Hook(NamedTuple):
    """How one field is written and read; `read` also takes the function that reads a value as a type."""

    write: Callable[[Any], Any] | None = None
    read: Callable[[Any, Callable[[Any, Any], Any]], Any] | None = None


@dataclass(frozen=True)
class Shape:
    """What is particular about the JSON of a class; see `shape`."""

    keys: Mapping[str, str] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    optional: dict[str, Any] = field(default_factory=dict)
    brief: bool | frozenset[str] = False
    lenient: bool = False
    trusted: bool = False
    skip: dict[str, Any] = field(default_factory=dict)
    hooks: Mapping[str, Hook] = field(default_factory=dict)
    added: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    blame: Callable[[Content], str] | None = None

    def is_brief(self, name: str) -> bool:
        """Tell whether a field is left out where it has its default."""
        return self.brief is True or (self.brief is not False and name in self.brief)

    def key_of(self, name: str) -> str:
        """Return the key of a field; one that is not in the JSON has a key that no JSON has."""
        return f"\0{name}" if name in self.skip else self.keys.get(name, name)

    def is_required(self, name: str) -> bool:
        """Tell whether a key must be there although its field may have a default."""
        free = self.lenient or self.is_brief(name) or name in self.optional or name in self.skip
        return not free and self.key_of(name) != FLAT


SHAPES: dict[type, Shape] = {}
_PLAIN = Shape()


def shape(
    kind: type,
    *,
    order: str = "",
    optional: str | Content = "",
    brief: bool | str = False,
    lenient: bool = False,
    trusted: bool = False,
    skip: str | Content = "",
    added: Mapping[str, Callable[[Any], Any]] | None = None,
    hooks: Mapping[str, Hook] | None = None,
    blame: Callable[[Content], str] | None = None,
    **keys: str,
) -> None:
    """Say how the JSON of a dataclass differs from its fields; names are given as one text, apart by blanks.

    `keys`: the key of a field where it is not its name, or FLAT. `order`: fields and added keys as they are written.
    `optional`: fields that older versions did not write, with what stands for them (else the default of the field).
    `brief`: fields left out where they have their default; True: all. `lenient`: whatever has a default may be
    missing. `trusted`: plain values are taken as they are, which is faster: only for what we write ourselves. `skip`:
    fields that are not in the JSON, with their values (else the default). `added`: keys that follow
    from the rest, written and not read. `blame`: the key whose fault it is when the class refuses its values.
    """
    optional, skip = (
        dict.fromkeys(names.split(), MISSING) if isinstance(names, str) else dict(names) for names in (optional, skip)
    )
    SHAPES[kind] = Shape(
        keys=keys,
        order=tuple(order.split()),
        optional=optional,
        brief=brief if isinstance(brief, bool) else frozenset(brief.split()),
        lenient=lenient,
        trusted=trusted,
        skip=skip,
        hooks=hooks or {},
        added=added or {},
        blame=blame,
    )


def make_writer(kind: type, converter: Converter) -> Callable[[Any], Any]:
    """Return the function that writes a dataclass."""
    form, kinds = SHAPES.get(kind, _PLAIN), get_type_hints(kind)
    parts = {part.name: part for part in fields(kind) if part.name not in form.skip}
    writers = {
        name: identity
        if form.trusted and _is_plain(kinds[name])
        else (name in form.hooks and form.hooks[name].write) or converter.get_unstructure_hook(kinds[name])
        for name in form.order or parts
        if name in parts
    }
    defaults = {
        name: part.default if part.default_factory is MISSING else part.default_factory()
        for name, part in parts.items()
    }
    steps: list[tuple[str, str, Any, Callable[[Any], Any]]] = [
        (name, form.keys.get(name, name), defaults[name] if form.is_brief(name) else MISSING, writers[name])
        if name in parts
        else (name, _ADDED, MISSING, form.added[name])
        for name in form.order or (*parts, *form.added)
    ]

    def write(value: Any) -> dict[str, Any]:
        written: dict[str, Any] = {}
        for name, key, default, write_part in steps:
            if key is _ADDED:
                written[name] = write_part(value)
                continue
            part = getattr(value, name)
            if part is default or (default is not MISSING and part == default):
                continue
            plain = part if write_part is identity else write_part(part)
            if key:
                written[key] = plain
            else:
                written.update(plain)
        return written

    def write_in_order(value: Any) -> dict[str, Any]:
        written: dict[str, Any] = {}
        for name, key, default, write_part in steps:
            part = getattr(value, name)
            if part is not default and (default is MISSING or part != default):
                written[key] = part if write_part is identity else write_part(part)
        return written

    return write if form.added or FLAT in form.keys.values() else write_in_order


def make_reader(kind: type, converter: Converter) -> Callable[[Any, Any], Any]:
    """Return the function that reads a dataclass."""
    form, parts = SHAPES.get(kind, _PLAIN), fields(kind)
    keys = {part.name: form.key_of(part.name) for part in parts}
    overrides: dict[str, Any] = {
        name: override(
            omit=True if form.skip.get(name) is MISSING else None,
            rename=key,
            struct_hook=_read_field(form, name, converter),
        )
        for name, key in keys.items()
    }
    generated: Callable[[Any, Any], Any] = make_dict_structure_fn(kind, converter, **overrides)
    spare = {keys[name]: value for name, value in (form.optional | form.skip).items() if value is not MISSING}
    required = {keys[part.name] for part in parts if form.is_required(part.name)}
    flat = FLAT in keys.values()
    if form.trusted and not converter.detailed_validation:
        return _make_trusting_reader(kind, form, converter)

    def prepare(value: Any) -> Any:
        if not isinstance(value, dict):
            raise wrong(value, "an object")
        content = {**spare, **value} if spare else value
        return {**content, FLAT: value} if flat else content

    def read(value: Any, _: Any) -> Any:
        content = prepare(value)
        if not required <= content.keys():
            raise MisreadError
        return generated(content, kind)

    def read_thoroughly(value: Any, _: Any) -> Any:
        content = prepare(value)
        absent = [key for key in dict.fromkeys(keys.values()) if key in required and key not in content]
        faults = [missing(key, content.keys() - set(keys.values())) for key in absent]
        try:
            whole = generated(content, kind)
        except ClassValidationError as error:
            faults += _class_faults(error, keys, content, form.blame)
        if faults:
            raise MisreadError(*dict.fromkeys(faults))
        return whole

    return read_thoroughly if converter.detailed_validation else read


def _make_trusting_reader(kind: type, form: Shape, converter: Converter) -> Callable[[Any, Any], Any]:
    """Return a reader that looks at nothing but what is not plain; an unknown key is left to the thorough one."""
    readers = [
        (
            name,
            (lambda value, _: tuple(value))
            if get_origin(part_kind) is tuple and _is_plain(get_args(part_kind)[0])
            else _read_field(form, name, converter) or converter.get_structure_hook(part_kind),
            part_kind,
        )
        for name, part_kind in get_type_hints(kind).items()
        if not _is_plain(part_kind) and get_origin(part_kind) is not Mapping
    ]

    def read(value: Any, _: Any) -> Any:
        content = dict(value)
        for name, read_part, part_kind in readers:
            if name in content:
                content[name] = read_part(content[name], part_kind)
        return kind(**content)

    return read


def _is_plain(kind: Any) -> bool:
    """Tell whether JSON has such values as they are: texts, numbers, true and false, null."""
    parts = get_args(kind) if get_origin(kind) is UnionType else (kind,)
    return set(parts) <= {str, int, float, bool, NoneType, object}


def _read_field(form: Shape, name: str, converter: Converter) -> Callable[[Any, Any], Any] | None:
    read = form.hooks[name].read if name in form.hooks else None
    if read is not None:
        return lambda value, _: read(value, converter.structure)
    return (lambda value, _: value) if name in form.skip else None


def _class_faults(
    error: ClassValidationError, keys: Mapping[str, str], content: Content, blame: Callable[[Content], str] | None
) -> list[Fault]:
    noted, others = error.group_exceptions()
    faults: list[Fault] = []
    for cause, note in noted:
        key = keys[note.name]
        if isinstance(cause, KeyError) and cause.args == (key,):
            faults.append(missing(key, content.keys() - set(keys.values())))
        else:
            faults += inside(key, faults_of(cause))
    for cause in others:
        faults += inside(blame(content) if blame else "", faults_of(cause))
    return faults
