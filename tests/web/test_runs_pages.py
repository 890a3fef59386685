"""Runs of all exams: the list, how far one is, who is at work on it, and what can be done with it."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from starlette.testclient import TestClient

from exam_hall import SMALL, fill_project, finish, found_in, hold_engines, hold_intents
from vivavoce.store.rows import Role, RunState, WorkerRow
from vivavoce.store.stamps import now
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.exams.intents import start_intents

pytestmark = pytest.mark.slow


@pytest.fixture
def hall(house: Any) -> Any:
    """Return the house with a project that has topics."""
    fill_project(house.store, house.project, house.users[Role.EDITOR].id)
    return house


def test_the_number_of_a_run_leads_to_the_page_of_its_kind(hall: Any, reader: TestClient) -> None:
    hold_intents(hall.store, hall.project)
    hold_engines(hall.store, hall.project)
    assert reader.get("/p/jobs/runs/1").headers["location"] == "/p/jobs/intents/1"
    assert reader.get("/p/jobs/runs/2").headers["location"] == "/p/jobs/engines/2"
    assert reader.get("/p/jobs/intents/2").status_code == 404


def test_runs_are_narrowed_down_by_kind_and_state(hall: Any, reader: TestClient) -> None:
    hold_intents(hall.store, hall.project, title="the first")
    start_intents(hall.store, PRODUCT, hall.project, title="the second", options=SMALL)
    every = reader.get("/p/jobs/runs").text
    assert "the first" in every
    assert "the second" in every
    done = reader.get("/p/jobs/runs?kind=intents&state=done").text
    assert "the first" in done
    assert "the second" not in done
    assert "No matching runs" in reader.get("/p/jobs/runs?kind=dialogues").text


def test_the_progress_is_asked_for_until_the_run_is_over(hall: Any, reader: TestClient) -> None:
    run = start_intents(hall.store, PRODUCT, hall.project, options=SMALL)
    page = reader.get("/p/jobs/intents/1").text
    assert 'data-poll="/p/jobs/runs/1/progress"' in page
    version = re.search(r'data-version="(\d+)"', page)
    assert version is not None
    assert reader.get(f"/p/jobs/runs/1/progress?version={version[1]}").status_code == 204
    changed = reader.get("/p/jobs/runs/1/progress?version=0")
    assert changed.status_code == 200
    assert changed.text.lstrip().startswith('<section id="run-progress"')
    assert "No worker is running" in changed.text
    finish(hall.store, run, found_in("intents", 0.3))
    over = reader.get(f"/p/jobs/runs/1/progress?version={version[1]}")
    assert (over.status_code, over.headers["location"]) == (303, "/p/jobs/intents/1")
    assert "data-poll" not in reader.get("/p/jobs/intents/1").text


def test_a_reader_sees_no_button_that_an_editor_has(hall: Any, reader: TestClient, editor: TestClient) -> None:
    start_intents(hall.store, PRODUCT, hall.project, options=SMALL)
    assert "/runs/1/cancel" in editor.get("/p/jobs/intents/1").text
    assert "/runs/1/cancel" not in reader.get("/p/jobs/intents/1").text
    for step in ("cancel", "resume", "retry", "rename", "delete"):
        assert reader.post(f"/p/jobs/runs/1/{step}").status_code == 403


def test_an_editor_cancels_goes_on_renames_and_deletes(hall: Any, editor: TestClient) -> None:
    start_intents(hall.store, PRODUCT, hall.project, options=SMALL)
    assert editor.post("/p/jobs/runs/1/cancel").headers["location"] == "/p/jobs/intents/1"
    assert "Resume run" in editor.get("/p/jobs/intents/1").text
    assert editor.post("/p/jobs/runs/1/resume").status_code == 303
    assert editor.post("/p/jobs/runs/1/rename", data={"title": "Spring"}).status_code == 303
    assert "Spring" in editor.get("/p/jobs/intents/1").text
    assert editor.post("/p/jobs/runs/1/delete").status_code == 400
    editor.post("/p/jobs/runs/1/cancel")
    assert "Spring" in editor.get("/p/jobs/runs/1/delete").text
    assert editor.post("/p/jobs/runs/1/delete").headers["location"] == "/p/jobs/runs"
    assert editor.get("/p/jobs/intents/1").status_code == 404


def test_what_failed_is_told_with_its_reason_and_tried_again(hall: Any, editor: TestClient) -> None:
    run = start_intents(hall.store, PRODUCT, hall.project, options=SMALL)
    finish(hall.store, run, found_in("intents", 0.3), failed=1)
    page = editor.get("/p/jobs/intents/1").text
    assert "the engine is on fire" in page
    assert "Retry what failed" in page
    assert editor.post("/p/jobs/runs/1/retry").status_code == 303
    with hall.store.reading() as tx:
        assert tx.runs.get(run.id).state is RunState.WAITING


def test_a_report_may_show_itself_and_nothing_else(hall: Any, reader: TestClient) -> None:
    hold_intents(hall.store, hall.project)
    shown = reader.get("/p/jobs/runs/1/report.html")
    assert shown.headers["content-security-policy"].startswith("default-src 'none'")
    assert "content-disposition" not in shown.headers
    kept = reader.get("/p/jobs/runs/1/report.html?save=1")
    assert "attachment" in kept.headers["content-disposition"]
    assert kept.content == shown.content
    findings = reader.get("/p/jobs/runs/1/findings.json")
    assert json.loads(findings.content)["classifier"] == "tfidf"


def begin(hall: Any, ago: float) -> None:
    """Let a worker begin a run and fall silent so many seconds ago."""
    start_intents(hall.store, PRODUCT, hall.project, options=SMALL)
    then = now() - timedelta(seconds=ago)
    with hall.store.writing() as tx:
        tx.units.claim("lost", 1, then)
        tx.workers.beat(WorkerRow("lost", "here", 1, then, then))


def test_a_run_whose_worker_was_killed_says_since_when_nobody_is_at_work(hall: Any, reader: TestClient) -> None:
    begin(hall, 22)
    page = reader.get("/p/jobs/intents/1").text
    assert re.search(r"Waiting for a worker: the last one stopped responding (\d+ min )?\d+ s ago\.", page)
    assert "viva worker" in page
    assert not re.search(r"Round \d|Reading \d", page)
    version = re.search(r'data-version="(\d+)"', page)
    assert version is not None
    # Nothing of the run changed, but the page is to see the seconds pass.
    assert reader.get(f"/p/jobs/runs/1/progress?version={version[1]}").status_code == 200
    progress = reader.get("/api/v1/projects/jobs/runs/1/progress").json()
    assert progress["workers"] == 0
    assert progress["silence"]["seconds"] >= 22


def test_where_another_worker_is_there_the_page_says_when_it_goes_on(hall: Any, reader: TestClient) -> None:
    begin(hall, 20)
    with hall.store.writing() as tx:
        tx.workers.beat(WorkerRow("fresh", "here", 2, now(), now()))
    page = reader.get("/p/jobs/intents/1").text
    assert re.search(r"Another worker can take over its work in \d+ s\.", page)
    assert "viva worker" not in page


def test_a_run_with_a_worker_at_work_is_going_on(hall: Any, reader: TestClient) -> None:
    begin(hall, 5)
    page = reader.get("/p/jobs/intents/1").text
    assert "Round 1 of " in page or re.search(r"[Rr]eading \d+ texts\.", page)
    assert "stopped responding" not in page
    assert reader.get("/api/v1/projects/jobs/runs/1/progress").json()["silence"] is None


def facets_of(page: str) -> dict[str, str]:
    """Return the choices of a list with how many rows each shows."""
    facets = page.split('class="facets')[1].split("</nav>", maxsplit=1)[0]
    return dict(re.findall(r'<span dir="auto">(.*?)</span><span class="n">(.*?)</span>', facets))


def test_the_filters_of_runs_say_how_many_each_choice_shows(hall: Any, reader: TestClient) -> None:
    hold_intents(hall.store, hall.project)
    hold_engines(hall.store, hall.project)
    start_intents(hall.store, PRODUCT, hall.project, options=SMALL)
    page = reader.get("/p/jobs/runs").text
    assert facets_of(page) == {
        "all exams": "3",
        "Intents exam": "2",
        "Classifiers": "1",
        "any status": "3",
        "waiting": "1",
        "done": "2",
    }
    assert "1 run in progress, 3 in total." in page
    done = facets_of(reader.get("/p/jobs/runs?state=done&kind=intents").text)
    assert done == {
        "all exams": "2",
        "Intents exam": "1",
        "Classifiers": "1",
        "any status": "2",
        "waiting": "1",
        "done": "1",
    }


def test_a_way_of_asking_that_a_page_does_not_have_has_its_own_number(editor: TestClient) -> None:
    answer = editor.put("/p/jobs/runs")
    assert answer.status_code == 405
    assert "Error 405" in answer.text
