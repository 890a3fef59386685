"""Journeys from Today to a problem, and the good news that there is none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from furnishing import add_project
from halls import Hall
from journeys import visiting
from opening import PHONE, check_accessible

from problem_hall import keep_exam, mixed_exam
from vivavoce.reports.intents.problem_wording import problem_sentence
from vivavoce.store.rows import Role

pytestmark = pytest.mark.browser


def test_today_lists_what_costs_most_and_leads_to_where_it_is_fixed(hall: Hall, browser: Any) -> None:
    keep_exam(hall.store, add_project(hall.store, "mixed"), mixed_exam())
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        page.goto("/p/mixed")
        lines = page.locator("ol.problems > li")
        first = [problem_sentence(problem) for problem in mixed_exam().problems[:3]]
        assert lines.count() == 3
        assert all(lines.nth(place).inner_text().startswith(text) for place, text in enumerate(first))
        check_accessible(page)
        lines.first.locator("a", has_text="Merge the two").click()
        assert "/topics/merge?" in page.url
        page.goto("/p/mixed/intents/1")
        cards = page.locator("main ol.cards article")
        assert all(text in cards.nth(place).inner_text() for place, text in enumerate(first))
        more = page.locator("main details", has_text="more problems")
        more.locator("summary").click()
        more.locator("a", has_text="The contradictory examples").click()
        assert page.url.endswith("/topics/duplicates?show=apart")


def test_today_says_when_nothing_is_worth_anybodys_time_on_a_phone_too(hall: Hall, browser: Any) -> None:
    keep_exam(hall.store, add_project(hall.store, "fine"), replace(mixed_exam(), problems=()))
    with visiting(browser, hall.url, hall.states[Role.READER]) as page:
        page.set_viewport_size({"width": PHONE, "height": 900})
        page.goto("/p/fine")
        section = page.locator("section", has=page.get_by_role("heading", name="The biggest problems"))
        assert "Nothing needs your time today" in section.inner_text()
        assert section.locator("li").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
