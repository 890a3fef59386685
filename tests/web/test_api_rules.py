"""One API: the same things have the same names and shapes in every operation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient

from vivavoce.store.rows import Role
from vivavoce.web.api.description import read_operations
from vivavoce.web.app import API

if TYPE_CHECKING:
    from conftest import Served

pytestmark = pytest.mark.slow

VERBS = {
    "add", "apply", "cancel", "change", "check", "compare", "create", "delete", "disable", "drop", "end", "export",
    "invite", "list", "make", "merge", "move", "prepare", "rate", "rename", "restore", "resume", "retry", "revoke",
    "show", "split", "start", "switch", "try", "undo", "upload", "withdraw",
}  # fmt: skip
# How else these would be called.
OTHER_NAMES = {
    "q",
    "query",
    "count",
    "page_size",
    "skip_rows",
    "project",
    "project_id",
    "run",
    "run_id",
    "run_number",
}
FILES = {"export_suite", "export_topics", "show_findings", "show_report", "show_chart", "show_picture"}


@dataclass(frozen=True)
class Operation:
    """An operation as it is described, among the shapes that all share."""

    method: str
    path: str
    raw: dict[str, Any]
    shapes: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.raw["operationId"])

    @property
    def good(self) -> str:
        return next(status for status in self.raw["responses"] if status.startswith("2"))

    @property
    def answer(self) -> dict[str, Any]:
        content = self.raw["responses"][self.good].get("content", {}).get("application/json", {})
        return self.resolved(content.get("schema", {}))

    @property
    def parameters(self) -> set[str]:
        return {one["name"] for one in self.raw.get("parameters", ())}

    def resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        name = schema.get("$ref", "").rsplit("/", 1)[-1]
        return dict(self.shapes[name]) if name else schema


@pytest.fixture(scope="module")
def description(served: Served) -> dict[str, Any]:
    """Return what the API says of itself."""
    return served.bare.openapi()


@pytest.fixture(scope="module")
def operations(description: dict[str, Any]) -> list[Operation]:
    shapes = description["components"]["schemas"]
    paths = description["paths"].items()
    return [Operation(method, path, raw, shapes) for path, methods in paths for method, raw in methods.items()]


def each(check: Callable[[Operation], None]) -> Callable[[list[Operation]], None]:
    """Make one test of all operations: hundreds of tests would cost more than what they check."""

    def test(operations: list[Operation]) -> None:
        wrong = []
        for one in operations:
            try:
                check(one)
            except AssertionError as error:
                wrong.append(f"{one.name}: {error}")
        assert wrong == []

    test.__name__ = check.__name__
    return test


def test_every_operation_has_a_name_of_its_own(operations: list[Operation]) -> None:
    assert len(operations) > 100
    assert [name for name, n in Counter(one.name for one in operations).items() if n > 1] == []


@each
def test_an_operation_says_what_it_does_and_who_may_do_it(one: Operation) -> None:
    verb, _, noun = one.name.partition("_")
    assert verb in VERBS
    assert re.fullmatch("[a-z_]+", noun)
    assert one.raw["summary"] == one.name.replace("_", " ").capitalize()
    assert len(one.raw["tags"]) == 1
    role = one.raw["x-role"]
    assert role in list(Role)
    assert f"Requires the role {role}" in one.raw["description"]
    assert one.raw["security"] == [{"key": []}]
    assert not one.raw.get("deprecated")


@each
def test_an_operation_uses_the_names_that_all_use(one: Operation) -> None:
    assert not one.parameters & OTHER_NAMES - ({"project"} if one.name == "list_audit" else set())
    named = re.findall(r"\{(\w+)\}", one.path)
    assert [name for name in named if not re.fullmatch(r"slug|number|version|key|kind|name|\w+_id", name)] == []
    assert ("limit" in one.parameters) == ("offset" in one.parameters)


@each
def test_an_operation_answers_in_the_usual_shape(one: Operation) -> None:
    if one.name in FILES:
        assert one.raw["responses"]["200"]["content"]
    elif one.good == "204":
        assert one.method == "delete"
        assert not one.raw["responses"]["204"].get("content")
    else:
        assert one.answer.get("type") == "object"
    if one.name.startswith("list_"):
        assert set(one.answer["properties"]) == {"items", "total"}
    if "limit" in one.parameters:
        assert one.name.startswith("list_")


@each
def test_what_is_made_has_a_place_and_reading_changes_nothing(one: Operation) -> None:
    assert ("Location" in one.raw["responses"][one.good].get("headers", {})) == (one.good == "201")
    if one.method == "get":
        assert "requestBody" not in one.raw
        assert one.good == "200"
    if re.match("(add|create|make|invite|prepare|start|upload|apply)_", one.name):
        assert (one.method, one.good) == ("post", "201")


@each
def test_a_body_refuses_what_it_does_not_know(one: Operation) -> None:
    for media, content in one.raw.get("requestBody", {}).get("content", {}).items():
        if media == "application/json":
            assert one.resolved(content["schema"])["additionalProperties"] is False


@each
def test_errors_have_one_shape(one: Operation) -> None:
    wrong = {status: answer for status, answer in one.raw["responses"].items() if status >= "4"}
    assert {"400", "401", "403", "404", "409", "413", "422"} <= set(wrong)
    for answer in wrong.values():
        assert answer["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/ErrorBody"}


def test_a_wrong_method_is_answered_with_all_that_there_are(admin: TestClient) -> None:
    answer = admin.request("OPTIONS", f"{API}/projects/jobs/topics")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, POST")
    assert set(answer.json()) == {"what", "where", "remedy", "faults"}


def test_what_is_refused_at_the_door_has_the_same_shape(admin: TestClient) -> None:
    foreign = admin.post(f"{API}/demo", headers={"sec-fetch-site": "cross-site"})
    assert (foreign.status_code, set(foreign.json())) == (403, {"what", "where", "remedy", "faults"})
    large = admin.post(f"{API}/projects", content=b" " * (9 * 2**20), headers={"content-type": "application/json"})
    assert (large.status_code, set(large.json())) == (413, {"what", "where", "remedy", "faults"})


def test_a_parameter_that_nobody_knows_is_refused_with_the_nearest_one(admin: TestClient) -> None:
    assert admin.get(f"{API}/projects/jobs/topics", params={"search": "pay", "limit": 3}).status_code == 200
    answer = admin.get(f"{API}/projects/jobs/topics", params={"serach": "pay", "limit": [1, 2]})
    assert answer.status_code == 400
    faults = {one["where"]: one["message"] for one in answer.json()["faults"]}
    assert "search" in faults["serach"]
    assert "more than once" in faults["limit"]


def test_what_was_made_is_found_at_its_place(admin: TestClient) -> None:
    made = admin.post(f"{API}/projects", json={"name": "Über uns"})
    assert made.status_code == 201
    assert admin.get(made.headers["location"]).json() == made.json()
    topic = admin.post(f"{API}/projects/jobs/topics", json={"name": "pay"})
    assert admin.get(topic.headers["location"]).json()["topic"]["name"] == "pay"
    key = admin.post(f"{API}/keys", json={"name": "ci", "scopes": ["read"]})
    assert admin.get(key.headers["location"]).json() == key.json()["key"]


def test_people_can_read_the_description(reader: TestClient, description: dict[str, Any]) -> None:
    shown = reader.get("/api")
    assert shown.status_code == 200
    assert [one.name for one in read_operations(description) if f"#{one.name}" not in shown.text] == []
    topics = reader.get("/api", params={"group": "topics"})
    assert "merge_topics" in topics.text
    assert "add_bot" not in topics.text
    assert reader.get("/api", params={"group": "topcis"}).status_code == 404
    assert "/api" in reader.get("/help").text
    assert 'href="/api"' in reader.get("/account").text
