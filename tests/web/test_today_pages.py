"""The page of today, and the demo project from the list of projects."""

from __future__ import annotations

from starlette.testclient import TestClient

from vivavoce.store.rows import Run, RunState
from vivavoce.store.stamps import new_id, now
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.topics.topics import add_topic


def begin(house, state: RunState = RunState.RUNNING, kind: str = "dialogues") -> Run:
    run = Run(
        new_id(), house.project.id, 0, kind, "Tonight", state, {}, 1, 10, 4, 1, "One sentence.", "", None, None, None,
        "1", "h", 0, now(), now(), None,
    )  # fmt: skip
    with house.store.writing() as tx:
        return tx.runs.add(run, b"{}", ())


def test_an_empty_project_leads_editors_on_and_readers_see_the_state(editor: TestClient, reader: TestClient) -> None:
    page = editor.get("/p/jobs").text
    assert "Nothing was examined yet" in page
    assert 'href="/p/jobs/import"' in page
    assert "/projects/demo" in page
    assert "/p/jobs/import" not in reader.get("/p/jobs").text


def test_what_people_did_and_what_was_found_stand_on_the_page(house, reader: TestClient) -> None:
    add_topic(house.store, PRODUCT, house.project, "salary")
    begin(house, RunState.DONE)
    page = reader.get("/p/jobs").text
    assert "One sentence." in page
    assert "1 change" in page
    assert "No number became worse" in page


def test_running_work_renews_itself_and_says_when_nothing_changed(house, reader: TestClient) -> None:
    run = begin(house)
    page = reader.get("/p/jobs").text
    assert 'data-poll="/p/jobs/running"' in page
    version = page.split('data-version="')[1].split('"')[0]
    assert reader.get(f"/p/jobs/running?version={version}").status_code == 204
    part = reader.get("/p/jobs/running?version=1")
    assert part.text.strip().startswith('<section id="running"')
    with house.store.writing() as tx:
        tx.runs.set_state(run.id, RunState.DONE)
    assert reader.get(f"/p/jobs/running?version={version}").status_code == 303


def test_the_api_says_the_same(house, reader: TestClient) -> None:
    begin(house, RunState.DONE)
    found = reader.get("/api/v1/projects/jobs/today").json()
    assert found["light"] == "good"
    assert [exam["run"]["headline"] for exam in found["exams"]] == ["One sentence."]
    assert found["steps"][0] == "topics"


def test_the_demo_is_loaded_from_the_list_of_projects(editor: TestClient, reader: TestClient) -> None:
    assert reader.post("/projects/demo").status_code == 403
    assert 'action="/projects/demo"' in editor.get("/projects").text
    answer = editor.post("/projects/demo")
    assert (answer.status_code, answer.headers["location"]) == (303, "/p/demo")
    page = editor.get("/p/demo").text
    assert 'href="/p/demo/intents"' in page
