"""A score that rose because hard questions were deleted: every page that compares two exams says so."""

from __future__ import annotations

import html
from typing import Any

import pytest
from starlette.testclient import TestClient

from exam_hall import fill_project, hold_guessed, small_data
from vivavoce.store.rows import Role

pytestmark = pytest.mark.slow
GAMED = "questions are gone, most of which the bot got wrong"
PAGES = ("/p/jobs/intents/2", "/p/jobs/intents/compare?a=1&b=2", "/p/jobs/timeline", "/p/jobs")


@pytest.fixture
def hall(house: Any) -> Any:
    fill_project(house.store, house.project, house.users[Role.EDITOR].id)
    return house


def shown(client: TestClient, path: str) -> str:
    return html.unescape(client.get(path).text)


def test_deleting_what_the_bot_gets_wrong_is_no_gain(hall: Any, editor: TestClient) -> None:
    texts = [text for text, _ in small_data()]
    mistakes = dict.fromkeys(texts[:6], "topic 3")
    hold_guessed(hall.store, hall.project, mistakes)
    with hall.store.reading() as tx:
        gone = [row.id for row in tx.examples.of_project(hall.project.id) if row.text in mistakes]
    deleted = {"examples": gone, "why": "too hard"}
    key = "/api/v1/projects/jobs/examples/delete"
    assert editor.post(key, json=deleted).status_code == 200
    hold_guessed(hall.store, hall.project)
    for path in PAGES:
        assert GAMED in shown(editor, path), path


def test_a_score_that_rose_on_the_same_questions_is_a_gain(hall: Any, editor: TestClient) -> None:
    texts = [text for text, _ in small_data()]
    hold_guessed(hall.store, hall.project, dict.fromkeys(texts[:6], "topic 3"))
    hold_guessed(hall.store, hall.project)
    for path in PAGES:
        assert GAMED not in shown(editor, path), path
