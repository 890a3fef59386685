"""Every page of the application, found by its routes: what all of them promise.

PAGE_LANGUAGE=de visits the pages in German.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from addresses import every_address, is_whole_page
from halls import Hall
from journeys import visiting
from opening import DESK, PHONE, SCHEMES
from shelves import SHAPES, check_rules

from vivavoce.store.rows import Role
from vivavoce.web.answers import LANGUAGE_COOKIE

pytestmark = pytest.mark.browser
MAX_BYTES = 60_000
LANGUAGE = os.environ.get("PAGE_LANGUAGE", "en")
BUNDLE = "/static/vega.js"
KINDS = ("error", "warning")
# So many parts can be done at the same time.
SHARES = 2
# What has a shape that was measured on a page before has the colours that were measured.
THIN_AGAIN = (
    "known => {"
    + SHAPES
    + """
  const seen = new Set(known);
  const thin = (e, around) => {
    if (shapes(e, around).every(shape => seen.has(shape))) { e.remove(); return; }
    const shape = around + '/' + own(e);
    seen.add(shape);
    [...e.children].forEach(child => thin(child, shape));
  };
  [...document.body.children].forEach(child => thin(child, '/' + own(document.body)));
  return [...seen];
}"""
)
# What is on a page, and its buttons that are shown and could do nothing: they belong to no form.
CONTENT = """() => {
  const main = document.querySelector('main');
  const shown = e => {
    const box = e.getBoundingClientRect();
    return e.checkVisibility({visibilityProperty: true}) && box.width > 0 && box.height > 0;
  };
  return {
    headings: main.querySelectorAll('h1').length,
    signs: main.innerText.length,
    idle: [...main.querySelectorAll('button')].filter(e => shown(e) && !e.form).map(e => e.innerText),
  };
}"""
UNFOLD = "document.querySelectorAll('details:not(.menu)').forEach(d => { d.open = true; })"


@dataclass(frozen=True)
class Answer:
    """What the server says to an address when nobody follows a redirect."""

    address: str
    status: int
    media: str
    text: str
    location: str

    @property
    def is_page(self) -> bool:
        return self.status == 200 and is_whole_page(self.text)


@dataclass
class Visit:
    """What a browser says about a page, and what it asked for."""

    complaints: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    sizes: dict[str, int] = field(default_factory=dict)

    def attach(self, page: Any) -> None:
        page.on("console", lambda said: self.complaints.append(said.text) if said.type in KINDS else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("requestfinished", self._weigh)

    def _weigh(self, request: Any) -> None:
        # What comes from the cache of the browser weighs nothing the second time.
        weight = int(request.sizes()["responseBodySize"])
        self.sizes[request.url] = max(weight, self.sizes.get(request.url, 0))

    def begin(self) -> None:
        self.complaints.clear()
        self.asked.clear()

    def weight(self) -> int:
        return sum(self.sizes.get(url, 0) for url in set(self.asked) if BUNDLE not in url)


@pytest.fixture(scope="module")
def answers(hall: Hall, browser: Any) -> dict[str, Answer]:
    with visiting(browser, hall.url, hall.states[Role.ADMIN]) as page:
        return {path: _answer(page, address) for path, address in every_address(hall.house).items()}


def _answer(page: Any, address: str) -> Answer:
    found = page.request.get(address, max_redirects=0)
    media = found.headers.get("content-type", "")
    text = found.text() if media.startswith("text/html") else ""
    return Answer(address, found.status, media, text, found.headers.get("location", ""))


@pytest.fixture(scope="module")
def pages(answers: dict[str, Answer]) -> list[str]:
    return [answer.address for answer in answers.values() if answer.is_page]


def test_every_address_answers(hall: Hall, answers: dict[str, Answer]) -> None:
    broken = {one.address: (one.status, one.text[-400:]) for one in answers.values() if one.status >= 400}
    assert broken == {}
    led = {one.location.split("?")[0].split("#")[0] for one in answers.values() if one.status in (302, 303, 307)}
    known = {one.address.split("?")[0] for one in answers.values()}
    assert led <= known, "an address leads to a page that nobody looks at"
    assert sum(one.is_page for one in answers.values()) > len(answers) / 2


@pytest.mark.parametrize("share", range(SHARES))
def test_every_page_is_complete_without_a_script(hall: Hall, browser: Any, pages: list[str], share: int) -> None:
    poor: list[str] = []
    state = hall.states[Role.ADMIN]
    with visiting(browser, hall.url, state, java_script_enabled=False) as page:
        for address in pages[share::SHARES]:
            page.goto(address)
            poor += [f"{address}: {one}" for one in _lacking(page.evaluate(CONTENT))]
    assert poor == []


def _lacking(content: dict[str, Any]) -> Iterator[str]:
    if content["headings"] != 1 or content["signs"] < 40:
        yield "no content"
    yield from (f"the button {label!r} does nothing" for label in content["idle"])


@pytest.fixture(scope="module")
def measured() -> set[str]:
    """The shapes whose contrast was measured already."""
    return set()


@pytest.mark.parametrize("share", range(SHARES))
def test_every_page_is_light_quiet_accessible_and_fits_a_phone(
    hall: Hall, browser: Any, pages: list[str], measured: set[str], share: int
) -> None:
    visit, faults = Visit(), list[str]()
    with visiting(browser, hall.url, hall.states[Role.ADMIN]) as page:
        visit.attach(page)
        page.context.add_cookies([{"name": LANGUAGE_COOKIE, "value": LANGUAGE, "url": hall.url}])
        page.goto("/help")  # the frame of every page is in the cache after this
        for address in pages[share::SHARES]:
            visit.begin()
            page.goto(address, wait_until="networkidle" if "compare" in address else "load")
            faults += [f"{address}: {one}" for one in _faults(hall, page, visit, measured)]
    assert faults == [], "\n".join(faults)


def _faults(hall: Hall, page: Any, visit: Visit, measured: set[str]) -> Iterator[str]:
    yield from visit.complaints
    yield from (f"asks elsewhere: {url}" for url in visit.asked if not url.startswith(hall.url))
    if (weight := visit.weight()) > MAX_BYTES:
        yield f"weighs {weight:,} bytes"
    page.evaluate(UNFOLD)
    page.set_viewport_size({"width": PHONE, "height": 900})
    if (width := page.evaluate("document.documentElement.scrollWidth")) > PHONE:
        yield f"is {width} wide on a phone"
    page.set_viewport_size({"width": DESK, "height": 900})
    yield from _violations(page, contrast=False)
    measured |= set(page.evaluate(THIN_AGAIN, sorted(measured)))
    for scheme in SCHEMES if page.evaluate("document.body.children.length") else ():
        page.emulate_media(color_scheme=scheme)
        yield from _violations(page, contrast=True)
    page.emulate_media(color_scheme="light")


def _violations(page: Any, *, contrast: bool) -> Iterator[str]:
    try:
        check_rules(page, contrast=contrast)
    except AssertionError as found:
        yield str(found).split("assert ")[0]
