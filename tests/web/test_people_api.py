"""People, keys, the audit log and the workspace for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient

from vivavoce.store.rows import Role
from vivavoce.workspace.access.secrets import Cost, hash_password

if TYPE_CHECKING:
    from conftest import House

ROOT = "/api/v1"


@pytest.fixture
def client(house: House) -> TestClient:
    """Return an admin who has a password."""
    with house.store.writing() as tx:
        tx.users.set(house.users[Role.ADMIN].id, password=hash_password("tortoise on the roof", Cost(2, 1, 1)))
    return house.enter(Role.ADMIN)


def test_people_are_listed_without_their_passwords(client: TestClient) -> None:
    answer = client.get(f"{ROOT}/people")
    assert answer.json()["total"] == 4
    assert {one["role"] for one in answer.json()["items"]} == {"reader", "reviewer", "editor", "admin"}
    assert "scrypt" not in answer.text
    assert "password" not in answer.text


def test_somebody_is_invited_changed_and_shut_out(client: TestClient) -> None:
    made = client.post(f"{ROOT}/people", json={"login": "bob", "role": "editor"})
    assert made.status_code == 201
    assert made.json()["link"].startswith("http://localhost/link/")
    here = f"{ROOT}/people/{made.json()['person']['id']}"
    assert client.put(f"{here}/role", json={"role": "reader"}).json()["role"] == "reader"
    assert client.put(f"{here}/disabled", json={"disabled": True}).json()["disabled"] is True
    assert client.post(f"{here}/link").status_code == 400
    assert client.put(f"{here}/disabled", json={"disabled": False}).status_code == 200
    assert client.post(f"{here}/link").status_code == 201
    assert client.delete(f"{here}/sessions").json() == {"ended": 0}
    assert client.get(here).json()["login"] == "bob"


def test_the_last_admin_stays_for_programs_too(client: TestClient, house: House) -> None:
    here = f"{ROOT}/people/{house.users[Role.ADMIN].id}"
    answer = client.put(f"{here}/role", json={"role": "reader"})
    assert answer.status_code == 400
    assert "only admin" in answer.json()["what"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/people", {"login": "admin@example.org"}, 400),
        ("POST", "/people", {"login": "\u0000"}, 422),
        ("POST", "/people", {"login": "a\nb"}, 400),
        ("POST", "/people", {"login": "x", "role": "king"}, 422),
        ("PUT", "/people/0/role", {"role": "reader"}, 404),
        ("DELETE", "/people/0/sessions", None, 404),
        ("GET", "/people/\ud7ff", None, 404),
        ("POST", "/keys", {"name": "x", "scopes": []}, 422),
        ("POST", "/keys", {"name": " ", "scopes": ["read"]}, 400),
        ("POST", "/keys", {"name": "x", "scopes": ["read"], "days": 10**30}, 422),
        ("DELETE", "/keys/0", None, 404),
        ("GET", "/audit?limit=0", None, 422),
        ("GET", "/audit?limit=201", None, 422),
        ("GET", "/audit?offset=99999999999999999999", None, 422),
        ("PUT", "/workspace/switches", {"contact": "x" * 301}, 400),
        ("DELETE", "/projects/jobs?name=jobs", None, 400),
        ("DELETE", "/projects/none?name=none", None, 404),
    ],
)
def test_wrong_requests_are_refused_in_words(
    client: TestClient, method: str, path: str, body: dict[str, Any] | None, status: int
) -> None:
    answer = client.request(method, ROOT + path, json=body)
    assert answer.status_code == status
    assert answer.json()["what"]


def test_a_key_makes_only_lesser_keys(client: TestClient, house: House) -> None:
    made = client.post(f"{ROOT}/keys", json={"name": "parent", "scopes": ["edit"], "days": 2}).json()
    program = house.enter(None)
    program.headers["authorization"] = f"Bearer {made['secret']}"
    assert program.get(f"{ROOT}/me").json()["role"] == "editor"
    assert program.post(f"{ROOT}/keys", json={"name": "more", "scopes": ["admin"]}).status_code == 400
    child = program.post(f"{ROOT}/keys", json={"name": "child", "scopes": ["read"], "days": None})
    assert child.json()["key"]["expires"] == made["key"]["expires"]
    assert program.get(f"{ROOT}/keys").json()["total"] == 2
    assert program.delete(f"{ROOT}/keys/{made['key']['id']}").status_code == 204
    assert program.get(f"{ROOT}/me").status_code == 401


def test_the_log_and_the_facts_are_told(client: TestClient, house: House) -> None:
    client.put(f"{ROOT}/workspace/switches", json={"contact": "Ask Anna"})
    assert client.get(f"{ROOT}/workspace/switches").json() == {"contact": "Ask Anna", "keys_allowed": True}
    log = client.get(f"{ROOT}/audit", params={"person": house.users[Role.ADMIN].id, "limit": 1}).json()
    assert log["items"][0]["action"] == "change settings"
    facts = client.get(f"{ROOT}/workspace").json()
    assert (facts["people"], facts["projects"], facts["current"]) == (4, 1, True)
    assert client.get(f"{ROOT}/me/sessions").json()["total"] >= 1


def test_a_project_is_deleted_by_its_name(client: TestClient) -> None:
    assert client.delete(f"{ROOT}/projects/jobs", params={"name": "Jobs"}).status_code == 204
    assert client.get(f"{ROOT}/projects/jobs").status_code == 404
