"""The face of the application in a real browser: parts that change, charts under the content policy, no script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from face_server import Talk, free_port, serving
from opening import DESK, PHONE, check_accessible, check_paper, opened

pytestmark = pytest.mark.browser
END = "box => box.scrollHeight - box.scrollTop - box.clientHeight"


@pytest.fixture
def talk() -> Talk:
    return Talk()


@pytest.fixture
def address(talk: Talk) -> Iterator[str]:
    with serving(talk, free_port()) as found:
        yield found


def watched(page: Any) -> list[str]:
    """Collect what the browser complains about."""
    said: list[str] = []
    page.on("console", lambda m: said.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    return said


@pytest.mark.parametrize(("scheme", "width", "language"), [("light", DESK, "en"), ("dark", PHONE, "de")])
def test_every_part_fits_and_is_accessible(
    browser: Any, address: str, scheme: str, width: int, language: str
) -> None:
    page = opened(browser, f"{address}?language={language}", scheme=scheme, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("document.querySelectorAll('details.menu').forEach(d => { d.open = false; })")
    check_accessible(page)
    page.close()


def test_charts_come_alive_under_the_content_policy(browser: Any, address: str) -> None:
    page = browser.new_page(color_scheme="dark")
    page.set_default_timeout(20_000)
    said = watched(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    for place, shown in ((0, "Answered"), (1, "10.0%")):
        figure = page.locator("figure[data-chart]").nth(place)
        figure.scroll_into_view_if_needed()
        page.locator("figure[data-live]").nth(place).wait_for()
        assert figure.locator("svg").count() == 1, "the live picture takes the place of the still one"
        figure.locator(".mark-symbol.role-mark path").first.hover()
        page.locator(".vg-tooltip.visible", has_text=shown).wait_for()
    ink = "getComputedStyle(document.querySelector('figure[data-live] svg text')).fill"
    dark = page.evaluate(ink)
    page.emulate_media(color_scheme="light")
    assert page.evaluate(ink) != dark, "a live chart follows the theme"
    check_accessible(page)
    assert said == []
    assert page.evaluate("document.querySelectorAll('style').length") == 0
    assert sum("vega.js" in url for url in asked) == 1
    assert all(url.startswith(address) for url in asked)
    page.close()


@pytest.mark.parametrize("broken", ["**/static/vega.js*", "**/chart/*"])
def test_the_still_picture_stays_where_the_live_one_fails(browser: Any, address: str, broken: str) -> None:
    page = browser.new_page()
    page.route(broken, lambda route: route.abort())
    with page.expect_request(broken):
        page.goto(address)
        page.locator("figure").first.scroll_into_view_if_needed()
    page.wait_for_load_state("networkidle")
    assert page.locator("figure[data-chart] svg.chart[role=img]").count() == 2
    assert page.locator("figure[data-live]").count() == 0
    page.close()


def test_a_talk_grows_while_it_is_read_and_follows_only_who_is_at_its_end(
    browser: Any, address: str, talk: Talk
) -> None:
    page = opened(browser, address, unfold=False)
    box = page.locator("#talk .turns")
    assert box.evaluate(END) < 2, "a running talk opens at its end"
    talk.said.append("a new message")
    page.get_by_text("a new message").wait_for()
    assert box.evaluate(END) < 2
    box.evaluate("box => { box.scrollTop = 100; box.focus(); }")
    talk.said.append("one more message")
    page.get_by_text("one more message").wait_for()
    assert box.evaluate("box => box.scrollTop") == 100, "who reads above is left in peace"
    talk.over = True
    page.locator("#talk:not([data-poll])").wait_for()
    asked = talk.asked
    page.wait_for_timeout(1500)
    assert talk.asked == asked, "nobody asks when nothing more will come"
    page.close()


def test_an_open_page_goes_on_when_the_server_comes_back(browser: Any) -> None:
    talk, port = Talk(), free_port()
    with serving(talk, port) as address:
        page = opened(browser, address, unfold=False)
        page.locator("#talk").wait_for()
    page.locator("#talk .offline").wait_for()
    assert page.locator("#talk .offline").count() == 1
    talk.said.append("said in the meantime")
    with serving(talk, port):
        page.get_by_text("said in the meantime").wait_for()
        assert page.locator("#talk .offline").count() == 0
        page.close()


def test_a_list_is_filtered_and_sorted_in_place_and_keeps_its_address(browser: Any, address: str) -> None:
    page = opened(browser, address, unfold=False)
    page.evaluate("window.same = true")
    page.locator("th a", has_text="Topic").click()
    page.locator("th[aria-sort=ascending]").wait_for()
    assert page.url.endswith("?order=ascending")
    assert page.evaluate("document.activeElement.textContent").startswith("Topic"), "the focus stays where it was"
    page.keyboard.press("f")
    page.keyboard.type("sal")
    page.keyboard.press("Enter")
    page.locator("#list tr:only-child > th[scope=row]").wait_for()
    assert "q=sal" in page.url
    page.go_back()
    page.locator("#list tbody tr").nth(3).wait_for()
    assert page.evaluate("window.same"), "the page was never loaded anew"
    page.close()


def test_a_swap_that_fails_is_a_plain_visit(browser: Any, address: str) -> None:
    page = opened(browser, address, unfold=False)
    page.route("**/*", lambda route: route.abort() if "x-fragment" in route.request.headers else route.continue_())
    page.evaluate("window.same = true")
    page.locator("th a", has_text="Topic").click()
    page.wait_for_url("**/?order=ascending")
    page.locator("th[aria-sort=ascending]").wait_for()
    assert page.evaluate("window.same") is None
    page.close()


def test_everything_works_without_a_script(browser: Any, address: str, talk: Talk) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_default_timeout(20_000)
    page.goto(address)
    page.locator("th a", has_text="Topic").click()
    assert page.locator("th[aria-sort=ascending]").is_visible()
    page.locator("#f-q").fill("sal")
    page.get_by_role("button", name="Apply").click()
    assert page.locator("#list tbody tr").count() == 1
    assert page.locator("figure svg.chart").count() == 2
    assert not page.locator("[data-copy]").is_visible(), "what needs a script hides without"
    page.locator(".person summary").click()
    page.get_by_role("button", name="Dark").click()
    assert page.locator("html[data-theme=dark]").count() == 1
    assert talk.chosen == [{"next": "/list", "theme": "dark"}]
    context.close()


def test_the_theme_changes_at_once_and_stays(browser: Any, address: str) -> None:
    page = opened(browser, address, unfold=False)
    page.evaluate("window.same = true")
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator(".person summary").click()
    page.get_by_role("button", name="Dark").click()
    page.locator("html[data-theme=dark]").wait_for()
    assert page.evaluate("window.same")
    after = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert after != before
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == after
    check_paper(page, DESK)
    page.close()


def test_keys_lead_where_their_list_says(browser: Any, address: str) -> None:
    page = opened(browser, address, unfold=False)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("?")
    assert page.locator("#keys[open] div", has_text="Bots").locator("kbd").inner_text() == "g b"
    page.keyboard.press("Escape")
    page.locator("[data-select-all]").check()
    assert page.locator("input[name=topic]:checked").count() == 4
    page.locator("#f-name").fill("question? g b")
    assert page.locator("#keys[open]").count() == 0, "a key in a field is a letter"
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.locator("h1").click()
    page.keyboard.press("g")
    page.keyboard.press("b")
    page.wait_for_url("**/bots")
    assert asked == ["beforeunload"], "unsaved work is not left without a word"
    page.close()
