"""The report in a real browser: nothing fails, nothing is fetched, it fits a phone, and everyone can read it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opening import CONTRAST, DESK, PHONE, READABLE, SCHEMES, open_quietly, opened, write_pages
from shelves import Shelf, check_rules, thin_out

from vivavoce.classifiers.fakes import JaccardClassifier
from vivavoce.files import read_dataset
from vivavoce.intents import examine_intents
from vivavoce.intents.check import check
from vivavoce.reports.intents.html import render_check, render_result

pytestmark = pytest.mark.browser
DEMO = Path(__file__).resolve().parents[2] / "src" / "vivavoce" / "demo" / "recruiting_en.csv"


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Write both reports and return their addresses."""
    folder = tmp_path_factory.mktemp("reports")
    data = read_dataset(DEMO)
    pages = {
        "result": render_result(examine_intents(data, JaccardClassifier(), retries=5, threshold=0.3, workers=1)),
        "check": render_check(check(data), source=DEMO.name),
    }
    return write_pages(folder, pages)


@pytest.fixture(params=["result", "check"])
def address(request: pytest.FixtureRequest, reports: dict[str, str]) -> str:
    return reports[request.param]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_it_opens_without_errors_and_fetches_nothing(browser: Any, address: str, scheme: str) -> None:
    page = open_quietly(browser, address, scheme)
    page.close()


@pytest.mark.parametrize("width", [320, PHONE, 768, DESK])
def test_the_page_never_scrolls_sideways(whole: Shelf, address: str, width: int) -> None:
    page = whole.show(address, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_no_table_or_chart_is_out_of_reach_on_a_phone(whole: Shelf, address: str) -> None:
    page = whole.show(address, width=PHONE)
    wide = page.evaluate(
        "w => [...document.querySelectorAll('svg.chart, .scroll')]"
        ".filter(e => e.getBoundingClientRect().right > w).length",
        PHONE,
    )
    assert wide == 0


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_text_can_be_read(whole: Shelf, address: str, scheme: str) -> None:
    page = whole.show(address, scheme=scheme)
    rows = page.evaluate(
        CONTRAST, "h1, h2, h3, h4, p, li, td, th, dt, dd, a, summary, caption, small, svg.chart text"
    )
    assert len(rows) > 20
    assert [row for row in rows if row[1] < READABLE] == []


def test_light_and_dark_differ_in_page_and_chart(whole: Shelf, reports: dict[str, str]) -> None:
    script = (
        "[getComputedStyle(document.body).backgroundColor,"
        " getComputedStyle(document.querySelector('svg.chart text')).fill]"
    )
    looks = []
    for scheme in SCHEMES:
        page = whole.show(reports["result"], scheme=scheme)
        looks.append(page.evaluate(script))
    assert looks[0][0] != looks[1][0]
    assert looks[0][1] != looks[1][1]


def test_it_works_without_javascript(browser: Any, reports: dict[str, str]) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(reports["result"])
    page.locator("summary", has_text="All topics").click()
    assert page.locator("table", has_text="weakest first").is_visible()
    context.close()


def test_a_number_leads_to_its_meaning(browser: Any, reports: dict[str, str]) -> None:
    page = opened(browser, reports["result"], unfold=False)
    link = page.locator("a[href^='#m-']:visible").first
    target = link.get_attribute("href")
    link.click()
    assert page.locator(target).is_visible()
    assert page.url.endswith(target)
    page.close()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_accessibility_checker_finds_nothing(check_axe: Callable[..., None], address: str, scheme: str) -> None:
    check_axe(address, scheme=scheme)


def test_thinning_a_page_out_leaves_one_of_each_and_the_faint_text_among_many(browser: Any) -> None:
    page = browser.new_page()
    row = "<tr><td>dark</td><td class='mark'>dark too</td></tr>"
    faint = "<tr><td>dark</td><td class='mark'><b style='color: #ccc'>faint</b></td></tr>"
    page.set_content(f"<html lang='en'><title>t</title><main><h1>t</h1><table>{row * 30}{faint}{row * 30}</table>")
    thin_out(page)
    assert page.locator("tr").count() == 2
    with pytest.raises(AssertionError, match="color-contrast"):
        check_rules(page, contrast=True)
    page.close()
