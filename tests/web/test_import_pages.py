"""The import of topics: what people send, see before anything is done, do and take back."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from vivavoce.store.rows import Role
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.topics.history import list_edits
from vivavoce.workspace.topics.topics import add_topic

TOPICS = "/p/jobs/topics"


def names(house: Any) -> set[str]:
    with house.store.reading() as tx:
        return {topic.name for topic in tx.topics.of_project(house.project.id)}


def test_a_file_is_previewed_and_imported_and_taken_back(editor: TestClient, house: Any) -> None:
    add_topic(house.store, PRODUCT, house.project, "visa", examples=["visa 0"])
    file = ("faq.csv", b"text,intent\nvisa 0,visa\n  hi ,greeting\n,greeting\nbye,greeting\n", "text/csv")
    sent = editor.post("/p/jobs/import", files={"file": file}, data={"mode": "add"})
    assert sent.status_code == 303
    path = sent.headers["location"]
    page = editor.get(path).text
    assert "2 rows accepted, 1 of them put right, 1 joined, 1 refused" in page
    assert "the text is empty" in page, "the refused rows come first"
    assert "blanks were put right" in editor.get(f"{path}?kind=changed").text
    assert b"the text is empty" in editor.get(f"{path}.csv").content
    assert names(house) == {"visa"}
    assert editor.post(f"{path}/apply", data={"why": "start"}).status_code == 303
    assert names(house) == {"visa", "greeting"}
    assert editor.get(path).status_code == 404, "a preview works once"
    newest = list_edits(house.store, house.project, limit=1).lines[0].edit
    assert editor.post(f"/p/jobs/edits/{newest.id}/undo").status_code == 303
    assert names(house) == {"visa"}


def test_columns_are_chosen_on_the_preview(editor: TestClient, house: Any) -> None:
    file = ("faq.csv", b"frage,thema\nWie viel?,Gehalt\n", "text/csv")
    path = editor.post("/p/jobs/import", files={"file": file}).headers["location"]
    assert "Choose which column" in editor.get(path).text
    assert editor.post(f"{path}/apply").status_code == 400
    again = editor.post(path, data={"text_column": "frage", "topic_column": "thema", "mode": "replace"})
    assert "Replace everything" in editor.get(again.headers["location"]).text
    editor.post(f"{again.headers['location']}/apply")
    assert names(house) == {"Gehalt"}


def test_pasted_text_is_imported_or_dropped(editor: TestClient, house: Any) -> None:
    path = editor.post("/p/jobs/import", data={"pasted": "how much\tpay\nhello"}).headers["location"]
    assert "no topic" in editor.get(path).text
    assert editor.post(f"{path}/drop").headers["location"] == TOPICS
    assert names(house) == set()
    assert editor.get(path).status_code == 404


def test_a_file_of_an_older_spreadsheet_is_read_with_the_encoding_that_the_refusal_names(editor: TestClient) -> None:
    file = ("faq.csv", "text;intent\nGröße;Löhne".encode("cp1252"), "text/csv")
    refused = editor.post("/p/jobs/import", files={"file": file})
    assert refused.status_code == 400
    assert "Windows-1252" in refused.text
    sent = editor.post("/p/jobs/import", files={"file": file}, data={"encoding": "cp1252"})
    page = editor.get(sent.headers["location"]).text
    assert "Größe" in page
    assert "1 row accepted" in page
    assert '<option value="cp1252" selected>' in page
    assert editor.post("/p/jobs/import", files={"file": file}, data={"encoding": "x"}).status_code == 400


def test_what_cannot_be_read_is_told_and_the_typed_text_stays(editor: TestClient) -> None:
    nothing = editor.post("/p/jobs/import", data={"pasted": "", "out_of_scope": "none of them"})
    assert nothing.status_code == 400
    assert "none of them" in nothing.text
    broken = editor.post("/p/jobs/import", files={"file": ("faq.xlsx", b"PK", "x")})
    assert broken.status_code == 400
    assert "faq.xlsx" in broken.text
    assert "viva-" not in broken.text


@pytest.mark.parametrize("role", [Role.READER, Role.REVIEWER])
def test_a_preview_belongs_to_whoever_made_it(house: Any, editor: TestClient, admin: TestClient, role: Role) -> None:
    path = editor.post("/p/jobs/import", data={"pasted": "a\tb"}).headers["location"]
    assert admin.get(path).status_code == 404
    assert house.enter(role).get(path).status_code == 403
    assert editor.get(path).status_code == 200
