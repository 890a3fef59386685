"""Two confused topics side by side: read, forecast, moved, merged, measured again."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from exam_hall import fill_project, hold_guessed, small_data
from vivavoce.store.rows import Role, RunState
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.exams.runs import show_run
from vivavoce.workspace.topics.examples import add_examples
from vivavoce.workspace.topics.topics import add_topic

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
    full = html.unescape(re.findall(r'data-poll="([^"]+)"', part)[0])
    final = editor.get(full, headers={"X-Fragment": "1"}).text
    assert "Forecast from 10 fresh rounds" in final
    assert "data-poll" not in final
    assert "Move the 2 ticked questions" in part
    assert "Merge the two" in part
    assert "Preview from 3 fresh rounds" in part
    assert "Move the 1 ticked question" in whole
    assert ticked(whole) == places[:1]


def test_ticked_questions_go_to_the_other_topic_and_come_back(hall: Any, editor: TestClient) -> None:
    before = topics_of(hall)
    right = re.findall(r'name="question" value="(\d+)"', editor.get(PAIR).text)[-1]
    taken = ticked(editor.get(PAIR).text)
    answer = editor.post(PAIR, data={"do": "move", "question": [taken[0], taken[1], right], "anyway": "on"})
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
    places = ticked(editor.get(PAIR).text)
    answer = editor.post(PAIR, data={"do": "move", "question": places, "measure": "on", "anyway": "on"})
    assert answer.headers["location"] == "/p/jobs/intents/2"
    assert find_run(hall, 2).state is RunState.WAITING


def test_topics_whose_answers_agree_are_merged_here(hall: Any, editor: TestClient) -> None:
    before = topics_of(hall)
    answer = editor.post(PAIR, data={"do": "merge", "anyway": "on"})
    assert answer.status_code == 303
    assert len(topics_of(hall)) == len(before) - 1
    page = editor.get(PAIR).text
    assert "One of the topics is gone" in page
    assert "Move the ticked" not in page


def read_forecasts(hall: Any) -> list[Any]:
    with hall.store.reading() as tx:
        return list(tx.forecasts.of_project(hall.project.id))


def test_what_was_forecast_is_kept_with_the_edit_until_that_is_undone(hall: Any, editor: TestClient) -> None:
    places = ticked(editor.get(PAIR).text)
    editor.post(PAIR, data={"do": "move", "question": places, "anyway": "on", "why": "they ask for pay"})
    (kept,) = read_forecasts(hall)
    assert kept.remedy == "move"
    assert kept.low <= kept.difference <= kept.high
    with hall.store.reading() as tx:
        edit = tx.edits.get(kept.edit_id)
    assert edit.why == "they ask for pay"
    editor.post(f"/p/jobs/edits/{edit.id}/undo")
    assert read_forecasts(hall) == []


COLOURS = ("red", "green", "blue", "white", "black")
THINGS = {
    "animals": ("horse", "sheep", "goat", "rabbit"),
    "tools": ("hammer", "saw", "drill", "wrench"),
    "food": ("bread", "cheese", "apple", "soup"),
}


@pytest.fixture
def clear_hall(house: Any) -> Any:
    """Return the house with topics that every bot tells apart, and an exam of them."""
    acting = (house.store, Actor(house.users[Role.EDITOR].id, "", Role.EDITOR), house.project)
    for name, things in THINGS.items():
        topic = add_topic(*acting, name).topic
        add_examples(*acting, [f"a {colour} {thing}" for colour in COLOURS for thing in things], topic_id=topic.id)
    hold_guessed(house.store, house.project)
    return house


def test_an_edit_that_breaks_what_works_is_asked_for_twice(clear_hall: Any, editor: TestClient) -> None:
    before, alone = topics_of(clear_hall), "/p/jobs/intents/1/pair?a=tools"
    # Half of a topic that is understood becomes another topic: nobody can tell the halves apart.
    half = re.findall(r'name="question" value="(\d+)"', editor.get(alone).text)[::3]
    wrong = {"do": "split", "question": half, "name": "more tools"}
    page = editor.post(alone, data=wrong)
    assert page.status_code == 409
    assert "will stop working" in page.text
    assert set(ticked(page.text)) == set(half)
    assert topics_of(clear_hall) == before
    assert read_forecasts(clear_hall) == []
    assert editor.post(alone, data={**wrong, "anyway": "on"}).status_code == 303
    assert topics_of(clear_hall) != before
    assert editor.post(alone, data={"do": "add_examples", "texts": "a red axe"}).status_code == 303


def test_topics_kept_apart_leave_the_list_and_come_back(hall: Any, editor: TestClient, reader: TestClient) -> None:
    first = editor.get("/p/jobs/intents/1/pair", follow_redirects=False).headers["location"]
    assert editor.post(first, data={"do": "keep_apart"}).status_code == 303
    page = editor.get(first).text
    assert "kept apart on purpose" in page
    drop = re.findall(r'action="(/p/jobs/decisions/[^"]+/drop)"', page)[0]
    assert reader.post(drop).status_code == 403
    assert editor.post(drop).status_code == 303
    assert "is kept apart on purpose" not in editor.get(first).text


def test_a_topic_alone_can_be_split_and_retired_and_get_examples(hall: Any, editor: TestClient) -> None:
    alone = "/p/jobs/intents/1/pair?a=topic+0"
    before = topics_of(hall)
    page = editor.get(alone).text
    assert "Retire the topic" in editor.get(alone, headers={"X-Fragment": "1"}).text
    places = re.findall(r'name="question" value="(\d+)"', page)[:3]
    asked = "&".join(f"question={place}" for place in places)
    part = editor.get(f"{alone}&forecast=1&{asked}&name=topic+9&texts=one%0Atwo", headers={"X-Fragment": "1"}).text
    assert "Split off the 3 ticked questions" in part
    assert "Add the 2 new examples" in part
    done = editor.post(alone, data={"do": "split", "question": places, "name": "topic 9", "anyway": "on"})
    assert done.status_code == 303
    assert topics_of(hall)["topic 9"] == 3
    done = editor.post(alone, data={"do": "add_examples", "texts": "brand new\nnewer still", "anyway": "on"})
    assert topics_of(hall)["topic 0"] == before["topic 0"] - 3 + 2
    editor.post(alone, data={"do": "retire"})
    assert "topic 0" not in topics_of(hall)


def test_three_topics_stand_side_by_side_and_each_tick_says_where_to(hall: Any, editor: TestClient) -> None:
    three = f"{PAIR}&c=topic+2"
    before = topics_of(hall)
    page = editor.get(three).text
    with hall.store.reading() as tx:
        third = next(own for own, name in tx.topics.names(hall.project.id).items() if name == "topic 2")
    place = ticked(editor.get(PAIR).text)[0]
    assert f'value="{place}:{third}"' in page
    editor.post(three, data={"do": "move", "question": f"{place}:{third}", "anyway": "on"})
    assert topics_of(hall) == before | {"topic 0": before["topic 0"] - 1, "topic 2": before["topic 2"] + 1}


@pytest.mark.parametrize("do", ["move", "right", "out_of_scope", ""])
def test_nothing_ticked_is_refused(hall: Any, editor: TestClient, do: str) -> None:
    assert editor.post(PAIR, data={"do": do}).status_code == 400


def test_a_reader_may_not_change_anything(hall: Any, reader: TestClient) -> None:
    assert reader.post(PAIR, data={"do": "merge"}).status_code == 403


def test_a_problem_and_a_cell_lead_to_the_pair(hall: Any, editor: TestClient) -> None:
    cell = editor.get("/p/jobs/intents/1/confusion?cell=topic+0&cell=topic+1").text
    assert html.escape(PAIR) in cell


def test_a_card_explains_a_problem_in_words(editor: TestClient, house: Any) -> None:
    from problem_hall import keep_exam, mixed_exam

    keep_exam(house.store, house.project, mixed_exam())
    nothing = editor.get("/p/jobs/intents/1/pair/card", follow_redirects=False)
    assert nothing.headers["location"] == "/p/jobs/intents/1/pair"
    unknown = editor.get("/p/jobs/intents/1/pair/card?a=pay&b=vocative_no", headers={"X-Fragment": "1"}).text
    assert "no problem of this exam" in unknown
