"""The table of the paper from one run: two domains, three levels and three bots, begun on a page."""

from __future__ import annotations

from typing import Any

import pytest
from furnishing import actor_of, add_flight, add_project
from halls import Hall
from journeys import press, until, visiting
from opening import DESK, PHONE, SCHEMES
from shelves import check_rules

from vivavoce.store.rows import Role

pytestmark = pytest.mark.browser

BOTS = ("keywords", "nearest", "vectors")
LEVELS = ("basic", "medium", "complex")


def test_two_suites_and_three_bots_are_one_result(hall: Hall, browser: Any) -> None:
    project, actor = add_project(hall.store, "domains"), actor_of(hall.house.users[Role.EDITOR])
    for name in ("flight", "medical"):
        add_flight(hall.store, actor, project, most=2, name=name)
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        page.goto("/p/domains/conversations")
        for box in page.locator("main [name=suite]").all():
            box.check()
        for box in page.locator("main [name=bot]").all():
            box.set_checked(box.get_attribute("value") in BOTS)
        press(page, "Start")
        until(lambda: page.locator("main .multiples").count() > 0)
        check_table(page)
        check_looks(page)
        # From a mark to the turns behind it.
        page.locator(".multiples svg a").first.click()
        assert "/turns?" in page.url
        assert page.locator(".facets a[aria-current]").count() >= 2, "a bot and a level"
        assert page.locator("main tbody tr").count() > 0


def check_table(page: Any) -> None:
    """Look for every number of the table: domains, bots, levels."""
    assert page.locator(".multiples svg").count() == 7 + len(BOTS), "the seven, and the key"
    groups = page.locator(".heat tbody")
    assert groups.count() == 3, "all domains, then each"
    for place in range(3):
        rows = groups.nth(place).locator("tr:not(.domain)")
        assert rows.count() == len(BOTS) * (1 + len(LEVELS))
        assert rows.first.locator("td").count() == 7
    small = page.locator(".heat td small").first
    assert not small.is_visible()
    page.locator(".intervals").check()
    assert small.is_visible(), "intervals on demand"
    medical = page.locator("#numbers .seg a", has_text="medical")
    medical.click()
    page.wait_for_load_state()
    assert "domain=medical" in page.url
    assert page.locator(".heat tbody").count() == 1


def check_looks(page: Any) -> None:
    """Look at the page in light, in dark and on a phone."""
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        check_rules(page, contrast=True)
    page.set_viewport_size({"width": PHONE, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
    check_rules(page, contrast=False)
    page.set_viewport_size({"width": DESK, "height": 900})
