"""Whoever reads German reads German: on no page stands an English sentence of the product."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from html.parser import HTMLParser
from typing import Any

import pytest
from filled_house import Filled
from starlette.testclient import TestClient

from vivavoce.store.stamps import now
from vivavoce.web.language import catalogue
from vivavoce.web.security.cookies import session_cookie
from vivavoce.workspace.access.secrets import new_secret

pytestmark = pytest.mark.slow

# The reference of the programming interface speaks the language of programs.
FOR_PROGRAMS = ("/api", "/static")
# So many pages of one shape are looked at: ten topics look alike.
ALIKE = 2
HIDDEN = ("script", "style", "code", "pre", "textarea")
PLACE = re.compile(r"\{[^}]*\}|%\(\w+\)s")


class Reading(HTMLParser):
    """Gathers what a reader sees or hears of a page, and where its links lead."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self.links: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.hidden += tag in HIDDEN
        told = dict(attrs) if not self.hidden else {}
        self.texts += [" ".join(text.split()) for name in ("title", "aria-label") if (text := told.get(name))]
        if tag == "a" and told.get("href") and "download" not in told:
            self.links.append(str(told["href"]).partition("#")[0])

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in HIDDEN

    def handle_data(self, data: str) -> None:
        if not self.hidden and data.strip():
            self.texts.append(" ".join(data.split()))


@pytest.fixture
def german(served: Any, filled: Filled) -> TestClient:
    """Return the browser of an admin who reads German, at a workspace in which exams were held."""
    secret = new_secret()
    with filled.store.writing() as tx:
        admin = next(user for user in tx.users.all() if user.login == "admin")
        tx.sessions.open(admin.id, secret.digest, "test", now() + timedelta(days=1))
    client: TestClient = served.browser(filled.store)
    cookie = session_cookie(secret.text, secure=False).split(";")[0]
    client.headers["cookie"] = f"{cookie}; viva_language=de"
    return client


def shape(address: str) -> str:
    """Return what pages of one kind have in common: names of files and numbers do not count."""
    path, _, query = address.partition("?")
    names = sorted(part.partition("=")[0] for part in query.split("&"))
    return re.sub(r"/[0-9a-f]{12,}|/\d+|/talks/.+|-\d+", "/*", path) + "?" + "&".join(names)


def visit(client: TestClient, start: str) -> Iterator[tuple[str, Reading]]:
    """Yield every page that links lead to, some of each shape."""
    ahead, seen, shapes = [start, "/help", "/account"], set[str](), list[str]()
    while ahead:
        address = ahead.pop(0)
        if address in seen or not address.startswith("/") or address.startswith(FOR_PROGRAMS):
            continue
        seen.add(address)
        shapes.append(shape(address))
        if shapes.count(shapes[-1]) > ALIKE:
            continue
        answer = client.get(address)
        # A report is a file that was written when the run ended, in English.
        if answer.status_code == 200 and '<main id="main"' in answer.text:
            page = Reading()
            page.feed(answer.text)
            yield address, page
            ahead += page.links


@cache
def english() -> tuple[str, ...]:
    """Return what of the English texts is told otherwise in German and is long enough to be no accident."""
    texts = {
        (key if isinstance(key, str) else key[0]): said
        for key, said in vars(catalogue("de"))["_catalog"].items()
        if key and said
    }
    parts = {part.strip() for text, said in texts.items() if text != said for part in PLACE.split(text)}
    return tuple(part for part in parts if len(part.split()) > 3)


def test_no_english_sentence_stands_on_a_german_page(german: TestClient, filled: Filled) -> None:
    known, found, pages = english(), set[tuple[str, str]](), 0
    assert len(known) > 500
    for address, page in visit(german, f"/p/{filled.project.slug}"):
        pages += 1
        whole = "\n".join(page.texts)
        found |= {(part, shape(address)) for part in known if part in whole}
    assert pages > 40
    assert not sorted(found)
