"""The description of the API: what every operation is called, which role and scope it needs, where new things are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fastapi import APIRouter
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from vivavoce.store.rows import Role
from vivavoce.web.access import Needs
from vivavoce.web.api.errors import error_schemas
from vivavoce.workspace.access.keys import SCOPES

KEY = "key"
SECURITY = {
    "type": "http",
    "scheme": "bearer",
    "description": "A key from your own page, as `Authorization: Bearer viva_...`.",
}
LOCATION = {
    "description": "The address of what was made.",
    "required": True,
    "schema": {"type": "string", "format": "uri-reference"},
}
Operations = Mapping[tuple[str, str], Role]


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


def complete_description(schema: dict[str, Any], roles: Operations) -> dict[str, Any]:
    """Return the description with what the framework does not know: keys, roles, places of new things."""
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            _complete(operation, roles.get((path, method)))
    parts = schema.setdefault("components", {})
    parts["securitySchemes"] = {KEY: SECURITY}
    parts.setdefault("schemas", {}).update(error_schemas())
    return schema


def _complete(operation: dict[str, Any], role: Role | None) -> None:
    operation["summary"] = operation["operationId"].replace("_", " ").capitalize()
    if role is not None:
        operation["description"] = f"{operation['description']}\n\n{need_in_words(role)}"
        operation["security"] = [{KEY: []}]
        operation["x-role"] = str(role)
    if made := operation["responses"].get("201"):
        made["headers"] = {"Location": LOCATION}


def need_in_words(role: Role) -> str:
    """Say what is needed for an operation."""
    scope = next(scope for scope, covered in SCOPES.items() if covered is role)
    return f"Needs the role {role}; of a key, the scope `{scope}`."


def _roles_in(dependant: Dependant) -> Iterator[Role]:
    if isinstance(dependant.call, Needs):
        yield dependant.call.role
    for inner in dependant.dependencies:
        yield from _roles_in(inner)
