"""Examples of another language can be borrowed from the form, by daily runs and by the API, where there are some."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from exam_hall import fill_project, finish
from pictures import undrawn
from vivavoce.jobs.exams.kinds import INTENTS
from vivavoce.jobs.exams.protocol import Finished, Work
from vivavoce.jobs.exams.registry import load_exam, perform_work
from vivavoce.store.rows import Role
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.exams import intents
from vivavoce.workspace.topics.examples import add_examples

pytestmark = pytest.mark.slow

FORM = {
    "classifier": "tfidf",
    "preset": "known",
    "retries": "1",
    "threshold": "0.3",
    "test_fraction": "0.2",
    "seed": "0",
}


@pytest.fixture
def hall(house: Any) -> Any:
    """Return the house with a project in two languages."""
    fill_project(house.store, house.project, house.users[Role.EDITOR].id)
    with house.store.reading() as tx:
        topics = tx.topics.of_project(house.project.id)[:2]
    for topic in topics:
        lines = [f"Wie ist das mit {topic.name}?", f"Wann gibt es {topic.name}?"]
        add_examples(house.store, PRODUCT, house.project, lines, topic_id=topic.id, language="de")
    return house


def test_the_form_offers_the_other_languages_of_the_examples(hall: Any, editor: TestClient) -> None:
    page = editor.get("/p/jobs/intents").text
    field = page[page.index('name="borrow"') :].partition("</select>")[0]
    assert "German" in field
    assert "English" not in field, "a bot does not borrow its own language"
    editor.post("/p/jobs/intents", data={**FORM, "borrow": "de"})
    with hall.store.reading() as tx:
        assert tx.runs.by_number(hall.project.id, 1).options["borrow"] == "de"
    wrong = editor.post("/p/jobs/intents", data={**FORM, "borrow": "fr"})
    assert wrong.status_code == 400
    assert "o topic has examples both in" in wrong.text


def test_the_form_of_a_bot_with_one_language_has_no_such_field(house: Any, editor: TestClient) -> None:
    fill_project(house.store, house.project, house.users[Role.EDITOR].id)
    assert 'name="borrow"' not in editor.get("/p/jobs/intents").text


def test_daily_runs_and_the_api_have_the_option_too(hall: Any, editor: TestClient) -> None:
    assert "borrow" in {option.name for option in INTENTS.daily}
    assert "German" in editor.get("/p/jobs/schedules/new?kind=intents").text
    answer = editor.post("/api/v1/projects/jobs/intents", json={"borrow": "de", "retries": 1})
    assert answer.status_code == 201, answer.text
    assert answer.json()["options"]["borrow"] == "de"


def test_the_result_says_what_the_borrowed_examples_bring(hall: Any, editor: TestClient) -> None:
    options = {"classifier": "tfidf", "borrow": "de", "retries": 1, "settings": [[0, 0]]}
    run = intents.start_intents(hall.store, PRODUCT, hall.project, options=options)
    with hall.store.reading() as tx:
        material = tx.runs.material(run.id)
    exam = load_exam("intents")
    units = [Work("intents", run.id, material, run.options, unit.key) for unit in exam.plan(material, run.options)]
    done = Finished({work.key: perform_work(work) for work in units})
    with undrawn():
        finish(hall.store, run, exam.conclude(material, run.options, done))
    assert "4 borrowed examples (German) beside" in editor.get("/p/jobs/intents/1").text
