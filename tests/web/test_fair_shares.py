"""What one person or one stranger can take from everybody else: little."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from vivavoce.store.rows import Role
from vivavoce.web import pages
from vivavoce.web.access import Needs
from vivavoce.web.app import OPEN_FORMS, routers
from vivavoce.workspace.bots import bots
from vivavoce.workspace.bots.chatting import MAX_OF_ALL, MAX_OF_ONE, PLACES, CrowdedError, Places

if TYPE_CHECKING:
    from conftest import House

pytestmark = pytest.mark.slow

PATH = "/p/jobs/bots"


@pytest.fixture
def hanging_bot() -> Iterator[str]:
    """Return the address of a bot that takes every message and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"


@pytest.fixture
def bot_page(admin: TestClient, hanging_bot: str) -> str:
    return str(
        admin.post(f"{PATH}/new", data={"form": "http", "name": "slow", "url": hanging_bot}).headers["location"]
    )


def test_the_third_test_of_a_person_is_refused_at_once_and_others_are_not_kept_waiting(
    house: House, bot_page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "TEST_SECONDS", 5.0)
    threads = [
        threading.Thread(target=house.enter(Role.EDITOR).post, args=(f"{bot_page}/test",)) for _ in range(MAX_OF_ONE)
    ]
    for thread in threads:
        thread.start()
    while PLACES.taken < MAX_OF_ONE:
        time.sleep(0.01)
    refused = house.enter(Role.EDITOR).post(f"{bot_page}/test")
    program = house.enter(Role.EDITOR).post(bot_page.replace("/p/", "/api/v1/projects/") + "/test")
    with PLACES.take("somebody else"):
        pass
    assert all(thread.is_alive() for thread in threads)
    for thread in threads:
        thread.join()
    assert (refused.status_code, program.status_code) == (429, 429)
    assert "wait for one of your tests or chats to finish" in refused.text
    assert program.json()["remedy"]
    assert PLACES.taken == 0


def test_a_chat_counts_too_and_keeps_the_message(house: House, bot_page: str, editor: TestClient) -> None:
    me, bot = house.users[Role.EDITOR].id, bot_page.rpartition("/")[2]
    with PLACES.take(me), PLACES.take(me):
        answer = editor.post("/p/jobs/scenarios/chat", data={"bot": bot, "text": "a long question"})
    assert answer.status_code == 429
    assert "a long question" in answer.text


def test_all_people_together_leave_threads_for_pages() -> None:
    places = Places()
    held = [places.take(f"person {n}") for n in range(MAX_OF_ALL)]
    for place in held:
        place.__enter__()
    with pytest.raises(CrowdedError, match="many people"), places.take("one more"):
        pass
    for place in held:
        place.__exit__(None, None, None)
    assert places.taken == 0


def test_a_bot_of_an_unknown_form_is_refused_with_the_form(admin: TestClient) -> None:
    answer = admin.post(f"{PATH}/new", data={"form": "zzz", "name": "typed with care"})
    assert answer.status_code == 400
    assert "typed with care" in answer.text
    assert "zzz" in answer.text


def test_strangers_send_small_forms_only(stranger: TestClient) -> None:
    for path in ("/sign-in", "/setup/x", "/link/x", "/preferences"):
        sent = {"login": ("", b"x" * 2**21)}
        assert stranger.post(path, files=sent).status_code == 413
    assert stranger.post("/sign-in", data={"login": "x", "password": "y"}).status_code == 400


def test_every_form_that_strangers_can_send_is_a_small_one() -> None:
    routes = [route for router in routers(pages) for route in router.routes if isinstance(route, APIRoute)]
    is_open = [
        route.path
        for route in routes
        if "POST" in route.methods and not any(isinstance(one.call, Needs) for one in route.dependant.dependencies)
    ]
    assert is_open
    assert [path for path in is_open if not path.startswith(OPEN_FORMS)] == []
