"""The journey of improvement: a problem on Today, two remedies tried, one applied, measured again, and undone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from furnishing import actor_of, add_project, add_topics
from halls import Hall
from journeys import flash, press, until, visiting
from opening import check_accessible
from test_journey_exams import mixed_up

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
        check_accessible(page)
        page.locator("[name=question]:checked").first.uncheck()
        page.locator("#forecast", has_text=f"Move the {ticked - 1} ticked").wait_for(timeout=60_000)
        assert "become correct" in page.locator("#forecast tr", has_text="Merge the two").inner_text()
        press(page, "Merge the two")
        flash(page, re.compile("merged into"))
        assert len({"pay", "wages"} & name_topics(hall, project)) == 1
        until(lambda: page.locator(RESULT).count() > 0)
        page.goto("/p/loop/timeline")
        assert "1 merge" in page.locator(".course-steps").inner_text()
        page.goto("/p/loop/edits")
        page.locator(".timeline li", has_text="Merged").first.locator("a").first.click()
        press(page, "Undo")
        page.locator(".flash").first.wait_for()
        assert {"pay", "wages"} <= name_topics(hall, project)
