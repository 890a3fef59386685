"""Journeys of people who work at the same time, and of somebody who brings their own bot."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from furnishing import actor_of, add_flight, add_project
from halls import Hall
from journeys import fill, flash, heading, press, visiting

from vivavoce.store.rows import Role
from vivavoce.workspace.scenarios.suites import parse_scenario

pytestmark = pytest.mark.browser


def test_two_people_edit_a_scenario_at_once_and_nothing_is_lost(hall: Hall, browser: Any) -> None:
    project = add_project(hall.store, "both")
    suite = add_flight(hall.store, actor_of(hall.house.users[Role.EDITOR]), project, most=1)
    with hall.store.reading() as tx:
        scenario = tx.suites.scenarios(suite)[0]
    address = f"/p/both/scenarios/{scenario.id}"
    with (
        visiting(browser, hall.url, hall.states[Role.EDITOR]) as first,
        visiting(browser, hall.url, hall.states[Role.ADMIN]) as second,
    ):
        for page in (first, second):
            page.goto(address)
        fill(first, title="Edith's title", tags="smoke, early")
        first.locator("main button[value=save]").first.click()
        flash(first, "")
        fill(second, title="Ada's title", note="Ada was here")
        second.locator("main button[value=save]").first.click()
        second.locator("form.merge").wait_for()
        told = second.locator("main").inner_text()
        assert "Edith Editor" in told
        assert "Ada's title" in told
        theirs = second.locator("form.merge .side", has=second.locator("input[value=theirs]")).first
        assert "Edith's" in theirs.locator("ins").all_inner_texts()[0]
        theirs.locator("input").check()
        press(second, "Save this selection")
        flash(second, "")
        second.goto(f"{address}/versions")
        assert "Edith Editor" in second.locator("main").inner_text()
    with hall.store.reading() as tx:
        kept = tx.suites.scenario(scenario.id)
    assert kept is not None
    found = parse_scenario(kept.text)
    assert (found.title, found.note, set(found.tags)) == ("Edith's title", "Ada was here", {"smoke", "early"})
    assert kept.version == scenario.version + 2, "every version is kept"


class Parrot(BaseHTTPRequestHandler):
    """The smallest bot: it says what it hears."""

    def do_POST(self) -> None:
        heard = json.loads(self.rfile.read(int(self.headers["content-length"])))
        said = json.dumps({"reply": f"You said: {heard['text']}"}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *words: Any) -> None:
        """Keep quiet."""


@pytest.fixture
def parrot() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Parrot)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/chat"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_bot_is_added_and_its_connection_tested(hall: Hall, browser: Any, parrot: str) -> None:
    add_project(hall.store, "own")
    with visiting(browser, hall.url, hall.states[Role.ADMIN]) as page:
        page.goto("/p/own/bots")
        page.locator("main .actions a.btn").first.click()
        fill(page, name="parrot", url=parrot, body='{"text": "{text}"}', reply_texts="answer")
        press(page, "Save")
        flash(page, "")
        assert page.locator("main .crumbs span").inner_text() == "parrot"
        assert "valid" in heading(page), "the heading says how the bot stands"
        press(page, "Test connection")
        found = page.locator("#test")
        found.wait_for()
        assert "not OK" in found.inner_text(), "the reply stands elsewhere"
        page.locator("main .head a.btn", has_text="Edit").click()
        fill(page, reply_texts="reply")
        press(page, "Save")
        flash(page, "")
        press(page, "Test connection")
        page.locator("#test .chip.good").first.wait_for()
        assert "not OK" not in page.locator("#test").inner_text()
