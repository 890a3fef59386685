"""Questions set aside for testing: never shown, never learnt, touched by no edit, and counted apart."""

from __future__ import annotations

import html
from typing import Any

import pytest
from starlette.testclient import TestClient

from exam_hall import fill_project, hold_intents, small_data
from vivavoce.store.rows import Role

pytestmark = pytest.mark.slow
PAGE, RESULT = "/p/jobs/topics/test-set", "/p/jobs/intents/1"


@pytest.fixture
def hall(house: Any) -> Any:
    fill_project(house.store, house.project, house.users[Role.EDITOR].id)
    return house


def shown(client: TestClient, path: str, **headers: str) -> str:
    return html.unescape(client.get(path, headers=headers).text)


def content(hall: Any) -> tuple[set[str], dict[str, str | None]]:
    """Return the texts of the examples, and the test questions with their topics."""
    with hall.store.reading() as tx:
        names = tx.topics.names(hall.project.id)
        kept = {row.text: names.get(row.topic_id or "") for row in tx.reserved.of_project(hall.project.id)}
        return {row.text for row in tx.examples.of_project(hall.project.id)}, kept


def test_examples_are_set_aside_and_come_back(hall: Any, editor: TestClient, reader: TestClient) -> None:
    assert "No questions are set aside" in shown(editor, PAGE)
    assert reader.post(PAGE, data={"do": "aside"}).status_code == 403
    assert editor.post(PAGE, data={"do": "aside", "share": "25"}).status_code == 303
    examples, aside = content(hall)
    assert len(aside) == 8
    assert examples | aside.keys() == {text for text, _ in small_data()}
    assert not examples & aside.keys()
    page = shown(editor, PAGE)
    assert "8 questions are set aside" in page
    with hall.store.reading() as tx:
        edit = tx.edits.of_project(hall.project.id, limit=1)[0]
    history = shown(editor, f"/p/jobs/edits/{edit.id}")
    assert not any(text in page for text in aside), "nobody who edits reads them"
    assert "test question" in history
    editor.post(f"/p/jobs/edits/{edit.id}/undo")
    assert content(hall) == (examples | aside.keys(), {})


def test_real_questions_are_added_with_all_faults_at_once(hall: Any, editor: TestClient) -> None:
    known = small_data()[0][0]
    wrong = editor.post(PAGE, data={"do": "add", "texts": f"new one\ttopic 1\nother\tnowhere\n{known}\ttopic 0"})
    assert wrong.status_code == 400
    faults = html.unescape(wrong.text)
    assert "no topic is called 'nowhere'" in faults
    assert "example or a test question already" in faults
    assert content(hall)[1] == {}
    assert editor.post(PAGE, data={"do": "add", "texts": "new one\ttopic 1\nstranger"}).status_code == 303
    assert content(hall)[1] == {"new one": "topic 1", "stranger": None}
    for share in ("0", "99", "many"):
        assert editor.post(PAGE, data={"do": "aside", "share": share}).status_code == 400
    assert editor.post(PAGE, data={"do": "drop"}).status_code == 303
    assert content(hall)[1] == {}


def test_merging_and_deleting_topics_takes_test_questions_along_and_undo_brings_them_back(
    hall: Any, editor: TestClient
) -> None:
    editor.post(PAGE, data={"do": "add", "texts": "first\ttopic 0\nsecond\ttopic 1\nthird\ttopic 2"})
    with hall.store.reading() as tx:
        ids = {name: own for own, name in tx.topics.names(hall.project.id).items()}
    api = "/api/v1/projects/jobs"
    merged = {"topics": [ids["topic 0"]], "into": ids["topic 1"]}
    edit = editor.post(f"{api}/topics/merge", json=merged).json()
    assert content(hall)[1] == {"first": "topic 1", "second": "topic 1", "third": "topic 2"}
    assert editor.post(f"{api}/edits/{edit['id']}/undo", json={}).status_code == 201
    assert content(hall)[1]["first"] == "topic 0"
    editor.post(f"{api}/topics/delete", json={"topics": [ids["topic 2"]]})
    assert content(hall)[1]["third"] is None


def test_the_result_shows_the_number_on_the_test_set_apart(hall: Any, editor: TestClient) -> None:
    hold_intents(hall.store, hall.project)
    assert "Set some aside" in shown(editor, RESULT)
    editor.post(
        PAGE, data={"do": "add", "texts": "word0 word1 again\ttopic 0\nword12 word13 please\ttopic 3\nstranger"}
    )
    assert f'data-poll="{RESULT}/test-set"' in shown(editor, RESULT)
    part = shown(editor, f"{RESULT}/test-set", **{"X-Fragment": "1"})
    assert "data-poll" not in part
    assert "This exam" in part
    assert "3 questions" in part
    hold_intents(hall.store, hall.project)
    part = shown(editor, "/p/jobs/intents/2/test-set", **{"X-Fragment": "1"})
    assert "The exam before, on the same questions" in part
    assert shown(editor, "/p/jobs/intents/2/test-set").startswith("<!doctype html>")
