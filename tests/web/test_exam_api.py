"""The same for programs: exams are started, watched and ended, and their findings are read."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from exam_hall import SMALL, fill_project, found_in, hold_engines, hold_intents
from vivavoce.store.rows import Role
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.exams.intents import start_intents

pytestmark = pytest.mark.slow

BASE = "/api/v1/projects/jobs"
BODY: dict[str, Any] = {"retries": 1, "settings": [[0, 0]], "classifier": "tfidf"}


@pytest.fixture
def hall(house: Any) -> Any:
    fill_project(house.store, house.project, house.users[Role.EDITOR].id)
    return house


def test_an_exam_is_started_watched_and_ended(hall: Any, editor: TestClient) -> None:
    made = editor.post(f"{BASE}/intents", json=BODY)
    assert made.status_code == 201
    number = made.json()["number"]
    progress = editor.get(f"{BASE}/runs/{number}/progress").json()
    assert (progress["state"], progress["units"]["waiting"]) == ("waiting", made.json()["total"])
    assert editor.post(f"{BASE}/runs/{number}/cancel").json()["state"] == "cancelled"
    assert editor.post(f"{BASE}/runs/{number}/resume").json()["state"] == "waiting"
    assert editor.put(f"{BASE}/runs/{number}/title", json={"title": "Spring"}).json()["title"] == "Spring"
    assert editor.delete(f"{BASE}/runs/{number}").status_code == 400
    editor.post(f"{BASE}/runs/{number}/cancel")
    assert editor.delete(f"{BASE}/runs/{number}").status_code == 204
    assert editor.get(f"{BASE}/runs").json() == {"items": [], "total": 0}


@pytest.mark.parametrize(
    "wrong",
    [
        {"retries": 0},
        {"threshold": 2},
        {"settings": []},
        {"settings": [[0, 0, 0]]},
        {"classifier": "nothing"},
        {"seed": -1},
        {"test_fraction": 1},
        {"out_of_scope_share": 1},
        {"out_of_scope_share": "0.3"},
        {"title": "\u0000"},
    ],
)
def test_what_cannot_be_examined_is_refused(hall: Any, editor: TestClient, wrong: dict[str, Any]) -> None:
    assert editor.post(f"{BASE}/intents", json={**BODY, **wrong}).status_code in (400, 422)


def test_the_live_share_of_out_of_scope_questions_is_an_option_of_the_run(hall: Any, editor: TestClient) -> None:
    made = editor.post(f"{BASE}/intents", json={**BODY, "out_of_scope_share": 0.3}).json()
    assert made["options"]["out_of_scope_share"] == 0.3
    assert editor.post(f"{BASE}/intents", json=BODY).json()["options"]["out_of_scope_share"] is None


def test_code_of_the_machine_is_refused_to_an_editor(hall: Any, editor: TestClient) -> None:
    assert editor.post(f"{BASE}/intents", json={**BODY, "classifier": "python:os:getcwd"}).status_code == 403
    engines = {"classifiers": ["tfidf", "python:os:getcwd"], "retries": 1}
    assert editor.post(f"{BASE}/engines", json=engines).status_code == 403


def test_findings_are_the_same_bytes_as_the_exam_wrote(hall: Any, reader: TestClient) -> None:
    hold_intents(hall.store, hall.project)
    wrote = next(one.content for one in found_in("intents", 0.3).documents if one.name == "findings.json")
    assert reader.get(f"{BASE}/runs/1/findings").content == wrote
    assert reader.get(f"{BASE}/runs/1/warnings").json()["items"] == list(found_in("intents", 0.3).warnings)
    assert reader.get(f"{BASE}/runs/1/charts/settings").json()["$schema"]
    assert reader.get(f"{BASE}/runs/1/pictures/settings").text.startswith("<svg")
    assert reader.get(f"{BASE}/runs/1/report").text.startswith("<!doctype html>")


def test_a_run_without_findings_says_so(hall: Any, reader: TestClient) -> None:
    start_intents(hall.store, PRODUCT, hall.project, options=SMALL)
    for what in ("findings", "warnings", "report", "charts/settings", "pictures/settings"):
        assert reader.get(f"{BASE}/runs/1/{what}").status_code == 404, what


def test_questions_are_listed_by_outcome(hall: Any, reader: TestClient) -> None:
    hold_intents(hall.store, hall.project)
    every = reader.get(f"{BASE}/intents/1/questions?limit=200").json()
    right = reader.get(f"{BASE}/intents/1/questions?outcome=right").json()
    assert 0 < right["total"] <= every["total"] == len(every["items"])
    assert {row["outcome"] for row in right["items"]} == {"right"}
    assert reader.get(f"{BASE}/intents/1/questions?outcome=perfect").status_code == 422


def test_two_runs_are_compared_and_all_are_on_the_line(hall: Any, reader: TestClient) -> None:
    hold_intents(hall.store, hall.project)
    hold_intents(hall.store, hall.project, threshold=0.9)
    found = reader.get(f"{BASE}/intents/compare?a=2&b=1").json()
    assert (found["a"]["number"], found["b"]["number"], found["same_data"]) == (1, 2, True)
    assert found["broken"] == len(found["broken_questions"]) > 0
    assert found["verdict"]["broken"] == found["broken"]
    assert (found["paired"], found["p"]) == (found["verdict"]["difference"], found["verdict"]["p"])
    assert found["causes"] == [], "no edit lies between them"
    assert found["by_later_topics"] == found["verdict"]
    assert reader.get(f"{BASE}/intents/compare?a=1&b=1").status_code == 400
    line = reader.get(f"{BASE}/timeline?measure=f1_macro").json()
    assert {point["name"] for point in line["points"]} == {"f1_macro"}
    assert len(line["points"]) == 4
    assert line["verdict"] == found["verdict"]
    assert reader.get(f"{BASE}/timeline?measure=nothing").status_code == 422
    assert reader.get(f"{BASE}/timeline?since=0001-01-01T00:00:00%2B14:00").status_code == 200


def test_engines_are_listed_compared_and_timed(hall: Any, editor: TestClient) -> None:
    listed = {one["name"]: one for one in editor.get("/api/v1/engines").json()["items"]}
    assert (listed["tfidf"]["ready"], listed["tfidf"]["needs"]) == (True, "")
    assert all(one["ready"] != bool(one["needs"]) for one in listed.values())
    made = editor.post(f"{BASE}/engines", json={"classifiers": ["tfidf", "tfidf:en"], "retries": 1})
    assert (made.status_code, made.json()["kind"]) == (201, "engines")
    assert editor.post(f"{BASE}/engines", json={"classifiers": ["tfidf"]}).status_code == 422
    editor.post(f"{BASE}/runs/1/cancel")
    hold_engines(hall.store, hall.project)
    times = editor.get(f"{BASE}/engines/2/times").json()
    assert [one["name"] for one in times["items"]] == ["tfidf", "tfidf:en"]


@pytest.mark.parametrize("path", ["intents", "engines"])
def test_a_reader_starts_nothing(hall: Any, reader: TestClient, path: str) -> None:
    assert reader.post(f"{BASE}/{path}", json={"classifiers": ["tfidf", "sif"], "retries": 1}).status_code == 403
