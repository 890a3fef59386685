"""Every route names the role it needs, and lets in exactly those who have it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from vivavoce.store.rows import Role
from vivavoce.web import api, pages
from vivavoce.web.access import Needs
from vivavoce.web.app import API, bare_app, routers
from vivavoce.workspace.access.keys import make_key
from vivavoce.workspace.access.sessions import actor_of

if TYPE_CHECKING:
    from conftest import House

pytestmark = pytest.mark.slow

# What must be reached by those who are not signed in. Nothing else belongs here.
OPEN = {
    "/sign-in",
    "/setup",
    "/setup/{secret}",
    "/link/{secret}",
    "/preferences",
    "/healthz",
    "/healthz/{part}",
    "/chat/{slug}",
    "/chat/{slug}/{part}",
    "/chat/{slug}/open",
    "/chat/{slug}/messages",
    "/chat/{slug}/new",
    "/chat/{slug}/export",
    "/chat/{slug}/forget",
    "/subscription/{secret}",
    "/unsubscribe/{secret}",
    "/static",
    "/static/chat.js",
    "/static/app.css",
    "/static/icons.svg",
    "/static/vega.js",
    f"{API}/openapi.json",
}
REAL = {"slug": "jobs"}


@dataclass(frozen=True)
class Walk:
    """One route: how it is asked, and the roles that it names."""

    method: str
    path: str
    named: frozenset[Role]

    @property
    def needed(self) -> Role:
        return max(self.named, key=list(Role).index)

    @property
    def address(self) -> str:
        return re.sub(r"\{(\w+)(?::\w+)?\}", lambda found: REAL.get(found[1], "0"), self.path)

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def roles_in(dependant: Dependant) -> Iterator[Role]:
    if isinstance(dependant.call, Needs):
        yield dependant.call.role
    for inner in dependant.dependencies:
        yield from roles_in(inner)


def walks() -> tuple[Walk, ...]:
    found = [("", route) for router in routers(pages) for route in router.routes]
    found += [(API, route) for router in routers(api) for route in router.routes]
    return tuple(
        Walk(method, prefix + route.path, frozenset(roles_in(route.dependant)))
        for prefix, route in found
        if isinstance(route, APIRoute)
        for method in sorted(route.methods)
    )


ALL = walks()
GUARDED = tuple(walk for walk in ALL if walk.path not in OPEN)


def calm(client: TestClient) -> TestClient:
    """Return a client to which a page that fails is an answer, so that the walk goes on and names it."""
    headers = dict(client.headers)
    patient = TestClient(
        client.app, "http://localhost", raise_server_exceptions=False, headers=headers, follow_redirects=False
    )
    patient.portal = client.portal
    return patient


def asked(client: TestClient, walk: Walk) -> Any:
    return client.request(walk.method, walk.address)


def test_every_route_names_one_role_or_is_meant_to_be_open() -> None:
    assert len(GUARDED) > 30
    assert [str(walk) for walk in GUARDED if len(walk.named) != 1] == []
    assert {str(walk) for walk in ALL if walk.path in OPEN and walk.named} == set()


def test_no_route_comes_past_the_routers_of_pages_and_api(house: House) -> None:
    app = bare_app(house.store)
    known = {walk.path for walk in ALL} | OPEN
    assert {route.path for route in app.routes if hasattr(route, "path")} <= known


def test_strangers_are_sent_to_sign_in_and_programs_are_told(house: House) -> None:
    stranger, wrong = calm(house.enter(None)), []
    for walk in GUARDED:
        answer = asked(stranger, walk)
        if walk.path.startswith(API):
            right = answer.status_code == 401 and answer.headers["www-authenticate"] == "Bearer"
        else:
            right = answer.status_code == 303 and answer.headers["location"].startswith("/sign-in")
        wrong += [] if right else [f"{walk}: {answer.status_code}"]
    assert wrong == []


@pytest.mark.parametrize("role", list(Role))
def test_a_person_gets_in_where_the_role_suffices_and_nowhere_else(house: House, role: Role) -> None:
    wrong, usual = [], calm(house.enter(role))
    for walk in GUARDED:
        answer = asked(usual, walk)
        if "sign-out" in walk.path or "sessions" in walk.path:
            usual = calm(house.enter(role))
        refused = answer.status_code in (401, 403)
        if refused == role.covers(walk.needed) or answer.status_code >= 500:
            wrong.append(f"{walk} as {role}: {answer.status_code}")
    assert wrong == []


def test_a_key_of_an_admin_does_no_more_than_its_scopes_say(house: House) -> None:
    _, secret = make_key(house.store, actor_of(house.users[Role.ADMIN], ""), "only reads", ["read"])
    client = calm(house.enter(None))
    client.headers["authorization"] = f"Bearer {secret}"
    wrong = []
    for walk in GUARDED:
        if walk.path.startswith(API):
            answer = asked(client, walk)
            if (answer.status_code == 403) == Role.READER.covers(walk.needed):
                wrong.append(f"{walk}: {answer.status_code}")
    assert wrong == []
