"""Logs as people have them come in: any columns, old encodings, one warning for many dialogues."""

from __future__ import annotations

from typing import Any

from starlette.testclient import TestClient

from messy_files import old_log, sheet_form

BASE = "/p/jobs/dialogues"


def test_an_old_log_comes_in_completely_without_a_script_and_names_nobody_in_its_notes(
    house: Any, editor: TestClient
) -> None:
    file = ("log.csv", old_log(12), "text/csv")
    path = editor.post(f"{BASE}/add", files={"file": file}).headers["location"]
    page = editor.get(path).text
    assert "12 dialogues with 36 messages can be imported." in page
    assert "The file is read as Windows-1252" in page
    assert "1 column is left out: Agentur." in page
    notes = page[page.index("What will happen") : page.index("Bot and batch")]
    assert "example.org" not in notes
    assert editor.post(f"{path}/apply", data=sheet_form(page)).status_code == 303
    with house.store.reading() as tx:
        first = next(talk for talk in tx.dialogues.of_project(house.project.id) if talk.name == "G-1")
    assert [turn["text"] for turn in first.turns][1] == "Das hängt von der Prüfung ab – möchten Sie mehr wissen?"
    assert [turn["is_bot"] for turn in first.turns] == [False, True, False]
    assert first.turns[0]["time"] == "2025-10-01T10:01:00+00:00"
    assert first.person == "frau.mueller1@example.org"


def test_a_log_with_unknown_columns_is_no_dead_end(house: Any, editor: TestClient) -> None:
    table = b"x,y,z\n1,hello you there,Tom\n1,good day to you,Kim\n2,what is up now,Ann\n2,good day again sir,Kim\n"
    path = editor.post(f"{BASE}/add", files={"file": ("log.csv", table, "text/csv")}).headers["location"]
    page = editor.get(path).text
    assert "Choose the column that identifies the dialogue." in page
    assert editor.post(f"{path}/apply", data=sheet_form(page)).status_code == 400
    form = {**sheet_form(page), "role_0": "dialogue", "role_1": "text", "role_2": "speaker"}
    ready = editor.get(editor.post(path, data=form).headers["location"]).text
    assert "2 dialogues with 4 messages can be imported." in ready


def test_many_dialogues_with_the_same_fault_are_one_warning(editor: TestClient) -> None:
    rows = "".join(f"{n},user,hi,99\n" for n in range(30)) + "x,user,hi,4\n"
    file = ("log.csv", f"dialogue,speaker,text,rating\n{rows}".encode(), "text/csv")
    page = editor.get(editor.post(f"{BASE}/add", files={"file": file}).headers["location"]).text
    reasons = page[page.index("Why dialogues are rejected") : page.index("Bot and batch")]
    assert reasons.count("<li>") == 1
    assert "<b>30</b>" in reasons
