"""The import of topics: what people send, see before anything is done, do and take back."""

from __future__ import annotations

from base64 import b64decode
from datetime import UTC, datetime
from typing import Any

import pytest
from starlette.testclient import TestClient

from messy_files import messy_book, sheet_form
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
    assert "2 examples in 2 topics can be imported. 1 row needs attention." in page
    assert "the text is empty" in page, "the refused rows come first"
    assert "spaces corrected" in editor.get(f"{path}?kind=changed").text
    assert b"the text is empty" in editor.get(f"{path}.csv").content
    assert names(house) == {"visa"}
    assert editor.post(f"{path}/apply", data={"why": "start"}).status_code == 303
    assert names(house) == {"visa", "greeting"}
    assert editor.get(path).status_code == 404, "a preview works once"
    newest = list_edits(house.store, house.project, limit=1).lines[0].edit
    assert editor.post(f"/p/jobs/edits/{newest.id}/undo").status_code == 303
    assert names(house) == {"visa"}


def test_columns_are_chosen_on_the_preview(editor: TestClient, house: Any) -> None:
    file = ("faq.csv", b"a,b\nWie viel?,Gehalt\nWann?,Beginn\nWo?,Gehalt\n", "text/csv")
    path = editor.post("/p/jobs/import", files={"file": file}).headers["location"]
    form = sheet_form(editor.get(path).text)
    left = editor.post(path, data={**form, "role_0": "", "role_1": ""}).headers["location"]
    page = editor.get(left).text
    assert "Choose what each column contains." in page
    assert "2 columns are left out: a, b." in page
    assert editor.post(f"{left}/apply").status_code == 400
    again = editor.post(left, data={**sheet_form(page), "role_0": "text", "role_1": "topic", "mode": "replace"})
    assert "Replace everything" in editor.get(again.headers["location"]).text
    editor.post(f"{again.headers['location']}/apply")
    assert names(house) == {"Gehalt", "Beginn"}


def test_the_export_of_a_platform_comes_in_and_what_is_left_out_is_named(editor: TestClient, house: Any) -> None:
    nlu = b"nlu:\n- intent: fare\n  examples: |\n    - how much to [Perth](city)\n- synonym: a\n"
    path = editor.post("/p/jobs/import", files={"file": ("nlu.yml", nlu)}, data={"mode": "add"}).headers["location"]
    page = editor.get(path).text
    assert "1 example in 1 topic can be imported." in page
    assert "not imported from this export: synonym" in page
    editor.post(f"{path}/apply")
    assert names(house) == {"fare"}


def test_pasted_text_is_imported_or_dropped(editor: TestClient, house: Any) -> None:
    path = editor.post("/p/jobs/import", data={"pasted": "how much\tpay\nhello"}).headers["location"]
    assert "no topic" in editor.get(path).text
    assert editor.post(f"{path}/drop").headers["location"] == TOPICS
    assert names(house) == set()
    assert editor.get(path).status_code == 404


def test_the_encoding_of_an_older_spreadsheet_is_found_out_and_can_be_chosen(editor: TestClient) -> None:
    file = ("faq.csv", "text;intent\nGröße;Löhne".encode("cp1252"), "text/csv")
    path = editor.post("/p/jobs/import", files={"file": file}).headers["location"]
    page = editor.get(path).text
    assert "Größe" in page
    assert "The file is read as Windows-1252" in page
    assert "1 example in 1 topic can be imported." in page
    other = editor.post(path, data={**sheet_form(page), "encoding": "mac-roman"}).headers["location"]
    assert "Größe" not in editor.get(other).text
    assert '<option value="mac-roman" selected>' in editor.get(other).text
    assert editor.post("/p/jobs/import", files={"file": file}, data={"encoding": "x"}).status_code == 400


def test_what_cannot_be_read_is_told_and_the_typed_text_stays(editor: TestClient) -> None:
    nothing = editor.post("/p/jobs/import", data={"pasted": "", "topic": "none of them"})
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


def test_a_messy_workbook_comes_in_completely_without_a_script(editor: TestClient, house: Any) -> None:
    file = ("faq.xlsx", messy_book(), "x")
    path = editor.post("/p/jobs/import", files={"file": file}).headers["location"]
    page = editor.get(path).text
    assert "FAQ export of the careers bot" in page, "the title row is shown"
    assert "2 columns are left out: No., Comment." in page
    assert "2 rows above the column names are skipped." in page
    form = sheet_form(page)
    assert [form[f"role_{place}"] for place in range(7)] == ["", "topic", "text", "answer", "created", "owner", ""]
    assert form["header"] == ["3"]
    assert sorted(form["fold"]) == ["SALARY", "parking", "salary"]
    fixed = editor.post(path, data={**form, "topic_9": "Parking"}).headers["location"]
    done = editor.post(f"{fixed}/apply", data=sheet_form(editor.get(fixed).text))
    assert done.headers["location"] == TOPICS
    assert names(house) == {"Salary", "Thesis", "Parking", "Visa"}
    with house.store.reading() as tx:
        topics = {topic.name: topic for topic in tx.topics.of_project(house.project.id)}
        rows = tx.examples.of_project(house.project.id)
    assert (topics["Salary"].owner, topics["Visa"].owner) == ("Pay team", "Mobility")
    assert topics["Salary"].answers == {"en": "We pay by level.\n\nYes, in November."}, "no answer is lost"
    assert len(rows) == 8
    assert rows[0].created == datetime(2025, 10, 1, tzinfo=UTC)


def test_a_change_that_was_not_looked_at_is_shown_before_it_is_done(editor: TestClient, house: Any) -> None:
    path = editor.post("/p/jobs/import", files={"file": ("faq.xlsx", messy_book(), "x")}).headers["location"]
    form = {**sheet_form(editor.get(path).text), "role_3": ""}
    shown = editor.post(f"{path}/apply", data=form)
    assert "/import/" in shown.headers["location"]
    assert names(house) == set()
    assert "Check the preview" in b64decode(shown.cookies["viva_flash"].strip('"'), altchars=b"-_").decode()
    page = editor.get(shown.headers["location"]).text
    assert "3 columns are left out: No., Our reply, Comment." in page


def test_another_sheet_and_another_header_row_can_be_chosen(editor: TestClient) -> None:
    path = editor.post("/p/jobs/import", files={"file": ("faq.xlsx", messy_book(), "x")}).headers["location"]
    form = sheet_form(editor.get(path).text)
    notes = editor.get(editor.post(path, data={**form, "to_sheet": "Notes"}).headers["location"]).text
    assert "Please read" in notes
    lower = editor.post(path, data={**form, "header": "4"})
    assert lower.status_code == 404, "the newer preview took its place"
    path = editor.post("/p/jobs/import", files={"file": ("faq.xlsx", messy_book(), "x")}).headers["location"]
    lower_page = editor.get(editor.post(path, data={**form, "header": "4"}).headers["location"]).text
    assert "3 rows above the column names are skipped." in lower_page


def test_a_role_that_is_given_to_another_column_is_taken_from_the_first(editor: TestClient) -> None:
    path = editor.post("/p/jobs/import", files={"file": ("faq.xlsx", messy_book(), "x")}).headers["location"]
    form = {**sheet_form(editor.get(path).text), "role_6": "owner"}
    page = editor.get(editor.post(path, data=form).headers["location"]).text
    assert sheet_form(page)["role_6"] == "owner"
    assert sheet_form(page)["role_5"] == ""
