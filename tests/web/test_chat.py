"""The chat of visitors, as pages of other sites ask for it."""

from __future__ import annotations

from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient

from vivavoce.assistant import Assistant
from vivavoce.assistant.understanding import Understander
from vivavoce.kept import Kept
from vivavoce.web.pages.assistant import chat
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.assistant import building
from vivavoce.workspace.assistant.settings import change_settings, find_settings
from vivavoce.workspace.topics.topics import add_topic

if TYPE_CHECKING:
    from conftest import Furnish, House
    from vivavoce.store.database import Store
    from vivavoce.store.rows import Project

pytestmark = pytest.mark.slow
SITE = "https://careers.example"
FOREIGN = {"sec-fetch-site": "cross-site", "origin": SITE}


@pytest.fixture(scope="module")
def furnish() -> Furnish:
    def furnish(store: Store, project: Project, users: object) -> None:
        for name, texts in {
            "salary": ["what do you pay", "the salary"],
            "parking": ["where can I park", "parking"],
        }.items():
            add_topic(store, PRODUCT, project, name, answers={"en": f"About {name}."}, examples=texts)
        settings = replace(find_settings(store, project), enabled=True, origins=(SITE,))
        change_settings(store, PRODUCT, project, settings)

    return furnish


@pytest.fixture(autouse=True)
def _calm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat, "LIMITS", chat.Limits())
    monkeypatch.setattr(chat, "PATIENCE_S", 300.0)


def ask(client: TestClient, part: str, headers: dict[str, str] | None = None, **body: Any) -> Any:
    return client.post(f"/chat/jobs/{part}", json=body, headers=headers or {})


def test_while_the_first_assistant_is_trained_a_message_is_asked_for_again(
    stranger: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_end = Event(), Event()

    def prepare(assistant: Assistant, languages: object = ()) -> Assistant:
        begun.set()
        assert may_end.wait(60)
        return assistant

    monkeypatch.setattr(chat, "PATIENCE_S", 0.05)
    monkeypatch.setattr(building, "_LATEST", {})
    monkeypatch.setattr(building, "_TRAINING", Kept(4))
    with monkeypatch.context() as patch:
        patch.setattr(Assistant, "prepare", prepare)
        patch.setattr(Understander, "is_trained", lambda *_: False)
        key = ask(stranger, "open", FOREIGN).json()["key"]
        assert begun.wait(60)
        refused = ask(stranger, "messages", FOREIGN, key=key, id="1", text="where can I park")
        assert (refused.status_code, refused.json()["detail"]) == (202, "the assistant is starting")
        assert refused.headers["retry-after"] == "1"
        assert refused.headers["access-control-allow-origin"] == SITE
        may_end.set()
    monkeypatch.setattr(chat, "PATIENCE_S", 300.0)
    answer = ask(stranger, "messages", FOREIGN, key=key, id="1", text="where can I park").json()
    assert answer["reply"]["texts"] == ["About parking."]


def test_a_page_of_an_allowed_site_talks_without_a_cookie(stranger: TestClient) -> None:
    opened = ask(stranger, "open", FOREIGN)
    assert opened.headers["access-control-allow-origin"] == SITE
    assert "set-cookie" not in opened.headers
    key = opened.json()["key"]
    said = ask(stranger, "messages", FOREIGN, key=key, id="1", text="where can I park")
    assert said.json()["reply"]["texts"] == ["About parking."]
    again = ask(stranger, "messages", FOREIGN, key=key, id="1", text="where can I park")
    assert again.json() == said.json()
    assert [one["text"] for one in ask(stranger, "open", FOREIGN, key=key).json()["messages"]] == ["where can I park"]


def test_a_page_of_any_other_site_is_refused(stranger: TestClient) -> None:
    answer = ask(stranger, "open", {"sec-fetch-site": "cross-site", "origin": "https://evil.example"})
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers
    asked = stranger.options("/chat/jobs/messages", headers={"origin": "https://evil.example"})
    assert asked.status_code == 403


def test_a_browser_is_told_that_an_allowed_site_may_ask(stranger: TestClient) -> None:
    asked = stranger.options("/chat/jobs/messages", headers=FOREIGN)
    assert asked.headers["access-control-allow-origin"] == SITE
    assert asked.headers["access-control-allow-headers"] == "Content-Type"


def test_who_writes_faster_than_people_has_to_wait(stranger: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat, "MOST_OF_VISITOR", 2)
    key = ask(stranger, "open").json()["key"]
    codes = [ask(stranger, "messages", key=key, id=str(n), text="parking").status_code for n in range(3)]
    assert codes == [200, 200, 429]


def test_an_assistant_that_is_off_is_not_there(stranger: TestClient, house: House) -> None:
    change_settings(
        house.store, PRODUCT, house.project, replace(find_settings(house.store, house.project), enabled=False)
    )
    assert ask(stranger, "open").status_code == 404
    assert stranger.get("/chat/jobs").status_code == 404


def test_visitors_get_their_data_and_delete_them(stranger: TestClient) -> None:
    key = ask(stranger, "open").json()["key"]
    ask(stranger, "messages", key=key, id="1", text="parking")
    assert ask(stranger, "export", key=key).json()["talks"][0]["messages"][0]["text"] == "parking"
    assert ask(stranger, "forget", key=key).status_code == 200
    assert ask(stranger, "export", key=key).status_code == 404


def test_the_page_of_the_chat_works_without_scripts_and_in_frames_of_allowed_sites(stranger: TestClient) -> None:
    page = stranger.get("/chat/jobs")
    assert f"frame-ancestors 'self' {SITE};" in page.headers["content-security-policy"]
    key = page.text.split('name="key" value="')[1].split('"')[0]
    answer = stranger.post("/chat/jobs", data={"key": key, "id": "1", "text": "<b>parking</b>"})
    assert "&lt;b&gt;parking&lt;/b&gt;" in answer.text
    assert (
        stranger.post("/chat/jobs", data={"key": key, "id": "2", "text": "parking"}).text.count("About parking.") == 2
    )


def test_the_script_may_be_loaded_by_other_sites(stranger: TestClient) -> None:
    script = stranger.get("/static/chat.js")
    assert script.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "innerHTML" not in script.text
