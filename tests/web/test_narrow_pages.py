"""Tables on a narrow screen: each scrolls in a box of its own that keys reach and that shows where there is more."""

from __future__ import annotations

import re

from vivavoce.web.rendering import TEMPLATES, app_styles

CSS = app_styles().decode()


def test_every_table_stands_in_a_box_that_keys_can_scroll_and_that_has_a_name() -> None:
    for path in sorted(TEMPLATES.rglob("*.html")):
        text = path.read_text(encoding="utf-8")
        boxes = re.findall(r'<div class="scroll[^>]*>', text)
        assert len(boxes) >= text.count("<table"), path.name
        for box in boxes:
            assert all(said in box for said in ('tabindex="0"', 'role="region"', "aria-label=")), (path.name, box)


def test_a_box_that_hides_columns_shows_a_shadow_and_no_column_is_left_out() -> None:
    box = re.search(r"^\.scroll \{[^}]*background: ([^}]+)\}", CSS, re.MULTILINE)
    assert box
    assert (box[1].count(" local"), box[1].count(" scroll")) == (2, 2)
    for selectors in re.findall(r"([^{}]+)\{[^{}]*display: none", CSS):
        assert not re.search(r"\b(t[dhr]|table|col)\b", selectors), selectors
