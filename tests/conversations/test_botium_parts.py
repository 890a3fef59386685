"""Partial conversations of Botium: a reply belongs to the message before it, wherever the two are written."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl import Workbook

from vivavoce.conversations.scenario import Include, Pattern, Suite
from vivavoce.conversations.scenarios.expansion import expand
from vivavoce.conversations.scenarios.suites import read_suite
from vivavoce.errors import DataError, FileError

Talk = list[tuple[str, tuple[str, ...]]]


def suite_of(folder: Path, **files: str) -> Suite:
    """Write files (two underscores for a dot) and read their folder."""
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return read_suite(folder)


def talk(suite: Suite) -> Talk:
    """Return the messages of the first conversation, each with the texts that it expects."""
    turns = expand(suite).scripts[0].turns
    return [(turn.text, tuple(p.text for p in (*turn.expect.any, *turn.expect.all))) for turn in turns]


def test_a_reply_after_an_include_answers_the_last_message_of_the_part(tmp_path: Path) -> None:
    suite = suite_of(
        tmp_path,
        main__convo__txt="main\n#me\nhi\n#bot\nhello\n#include\nLOGIN\n#bot\nYou are in\n",
        login__pconvo__txt="LOGIN\n#me\nlog in\n#bot\nPassword?\n#me\n1234\n",
    )
    assert talk(suite) == [("hi", ("hello",)), ("log in", ("Password?",)), ("1234", ("You are in",))]
    assert suite.notes == ()
    assert suite.parts == {}


def test_a_part_that_begins_with_the_bot_answers_the_message_before_it(tmp_path: Path) -> None:
    suite = suite_of(
        tmp_path,
        main__convo__txt="main\n#me\nlog out\nINCLUDE LOGOUT\n#bot\nYou are out\n",
        logout__pconvo__txt="LOGOUT\n#bot\nAre you sure?\n#me\nyes\n",
    )
    assert talk(suite) == [("log out", ("Are you sure?",)), ("yes", ("You are out",))]
    assert suite.notes == ()


def test_parts_of_parts_are_paired_too(tmp_path: Path) -> None:
    suite = suite_of(
        tmp_path,
        main__convo__txt="main\n#me\nstart\n#include\nOUTER\n#bot\nend\n",
        outer__pconvo__txt="OUTER\n#include\nINNER\n#me\nouter\n",
        inner__pconvo__txt="INNER\n#bot\nasked first\n#me\ninner\n#bot\nfine\n",
    )
    assert talk(suite) == [("start", ("asked first",)), ("inner", ("fine",)), ("outer", ("end",))]


def test_a_part_that_stands_for_itself_stays_a_part(tmp_path: Path) -> None:
    suite = suite_of(
        tmp_path,
        main__convo__txt="main\n#include\nLOGIN\n#me\nhi\n#bot\nhello\n",
        other__convo__txt="other\n#include\nLOGIN\n#bot\nWelcome\n",
        login__pconvo__txt="LOGIN\n#me\nI am Ann\n",
    )
    main, other = suite.scenarios
    assert main.turns[0] == Include("LOGIN")
    assert set(suite.parts) == {"LOGIN"}
    assert [turn.expect.any for turn in other.turns] == [(Pattern("Welcome"),)]


def test_a_part_that_includes_itself_is_refused_not_followed(tmp_path: Path) -> None:
    suite = suite_of(
        tmp_path,
        main__convo__txt="main\n#include\nA\n#bot\nend\n",
        a__pconvo__txt="A\n#me\nx\n#include\nB\n",
        b__pconvo__txt="B\n#me\ny\n#include\nA\n",
    )
    with pytest.raises(DataError, match="includes itself"):
        expand(suite)


def test_parts_that_grow_beyond_reason_are_refused(tmp_path: Path) -> None:
    parts = {f"p{n}__pconvo__txt": f"P{n}\n#bot\nx\n#include\nP{n + 1}\n#include\nP{n + 1}\n" for n in range(30)}
    with pytest.raises(FileError, match="becomes too large with its parts"):
        suite_of(
            tmp_path, main__convo__txt="main\n#me\nhi\n#include\nP0\n", **parts, p30__pconvo__txt="P30\n#bot\nx\n"
        )


def test_hooks_and_a_bot_that_speaks_first_are_told_apart(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, main__convo__txt="main\n#begin\nsetup_api_mock\n#bot\nWelcome\n#me\nhi\n#bot\nhello\n")
    notes = "\n".join(suite.notes)
    assert "line 2: hooks of #begin, not run: setup_api_mock" in notes
    assert "line 4: the bot's opening message, not checked: Welcome" in notes


def test_a_csv_of_partial_conversations_holds_parts(tmp_path: Path) -> None:
    files = {
        "main__convo__csv": "conversationId,sender,text\nmain,me,Login please\nmain,me,INCLUDE Login\n"
        "main,bot,You are logged in!\n",
        "pconvos__pconvo__csv": "conversationId,sender,text\nLogin,bot,Password please!\nLogin,me,123456\n",
    }
    suite = suite_of(tmp_path, **files)
    assert talk(suite) == [("Login please", ("Password please!",)), ("123456", ("You are logged in!",))]
    assert len(suite.scenarios) == 1
    assert talk(read_suite(tmp_path / "main.convo.csv")) == talk(suite)


def test_a_workbook_may_call_its_conversations_dialogs_and_its_parts_partial(tmp_path: Path) -> None:
    book = Workbook()
    for name, rows in {
        "Dialogs": [("User", "Bot"), ("HELLO", None), (None, "hi"), ("INCLUDE Partial-A002", None), (None, "bye")],
        "Utterances": [("REFCODE", "UTTERANCE"), ("HELLO", "hello"), (None, "good day")],
        "Partial": [("User", "Bot"), ("that is all", None)],
    }.items():
        page = book.create_sheet(name)
        for row in rows:
            page.append(row)
    book.remove(book.worksheets[0])
    book.save(tmp_path / "Book2.xlsx")
    suite = read_suite(tmp_path / "Book2.xlsx")
    assert talk(suite) == [("hello", ("hi",)), ("that is all", ("bye",))]
    assert suite.lists == {"HELLO": ("hello", "good day")}
