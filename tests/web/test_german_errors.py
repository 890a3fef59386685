"""Whoever reads German is refused in German: what is wrong, where, and what to do next, whoever found it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from starlette.testclient import TestClient
from test_german_pages import Reading, english

from vivavoce.store.rows import Role
from vivavoce.web.language import catalogue

HERE = "/p/jobs"
# A form or an address that is refused, and words that stand in the answer.
REFUSED: tuple[tuple[str, dict[str, str] | None, str], ...] = (
    (f"{HERE}/runs/99", None, "Lauf 99 nicht gefunden"),
    ("/p/none", None, "Es gibt kein Projekt 'none'"),
    ("/nowhere", None, "Unter dieser Adresse gibt es nichts"),
    (f"{HERE}/topics/none", None, "Thema nicht gefunden"),
    (f"{HERE}/topics?page=x", None, "Die Anfrage ist nicht lesbar"),
    ("/sign-out", None, "Diese Seite unterstützt diese Art von Anfrage nicht"),
    (f"{HERE}/import", {"pasted": ""}, "Weder Datei noch Text angegeben"),
    (f"{HERE}/bots/new", {"form": "yaml", "name": "x", "entry": "kind: http\nurl: [\n"}, "entry, Zeile 3"),
    (f"{HERE}/bots/new", {"form": "yaml", "name": "a/b", "entry": "kind: http"}, "Namen dürfen kein `/`"),
    (f"{HERE}/bots/new", {"form": "http", "name": "x", "url": "ftp://x"}, "muss mit http:// oder https:// beginnen"),
    (f"{HERE}/bots/new", {"form": "yaml", "name": "x", "entry": "kind: htp"}, "Meinten Sie 'http'?"),
    (f"{HERE}/suites", {"do": "shipped", "shipped": "fligth"}, "Meinten Sie 'flight'?"),
    (f"{HERE}/suites", {"do": "upload"}, "Keine Datei ausgewählt"),
    (f"{HERE}/intents", {"classifier": "linear", "retries": "x"}, "muss eine ganze Zahl von 1 bis 100 sein"),
    (f"{HERE}/intents", {"classifier": "tfidf"}, "Das Projekt hat noch keine Beispiele"),
    (f"{HERE}/engines", {"classifiers": "tfidf"}, "1 angegeben: wählen Sie mindestens 2"),
    (f"{HERE}/settings", {"name": "Work", "threshold": "7", "classifier": "linear"}, "ist keine Zahl von 0 bis 1"),
    (
        "/people",
        {"login": "reader@example.org", "name": "Twin"},
        "Der Anmeldename 'reader@example.org' ist bereits vergeben",
    ),
    ("/people", {"login": "", "name": ""}, "der Anmeldename braucht 1 bis"),
    ("/account/keys", {"key": "", "days": "30"}, "wählen Sie mindestens eine Berechtigung für den Schlüssel"),
    ("/settings", {"contact": "x" * 400}, "dies ist länger als"),
    ("/projects", {"name": "Jobs"}, "Das Projekt 'jobs' existiert bereits"),
)


@pytest.fixture
def german(house: Any) -> TestClient:
    client: TestClient = house.enter(Role.ADMIN)
    client.headers["cookie"] += "; viva_language=de"
    return client


def left_in_english(page: str) -> set[str]:
    """Return what of a page is English though the catalogue tells it: whole texts, and longer parts of others."""
    reading = Reading()
    reading.feed(page)
    told = {text for text, said in vars(catalogue("de"))["_catalog"].items() if text != said and " " in text}
    whole = "\n".join(reading.texts)
    return {text for text in reading.texts if text.rstrip(".:") in told} | {
        part for part in english() if part in whole
    }


def test_whatever_is_refused_is_refused_in_german(german: TestClient) -> None:
    found: dict[str, set[str]] = {}
    for path, form, words in REFUSED:
        answer = german.get(path) if form is None else german.post(path, data=form)
        assert 400 <= answer.status_code < 500, (path, answer.status_code)
        text = re.sub(r"\s+", " ", answer.text.replace("&#39;", "'"))
        assert words in text, (path, form, words)
        found |= {path: rest} if (rest := left_in_english(answer.text)) else {}
    assert not found


def test_the_reasons_of_an_import_are_told_in_german(german: TestClient) -> None:
    lines = "how much\tpay\nhow  much\tpay\nhello\nwhere\tnull\n=1\tpay\nhow much\thelp"
    path = german.post(f"{HERE}/import", data={"pasted": lines}).headers["location"]
    pages = [german.get(f"{path}?kind={kind}").text for kind in ("", "added", "changed", "joined", "refused")]
    assert not set().union(*map(left_in_english, pages))
    assert "kein Thema: geben Sie es nach einem Tabulator an" in "".join(pages)
    assert "ist ein reserviertes Wort" in "".join(pages)
    file = ("talks.csv", b"dialogue,speaker,text,rating\n1,A,hello,9\n2,A,hi,\n2,B,,\n", "text/csv")
    sent = german.post(f"{HERE}/dialogues/add", files={"file": file}, data={"batch": "one"})
    shown = german.get(sent.headers["location"]).text
    assert "liegt außerhalb von 1 bis 5" in shown
    assert not left_in_english(shown)
