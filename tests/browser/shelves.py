"""Pages that many tests look at, opened once; and the accessibility checker, which measures what repeats once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opening import DESK, check_accessible, opened

CONTRAST_RULE = "color-contrast"

# A shape is an element with its classes, styles and names of attributes, inside the shapes around it. The styles of
# the pages go by shapes alone, so the second element of a shape has the colours of the first.
SHAPES = """
const own = e => [e.tagName, e.getAttribute('class'), e.getAttribute('style'), e.getAttribute('fill'),
                  ...e.getAttributeNames().sort()].join(' ');
const shapes = (e, around) => {
  const shape = around + '/' + own(e);
  return [shape, ...[...e.children].flatMap(child => shapes(child, shape))];
};
const all = () => [...new Set(shapes(document.body, ''))].sort();
"""
THIN = (
    "() => {"
    + SHAPES
    + """
  const before = all(), seen = new Set();
  const thin = (e, around) => {
    if (shapes(e, around).every(shape => seen.has(shape))) { e.remove(); return; }
    const shape = around + '/' + own(e);
    seen.add(shape);
    [...e.children].forEach(child => thin(child, shape));
  };
  thin(document.body, '');
  return [before, all()];
}"""
)


class Shelf:
    """Pages without scripts, each opened and unfolded once, then shown in any width and scheme."""

    def __init__(self, browser: Any, prepare: Callable[[Any], None]) -> None:
        self.browser = browser
        self.prepare = prepare
        self.pages: dict[str, Any] = {}

    def show(self, address: str, *, width: int = DESK, scheme: str = "light") -> Any:
        if address not in self.pages:
            self.pages[address] = opened(self.browser, address)
            self.prepare(self.pages[address])
        page = self.pages[address]
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(media="screen", color_scheme=scheme)
        return page

    def close(self) -> None:
        for page in self.pages.values():
            page.close()


def thin_out(page: Any) -> None:
    """Remove what has the same shapes as something before it; every shape stays."""
    before, after = page.evaluate(THIN)
    assert after == before


def check_rules(page: Any, *, contrast: bool) -> None:
    """Let axe look at a page, either for contrast alone or for all the rest; it must find nothing."""
    rules = {"runOnly": [CONTRAST_RULE]} if contrast else {"rules": {CONTRAST_RULE: {"enabled": False}}}
    check_accessible(page, rules)
