"""The journey of improvement: a problem on Today, two remedies tried, one applied, measured again, and undone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from furnishing import actor_of, add_project, add_topics
from halls import Hall
from journeys import flash, press, until, visiting
from opening import PHONE, check_accessible
from test_journey_exams import mixed_up

from exam_hall import keep_guessed
from vivavoce.store.rows import Project, Role

pytestmark = pytest.mark.browser
RESULT = "main .tiles"


def name_topics(hall: Hall, project: Project) -> set[str]:
    with hall.store.reading() as tx:
        return set(tx.topics.names(project.id).values())


def test_from_a_problem_to_a_measured_remedy_and_back(hall: Hall, browser: Any) -> None:
    project = add_project(hall.store, "loop")
    add_topics(hall.store, actor_of(hall.house.users[Role.EDITOR]), project, mixed_up())
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        page.goto("/p/loop/intents")
        press(page, "Examine")
        until(lambda: page.locator(RESULT).count() > 0)
        page.goto("/p/loop")
        page.locator("main .todo a", has_text="Work on the two").first.click()
        forecast = page.locator("#forecast tbody tr")
        forecast.first.wait_for(timeout=60_000)
        ticked = page.locator("[name=question]:checked").count()
        assert ticked > 1
        assert f"Move the {ticked} ticked" in forecast.nth(0).inner_text()
        page.locator("#forecast", has_text="Forecast from 10 fresh rounds").wait_for(timeout=60_000)
        page.locator("#card", has_text="Typical of").wait_for(timeout=60_000)
        check_accessible(page)
        # The first remedy is tried by unticking, the second by writing new examples.
        page.locator("[name=question]:checked").first.uncheck()
        page.locator("#forecast", has_text=f"Move the {ticked - 1} ticked").wait_for(timeout=60_000)
        page.locator("[name=texts]").fill("what do I earn here\nmy wages are late")
        page.locator("#forecast", has_text="Add the 2 new examples").wait_for(timeout=60_000)
        merge = page.locator("#forecast tr", has_text="Merge the two")
        assert "become correct" in merge.inner_text()
        page.locator("[name=why]").fill("one answer serves both")
        merge.get_by_role("button").click()
        told = flash(page, re.compile("merged into")).inner_text()
        assert "Forecast: +" in told
        assert len({"pay", "wages"} & name_topics(hall, project)) == 1
        until(lambda: page.locator(RESULT).count() > 0)
        assert re.search(r"forecast \+.* points .*, measured \+", page.locator("main").inner_text())
        page.goto("/p/loop/forecasts")
        assert re.search(r"Of the last 1 forecasts?, [01] ", page.locator("h1").inner_text())
        check_accessible(page)
        page.goto("/p/loop/timeline")
        assert "1 merge" in page.locator(".course-steps").inner_text()
        page.goto("/p/loop/edits")
        page.locator(".timeline li", has_text="Merged").first.locator("a").first.click()
        press(page, "Undo")
        page.locator(".flash").first.wait_for()
        assert {"pay", "wages"} <= name_topics(hall, project)


def test_questions_are_moved_by_keys_and_by_dragging(hall: Hall, browser: Any) -> None:
    project = add_project(hall.store, "keys")
    add_topics(hall.store, actor_of(hall.house.users[Role.EDITOR]), project, mixed_up())
    keep_guessed(hall.store, project, {"when do I get the bonus": "wages"})
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        page.goto("/p/keys/intents/1/pair?a=pay&b=wages")
        left, right = page.locator("[data-column]").nth(0), page.locator("[data-column]").nth(1)
        assert page.locator("[name=question]:checked").count() == 1
        page.keyboard.press("j")
        page.keyboard.press("x")
        assert page.locator("[name=question]:checked").count() == 0
        page.keyboard.press("j")
        page.keyboard.press("ArrowRight")
        assert left.locator("[name=question]:checked").count() == 1
        page.keyboard.press("ArrowLeft")
        assert page.locator("[name=question]:checked").count() == 0
        # What comes in above moves the rows.
        page.locator("#forecast", has_text="Forecast from 10 fresh rounds").wait_for(timeout=60_000)
        page.wait_for_load_state("networkidle")
        own = right.locator("[data-row]").first
        own.drag_to(left.locator("h2"))
        assert right.locator("[name=question]:checked").count() == 1
        text = own.locator("label").inner_text()
        press(page, "Move the ticked")
        flash(page, "1 example moved")
        with hall.store.reading() as tx:
            names = tx.topics.names(project.id)
            (moved,) = (row for row in tx.examples.of_project(project.id) if row.text == text)
        assert names[moved.topic_id] == "pay"


@pytest.mark.parametrize("columns", ["a=pay", "a=pay&b=wages", "a=pay&b=wages&c=parking"])
def test_the_page_of_topics_fits_a_phone_and_needs_no_script(hall: Hall, browser: Any, columns: str) -> None:
    project = add_project(hall.store, f"bench{len(columns)}")
    add_topics(hall.store, actor_of(hall.house.users[Role.EDITOR]), project, mixed_up())
    keep_guessed(hall.store, project, {"when do I get the bonus": "wages"})
    address = f"/p/{project.slug}/intents/1/pair?{columns}"
    with visiting(browser, hall.url, hall.states[Role.EDITOR], java_script_enabled=False) as page:
        page.goto(address)
        page.get_by_role("link", name="Show the forecast").click()
        assert page.locator("#forecast tbody tr").count() > 3
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        page.set_viewport_size({"width": PHONE, "height": 900})
        page.goto(address)
        page.locator("#forecast tbody tr").first.wait_for(timeout=60_000)
        check_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
