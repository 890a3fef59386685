"""The page that shows every shared part of pages."""

from __future__ import annotations

import re

from starlette.testclient import TestClient

from vivavoce.reports.shared.pages import TEMPLATES as BLOCKS
from vivavoce.web.rendering import TEMPLATES

MACRO = re.compile(r"{%-? macro ([a-z]\w*)\(")


def test_no_shared_part_is_missing() -> None:
    page = (TEMPLATES / "projects" / "components.html").read_text(encoding="utf-8")
    defined = {
        name
        for path in (BLOCKS / "blocks.html", TEMPLATES / "parts.html")
        for name in MACRO.findall(path.read_text())
    }
    assert len(defined) > 30
    assert {name for name in defined if not re.search(rf"parts\.{name}\(", page)} == set()


def test_admins_see_the_parts_and_find_them_from_the_help(admin: TestClient, editor: TestClient) -> None:
    page = admin.get("/help/components")
    assert page.status_code == 200
    assert "style=" not in page.text
    assert page.text.count("<h1") == 1
    assert "/help/components" in admin.get("/help").text
    assert "/help/components" not in editor.get("/help").text
    assert editor.get("/help/components").status_code == 403
