"""The report in a real browser: nothing fails, nothing is fetched, it fits a phone, and everyone can read it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from vivavoce.classifiers.fakes import JaccardClassifier
from vivavoce.files import read_dataset
from vivavoce.intents import examine_intents
from vivavoce.intents.check import check
from vivavoce.reports.html import render_check, render_result

pytestmark = pytest.mark.browser
DEMO = Path(__file__).resolve().parents[2] / "src" / "vivavoce" / "demo" / "recruiting_en.csv"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
PHONE, DESK = 390, 1280
SCHEMES = ("light", "dark")
READABLE = 4.5

# The contrast of a text with the first painted background behind it, after WCAG 2.
CONTRAST = """selectors => {
  const part = c => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const rgb = text => text.match(/[\\d.]+/g).map(Number);
  const behind = element => {
    for (let e = element; e; e = e.parentElement) {
      const found = rgb(getComputedStyle(e).backgroundColor);
      if (found.length < 4 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll(selectors)].filter(e => e.textContent.trim()).map(e => {
    const style = getComputedStyle(e);
    const colour = e instanceof SVGElement ? style.fill : style.color;
    const [a, b] = [light(rgb(colour)), light(behind(e))].sort((x, y) => y - x);
    return [e.tagName + '.' + e.getAttribute('class'), (a + 0.05) / (b + 0.05)];
  });
}"""


def absent(reason: str) -> NoReturn:
    """Skip, or fail where a browser was promised."""
    if os.environ.get("VIVA_REQUIRE_BROWSER") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = os.environ.get("VIVA_BROWSER") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        absent("there is no Chromium: install it, or name it in VIVA_BROWSER")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        absent("playwright is not installed")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Write both reports and return their addresses."""
    folder = tmp_path_factory.mktemp("reports")
    data = read_dataset(DEMO)
    pages = {
        "result": render_result(examine_intents(data, JaccardClassifier(), retries=5, threshold=0.3, workers=1)),
        "check": render_check(check(data), source=DEMO.name),
    }
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in pages}


@pytest.fixture(params=["result", "check"])
def address(request: pytest.FixtureRequest, reports: dict[str, str]) -> str:
    return reports[request.param]


def opened(browser: Any, address: str, *, width: int = DESK, scheme: str = "light", unfold: bool = True) -> Any:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.set_default_timeout(20_000)
    page.goto(address)
    if unfold:
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    return page


@pytest.mark.parametrize("scheme", SCHEMES)
def test_it_opens_without_errors_and_fetches_nothing(browser: Any, address: str, scheme: str) -> None:
    page = browser.new_page(color_scheme=scheme)
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    page.wait_for_load_state("networkidle")
    assert said == []
    assert asked == [address]
    page.close()


@pytest.mark.parametrize("width", [320, PHONE, 768, DESK])
def test_the_page_never_scrolls_sideways(browser: Any, address: str, width: int) -> None:
    page = opened(browser, address, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_no_table_or_chart_is_out_of_reach_on_a_phone(browser: Any, address: str) -> None:
    page = opened(browser, address, width=PHONE)
    wide = page.evaluate(
        "w => [...document.querySelectorAll('svg.chart, .scroll')]"
        ".filter(e => e.getBoundingClientRect().right > w).length",
        PHONE,
    )
    assert wide == 0
    page.close()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_text_can_be_read(browser: Any, address: str, scheme: str) -> None:
    page = opened(browser, address, scheme=scheme)
    rows = page.evaluate(
        CONTRAST, "h1, h2, h3, h4, p, li, td, th, dt, dd, a, summary, caption, small, svg.chart text"
    )
    assert len(rows) > 20
    assert [row for row in rows if row[1] < READABLE] == []
    page.close()


def test_light_and_dark_differ_in_page_and_chart(browser: Any, reports: dict[str, str]) -> None:
    script = (
        "[getComputedStyle(document.body).backgroundColor,"
        " getComputedStyle(document.querySelector('svg.chart text')).fill]"
    )
    looks = []
    for scheme in SCHEMES:
        page = opened(browser, reports["result"], scheme=scheme)
        looks.append(page.evaluate(script))
        page.close()
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
    page.locator("a[href='#m-overlap']").first.click()
    assert page.locator("#m-overlap").is_visible()
    assert page.url.endswith("#m-overlap")
    page.close()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_accessibility_checker_finds_nothing(browser: Any, address: str, scheme: str) -> None:
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        absent("axe-playwright-python is not installed")
    page = opened(browser, address, scheme=scheme)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    page.close()
