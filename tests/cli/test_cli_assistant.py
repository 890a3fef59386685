"""`viva assistant`: the talk in the terminal, the exam, lists of occupations."""

from __future__ import annotations

import json

import pytest


def test_a_talk_comes_from_a_pipe(viva, plain):
    result = viva("assistant", "chat", "--explain", input="hello\nnurse in Reading\n")
    assert result.exit_code == 0, result.stderr
    shown = plain(result.stdout)
    assert "> hello" in shown
    assert "stage general" in shown
    assert "profession=nurse; place=Reading" in shown
    assert "https://careers.nordlicht.example" in shown


def test_the_exam_of_a_file_asks_both_stages_and_names_the_mistakes(viva, folder):
    rows = "text,intent,language\nhello,greeting,en\nnurse in Kiel,job_search,en\nHallo,joke,de\n"
    (folder / "asked.csv").write_text(rows, "utf-8")
    result = viva("assistant", "examine", "asked.csv", "--json", "-")
    assert result.exit_code == 0, result.stderr
    content = json.loads(result.stdout)
    assert content["kind"] == "assistant-exam"
    assert content["stages"] == ["general", "faq"]
    assert [row["language"] for row in content["findings"]] == ["all", "en", "de"]
    assert content["findings"][0]["general"]["n"] == 3
    assert [(row["text"], row["verdict"]) for row in content["mistakes"]] == [("Hallo", "general_wrong")]


def test_the_exam_in_the_terminal_is_a_table(viva, plain, folder):
    (folder / "asked.csv").write_text("text,intent\nhello,greeting\n", "utf-8")
    result = viva("assistant", "examine", "asked.csv")
    assert "Unseen" in plain(result.stdout)
    assert "Mistakes by stage: none" in plain(result.stdout)


def test_a_list_of_occupations_is_added_and_removed(viva, folder, monkeypatch):
    monkeypatch.setenv("VIVA_HOME", str(folder / "home"))
    (folder / "own.txt").write_text("wyvern tamer|wyvernherd\n", "utf-8")
    added = json.loads(viva("assistant", "occupations", "own.txt", "--json", "-", "--quiet").stdout)
    assert added["added"]["names"] == 2
    assert "en" in added["own"]
    assert json.loads(viva("assistant", "occupations", "--remove", "--json", "-").stdout)["own"] == {}


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["chat", "no-such"], "demo"),
        (["chat", "--language", "nl"], "en, de, fr, zh"),
        (["examine", "missing.csv"], "missing.csv"),
        (["occupations", "missing.txt"], "missing.txt"),
        (["occupations", "faq.csv", "--remove"], "--remove"),
    ],
)
def test_wrong_calls_are_refused_with_a_remedy(viva, plain, folder, arguments, hint):
    result = viva("assistant", *arguments)
    assert result.exit_code == 2
    assert hint in plain(result.stderr)


def test_the_demo_ends_with_a_talk_that_is_written_down(viva, plain, folder, monkeypatch):
    from vivavoce.cli.demo import TALK, talk_with_assistant

    monkeypatch.setattr("vivavoce.text.get_weights", lambda *_: None)
    monkeypatch.setattr("vivavoce.cli.demo.list_exams", lambda _: [talk_with_assistant])
    result = viva("demo")
    assert result.exit_code == 0, result.stderr
    assert all(f"> {message}" in plain(result.stdout) for message in TALK)
    turns = json.loads((folder / "demo-output" / "assistant.json").read_text("utf-8"))["turns"]
    assert [turn["message"] for turn in turns] == list(TALK)
    assert all(turn["reply"] for turn in turns)
