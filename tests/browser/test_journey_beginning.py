"""Journeys of the first day: the first admin, an invitation, the first topics, and changes that are taken back."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from furnishing import actor_of, add_project, add_topics, faq
from halls import Hall
from journeys import fill, flash, heading, press, served, visiting

from vivavoce.store.rows import Role

pytestmark = pytest.mark.browser
SECRET = "three small words 7"  # noqa: S105 - of nobody
# The buttons of a page that send something which changes the workspace.
SENDING = """() => [...document.querySelectorAll('main button')]
    .filter(button => (button.getAttribute('formmethod') || button.form?.method) === 'post')
    .map(button => button.innerText)"""


def choose_password(page: Any) -> None:
    page.locator("main [name=password]").fill(SECRET)
    page.locator("main [name=repeated]").fill(SECRET)


def test_the_first_start_leads_to_an_admin_who_invites_a_second_person(browser: Any, tmp_path: Path) -> None:
    with served(tmp_path / "new.db", tmp_path, options=("--no-worker", "--processes", "1")) as server:
        assert server.setup_link
        with visiting(browser, server.url) as page:
            page.goto("/")
            assert page.url.endswith("/setup"), "a workspace without people explains where the link is"
            page.goto(server.setup_link)
            fill(page, name="Ada Admin", login="ada@example.org")
            choose_password(page)
            press(page, "Start")
            page.locator("main h1", has_text="Projects").wait_for()
            page.goto("/people")
            fill(page, login="eve@example.org", name="Eve Editor")
            page.locator("main [name=role]").select_option("editor")
            press(page, "Invite")
            link = page.locator("#link").inner_text()
            page.goto(server.setup_link)
            assert page.locator("main h1").count() == 1, "the link works once"
            assert page.locator("main [name=password]").count() == 0
        with visiting(browser, server.url) as page:
            page.goto(link)
            assert "Eve Editor" in page.locator("main").inner_text()
            choose_password(page)
            press(page, re.compile("password"))
            page.locator("header summary", has_text="Eve Editor").wait_for()
            page.goto("/people")
            assert "admin" in page.locator("main").inner_text(), "an editor is told who may see this"
        with visiting(browser, server.url) as page:
            page.goto("/projects")
            assert "/sign-in" in page.url
            fill(page, login="eve@example.org", password="wrong words 123")  # noqa: S106 - of nobody
            press(page, "Sign in")
            page.locator(".flash.bad, .notice.bad, .fault", has_text="Wrong login or password.").first.wait_for()
            fill(page, password=SECRET)
            press(page, "Sign in")
            page.locator("main h1", has_text="Projects").wait_for()
            assert page.url.endswith("/projects"), "whoever signs in arrives where they wanted to go"


def test_questions_come_in_from_a_file_after_a_preview_and_go_again(hall: Hall, browser: Any) -> None:
    add_project(hall.store, "faq")
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        page.goto("/p/faq/topics")
        page.locator("main a", has_text="Import").first.click()
        page.locator("main input[type=file]").set_input_files(
            {"name": "faq.csv", "mimeType": "text/csv", "buffer": faq(3, 5, 2) + b",nobody,\n"}
        )
        main = page.locator("main")
        main.get_by_role("heading", name="All rows").wait_for()
        assert "Rejected" in main.inner_text(), "the row without a text is told"
        fill(page, why="from the old wiki")
        main.locator("button[formaction$='/apply']").click()
        done = flash(page, "Import complete.")
        assert page.locator("tbody tr").count() == 3
        done.get_by_role("button", name="Undo").click()
        page.locator("main h1").wait_for()
        page.goto("/p/faq/topics")
        page.get_by_role("heading", name="No topics yet", exact=True).wait_for()
        page.goto("/p/faq/edits")
        assert "from the old wiki" in page.locator("main").inner_text()


def test_a_topic_is_edited_found_in_the_history_and_taken_back(hall: Hall, browser: Any) -> None:
    project = add_project(hall.store, "wording")
    add_topics(hall.store, actor_of(hall.house.users[Role.EDITOR]), project, faq(2, 5, 0))
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        page.goto("/p/wording/topics")
        link = page.locator("tbody th a").first
        before, address = link.inner_text(), link.get_attribute("href")
        link.click()
        page.locator("main .head").get_by_role("link", name="Edit").click()
        fill(page, name="a better name", why="the old one said nothing")
        press(page, "Save")
        flash(page, "Saved")
        assert heading(page) == "a better name"
        page.goto("/p/wording/edits")
        entry = page.locator(".timeline li", has_text="the old one said nothing").first
        assert "Edith Editor" in entry.inner_text()
        entry.locator("a").first.click()
        page.locator("main ins", has_text="a better name").wait_for()
        assert page.locator("main del").first.inner_text() == before
        press(page, "Undo")
        page.locator(".flash").first.wait_for()
        page.goto(address)
        assert heading(page) == before


def test_a_reader_sees_no_buttons_that_change_something_and_is_refused(hall: Hall, browser: Any) -> None:
    topic = hall.house.project
    with hall.store.reading() as tx:
        first = tx.topics.of_project(topic.id)[0]
    places = ("", "/topics", f"/topics/{first.id}", "/intents", "/conversations", "/bots", "/suites", "/edits")
    with visiting(browser, hall.url, hall.states[Role.READER]) as page:
        for place in places:
            page.goto(f"/p/jobs{place}")
            assert page.locator("main h1").count() == 1, place
            assert page.evaluate(SENDING) == [], place
        page.goto("/p/jobs/topics")
        status = page.evaluate(
            "async path => (await fetch(path, {method: 'POST', body: new URLSearchParams({name: 'mine'})})).status",
            f"/p/jobs/topics/{first.id}/edit",
        )
        assert status == 403
    with hall.store.reading() as tx:
        assert tx.topics.get(first.id) == first
