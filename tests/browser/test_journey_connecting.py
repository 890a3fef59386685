"""A bot connected by clicking in its JSON, with and without JavaScript; an engine started from the page."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from furnishing import add_project
from halls import Hall
from journeys import flash, visiting
from opening import PHONE, check_accessible

from vivavoce.store.rows import Role
from vivavoce.workspace.bots.bots import list_bots

pytestmark = pytest.mark.browser


class Odd(BaseHTTPRequestHandler):
    """A bot whose answer has a shape of its own."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = {
            "out": [{"say-this": f"You asked: {asked['text']}"}, {"say-this": "Anything else?"}],
            "brain": {"top": {"label": "greet", "sure": 0.91}},
        }
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@pytest.fixture
def bot() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Odd)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("script", [True, False])
def test_a_bot_is_connected_by_clicking_in_its_answer(hall: Hall, browser: Any, bot: str, *, script: bool) -> None:
    slug = f"clicks{int(script)}"
    project = add_project(hall.store, slug)
    with visiting(browser, hall.url, hall.states[Role.ADMIN], java_script_enabled=script) as page:
        page.goto(f"/p/{slug}/bots/new")
        page.fill("#f-url", bot)
        page.fill("#f-message", "hello there")
        page.click("#console button.primary")
        page.locator(".raw-json").wait_for()
        assert "say-this" in page.locator(".raw-json").inner_text()
        assert page.locator("#console [role=alert]").count() == 1, "its shape is not one that is found by itself"
        page.click(".raw-json button[value='out[0].\"say-this\"']")
        page.locator("#console dd", has_text="You asked: hello there").wait_for()
        assert page.input_value("#f-reply_texts") == 'out[]."say-this"'
        assert "Anything else?" in page.locator("#console dl").inner_text(), "all bubbles are meant"
        page.check("#console input[value='reply.intent']")
        page.click(".raw-json button[value='brain.top.label']")
        page.locator("#console dd", has_text="greet").wait_for()
        page.check("#console input[value='reply.confidence']")
        page.click(".raw-json button[value='brain.top.sure']")
        page.locator("#console dd", has_text="0.91").wait_for()
        if script:
            check_accessible(page)
        page.fill("#f-name", "odd bot")
        page.click("#bot-form button.primary:not([formaction])")
        flash(page, "odd bot")
    (line,) = list_bots(hall.store, project)
    paths = {"texts": 'out[]."say-this"', "intent": "brain.top.label", "confidence": "brain.top.sure"}
    assert line.bot.entry["reply"] == paths


def test_nothing_is_wider_than_a_phone(hall: Hall, browser: Any, bot: str) -> None:
    add_project(hall.store, "narrow")
    with visiting(browser, hall.url, hall.states[Role.ADMIN]) as page:
        page.set_viewport_size({"width": PHONE, "height": 800})
        page.goto("/p/narrow/bots/new")
        page.fill("#f-url", bot)
        page.click("#console button.primary")
        page.locator(".raw-json").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_an_engine_is_started_from_the_page_and_answers(hall: Hall, browser: Any) -> None:
    pytest.importorskip("rivescript")
    project = add_project(hall.store, "engines")
    with visiting(browser, hall.url, hall.states[Role.ADMIN]) as page:
        page.goto("/p/engines/bots/new")
        assert page.locator("button", has_text="ChatterBot").count() == 0, "this server runs no programs"
        page.click("text=Start RiveScript here")
        flash(page, "rivescript")
        page.click("text=Test connection")
        page.locator("#test").wait_for(timeout=60_000)
        assert "OK" in page.locator("#test .panel-head").inner_text()
    assert [line.kind for line in list_bots(hall.store, project)] == ["rivescript"]
