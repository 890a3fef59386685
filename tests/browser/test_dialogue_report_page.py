"""The report of dialogues in a real browser: light and dark, on a desk, on a phone, on paper, and without scripts."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opening import CONTRAST, DESK, PHONE, READABLE, SCHEMES, check_paper, open_quietly, opened, write_pages
from shelves import Shelf

from vivavoce.reports.dialogues.html import render_dialogues

RESULTS = str(Path(__file__).resolve().parents[1] / "reports")
pytestmark = pytest.mark.browser
TEXTS = (
    "h1, h2, h3, h4, p, li, td, th, dt, dd, a, summary, caption, small, b, .muted, .said, .effect, .speaker,"
    " svg.chart text"
)
CASES = ("three bots", "hostile", "nothing")


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Write the reports and return their addresses."""
    sys.path.insert(0, RESULTS)
    try:
        import dialogue_results
    finally:
        sys.path.remove(RESULTS)
    folder = tmp_path_factory.mktemp("dialogues")
    return write_pages(folder, {case: render_dialogues(dialogue_results.CASES[case]()) for case in CASES})


@pytest.fixture(params=CASES)
def address(request: pytest.FixtureRequest, addresses: dict[str, str]) -> str:
    return addresses[request.param]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_report_of_dialogues_fetches_nothing_and_runs_nothing(address: str, browser: Any, scheme: str) -> None:
    page = open_quietly(browser, address, scheme)
    assert page.locator("script").count() == 0
    page.close()


@pytest.mark.parametrize("width", [320, PHONE, 768, DESK])
def test_a_report_of_dialogues_never_scrolls_sideways(address: str, whole: Shelf, width: int) -> None:
    page = whole.show(address, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_text_of_dialogues_can_be_read_also_on_a_tint(address: str, whole: Shelf, scheme: str) -> None:
    page = whole.show(address, scheme=scheme)
    rows = page.evaluate(CONTRAST, TEXTS)
    assert len(rows) > 20
    assert [row for row in rows if row[1] < READABLE] == []


def test_tints_differ_by_direction_and_by_theme(addresses: dict[str, str], whole: Shelf) -> None:
    script = "['.up-3', '.down-3', 'body'].map(s => getComputedStyle(document.querySelector(s)).backgroundColor)"
    looks = []
    for scheme in SCHEMES:
        page = whole.show(addresses["three bots"], scheme=scheme)
        looks += page.evaluate(script)
    assert len(set(looks)) == 6


def test_a_talk_opens_without_javascript(addresses: dict[str, str], browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(addresses["three bots"])
    talk = page.locator("details.telling").first
    assert not talk.locator(".messages").is_visible()
    talk.locator("summary").click()
    assert talk.locator(".messages").is_visible()
    context.close()


def test_on_a_phone_message_and_effect_stay_in_sight(addresses: dict[str, str], whole: Shelf) -> None:
    page = whole.show(addresses["three bots"], width=PHONE)
    edges = page.evaluate(
        "[...document.querySelectorAll('.messages .said, .messages .effect')]"
        ".map(e => e.getBoundingClientRect()).map(r => [r.left, r.right])"
    )
    assert len(edges) > 50
    assert [edge for edge in edges if edge[0] < 0 or edge[1] > PHONE] == []


def test_on_a_phone_wide_tables_scroll_in_their_own_box(addresses: dict[str, str], whole: Shelf) -> None:
    page = whole.show(addresses["three bots"], width=PHONE)
    boxes = page.evaluate(
        "[...document.querySelectorAll('.scroll')].map(e => [e.getBoundingClientRect().right, e.scrollWidth -"
        " e.clientWidth, getComputedStyle(e).overflowX])"
    )
    assert [box for box in boxes if box[0] > PHONE or box[2] != "auto"] == []
    assert [box for box in boxes if box[1] > 0], "some table is wider than a phone"


def test_on_a_phone_the_head_of_an_agreement_follows_its_caption(addresses: dict[str, str], whole: Shelf) -> None:
    page = whole.show(addresses["three bots"], width=PHONE)
    heights = page.evaluate("[...document.querySelectorAll('.agreement thead')].map(e => e.offsetHeight)")
    assert len(heights) == 2
    assert max(heights) < 45, "one line"


def test_text_from_the_right_does_not_turn_the_page(addresses: dict[str, str], whole: Shelf) -> None:
    page = whole.show(addresses["hostile"])
    said = page.locator(".messages .said", has_text="שלום").first
    assert said.evaluate("e => getComputedStyle(e).direction") == "rtl"
    row = said.locator("xpath=..")
    assert row.evaluate("e => getComputedStyle(e).direction") == "ltr"
    speaker, effect = row.locator(".speaker").bounding_box(), row.locator(".effect").bounding_box()
    assert speaker["x"] < effect["x"]


def test_a_heading_of_a_number_leads_to_its_meaning(addresses: dict[str, str], browser: Any) -> None:
    page = opened(browser, addresses["three bots"], unfold=False)
    page.locator("a[href='#m-spearman']").first.click()
    assert page.locator("#m-spearman").is_visible()
    page.close()


def test_a_report_of_dialogues_on_paper_is_not_cut_off(addresses: dict[str, str], whole: Shelf) -> None:
    page = whole.show(addresses["three bots"], width=794)
    check_paper(page, 794)


@pytest.mark.parametrize(("scheme", "width"), [("light", DESK), ("dark", DESK), ("light", PHONE)])
def test_the_accessibility_checker_finds_nothing_in_dialogues(
    address: str, check_axe: Callable[..., None], scheme: str, width: int
) -> None:
    check_axe(address, scheme=scheme, width=width)
