"""The pages of the assistant: settings, inbox, numbers, openings, outbox."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from visited_assistant import add_faq, visit_assistant

from vivavoce.store.stamps import now
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.assistant import reviewing, tasks
from vivavoce.workspace.assistant.mailing import MailSite, change_site, write_mail
from vivavoce.workspace.assistant.settings import find_settings
from vivavoce.workspace.assistant.talking import list_new

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from conftest import Furnish, House

pytestmark = pytest.mark.slow
PAGES = ("inbox", "automation", "openings", "outbox", "assistant")


@pytest.fixture(scope="module")
def furnish() -> Furnish:
    return add_faq


@pytest.fixture
def key(house: House) -> str:
    """Return the key of a visitor with an answered and an odd question."""
    return visit_assistant(house, "where can I park", "qwertz <b>asdfgh</b> zxcvbn")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_without_content_says_what_to_do(reader: TestClient, editor: TestClient, name: str) -> None:
    assert editor.get(f"/p/jobs/{name}").status_code == 200
    page = reader.get(f"/p/jobs/{name}")
    assert page.status_code == (403 if name == "outbox" else 200)
    assert 'method="post" action="/p/jobs' not in page.text


def waiting(house: House) -> dict[str, str]:
    rows = reviewing.show_inbox(house.store, PRODUCT, house.project).waiting
    return {row.text: row.id for row in rows}


def test_a_review_teaches_and_is_undone_from_the_page(reviewer: TestClient, house: House, key: str) -> None:
    ids = waiting(house)
    odd = ids["qwertz <b>asdfgh</b> zxcvbn"]
    page = reviewer.get(f"/p/jobs/inbox?message={odd}")
    assert "qwertz &lt;b&gt;asdfgh" in page.text
    with house.store.reading() as tx:
        salary = tx.topics.by_name(house.project.id, "salary")
        assert salary is not None
    done = reviewer.post(f"/p/jobs/inbox/{odd}", data={"do": "topic", "topic": salary.id})
    assert done.status_code == 303
    after = reviewer.get(done.headers["location"])
    undo = after.text.split('action="/p/jobs/inbox/undo/')[1].split('"')[0]
    assert odd not in waiting(house).values()
    assert reviewer.post(f"/p/jobs/inbox/undo/{undo}").status_code == 303
    assert odd in waiting(house).values()


def test_a_form_that_names_no_topic_is_refused_beside_the_message(
    reviewer: TestClient, house: House, key: str
) -> None:
    odd = waiting(house)["qwertz <b>asdfgh</b> zxcvbn"]
    assert reviewer.post(f"/p/jobs/inbox/{odd}", data={"do": "topic"}).status_code == 400
    assert reviewer.post(f"/p/jobs/inbox/{odd}", data={"do": "nonsense"}).status_code == 400


def test_a_reply_from_the_page_reaches_the_visitor(reviewer: TestClient, house: House, key: str) -> None:
    odd = waiting(house)["qwertz <b>asdfgh</b> zxcvbn"]
    reviewer.post(f"/p/jobs/inbox/{odd}", data={"do": "reply", "reply": "Hello there"})
    assert [row.text for row in list_new(house.store, house.project, key, 1)] == ["Hello there"]
    assert "Hello there" in reviewer.get(f"/p/jobs/inbox?message={odd}").text


def test_learning_from_the_page_is_shown_there(reviewer: TestClient, house: House, key: str) -> None:
    parked = waiting(house)["where can I park"]
    reviewer.post(f"/p/jobs/inbox/{parked}", data={"do": "right"})
    assert reviewer.post("/p/jobs/automation/learn").status_code == 303
    page = reviewer.get("/p/jobs/automation")
    assert "2 messages count so far" in page.text
    assert 'data-poll="/p/jobs/tasks/learn"' in page.text
    assert "No worker is running" in page.text
    part = reviewer.get("/p/jobs/tasks/learn")
    version = part.text.split('data-version="')[1].split('"')[0]
    assert reviewer.get("/p/jobs/tasks/learn", params={"version": version}).status_code == 204
    task = tasks.claim(house.store, "w")
    assert task is not None
    tasks.perform(house.store, task)
    assert reviewer.get("/p/jobs/tasks/learn").headers["location"] == "/p/jobs/automation"
    assert "0 new examples learned" in reviewer.get("/p/jobs/automation").text


def test_mail_and_openings_are_asked_for_from_their_pages(
    editor: TestClient, reviewer: TestClient, house: House
) -> None:
    with house.store.writing() as tx:
        mail = write_mail(tx, house.project, "a@b.example", "Hello", "Text")
        tx.mails.mark_failed(mail.id, "550 no such person", now() + timedelta(days=4000))
    change_site(house.store, PRODUCT, MailSite("localhost", 9, "", "jobs@b.example"))
    page = editor.get("/p/jobs/outbox").text
    assert "550 no such person" in page
    assert "given up" in page
    assert reviewer.post("/p/jobs/outbox/send", data={"again": mail.id}).status_code == 403
    assert editor.post("/p/jobs/outbox/send", data={"again": mail.id}).status_code == 303
    assert editor.post("/p/jobs/openings", data={"do": "renew"}).status_code == 303
    asked = [(line.task.kind, line.who) for line in tasks.list_tasks(house.store, house.project)]
    assert {kind for kind, _ in asked} == {"mail", "feed"}
    assert all(who for _, who in asked)


def test_settings_are_kept_or_refused_with_what_was_typed(editor: TestClient, house: House) -> None:
    form = {
        "enabled": "on", "languages": "en", "stages": "faq general", "general_threshold": "0.6",
        "faq_threshold": "0.4", "choice_threshold": "0.3", "random_share": "0.2", "retention_days": "30",
        "origins": "https://careers.example/", "consent": "Fine print", "feed": "",
    }  # fmt: skip
    assert editor.post("/p/jobs/assistant", data=form).status_code == 303
    kept = find_settings(house.store, house.project)
    assert (kept.stages, kept.origins, kept.retention_days) == (("faq", "general"), ("https://careers.example",), 30)
    refused = editor.post("/p/jobs/assistant", data=form | {"origins": "nonsense", "faq_threshold": "7"})
    assert refused.status_code == 400
    assert "nonsense" in refused.text


def test_trying_the_assistant_stores_nothing(editor: TestClient, house: House) -> None:
    page = editor.get("/p/jobs/assistant", params={"q": "where can I park"})
    assert "About parking." in page.text
    assert waiting(house) == {}


def test_openings_come_from_a_file_and_bad_rows_are_told(editor: TestClient) -> None:
    good = {"file": ("jobs.csv", b"id,title,place\n1,Nurse,Kiel\n", "text/csv")}
    assert editor.post("/p/jobs/openings", files=good).status_code == 303
    assert "Nurse" in editor.get("/p/jobs/openings").text
    bad = editor.post("/p/jobs/openings", files={"file": ("jobs.csv", b"id,title\n1,\n", "text/csv")})
    assert bad.status_code == 400
    assert "row 1" in bad.text
    assert "Nurse" in bad.text


def test_a_subscription_changes_by_buttons_only(stranger: TestClient, house: House, key: str) -> None:
    from vivavoce.workspace.assistant.mailing import ask_to_confirm

    with house.store.writing() as tx:
        visitor = tx.messages.get(next(iter(waiting(house).values())))
        assert visitor is not None
        talk = tx.talks.get(visitor.talk_id)
        assert talk is not None
        row = ask_to_confirm(tx, house.project, talk.visitor_id, {"address": "a@b.example"})
        (mail,) = tx.mails.of_project(house.project.id)
    link = "/subscription/" + mail.body.split("/subscription/")[1].split()[0]

    def state() -> tuple[bool, bool]:
        with house.store.reading() as tx:
            kept = tx.subscriptions.get(row.id)
            assert kept is not None
            return kept.confirmed is not None, kept.ended is not None

    assert stranger.get(link).status_code == 200
    assert state() == (False, False)
    stranger.post(link)
    assert state() == (True, False)
    end = link.replace("/subscription/", "/unsubscribe/")
    stranger.get(end)
    assert state() == (True, False)
    # A mail program sends this, without a browser's headers.
    del stranger.headers["sec-fetch-site"]
    sent = stranger.post(end, data={"List-Unsubscribe": "One-Click"})
    assert (sent.status_code, state()) == (200, (True, True))
    assert stranger.get("/unsubscribe/nonsense").status_code == 404
