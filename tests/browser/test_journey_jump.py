"""Search and jump by keyboard, from any page of a project."""

from __future__ import annotations

from typing import Any

import pytest
from halls import Hall
from journeys import visiting

from vivavoce.store.rows import Role

pytestmark = pytest.mark.browser


def test_a_topic_is_found_by_typing_and_opened_with_arrows_and_enter(hall: Hall, browser: Any) -> None:
    with hall.store.reading() as tx:
        topic = tx.topics.of_project(hall.house.project.id)[0]
    with visiting(browser, hall.url, hall.states[Role.READER]) as page:
        page.goto(f"/p/{hall.house.project.slug}/runs")
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "jump"
        page.keyboard.type(topic.name[:6])
        wanted = page.locator(f"#jump-results a[href$='/topics/{topic.id}']")
        wanted.wait_for()
        for _ in range(page.locator("#jump-results a").count()):
            page.keyboard.press("ArrowDown")
            if page.evaluate("document.activeElement.getAttribute('href')").endswith(topic.id):
                break
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/topics/{topic.id}")
        page.keyboard.press("/")
        page.keyboard.type("zebra")
        page.locator("#jump-results", has_text="zebra").wait_for()
        page.keyboard.press("Escape")
        assert page.locator("#jump-results a").count() == 0
        zone = page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
        cookies = {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}
        assert zone.replace("/", "%2F") in cookies["viva_zone"]
