"""Journeys with the assistant: a visitor on a company's page, a recruiter in the inbox, and what comes of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from halls import Hall
from journeys import flash, visiting
from opening import check_accessible

from vivavoce.store.rows import Project, Role
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.assistant import openings
from vivavoce.workspace.assistant.settings import change_settings, find_settings
from vivavoce.workspace.topics.topics import add_topic

pytestmark = pytest.mark.browser
FAQ = {
    "salary": ["what do you pay", "how much is the salary", "what will I earn"],
    "parking": ["can I park my car", "is there parking", "where do I park"],
}
FEED = b"id,title,profession,place,country,language,url\n1,Nurse,nurse,Berlin,DE,en,https://a.example/1\n"
ODD = "qwertz the flumph"


@pytest.fixture(scope="module")
def project(hall: Hall) -> Project:
    with hall.store.writing() as tx:
        made = tx.projects.add("helpers", "Helpers", language="en", classifier="linear", threshold=0.5)
    for name, texts in FAQ.items():
        add_topic(hall.store, PRODUCT, made, name, answers={"en": f"All about {name}."}, examples=texts)
    settings = replace(find_settings(hall.store, made), enabled=True, random_share=1.0)
    change_settings(hall.store, PRODUCT, made, settings)
    openings.import_openings(hall.store, PRODUCT, made, openings.read_feed(FEED))
    return made


@pytest.fixture
def page(hall: Hall, browser: Any) -> Iterator[Any]:
    with visiting(browser, hall.url, hall.states[Role.EDITOR]) as page:
        yield page


@pytest.fixture
def host(hall: Hall, browser: Any, project: Project) -> Iterator[Any]:
    """A company's page on another site, with the strictest content policy, and the chat in it."""
    site = hall.url.rstrip("/")
    policy = (
        f"default-src 'none'; script-src {site}; style-src 'self'; connect-src {site}; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )
    body = (
        '<!doctype html><html lang="LANGUAGE"><head><title>Careers</title></head><body><main><h1>Careers</h1></main>'
        f'<script src="{site}/static/chat.js" data-project="helpers" defer></script></body></html>'
    )

    class Company(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Security-Policy", policy)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            # The address says the language of the page: /de
            language = self.path.strip("/") or "en"
            self.wfile.write(body.replace("LANGUAGE", language).encode())

        def log_message(self, *said: object) -> None:
            """Say nothing."""

    company = ThreadingHTTPServer(("127.0.0.1", 0), Company)
    Thread(target=company.serve_forever, daemon=True).start()
    origin = f"http://localhost:{company.server_port}"
    change_settings(hall.store, PRODUCT, project, replace(find_settings(hall.store, project), origins=(origin,)))
    context = browser.new_context(color_scheme="dark", viewport={"width": 390, "height": 800})
    page = context.new_page()
    # The first talk of a server trains the assistant.
    page.set_default_timeout(120_000)
    page.faults = []
    page.on("console", lambda message: page.faults.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.goto(f"{origin}/en")
    yield page
    context.close()
    company.shutdown()
    company.server_close()


def write(chat: Any, text: str) -> None:
    chat.get_by_label("Your message").fill(text)
    chat.keyboard.press("Enter")


def test_from_an_odd_question_to_an_answer_that_was_learned(page: Any, host: Any, project: Project) -> None:
    host.get_by_role("button", name="Chat").click()
    log = host.locator(".log")
    write(host, "is there parking")
    log.get_by_text("All about parking.").wait_for()
    write(host, ODD)
    log.locator(".theirs").nth(2).wait_for()

    page.goto("/p/helpers/inbox?order=newest")
    page.get_by_role("link", name=re.compile(ODD)).click()
    check_accessible(page)
    page.get_by_label(re.compile("Reply to the visitor")).fill("Do you mean parking?")
    page.get_by_role("button", name="Send the reply").click()
    flash(page, re.compile("Your reply is sent"))
    log.get_by_text("Do you mean parking?").wait_for()
    page.get_by_label("Other topic").select_option("parking")
    page.get_by_role("button", name="Use this topic").click()
    flash(page, re.compile("Corrected: parking"))

    page.goto("/p/helpers/automation")
    # Another process of the server may answer, which trains from scratch.
    page.set_default_timeout(150_000)
    page.get_by_role("button", name="Learn now").click()
    flash(page, re.compile("The assistant will learn"))
    # A worker does it, and the page loads itself anew.
    page.get_by_text("1 new example learned").first.wait_for()
    check_accessible(page)
    before = log.get_by_text("All about parking.").count()
    write(host, f"{ODD}!")
    host.wait_for_function(
        "n => [...document.querySelector('body > div:last-of-type').shadowRoot.querySelectorAll('.theirs')]"
        ".filter(p => p.textContent.includes('All about parking.')).length > n",
        arg=before,
    )
    page.reload()
    assert "3 messages count" in page.locator("main").inner_text()
    assert host.faults == []


def test_the_chat_is_for_keys_and_keeps_the_talk(host: Any) -> None:
    launcher = host.get_by_role("button", name="Chat")
    launcher.focus()
    host.keyboard.press("Enter")
    host.get_by_label("Your message").wait_for()
    write(host, "how much is the salary")
    host.get_by_text("All about salary.").wait_for()
    check_accessible(host)
    host.keyboard.press("Escape")
    assert launcher.get_attribute("aria-expanded") == "false"
    host.reload()
    host.get_by_role("button", name="Chat").click()
    host.get_by_text("All about salary.").wait_for()
    assert host.context.cookies() == []


@pytest.mark.parametrize(
    ("language", "chat", "label", "place", "profession"),
    [
        ("en", "Chat", "Your message", "I am looking for a job in Berlin", "nurse"),
        ("de", "Chat", "Deine Nachricht", "Ich suche eine Stelle in Berlin", "Krankenpflegerin"),
        ("fr", "Chat", "Votre message", "Je cherche un emploi à Berlin", "infirmière"),
        ("zh", "聊天", "您的消息", "我想在柏林找工作", "护士"),
    ],
)
def test_a_job_is_found_in_each_language(  # noqa: PLR0917 - what differs between languages
    host: Any, language: str, chat: str, label: str, place: str, profession: str
) -> None:
    host.goto(host.url.replace("/en", f"/{language}"))
    host.get_by_role("button", name=chat).click()
    box = host.get_by_label(label)
    answers = host.locator(".theirs")
    answers.first.wait_for()
    before = answers.count()
    box.fill(place)
    host.keyboard.press("Enter")
    # Asked for what is missing, then shown.
    answers.nth(before).wait_for()
    assert answers.nth(before).get_attribute("lang") == language
    box.fill(profession)
    host.keyboard.press("Enter")
    link = host.get_by_role("link", name="Nurse · Berlin")
    link.wait_for()
    assert link.get_attribute("href") == "https://a.example/1"
    check_accessible(host)
    assert host.faults == []


@pytest.mark.parametrize("name", ["assistant", "openings", "outbox", "automation", "inbox"])
def test_the_pages_of_the_assistant_are_accessible(page: Any, project: Project, name: str) -> None:
    page.goto(f"/p/helpers/{name}")
    check_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_page_of_the_chat_is_accessible(page: Any, project: Project) -> None:
    page.goto("/chat/helpers")
    page.get_by_label("Your message").wait_for()
    check_accessible(page)
