"""The description of the API as people read it: operations in their groups, with what they take and need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Taken:
    """Something that an operation takes: in the `path`, the `query` or the `body`."""

    name: str
    where: str
    kind: str
    required: bool
    about: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: its name, how it is asked, the role that it needs, and what it takes and answers."""

    name: str
    group: str
    method: str
    path: str
    role: str
    about: str
    taken: tuple[Taken, ...]
    answer: str


def read_operations(schema: Mapping[str, Any]) -> tuple[Operation, ...]:
    """Return all operations in the order of their groups."""
    found = [
        _operation(schema, path, method, operation)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]
    return tuple(sorted(found, key=lambda one: one.group))


def _operation(schema: Mapping[str, Any], path: str, method: str, raw: Mapping[str, Any]) -> Operation:
    parameters = tuple(
        Taken(one["name"], one["in"], _kind(one["schema"]), one["required"], one.get("description", ""))
        for one in raw.get("parameters", ())
    )
    about = raw["description"].partition("\n\n")[0]
    taken = (*parameters, *_body(schema, raw.get("requestBody", {})))
    return Operation(
        raw["operationId"], raw["tags"][0], method.upper(), path, raw.get("x-role", ""), about, taken, _answer(raw)
    )


def _body(schema: Mapping[str, Any], raw: Mapping[str, Any]) -> Iterator[Taken]:
    for content in raw.get("content", {}).values():
        yield from _fields(schema, content["schema"])


def _fields(schema: Mapping[str, Any], raw: Mapping[str, Any]) -> Iterator[Taken]:
    model = _resolved(schema, raw)
    for inherited in model.get("allOf", ()):
        yield from _fields(schema, inherited)
    for name, one in model.get("properties", {}).items():
        yield Taken(name, "body", _kind(one), name in model.get("required", ()), one.get("description", ""))


def _resolved(schema: Mapping[str, Any], raw: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in raw:
        return raw
    found: Mapping[str, Any] = schema["components"]["schemas"][raw["$ref"].rsplit("/", 1)[1]]
    return found


def _answer(raw: Mapping[str, Any]) -> str:
    """Return the first good answer: its status, and what it holds."""
    status, answer = next((status, one) for status, one in raw["responses"].items() if status.startswith("2"))
    content = answer.get("content", {})
    kinds = [_kind(one["schema"]) if one.get("schema") else media for media, one in content.items()]
    return " ".join((status, ", ".join(kinds))).strip()


def _kind(raw: Mapping[str, Any]) -> str:
    """Return the kind of a value in a few words."""
    if "$ref" in raw:
        return str(raw["$ref"].rsplit("/", 1)[1]).replace("_", " ").strip()
    if "anyOf" in raw:
        return " or ".join(dict.fromkeys(_kind(one) for one in raw["anyOf"]))
    if "enum" in raw:
        return " | ".join(map(str, raw["enum"]))
    if raw.get("type") == "array" and raw.get("items"):
        return f"list of {_kind(raw['items'])}"
    return str(raw.get("format") or raw.get("type") or raw.get("const") or "any")
