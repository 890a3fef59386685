"""Journeys of imports: files as people have them come in completely, with few clicks, with and without scripts."""

from __future__ import annotations

import re
from typing import Any

import pytest
from furnishing import add_project
from halls import Hall
from journeys import Hand, flash, visiting

from messy_files import messy_book, old_log
from vivavoce.store.rows import Role

pytestmark = pytest.mark.browser
MOST_CLICKS = 6


def send(hand: Hand, name: str, content: bytes, *, scripted: bool) -> None:
    """Choose a file; without scripts, a button reads it."""
    hand.count += 1
    hand.page.locator("main input[type=file]").set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    )
    if not scripted:
        hand.click(hand.page.get_by_role("button", name="Read the file"))
    hand.page.locator(".sheet").wait_for()


@pytest.mark.parametrize("scripted", [True, False])
def test_a_messy_workbook_comes_in_completely_within_six_clicks(hall: Hall, browser: Any, scripted: bool) -> None:
    slug = f"messy-{scripted}".lower()
    project = add_project(hall.store, slug)
    with visiting(browser, hall.url, hall.states[Role.EDITOR], java_script_enabled=scripted) as page:
        hand = Hand(page)
        page.goto(f"/p/{slug}/topics")
        hand.click(page.locator("main a", has_text="Import").first)
        send(hand, "faq.xlsx", messy_book(), scripted=scripted)
        page.locator("[name=topic_9]").fill("Parking")
        if scripted:
            page.locator("[name=topic_9]").blur()
        else:
            hand.click(page.get_by_role("button", name="Update preview").last)
        page.get_by_role("heading", name="8 examples in 4 topics can be imported.").wait_for()
        hand.click(page.get_by_role("button", name="Import 8 examples"))
        flash(page, "Import complete.")
        assert hand.count <= MOST_CLICKS
    with hall.store.reading() as tx:
        topics = {topic.name: topic for topic in tx.topics.of_project(project.id)}
        rows = tx.examples.of_project(project.id)
    assert set(topics) == {"Salary", "Thesis", "Parking", "Visa"}
    assert len(rows) == 8
    assert sum(row.created.year == 2025 for row in rows) == 7
    assert topics["Salary"].answers["en"] == "We pay by level.\n\nYes, in November."
    assert topics["Parking"].owner == "Office"


@pytest.mark.parametrize("scripted", [True, False])
def test_an_old_log_comes_in_completely_within_six_clicks(hall: Hall, browser: Any, scripted: bool) -> None:
    slug = f"log-{scripted}".lower()
    project = add_project(hall.store, slug)
    with visiting(browser, hall.url, hall.states[Role.EDITOR], java_script_enabled=scripted) as page:
        hand = Hand(page)
        page.goto(f"/p/{slug}/dialogues")
        hand.click(page.locator("main a", has_text=re.compile("Import")).first)
        send(hand, "log.csv", old_log(12), scripted=scripted)
        hand.click(page.get_by_role("button", name="Import 12 dialogues"))
        flash(page, re.compile("12 new"))
        assert hand.count <= MOST_CLICKS
    with hall.store.reading() as tx:
        talks = tx.dialogues.of_project(project.id)
    assert sorted(len(talk.turns) for talk in talks) == [3] * 12
    assert {turn["text"] for talk in talks for turn in talk.turns if turn["is_bot"]} == {
        "Das hängt von der Prüfung ab – möchten Sie mehr wissen?"
    }


def test_a_choice_is_followed_at_once_and_a_file_can_be_dropped(hall: Hall, browser: Any) -> None:
    add_project(hall.store, "drops")
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        page.goto("/p/drops/import")
        page.evaluate(
            """bytes => {
                const files = new DataTransfer();
                files.items.add(new File([new Uint8Array(bytes)], "faq.xlsx"));
                document.querySelector(".drop").dispatchEvent(
                    new DragEvent("drop", {dataTransfer: files, bubbles: true, cancelable: true}));
            }""",
            list(messy_book()),
        )
        page.locator(".sheet").wait_for()
        before = page.url
        page.locator("[name=why]").fill("from the old wiki")
        page.locator("[name=role_3]").select_option("")
        page.get_by_text("3 columns are left out: No., Our reply, Comment.").wait_for()
        assert page.url != before, "the address is that of the newest preview"
        assert page.locator("[name=why]").input_value() == "from the old wiki"
        page.get_by_role("button", name="Notes 3 rows").click()
        page.locator(".sheet", has_text="Please read").wait_for()
