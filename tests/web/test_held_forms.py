"""What was typed before a session ended is there again after signing in, for the person who typed it."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

import vivavoce.web.pages
from vivavoce.store.rows import Role
from vivavoce.web.held_forms import MAX_BYTES, PERSON_COOKIE, SECRET_FIELDS, held_from_text
from vivavoce.workspace.access.secrets import Cost, hash_password

if TYPE_CHECKING:
    from conftest import House

pytestmark = pytest.mark.slow

SECRET = "correct horse battery"  # noqa: S105 - of nobody
TEXT = 'First line\r\n  second "line" <b>& äöü</b>\r\n'
TOPICS = "/p/jobs/topics"
PLACE = {"referer": "http://localhost/p/jobs/topics/new?from=today"}
WAITING = "You were signed out. Sign in to continue with your text."


@pytest.fixture
def people(house: House) -> House:
    with house.store.writing() as tx:
        for user in house.users.values():
            tx.users.set(user.id, password=hash_password(SECRET, Cost(2, 1, 1)))
    return house


def hidden_fields(page: str) -> dict[str, str]:
    found = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', page.split("<main", 1)[1])
    return {unescape(name): unescape(value) for name, value in found}


def signed_out(house: House, role: Role | None = Role.EDITOR) -> TestClient:
    """Return a browser whose session has ended; with a role it remembers who was signed in."""
    client = house.enter(None)
    if role:
        client.cookies.set(PERSON_COOKIE, house.users[role].id, domain="localhost.local")
    return client


def sent(client: TestClient, **fields: str) -> str:
    """Send a new topic and return the page that comes instead."""
    answer = client.post(TOPICS, data={"name": "hours", "description": TEXT, **fields}, headers=PLACE)
    assert answer.status_code == 401
    assert WAITING in answer.text
    return answer.text


def signing_in(client: TestClient, page: str, role: Role = Role.EDITOR, password: str = SECRET):
    return client.post("/sign-in", data={**hidden_fields(page), "login": f"{role}@example.org", "password": password})


def test_what_was_typed_is_saved_after_signing_in_again(people: House) -> None:
    client = signed_out(people)
    waiting = signing_in(client, sent(client))
    assert waiting.status_code == 200
    assert waiting.headers["cache-control"] == "no-store, no-transform"
    assert f'action="{TOPICS}"' in waiting.text
    assert 'href="/p/jobs/topics/new?from=today"' in waiting.text
    assert client.post(TOPICS, data=hidden_fields(waiting.text)).status_code == 303
    with people.store.reading() as tx:
        (topic,) = tx.topics.of_project(people.project.id)
    assert topic.description.replace("\r\n", "\n") == TEXT.strip().replace("\r\n", "\n")


def test_a_wrong_password_loses_nothing(people: House) -> None:
    client = signed_out(people)
    refused = signing_in(client, sent(client), password="wrong")  # noqa: S106 - of nobody
    assert refused.status_code == 400
    assert WAITING in refused.text
    assert hidden_fields(signing_in(client, refused.text).text)["name"] == "hours"


def test_who_is_somebody_else_does_not_see_it(people: House) -> None:
    client = signed_out(people, Role.ADMIN)
    answer = signing_in(client, sent(client), Role.EDITOR)
    assert answer.status_code == 303
    shown = client.get(answer.headers["location"]).text
    assert "Someone else was signed in here before" in shown
    assert "second" not in shown


def test_a_browser_that_remembers_nobody_gets_back_what_was_typed_in_it(people: House) -> None:
    client = signed_out(people, None)
    assert hidden_fields(signing_in(client, sent(client)).text)["name"] == "hours"


def test_the_browser_remembers_who_signed_in_last_and_signing_out_changes_nothing(people: House) -> None:
    client = people.enter(None)
    client.post("/sign-in", data={"login": "editor@example.org", "password": SECRET})
    assert client.cookies[PERSON_COOKIE] == people.users[Role.EDITOR].id
    client.post("/sign-out")
    assert client.cookies[PERSON_COOKIE] == people.users[Role.EDITOR].id
    assert client.get("/projects").status_code == 303


def test_a_form_with_a_password_is_not_held(people: House) -> None:
    client = signed_out(people)
    answer = client.post("/account/password", data={"old": SECRET, "password": "a new secret", "repeated": "x"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?next=/")


def test_every_secret_field_of_a_form_is_known_as_one() -> None:
    folder = Path(vivavoce.web.pages.__path__[0])
    named = {
        name
        for path in folder.rglob("*.py")
        for name in re.findall(r'form\.secret\("(\w+)"\)', path.read_text(encoding="utf-8"))
    }
    assert named == SECRET_FIELDS


def test_what_is_too_long_to_wait_is_told_before_signing_in(people: House) -> None:
    client = signed_out(people)
    answer = client.post(TOPICS, data={"name": "x", "text": "long " * MAX_BYTES}, headers=PLACE)
    assert answer.status_code == 303
    page = client.get(answer.headers["location"]).text
    assert "too long to keep here" in page
    assert 'value="/p/jobs/topics/new?from=today"' in page


def test_a_button_without_text_leads_back_to_its_page(people: House) -> None:
    answer = signed_out(people).post("/p/jobs/edits/1/undo", headers={"referer": "http://localhost/p/jobs/edits"})
    assert answer.headers["location"] == "/sign-in?next=/p/jobs/edits"


def test_files_are_named_and_chosen_again(people: House) -> None:
    client = signed_out(people)
    page = client.post("/p/jobs/import", data={"text": "kept"}, files={"file": ("faq.csv", b"a,b\n1,2\n")}).text
    waiting = signing_in(client, page).text
    assert "Choose faq.csv again" in waiting
    assert 'enctype="multipart/form-data"' in waiting
    assert re.search(r'<input type="file"[^>]* name="file" required>', waiting)
    assert hidden_fields(waiting)["text"] == "kept"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "no json",
        '{"path": "//evil.example/", "back": "/", "person": "", "fields": [], "files": []}',
        '{"path": "https://evil.example/", "back": "/", "person": "", "fields": [], "files": []}',
        '{"path": "/p/x", "back": "/", "person": "", "fields": [1], "files": []}',
    ],
)
def test_nothing_is_sent_to_other_sites_whatever_a_hidden_field_says(text: str) -> None:
    assert held_from_text(text) is None


def test_another_site_cannot_plant_a_form(people: House) -> None:
    foreign = {"sec-fetch-site": "cross-site"}
    assert signed_out(people).post(TOPICS, data={"name": "planted"}, headers=foreign).status_code == 403
    assert signed_out(people).post("/sign-in", data={"held": "{}"}, headers=foreign).status_code == 403


def test_programs_are_told_as_before(people: House) -> None:
    answer = people.enter(None).post("/api/v1/projects", json={"name": "x"})
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
