"""The description of the API: what every operation is called, needs and answers, and what its query may hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import TypeAdapter

from vivavoce.errors import Fault, UsageError, nearest
from vivavoce.messages import say
from vivavoce.store.rows import Role
from vivavoce.web.access import Needs
from vivavoce.web.failures import ErrorBody
from vivavoce.workspace.access.keys import SCOPES

KEY = "key"
SECURITY = {
    "type": "http",
    "scheme": "bearer",
    "description": "A key from your account page, as `Authorization: Bearer viva_...`.",
}
LOCATION = {
    "description": "The address of the created resource.",
    "required": True,
    "schema": {"type": "string", "format": "uri-reference"},
}
_MEANINGS = {
    400: "The input is invalid; all faults are listed.",
    401: "Not signed in, or the key is invalid.",
    403: "The person or key does not have permission.",
    404: "Not found, or deleted.",
    409: "Someone else changed it in the meantime.",
    413: "Too much data for one request.",
    422: "The request is invalid.",
    429: "Too many requests to bots at the same time; try again in half a minute.",
    501: "A required component is not installed.",
    503: "The work could not be completed; try again.",
}
_PLACE = "#/components/schemas/{model}"
_CONTENT = {"application/json": {"schema": {"$ref": _PLACE.format(model=ErrorBody.__name__)}}}
# By reference: given as a model, it would be worked out anew for every status of every route, which takes a second.
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"description": meaning, "content": _CONTENT} for status, meaning in _MEANINGS.items()
}


def name_operation(route: APIRoute) -> str:
    """Return the id of an operation: the name of its function, a verb and a noun."""
    return route.name


def operation_roles(routers: Iterable[APIRouter], prefix: str) -> dict[tuple[str, str], Role]:
    """Return the role that every operation needs, by its path and method."""
    return {
        (prefix + route.path, method.lower()): max(roles, key=list(Role).index)
        for router in routers
        for route in router.routes
        if isinstance(route, APIRoute) and (roles := list(_roles_in(route.dependant)))
        for method in route.methods or ()
    }


def methods_at(routers: Iterable[APIRouter], path: str) -> set[str]:
    """Return the methods by which something within the API can be asked; the framework names those of one route."""
    routes = [route for router in routers for route in router.routes if isinstance(route, APIRoute)]
    first = next((route.path for route in routes if route.path_regex.match(path)), None)
    return {method for route in routes if route.path == first for method in route.methods or ()}


def complete_description(schema: dict[str, Any], roles: Mapping[tuple[str, str], Role]) -> dict[str, Any]:
    """Return the description with what the framework does not know: keys, roles, places of new things."""
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            operation["summary"] = operation["operationId"].replace("_", " ").capitalize()
            if role := roles.get((path, method)):
                scope = next(scope for scope, covered in SCOPES.items() if covered is role)
                need = f"Requires the role {role}; for a key, the scope `{scope}`."
                operation["description"] = f"{operation['description']}\n\n{need}"
                operation["security"] = [{KEY: []}]
                operation["x-role"] = str(role)
            if created := operation["responses"].get("201"):
                created["headers"] = {"Location": LOCATION}
    parts = schema.setdefault("components", {})
    parts["securitySchemes"] = {KEY: SECURITY}
    error = TypeAdapter(ErrorBody).json_schema(mode="serialization", ref_template=_PLACE)
    parts.setdefault("schemas", {}).update({**error.pop("$defs"), ErrorBody.__name__: error})
    return schema


def _roles_in(dependant: Dependant) -> Iterator[Role]:
    if isinstance(dependant.call, Needs):
        yield dependant.call.role
    for inner in dependant.dependencies:
        yield from _roles_in(inner)


async def check_query(request: Request) -> None:
    """Refuse parameters that an operation does not take, and those that are given twice."""
    counts = Counter(name for name, _ in request.query_params.multi_items())
    route = request.scope.get("route")
    if not counts or not isinstance(route, APIRoute):
        return
    known = sorted(_query_names(route.dependant))
    faults = [
        Fault(say("unknown parameter.{nearest}", nearest=nearest(name, known)), name)
        for name in counts
        if name not in known
    ]
    faults += [
        Fault(say("this is given more than once"), name) for name, n in counts.items() if n > 1 and name in known
    ]
    if faults:
        raise UsageError(say("the query string is invalid"), faults=faults, remedy=say("remove these parameters"))


def _query_names(dependant: Dependant) -> set[str]:
    own = {field.alias for field in dependant.query_params}
    return own.union(*(_query_names(inner) for inner in dependant.dependencies))


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
        Taken(
            parameter["name"],
            parameter["in"],
            _kind(parameter["schema"]),
            parameter["required"],
            parameter.get("description", ""),
        )
        for parameter in raw.get("parameters", ())
    )
    bodies = raw.get("requestBody", {}).get("content", {}).values()
    # The first good answer: its status, and what it holds.
    status, answer = next((status, value) for status, value in raw["responses"].items() if status.startswith("2"))
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
