"""Topics of nearly the same name on one page."""

from __future__ import annotations

import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.topics.topics import add_topic, topic_names

pytestmark = pytest.mark.slow
TWINS = "/p/jobs/topics/twins"


@pytest.fixture
def hall(house: Any) -> Any:
    """Return the house with twins that agree, twins that differ by a letter, and twins with different answers."""
    for name, answer in (
        ("Salary", ""),
        ("SALARY", ""),
        ("vacation", ""),
        ("vacatoin", ""),
        ("Parking", "Behind the house."),
        ("parking", "There is none."),
    ):
        answers = {"en": answer} if answer else {}
        add_topic(house.store, PRODUCT, house.project, name, answers=answers, examples=[f"about {name}"])
    return house


def test_only_sure_twins_are_ticked_and_different_answers_are_left_to_a_choice(hall: Any, editor: TestClient) -> None:
    page = editor.get(TWINS).text
    assert "3 groups of topics differ only in case, spelling or plural." in page
    assert len(re.findall(r'name="group"', page)) == 2
    assert len(re.findall(r'name="group"[^>]* checked', page)) == 1
    assert "answers differ" in page
    assert 'href="/p/jobs/topics/merge?topic=' in page


def test_the_ticked_groups_are_merged(hall: Any, editor: TestClient) -> None:
    (group,) = re.findall(r'name="group" value="(\w+)"[^>]* checked', editor.get(TWINS).text)
    answer = editor.post(TWINS, data={"group": group, "why": "one topic"})
    assert (answer.status_code, answer.headers["location"]) == (303, TWINS)
    assert len({"Salary", "SALARY"} & set(topic_names(hall.store, hall.project).values())) == 1
    assert editor.post(TWINS, data={"group": group}).status_code == 409, "they are one topic by now"
    assert editor.post(TWINS).status_code == 400


def test_readers_see_the_groups_and_change_nothing(hall: Any, reader: TestClient) -> None:
    assert 'name="group"' not in reader.get(TWINS).text
    assert reader.post(TWINS, data={"group": "x"}).status_code == 403


def test_without_twins_the_page_says_so(house: Any, reader: TestClient) -> None:
    assert "Nothing to merge" in reader.get(TWINS).text
