"""The same for programs: topics, examples, imports and the history through the API."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

API = "/api/v1/projects/jobs"


@pytest.fixture
def visa(editor: TestClient) -> str:
    body = {"name": "visa", "answers": {"en": "Yes."}, "examples": ["visa 0", "visa 1"]}
    answer = editor.post(f"{API}/topics", json=body)
    assert answer.status_code == 201
    return str(answer.json()["topic"]["id"])


@pytest.fixture
def pay(editor: TestClient) -> str:
    return str(editor.post(f"{API}/topics", json={"name": "pay"}).json()["topic"]["id"])


def texts(client: TestClient, **query: Any) -> list[str]:
    return [one["text"] for one in client.get(f"{API}/examples", params=query).json()["items"]]


def ids(client: TestClient, topic: str) -> list[str]:
    return [one["id"] for one in client.get(f"{API}/examples", params={"topic": topic}).json()["items"]]


def test_topics_are_listed_shown_changed_and_deleted(editor: TestClient, visa: str, pay: str) -> None:
    found = editor.get(f"{API}/topics", params={"sort": "-size", "limit": 1}).json()
    assert (found["total"], found["items"][0]["topic"]["name"], found["items"][0]["size"]) == (2, "visa", 2)
    edit = editor.patch(f"{API}/topics/{visa}", json={"name": "permits", "answers": {"de": "Ja."}}).json()
    shown = editor.get(f"{API}/topics/{visa}").json()
    assert (shown["topic"]["name"], shown["topic"]["answers"]) == ("permits", {"en": "Yes.", "de": "Ja."})
    undone = editor.post(f"{API}/edits/{edit['id']}/undo", json={"why": "a try"})
    assert (undone.status_code, undone.json()["undoes"]) == (201, edit["id"])
    assert editor.get(f"{API}/topics/{visa}").json()["topic"]["name"] == "visa"
    assert editor.delete(f"{API}/topics/{pay}").status_code == 200
    assert editor.get(f"{API}/topics/{pay}").status_code == 404


def test_examples_are_added_moved_split_off_written_anew_and_deleted(editor: TestClient, visa: str, pay: str) -> None:
    added = editor.post(f"{API}/examples", json={"texts": ["wage", "visa\t0", "wage"], "topic": pay}).json()
    assert (added["added"], added["known"]) == (2, ["wage"])
    first, second = ids(editor, visa)
    assert editor.post(f"{API}/examples/move", json={"examples": [first], "topic": None}).status_code == 200
    assert texts(editor, out_of_scope=True) == ["visa 0"]
    assert editor.put(f"{API}/examples/{second}", json={"text": "visa one"}).status_code == 200
    made = editor.post(f"{API}/examples/split", json={"examples": [second], "name": "permits"})
    assert made.status_code == 201
    assert texts(editor, topic=made.json()["topic"]["id"]) == ["visa one"]
    assert editor.post(f"{API}/examples/delete", json={"examples": [second]}).status_code == 200
    assert texts(editor, search="VISA") == ["visa 0", "visa 0"]


def test_topics_are_merged(editor: TestClient, visa: str, pay: str) -> None:
    body = {"topics": [visa], "into": pay, "answer": "take"}
    assert editor.post(f"{API}/topics/merge", json=body).status_code == 200
    assert editor.get(f"{API}/topics/{pay}").json()["topic"]["answers"] == {"en": "Yes."}
    assert texts(editor, topic=pay) == ["visa 0", "visa 1"]


def test_an_import_is_prepared_looked_at_and_done(editor: TestClient, visa: str) -> None:
    file = {"file": ("faq.csv", b"text,intent\nhi,greeting\nvisa 0,visa\n,visa\n", "text/csv")}
    prepared = editor.post(f"{API}/imports/file", files=file, data={"mode": "add"})
    assert prepared.status_code == 201, prepared.text
    told = prepared.json()
    assert told["counts"] == {"refused": 1, "changed": 0, "joined": 1, "added": 1}
    assert told["effect"]["new_topics"] == ["greeting"]
    rows = editor.get(f"{API}/imports/{told['key']}/rows", params={"kind": "refused"}).json()
    assert (rows["total"], rows["items"][0]["number"]) == (1, 4)
    again = editor.put(f"{API}/imports/{told['key']}", json={"mode": "replace"}).json()
    assert again["effect"]["gone_examples"] == 1
    assert editor.post(f"{API}/imports/{told['key']}/apply", json={}).status_code == 404
    assert editor.post(f"{API}/imports/{again['key']}/apply", json={"why": "anew"}).status_code == 201
    assert sorted(texts(editor)) == ["hi", "visa 0"]
    assert editor.get(f"{API}/topics/export.json").json()["examples"][0]["text"] == "visa 0"


def test_pasted_text_is_imported_and_a_preview_forgotten(editor: TestClient) -> None:
    told = editor.post(f"{API}/imports", json={"text": "hi\tgreeting\nyo", "topic": "greeting"}).json()
    assert told["counts"]["added"] == 2
    assert editor.delete(f"{API}/imports/{told['key']}").status_code == 204
    assert editor.delete(f"{API}/imports/{told['key']}").status_code == 404


def test_the_history_tells_what_an_edit_did(editor: TestClient, visa: str) -> None:
    lines = editor.get(f"{API}/edits").json()
    assert (lines["total"], lines["items"][0]["who"]) == (1, "editor")
    shown = editor.get(f"{API}/edits/{lines['items'][0]['edit']['id']}").json()
    assert [row["noun"] for row in shown["rows"]] == ["topic", "answer", "example", "example"]


def test_an_undo_that_a_later_edit_prevents_says_so(editor: TestClient, visa: str) -> None:
    first, _ = (editor.patch(f"{API}/topics/{visa}", json={"name": name}).json() for name in ("permits", "papers"))
    refused = editor.post(f"{API}/edits/{first['id']}/undo", json={})
    assert refused.status_code == 409
    assert "a later change depends on it: Topic permits: renamed to papers" in refused.text
    assert "faster" not in refused.text


def test_the_encoding_of_a_file_is_found_out_or_named(editor: TestClient) -> None:
    file = {"file": ("faq.csv", "text;intent\nGröße;Löhne".encode("cp1252"), "text/csv")}
    for choices in ({}, {"encoding": "cp1252"}, {"roles": ["text", "topic"], "header": "1", "twins": "true"}):
        told = editor.post(f"{API}/imports/file", files=file, data=choices).json()
        assert told["effect"]["new_topics"] == ["Löhne"]
    assert editor.post(f"{API}/imports/file", files=file, data={"encoding": "x"}).status_code == 422


def test_a_reader_looks_and_changes_nothing(reader: TestClient, visa: str) -> None:
    assert reader.get(f"{API}/topics").status_code == 200
    for method, path in (("POST", "/topics"), ("POST", "/examples"), ("DELETE", f"/topics/{visa}")):
        assert reader.request(method, API + path, json={"name": "x", "texts": ["x"]}).status_code == 403


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/topics", {"name": "none"}),
        ("POST", "/topics", {"name": " "}),
        ("POST", "/topics", {"name": "a\0b"}),
        ("POST", "/topics", {"name": "x", "answers": {"not a language": "y"}}),
        ("POST", "/topics", {"name": "x", "examples": [" "]}),
        ("POST", "/topics/merge", {"topics": ["\0"], "into": "x"}),
        ("POST", "/examples", {"texts": []}),
        ("POST", "/examples", {"texts": ["x"], "topic": "gone"}),
        ("POST", "/examples/move", {"examples": ["gone\0"], "topic": None}),
        ("PUT", "/examples/gone", {"text": "x"}),
        ("POST", "/imports", {"text": "\0"}),
        ("POST", "/imports", {"text": "text,intent\n"}),
        ("POST", "/imports/key/apply", {}),
        ("POST", "/edits/gone/undo", {}),
        ("GET", "/topics?sort=colour", None),
        ("GET", "/examples?search=%00", None),
        ("GET", "/examples?topic=%00", None),
        ("GET", "/topics?search=%00", None),
        ("GET", "/edits/%00", None),
        ("GET", "/imports/%00/rows", None),
        ("GET", "/topics/export.pdf", None),
    ],
)
def test_what_cannot_be_used_is_refused_and_never_breaks_the_server(
    editor: TestClient, method: str, path: str, body: Any
) -> None:
    answer = editor.request(method, API + path, json=body)
    assert 400 <= answer.status_code < 500 or (path == "/imports" and answer.status_code == 201), answer.text
