"""Opening a page as a reader would: light or dark, on a desk or a phone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import pytest

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
PHONE, DESK = 390, 1280
SCHEMES = ("light", "dark")
READABLE = 4.5
# A script that does nothing, where axe itself is there.
AT_HAND = "undefined"

# The contrast of a text with what is painted behind it, layer upon layer, after WCAG 2.
CONTRAST = """selectors => {
  const part = c => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  // A mixed colour is told from 0 to 1.
  const scale = text => text.startsWith('color(') ? 255 : 1;
  const rgb = text => text.match(/[\\d.]+/g).map((n, at) => at < 3 ? scale(text) * n : Number(n));
  const behind = element => {
    if (!element) return [255, 255, 255];
    const found = rgb(getComputedStyle(element).backgroundColor), share = found.length < 4 ? 1 : found[3];
    if (share === 1) return found.slice(0, 3);
    const below = behind(element.parentElement);
    return below.map((n, at) => share * found[at] + (1 - share) * n);
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


def opened(browser: Any, address: str, *, width: int = DESK, scheme: str = "light", unfold: bool = True) -> Any:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.set_default_timeout(20_000)
    page.goto(address)
    if unfold:
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    return page


def open_quietly(browser: Any, address: str, scheme: str) -> Any:
    """Return a page that reported nothing while it opened, and that fetched nothing but itself."""
    page = browser.new_page(color_scheme=scheme)
    messages: list[str] = []
    fetched: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("dialog", lambda dialog: (messages.append(dialog.message), dialog.dismiss()))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("request", lambda request: fetched.append(request.url))
    page.goto(address)
    page.wait_for_load_state("networkidle")
    assert messages == []
    assert fetched == [address]
    return page


def write_pages(folder: Path, pages: Mapping[str, str]) -> dict[str, str]:
    """Write pages into a folder and return their addresses."""
    files = {name: folder / f"{number}.html" for number, name in enumerate(pages)}
    for name, file in files.items():
        file.write_text(pages[name], encoding="utf-8")
    return {name: file.as_uri() for name, file in files.items()}


def check_accessible(page: Any, options: dict[str, Any] | None = None) -> None:
    """Let axe look at a page; it must find nothing."""
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        absent("axe-playwright-python is not installed")
    # To read axe takes longer than to look at most pages, so a page that has it already keeps it.
    checker = Axe(AT_HAND) if page.evaluate("typeof axe === 'object'") else Axe()
    found = checker.run(page, options={"reporter": "no-passes", "resultTypes": ["violations"], **(options or {})})
    assert found.violations_count == 0, found.generate_report()


def check_paper(page: Any, width: int) -> None:
    """See a page as it is printed: dark letters on white, nothing cut off."""
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
