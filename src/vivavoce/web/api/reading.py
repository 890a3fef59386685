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
    operations = [
        _read_operation(schema, path, method, operation)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]
    return tuple(sorted(operations, key=lambda operation: operation.group))


def _read_operation(schema: Mapping[str, Any], path: str, method: str, raw: Mapping[str, Any]) -> Operation:
    parameters = tuple(
        Taken(taken["name"], taken["in"], _kind(taken["schema"]), taken["required"], taken.get("description", ""))
        for taken in raw.get("parameters", ())
    )
    bodies = raw.get("requestBody", {}).get("content", {}).values()
    # The first good answer: its status, and what it holds.
    status, answer = next((status, one) for status, one in raw["responses"].items() if status.startswith("2"))
    content = answer.get("content", {})
    kinds = [_kind(body["schema"]) if body.get("schema") else media for media, body in content.items()]
    return Operation(
        raw["operationId"],
        raw["tags"][0],
        method.upper(),
        path,
        raw.get("x-role", ""),
        raw["description"].partition("\n\n")[0],
        (*parameters, *(field for body in bodies for field in _fields(schema, body["schema"]))),
        " ".join((status, ", ".join(kinds))).strip(),
    )


def _fields(schema: Mapping[str, Any], raw: Mapping[str, Any]) -> Iterator[Taken]:
    model = schema["components"]["schemas"][raw["$ref"].rsplit("/", 1)[1]] if "$ref" in raw else raw
    for inherited in model.get("allOf", ()):
        yield from _fields(schema, inherited)
    for name, value in model.get("properties", {}).items():
        yield Taken(name, "body", _kind(value), name in model.get("required", ()), value.get("description", ""))


def _kind(raw: Mapping[str, Any]) -> str:
    """Return the kind of a value in a few words."""
    if "$ref" in raw:
        return str(raw["$ref"].rsplit("/", 1)[1]).replace("_", " ").strip()
    if "anyOf" in raw:
        return " or ".join(dict.fromkeys(_kind(kind) for kind in raw["anyOf"]))
    if "enum" in raw:
        return " | ".join(map(str, raw["enum"]))
    if raw.get("type") == "array" and raw.get("items"):
        return f"list of {_kind(raw['items'])}"
    return str(raw.get("format") or raw.get("type") or raw.get("const") or "any")
