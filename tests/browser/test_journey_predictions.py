"""A journey: what a platform answered is brought as a file and judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from halls import Hall
from journeys import Hand, visiting
from opening import check_accessible

from held_talks import add_shop
from vivavoce.store.rows import Role

pytestmark = pytest.mark.browser

ANSWERS = """text,intent,predicted,confidence
How much is the pay?,salary,salary,0.91
When is pay day?,salary,holiday,0.62
May I leave early on Friday?,holiday,holiday,0.55
How long is the summer break?,holiday,holiday,0.88
Do you like cats?,oos,salary,0.2
"""


@pytest.mark.parametrize("scripted", [True, False], ids=["scripted", "unscripted"])
def test_a_vendors_predictions_are_judged_with_two_clicks(
    hall: Hall, browser: Any, tmp_path: Path, scripted: bool
) -> None:
    slug = f"judging-{scripted}".lower()
    add_shop(hall.store, slug)
    file = tmp_path / "dialogflow.csv"
    file.write_text(ANSWERS, encoding="utf-8")
    with visiting(browser, hall.url, hall.states[Role.READER], java_script_enabled=scripted) as page:
        hand = Hand(page)
        page.goto(f"/p/{slug}/engines")
        hand.click(page.get_by_role("link", name="Judge a platform's answers"))
        page.locator("[name=file]").set_input_files(str(file))
        hand.click(page.get_by_role("button", name="Judge the answers"))
        assert "the bot would answer" in page.locator("#verdict").inner_text()
        assert "dialogflow: 5 messages, 1 of them out of scope" in page.locator("main").inner_text()
        assert hand.count == 2
        if scripted:
            check_accessible(page)
