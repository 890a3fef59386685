"""Journeys from a wrong turn of a conversation to a scenario that is put right."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from halls import Hall
from journeys import Hand, flash, heading, until, visiting
from opening import check_accessible

from held_talks import add_shop, begin
from vivavoce.store.rows import Project, Role, Run, RunState
from vivavoce.workspace.exams import runs

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def shop(hall: Hall) -> tuple[Project, Run]:
    project = add_shop(hall.store, "acting")
    run = begin(hall.store, project)
    until(lambda: runs.show_run(hall.store, project, run.number).run.state is RunState.DONE)
    return project, run


@pytest.fixture
def page(hall: Hall, browser: Any) -> Iterator[Any]:
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        yield page


def test_from_a_wrong_turn_to_its_corrected_scenario_in_two_clicks(page: Any, shop: tuple[Project, Run]) -> None:
    hand = Hand(page)
    page.goto(f"/p/acting/conversations/{shop[1].number}/talks/greeting")
    assert "parrot gets 1 of 2 turns right" in heading(page)
    hand.click(page.locator("#turn-2").get_by_role("link", name="Edit this turn"))
    assert re.search(r"/scenarios/\w+#turn-2$", page.url)
    page.locator("#turn-2 [name='1-any']").fill("goodbye\nbye")
    hand.click(page.get_by_role("button", name="Save", exact=True))
    flash(page, re.compile("saved"))
    assert hand.count <= 2


def test_a_reply_that_is_fine_is_accepted_and_taken_back(page: Any, shop: tuple[Project, Run]) -> None:
    page.goto(f"/p/acting/conversations/{shop[1].number}/talks/prices?show=wrong")
    fine = page.get_by_role("button", name="This reply is fine (mule, turn 1)")
    fine.click()
    said = flash(page, re.compile("the next run counts the reply as right"))
    assert page.url.endswith("?show=wrong#turn-1")
    assert "The next run counts it as right." in page.locator("#turn-1").inner_text()
    box = said.bounding_box()
    assert box["y"] >= 0, "the way back is in view"
    page.get_by_role("button", name="Undo").click()
    flash(page, "Undone.")
    assert fine.count() == 1


def test_keys_walk_through_turns_and_conversations(page: Any, shop: tuple[Project, Run]) -> None:
    page.goto(f"/p/acting/conversations/{shop[1].number}/talks/prices")
    for key, turn in (("j", "turn-1"), ("j", "turn-2"), ("j", "turn-3"), ("k", "turn-2")):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.id") == turn
    page.keyboard.press("n")
    page.wait_for_url("**/talks/slash*")
    page.keyboard.press("p")
    page.wait_for_url("**/talks/prices")


def test_the_pages_of_acting_are_accessible(page: Any, shop: tuple[Project, Run]) -> None:
    for script in ("prices", "greeting"):
        page.goto(f"/p/acting/conversations/{shop[1].number}/talks/{script}")
        check_accessible(page)
    page.locator("#turn-1").get_by_role("link", name="Edit this turn").click()
    check_accessible(page)
