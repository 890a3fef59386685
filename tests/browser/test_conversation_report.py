"""The reports of conversations in a real browser: light and dark, on a desk, on a phone and on paper."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from opening import CONTRAST, DESK, PHONE, READABLE, SCHEMES, check_paper, open_quietly, opened, write_pages
from shelves import Shelf

from vivavoce.bots import load_bots
from vivavoce.conversations import RunOptions, begin_run, diff_runs, expand, hold_conversations, read_suite, score_run
from vivavoce.conversations.running.record import RunRecord
from vivavoce.reports.conversations.html import render_conversations, render_run_diff

pytestmark = pytest.mark.browser
# Every shape of the page is there with so many of each level; the whole suite makes it five times as large.
SOME = 5
TEXTS = "h1, h2, h3, p, li, td, th, dt, dd, a, summary, caption, small, b, .mark, .said, svg.chart text"


def held(folder: Path, names: list[str]) -> RunRecord:
    """Hold some conversations of every level of the flight suite with bots that are quick."""
    suite = read_suite("flight")
    levels = dict.fromkeys(one.level for one in suite.scenarios)
    some = [one for level in levels for one in [each for each in suite.scenarios if each.level == level][:SOME]]
    suite = replace(suite, scenarios=tuple(some))
    bots = load_bots(names, agent=suite.agent)
    record = begin_run(folder, expand(suite), [bot.facts for bot in bots], RunOptions())
    asyncio.run(hold_conversations(record, bots))
    return record


def pages(folder: Path) -> dict[str, str]:
    """Return the report of a run with two bots, and that of two runs of one bot each."""
    with held(folder / "two", ["nearest", "keywords"]) as two:
        run = render_conversations(score_run(two), two)
    with held(folder / "a", ["nearest"]) as before, held(folder / "b", ["keywords"]) as after:
        diff = diff_runs(score_run(before), score_run(after))
        return {"run": run, "diff": render_run_diff(diff, before, after)}


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Write both reports and return their addresses."""
    folder = tmp_path_factory.mktemp("conversations")
    # Playwright keeps a loop in this thread, and a thread has one: the runs get a thread of their own.
    with ThreadPoolExecutor(1) as thread:
        return write_pages(folder, thread.submit(pages, folder).result())


@pytest.fixture(params=["run", "diff"])
def address(request: pytest.FixtureRequest, addresses: dict[str, str]) -> str:
    return addresses[request.param]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_report_of_conversations_fetches_nothing(address: str, browser: Any, scheme: str) -> None:
    page = open_quietly(browser, address, scheme)
    page.close()


@pytest.mark.parametrize("width", [320, PHONE, 768, 1200])
def test_a_report_of_conversations_never_scrolls_sideways(address: str, whole: Shelf, width: int) -> None:
    page = whole.show(address, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_seven_numbers_stand_beside_each_other_on_a_desk(addresses: dict[str, str], whole: Shelf) -> None:
    page = whole.show(addresses["run"], width=1200)
    frames = page.locator(".values .scroll")
    rooms = frames.evaluate_all("all => all.map(e => [e.scrollWidth, e.clientWidth])")
    assert rooms
    assert [room for room in rooms if room[0] > room[1]] == []


def test_a_conversation_is_read_on_a_phone_without_scrolling_it(addresses: dict[str, str], whole: Shelf) -> None:
    page = whole.show(addresses["run"], width=PHONE)
    talks = page.evaluate("[...document.querySelectorAll('.talk .scroll')].map(e => [e.scrollWidth, e.clientWidth])")
    assert len(talks) > 3 * SOME
    assert [talk for talk in talks if talk[0] > talk[1]] == []
    assert page.locator(".talk .who").first.is_visible()


def test_bots_are_named_once_on_a_desk(addresses: dict[str, str], whole: Shelf) -> None:
    page = whole.show(addresses["run"], width=DESK)
    assert page.locator(".talk thead th").first.is_visible()
    assert not page.locator(".talk .who").first.is_visible()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_text_of_conversations_can_be_read(address: str, whole: Shelf, scheme: str) -> None:
    page = whole.show(address, scheme=scheme)
    rows = page.evaluate(CONTRAST, TEXTS)
    assert len(rows) > 20
    assert [row for row in rows if row[1] < READABLE] == []


def test_the_conversations_open_without_javascript(addresses: dict[str, str], browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(addresses["run"])
    page.locator("summary", has_text="Basic (").click()
    talk = page.locator("details.talk").first
    talk.locator("summary").click()
    assert talk.locator("table").is_visible()
    context.close()


def test_every_heading_of_a_number_leads_to_its_meaning(addresses: dict[str, str], browser: Any) -> None:
    page = opened(browser, addresses["run"], unfold=False)
    page.locator(".values a[href='#m-comprehension_rate']").first.click()
    assert page.locator("#m-comprehension_rate").is_visible()
    page.close()


def test_on_paper_nothing_is_cut_off(addresses: dict[str, str], whole: Shelf) -> None:
    page = whole.show(addresses["run"], width=794)
    check_paper(page, 794)


@pytest.mark.parametrize(("scheme", "width"), [("light", DESK), ("dark", DESK), ("light", PHONE)])
def test_the_accessibility_checker_finds_nothing_in_conversations(
    address: str, check_axe: Callable[..., None], scheme: str, width: int
) -> None:
    check_axe(address, scheme=scheme, width=width)
