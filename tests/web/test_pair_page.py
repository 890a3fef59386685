"""Two confused topics side by side: read, forecast, moved, merged, measured again."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from exam_hall import fill_project, hold_guessed, small_data
from vivavoce.store.rows import Role, RunState
from vivavoce.workspace.exams.runs import show_run

pytestmark = pytest.mark.slow
PAIR = "/p/jobs/intents/1/pair?a=topic+0&b=topic+1"


@pytest.fixture
def hall(house: Any) -> Any:
    """Return the house with a run in which two questions about topic 0 were answered with topic 1."""
    fill_project(house.store, house.project, house.users[Role.EDITOR].id)
    texts = [text for text, topic in small_data() if topic == "topic 0"]
    hold_guessed(house.store, house.project, dict.fromkeys(texts[:2], "topic 1"))
    return house


def ticked(page: str) -> list[str]:
    return re.findall(r'name="question" value="(\d+)"[^>]* checked', page)


def topics_of(hall: Any) -> dict[str, int]:
    with hall.store.reading() as tx:
        names = tx.topics.names(hall.project.id)
        return {name: tx.examples.count_of_topic(own) for own, name in names.items()}


def find_run(hall: Any, number: int) -> Any:
    return show_run(hall.store, hall.project, number).run


def test_the_mistaken_questions_are_ticked_and_counted(hall: Any, reader: TestClient, editor: TestClient) -> None:
    page = editor.get(PAIR).text
    assert len(ticked(page)) == 2
    assert "2 of 16 questions get the other topic" in html.unescape(page)
    assert "Move the ticked" in page
    seen = reader.get(PAIR).text
    assert 'name="question"' not in seen
    assert "Move the ticked" not in seen


def test_without_names_the_first_pair_is_shown(hall: Any, reader: TestClient) -> None:
    answer = reader.get("/p/jobs/intents/1/pair", follow_redirects=False)
    assert answer.status_code == 303
    assert reader.get(answer.headers["location"]).status_code == 200


def test_a_forecast_comes_as_a_part_and_with_the_whole_page(hall: Any, editor: TestClient) -> None:
    places = ticked(editor.get(PAIR).text)
    part = editor.get(PAIR, headers={"X-Fragment": "1"}).text
    whole = editor.get(f"{PAIR}&forecast=1&question={places[0]}").text
    assert part.lstrip().startswith("<section")
    assert "data-poll" not in part
    assert "Move the 2 ticked questions" in part
    assert "Merge the two" in part
    assert "fresh rounds" in part
    assert "Move the 1 ticked question" in whole
    assert ticked(whole) == places[:1]


def test_ticked_questions_go_to_the_other_topic_and_come_back(hall: Any, editor: TestClient) -> None:
    before = topics_of(hall)
    right = re.findall(r'name="question" value="(\d+)"', editor.get(PAIR).text)[-1]
    taken = ticked(editor.get(PAIR).text)
    answer = editor.post(PAIR, data={"do": "move", "question": [taken[0], taken[1], right]})
    assert answer.status_code == 303
    assert answer.headers["location"] == PAIR
    assert topics_of(hall) == before | {"topic 0": before["topic 0"] - 1, "topic 1": before["topic 1"] + 1}
    page = editor.get(PAIR).text
    assert "Changed since this exam" in page
    with hall.store.reading() as tx:
        edit = tx.edits.of_project(hall.project.id, limit=1)[0]
    editor.post(f"/p/jobs/edits/{edit.id}/undo")
    assert topics_of(hall) == before


def test_an_edit_is_measured_again_on_request(hall: Any, editor: TestClient) -> None:
    answer = editor.post(PAIR, data={"do": "move", "question": ticked(editor.get(PAIR).text), "measure": "on"})
    assert answer.headers["location"] == "/p/jobs/intents/2"
    assert find_run(hall, 2).state is RunState.WAITING


def test_topics_whose_answers_agree_are_merged_here(hall: Any, editor: TestClient) -> None:
    before = topics_of(hall)
    answer = editor.post(PAIR, data={"do": "merge"})
    assert answer.status_code == 303
    assert len(topics_of(hall)) == len(before) - 1
    page = editor.get(PAIR).text
    assert "One of the topics is gone" in page
    assert "Move the ticked" not in page


@pytest.mark.parametrize("do", ["move", "right", "out_of_scope", ""])
def test_nothing_ticked_is_refused(hall: Any, editor: TestClient, do: str) -> None:
    assert editor.post(PAIR, data={"do": do}).status_code == 400


def test_a_reader_may_not_change_anything(hall: Any, reader: TestClient) -> None:
    assert reader.post(PAIR, data={"do": "merge"}).status_code == 403


def test_a_problem_and_a_cell_lead_to_the_pair(hall: Any, editor: TestClient) -> None:
    cell = editor.get("/p/jobs/intents/1/confusion?cell=topic+0&cell=topic+1").text
    assert html.escape(PAIR) in cell
