"""The page of today, and the demo project from the list of projects."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from problem_hall import keep_exam, mixed_exam
from vivavoce.store.rows import Role, Run, RunState
from vivavoce.store.stamps import new_id, now
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.projects.today import list_first_steps
from vivavoce.workspace.topics.topics import add_topic


def editor_of(house) -> Actor:
    with house.store.reading() as tx:
        person = next(person for person in tx.users.all() if person.role is Role.EDITOR)
    return Actor(person.id, person.name, Role.EDITOR)


def begin(house, state: RunState = RunState.RUNNING, kind: str = "dialogues") -> Run:
    run = Run(
        new_id(), house.project.id, 0, kind, "Tonight", state, {}, 1, 10, 4, 1, "One sentence.", "", None, None, None,
        "1", "h", 0, now(), now(), None,
    )  # fmt: skip
    with house.store.writing() as tx:
        return tx.runs.add(run, b"{}", ())


def test_an_empty_project_leads_editors_on_and_readers_see_the_state(editor: TestClient, reader: TestClient) -> None:
    page = editor.get("/p/jobs").text
    assert "Nothing examined yet" in page
    assert '<a class="btn primary" href="/p/jobs/import">' in page
    assert page.count("btn primary") == 1
    assert "/projects/demo" in page
    seen = reader.get("/p/jobs").text
    assert "First steps" not in seen
    assert '<a class="btn primary"' not in seen


def test_the_first_steps_tick_themselves(house, editor: TestClient) -> None:
    """Each thing that was done is ticked, the next one has the button, and all done is no list at all."""

    def next_button() -> str:
        page = editor.get("/p/jobs").text
        found = re.search(r'(?:href|action)="(/p/[^"]+)"', page.split('aria-current="step"')[1])
        assert found
        return found[1]

    assert next_button() == "/p/jobs/import"
    add_topic(house.store, PRODUCT, house.project, "salary", examples=["how much"])
    assert next_button() == "/p/jobs/intents"
    keep_exam(house.store, house.project, mixed_exam())
    assert next_button() == "/p/jobs/topics"
    add_topic(house.store, PRODUCT, house.project, "hours")
    assert next_button() == "/p/jobs/intents"
    begin(house, RunState.DONE, "intents")
    begin(house, RunState.DONE, "conversations")
    assert all(list_first_steps(house.store, house.project).values())


def test_whoever_needs_no_list_of_steps_puts_it_away(editor: TestClient) -> None:
    answer = editor.post("/p/jobs/checklist")
    assert (answer.status_code, answer.headers["location"]) == (303, "/p/jobs")
    editor.headers["cookie"] += "; " + answer.headers["set-cookie"].split(";")[0]
    page = editor.get("/p/jobs").text
    assert "First steps" not in page
    assert 'href="/p/jobs/import"' in page.split("<main")[1], "what is to be done is still said"


def test_what_people_did_and_what_was_found_stand_on_the_page(house, editor: TestClient) -> None:
    add_topic(house.store, PRODUCT, house.project, "salary")
    add_topic(house.store, editor_of(house), house.project, "hours")
    run = begin(house, RunState.DONE)
    page = editor.get("/p/jobs").text
    assert "One sentence." in page.split("<h1")[1].split("</h1>")[0]
    lines = page.split('class="activity panel"')[1].split("</ol>")[0].split("<li>")[1:]
    assert "Tonight" in lines[0]
    assert f"/dialogues/runs/{run.number}" in lines[0]
    assert "You" in lines[1]
    assert "Topic hours created" in lines[1]
    assert "vivavoce" in lines[2]


def test_edits_of_the_same_kind_in_a_row_are_one_line(house, reader: TestClient) -> None:
    for name in ("salary", "hours", "place"):
        add_topic(house.store, PRODUCT, house.project, name)
    page = reader.get("/p/jobs").text
    lines = page.split('class="activity panel"')[1].split("</ol>")[0].split("<li>")[1:]
    assert len(lines) == 1
    assert "and 2 more like it" in lines[0]


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


@pytest.mark.slow
def test_the_demo_is_loaded_from_the_list_of_projects(editor: TestClient, reader: TestClient) -> None:
    assert reader.post("/projects/demo").status_code == 403
    assert 'action="/projects/demo"' in editor.get("/projects").text
    answer = editor.post("/projects/demo")
    assert (answer.status_code, answer.headers["location"]) == (303, "/p/demo")
    page = editor.get("/p/demo").text
    sentence = re.search(r"The bot answers (\d+) of 100 questions, and (\d+) of 100 answers are correct.", page)
    assert sentence
    assert "What to do next" in page
    assert "First steps" not in page, "all of it was done in the past"
    assert page.count("btn primary") == 1
    assert page.count('class="spark"') == 4
    assert "Freja Lindqvist" in page
    for place in (
        "timeline",
        "intents",
        "conversations",
        "dialogues",
        "intents/compare?a=2&b=3",
        "edits",
        "runs/1/report.html",
    ):
        assert editor.get(f"/p/demo/{place}").status_code == 200, place
    card = editor.get("/projects").text
    assert all(f"<b>{share} %</b>" in card for share in sentence.groups()), "the same numbers on the card"
