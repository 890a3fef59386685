"""What a change of examples would do, told before it is saved: in bars below lists, and where it does harm."""

from __future__ import annotations

import html
import re
from collections import Counter
from typing import Any

import pytest
from starlette.testclient import TestClient

from exam_hall import fill_project, hold_guessed, small_data
from vivavoce.store.rows import Role
from vivavoce.workspace.exams.track_record import read_track_record

pytestmark = pytest.mark.slow
QUESTIONS = "/p/jobs/intents/1/questions"
CHECK, PART = "/p/jobs/check", {"X-Fragment": "1"}


@pytest.fixture
def hall(house: Any) -> Any:
    """Return the house with a run in which two questions about topic 0 went to topic 1, and one to topic 2."""
    fill_project(house.store, house.project, house.users[Role.EDITOR].id)
    texts = [text for text, topic in small_data() if topic == "topic 0"]
    hold_guessed(house.store, house.project, {**dict.fromkeys(texts[:2], "topic 1"), texts[2]: "topic 2"})
    return house


def homes(hall: Any) -> dict[str, str | None]:
    """Return the name of each example's topic."""
    with hall.store.reading() as tx:
        names = tx.topics.names(hall.project.id)
        return {row.text: names.get(row.topic_id or "") for row in tx.examples.of_project(hall.project.id)}


def places(page: str) -> list[str]:
    return re.findall(r'name="question" value="(\d+)"', page)


def test_the_bar_tells_what_each_button_would_bring(hall: Any, editor: TestClient) -> None:
    ticked = places(editor.get(f"{QUESTIONS}?outcome=wrong_intent").text)
    assert len(ticked) == 3
    asked = {"run": "1", "question": ticked[:2], "target": "topic 1"}
    move = editor.get(CHECK, params=asked, headers=PART).text
    assert re.search(r"Move to topic 1:</b> <strong[^>]*>.+ points</strong>", move)
    others = editor.get(CHECK, params={**asked, "target": ""}, headers=PART).text
    assert re.findall(r'<b dir="auto">(.+?):</b>', others) == ["Out of scope", "Delete"]
    assert others.count("become correct") == 2
    assert others.count(" points<") == 1, "what is deleted is not counted"
    assert 'class="check-line"' not in editor.get(CHECK, params={"run": "1"}, headers=PART).text
    whole = editor.get(CHECK, params=asked).text
    assert "Expected effect" in whole
    assert homes(hall) == dict(small_data()), "nothing was changed"


def test_a_bulk_move_that_does_harm_is_saved_when_asked_twice(hall: Any, editor: TestClient) -> None:
    with hall.store.reading() as tx:
        ids = {name: topic_id for topic_id, name in tx.topics.names(hall.project.id).items()}
    alike = "\n".join(f"how many days of leave remain {n}" for n in range(14))
    editor.post("/p/jobs/examples", data={"from": ids["topic 1"], "text": alike, "anyway": "on"})
    with hall.store.reading() as tx:
        rows = [row.id for row in tx.examples.of_topic(ids["topic 1"]) if "leave" in row.text][:8]
    sent = {"from": ids["topic 1"], "example": rows, "target": "topic 3"}
    asked = editor.post("/p/jobs/examples/move", data=sent)
    assert asked.status_code == 409
    assert re.search(r"<h1[^>]*>\d questions that work will stop working\.</h1>", asked.text)
    assert "would go to" in asked.text
    assert f'href="/p/jobs/topics/{ids["topic 1"]}"' in asked.text
    assert Counter(homes(hall).values())["topic 3"] == 8
    hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', asked.text)
    data = {name: [html.unescape(v) for n, v in hidden if n == name] for name, _ in hidden}
    assert len(data["example"]) == 8
    assert editor.post("/p/jobs/examples/move", data=data).status_code == 303
    assert Counter(homes(hall).values())["topic 3"] == 16
    assert len(read_track_record(hall.store, hall.project).forecasts) == 1, "its forecast is on record"


def test_each_ticked_question_goes_to_the_topic_that_it_was_taken_for(hall: Any, editor: TestClient) -> None:
    page = editor.get(f"{QUESTIONS}?outcome=wrong_intent").text
    sent = {"run": "1", "question": places(page), "do": "each", "anyway": "on"}
    assert editor.post(QUESTIONS, data=sent).status_code == 303
    texts = [text for text, topic in small_data() if topic == "topic 0"]
    assert [homes(hall)[text] for text in texts[:3]] == ["topic 1", "topic 1", "topic 2"]
    right = places(editor.get(f"{QUESTIONS}?outcome=right").text)[:1]
    assert editor.post(QUESTIONS, data={**sent, "question": right}).status_code == 400, "it went nowhere else"


def test_texts_in_several_topics_are_filed_with_one_button(hall: Any, editor: TestClient) -> None:
    text, own = next(iter(small_data()))
    other = next(topic for _, topic in small_data() if topic != own)
    with hall.store.reading() as tx:
        ids = {name: topic_id for topic_id, name in tx.topics.names(hall.project.id).items()}
    editor.post("/p/jobs/examples", data={"from": ids[other], "text": text, "anyway": "on"})
    page = editor.get("/p/jobs/topics/duplicates?show=apart").text
    group = re.search(r'type="radio" name="(group-\w+)"', page)
    assert group is not None
    settled = {group[1]: ids[own], "anyway": "on"}
    line = editor.get(CHECK, params={group[1]: ids[own]}, headers=PART).text
    assert re.findall(r'<b dir="auto">(.+?):</b>', line) == ["The decided texts"]
    none = editor.post("/p/jobs/topics/duplicates/settle", data={group[1]: ""})
    assert none.status_code == 400
    assert editor.post("/p/jobs/topics/duplicates/settle", data=settled).status_code == 303
    assert "Nothing to review" in editor.get("/p/jobs/topics/duplicates?show=apart").text
    stale = editor.post("/p/jobs/topics/duplicates/settle", data=settled)
    assert stale.status_code in (400, 409)


def test_forms_that_split_merge_and_delete_tell_their_forecast(hall: Any, editor: TestClient) -> None:
    with hall.store.reading() as tx:
        ids = list(tx.topics.names(hall.project.id))
        rows = [row.id for row in tx.examples.of_topic(ids[0])][:3]
    forms = {
        "split": (f"/p/jobs/examples/split?example={rows[0]}", {"example": rows}),
        "delete": (f"/p/jobs/examples/delete?example={rows[0]}", {"example": rows}),
        "merge": (f"/p/jobs/topics/merge?topic={ids[0]}&topic={ids[1]}", {"topic": ids[:2], "into": ids[0]}),
        "retire": (f"/p/jobs/topics/delete?topic={ids[0]}", {"topic": ids[:1]}),
    }
    for kind, (page, asked) in forms.items():
        assert f'data-check="/p/jobs/check?kind={kind}"' in editor.get(page).text, kind
        line = editor.get(CHECK, params={"kind": kind, **asked}, headers=PART).text
        assert "become correct" in line, kind


def test_readers_are_told_nothing_they_could_not_do(hall: Any, reader: TestClient) -> None:
    assert reader.get(CHECK, headers=PART).status_code == 403
    assert "data-check" not in reader.get(QUESTIONS).text
