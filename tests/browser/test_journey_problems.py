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
from vivavoce.web.pages.projects.today import SHOWN_ITEMS

pytestmark = pytest.mark.browser
TITLES = [
    "“wages” and “pay” are confused",
    "Out-of-scope questions get an answer",
    "“wages” is found least often",
]


def test_today_lists_what_costs_most_and_leads_to_where_it_is_fixed(hall: Hall, browser: Any) -> None:
    keep_exam(hall.store, add_project(hall.store, "mixed"), mixed_exam())
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        page.goto("/p/mixed")
        lines = page.locator(".next > ol.todo > li")
        first = [problem_sentence(problem) for problem in mixed_exam().problems[:3]]
        assert lines.locator("h3").all_inner_texts()[:3] == TITLES
        assert all(text.rpartition(": ")[2] in lines.nth(place).inner_text() for place, text in enumerate(first))
        costs = [float(text) for text in lines.locator(".cost b").all_inner_texts()]
        assert len(costs) == SHOWN_ITEMS
        assert costs == sorted(costs, reverse=True)
        check_accessible(page)
        lines.first.locator("summary", has_text="More for").click()
        lines.first.locator("a", has_text="Merge the two").click()
        assert "/topics/merge?" in page.url
        page.goto("/p/mixed/intents/1")
        rows = page.locator("main .problems tbody tr")
        assert all(text in rows.nth(place).inner_text() for place, text in enumerate(first))
        check_accessible(page)
        page.locator("details", has_text="more problem").first.evaluate("each => { each.open = true; }")
        rows.locator(".do a[href$='show=apart']", has_text="Sort the examples").first.click()
        assert page.url.endswith("/topics/duplicates?show=apart")


def test_today_says_when_nothing_is_worth_anybodys_time_on_a_phone_too(hall: Hall, browser: Any) -> None:
    keep_exam(hall.store, add_project(hall.store, "fine"), replace(mixed_exam(), problems=()))
    with visiting(browser, hall.url, hall.states[Role.READER]) as page:
        page.set_viewport_size({"width": PHONE, "height": 900})
        page.goto("/p/fine")
        section = page.locator("section", has=page.get_by_role("heading", name="What to do next"))
        assert "Nothing to fix today" in section.inner_text()
        assert section.locator("ol.todo li").count() == 0
        assert "Your topics are in order" in section.inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
