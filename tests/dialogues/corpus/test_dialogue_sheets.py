"""Logs as tables: one row for each message."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from openpyxl import Workbook

from vivavoce.dialogues.corpus.reading import read_dialogues
from vivavoce.dialogues.corpus.sheets import guess_columns
from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance
from vivavoce.errors import DataError, FileError
from vivavoce.files import ReadOptions, build_table


def save(folder: Path, text: str, name: str = "log.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def faults_of(path: Path) -> list[str]:
    with pytest.raises(DataError) as caught:
        read_dialogues(path)
    return [str(fault) for fault in caught.value.faults]


def texts(dialogue: Dialogue) -> list[str]:
    return [turn.text for turn in dialogue.turns]


def test_every_column_is_used(tmp_path: Path) -> None:
    path = save(
        tmp_path,
        "dialogue,speaker,text,is_bot,rating,rater,bot,user,passed,thumb,source\n"
        "1,Ann,hi,no,,,v2,u1,yes,,web\n"
        "1,Max,hello,yes,4,Ann,v2,u1,yes,good,web\n",
    )
    (read,) = read_dialogues(path).dialogues
    turns = (Utterance("Ann", "hi", False), Utterance("Max", "hello", True, True))
    assert read == Dialogue("1", turns, (Rating("Ann", 4.0),), "web", "v2", "u1", True, 2)


def test_other_names_and_delimiters_are_understood(tmp_path: Path) -> None:
    commas = save(tmp_path, 'Conversation ID,Role,Message,Stars\nx,user,"hi, you",5\nx,assistant,hello,5\n')
    points = save(tmp_path, 'Conversation ID;Role;Message;Stars\nx;user;"hi, you";5\nx;assistant;hello;5\n', "b.csv")
    tabs = save(
        tmp_path, "session_id\tsender\tutterance\tscore\nx\tuser\thi, you\t5\nx\tassistant\thello\t5\n", "c.tsv"
    )
    plain = save(tmp_path, 'session_id,sender,utterance,score\nx,user,"hi, you",5\nx,assistant,hello,5\n', "export")
    read = [read_dialogues(path).dialogues for path in (commas, points, tabs, plain)]
    assert read[0] == read[1] == read[2] == read[3]
    assert read[0][0].kind == "human-bot"
    assert read[0][0].ratings == (Rating("", 5.0),)


def test_rows_need_not_stand_together_and_order_is_by_time(tmp_path: Path) -> None:
    path = save(
        tmp_path,
        "dialogue,speaker,text,time\n"
        "a,Ann,second,2024-01-01T10:00:05\n"
        "b,Ann,alone,2024-01-01\n"
        "a,Max,first,2024-01-01T10:00:01\n",
    )
    first, second = read_dialogues(path).dialogues
    assert (texts(first), texts(second)) == (["first", "second"], ["alone"])
    numbered = save(tmp_path, "dialogue,speaker,text,turn\na,Ann,tenth,10\na,Max,ninth,9\n", "n.csv")
    assert texts(read_dialogues(numbered).dialogues[0]) == ["ninth", "tenth"]


def test_a_row_may_bring_a_rating_alone(tmp_path: Path) -> None:
    path = save(tmp_path, "dialogue,speaker,text,rating,order\na,Ann,hi,,1\na,Max,,,2\na,,,3,\n")
    (read,) = read_dialogues(path).dialogues
    assert texts(read) == ["hi", ""]
    assert read.quality == 3


def test_columns_that_are_not_used_are_told(tmp_path: Path) -> None:
    corpus = read_dialogues(save(tmp_path, "dialogue,speaker,text,mood\na,Ann,hi,fine\n"))
    assert any("'mood'" in note for note in corpus.notes)


def test_missing_columns_are_told_at_once_with_the_nearest_name(tmp_path: Path) -> None:
    faults = faults_of(save(tmp_path, "dialogue,speeker,txet\na,Ann,hi\n"))
    assert len(faults) == 2
    assert "'speeker': did you mean 'speaker'?" in faults[0]
    assert "'text'" in faults[1]


def test_what_is_wrong_in_rows_is_told_at_once_with_the_row(tmp_path: Path) -> None:
    path = save(
        tmp_path,
        "dialogue,speaker,text,rating,is_bot,order\n"
        ",Ann,hi,,,1\n"
        "a,,hi,,,1\n"
        "a,Ann,hi,7,,2\n"
        "b,Ann,hi,nan,,1\n"
        "c,Ann,hi,,maybe,1\n"
        "d,Ann,#N/A,,,1\n"
        "e,Ann,hi,,,soon\n"
        "f,Ann,hi,3,,1\n"
        "f,Ann,hi,4,,2\n"
        "g,Ann,hi,,,1,more\n"
        "fine,Ann,hi,good,,1\n",
    )
    faults = faults_of(path)
    expected = {
        2: "dialogue is empty", 3: "speaker is empty", 4: "outside 1 to 5", 5: "NaN", 6: "'is_bot' is 'maybe'",
        7: "spreadsheet error", 8: "neither a number nor a date", 10: "but 3 in row 9", 11: "7 cells",
        12: "'good' is not a number",
    }  # fmt: skip
    assert len(faults) == len(expected)
    for row, said in expected.items():
        assert any(f"{path}, row {row}: " in fault and said in fault for fault in faults), (row, faults)


def test_one_bad_row_leaves_out_its_whole_dialogue_on_request(tmp_path: Path) -> None:
    path = save(tmp_path, "dialogue,speaker,text,rating\na,Ann,hi,9\na,Max,hello,\nb,Ann,hi,4\n")
    corpus = read_dialogues(path, skip_bad=True)
    assert [each.id for each in corpus.dialogues] == ["b"]
    assert corpus.excluded == 1
    assert any("row 2: skipped" in note for note in corpus.notes)


def test_a_bot_that_changes_in_a_dialogue_is_refused(tmp_path: Path) -> None:
    faults = faults_of(save(tmp_path, "dialogue,speaker,text,bot\na,Ann,hi,v1\na,Max,hello,v2\n"))
    assert "the bot is not the same as in row 2" in faults[0]


def test_users_that_change_are_one_note_for_all_dialogues_and_are_not_named(tmp_path: Path) -> None:
    rows = [f"{talk},user,hi,ann@{talk}.org\n{talk},bot,hello,max@{talk}.org\n" for talk in "abc"]
    corpus = read_dialogues(save(tmp_path, "dialogue,speaker,text,user\n" + "".join(rows)))
    assert [talk.user for talk in corpus.dialogues] == ["ann@a.org", "ann@b.org", "ann@c.org"]
    [note] = corpus.notes
    assert "3 dialogues, first in row 2" in note
    assert "@" not in note


def test_replies_may_stand_beside_the_messages(tmp_path: Path) -> None:
    path = save(tmp_path, "Sitzung;Frage;Antwort\na;wie viel?;viel\na;danke;\nb;;Hallo!\n")
    first, second = read_dialogues(path).dialogues
    assert [(turn.text, turn.is_bot) for turn in first.turns] == [
        ("wie viel?", False),
        ("viel", True),
        ("danke", False),
    ]
    assert [(turn.text, turn.is_bot) for turn in second.turns] == [("Hallo!", True)]


def test_who_is_the_bot_can_stand_instead_of_the_speaker(tmp_path: Path) -> None:
    [talk] = read_dialogues(save(tmp_path, "dialogue,text,is_bot\na,hi,no\na,hello,yes\n")).dialogues
    assert [(turn.speaker, turn.is_bot) for turn in talk.turns] == [("user", False), ("bot", True)]


def test_a_title_above_the_table_is_passed_over(tmp_path: Path) -> None:
    path = save(tmp_path, "Export of November,,\ndialogue,speaker,text\na,user,hi\n")
    assert len(read_dialogues(path).dialogues) == 1


def test_columns_of_a_log_are_guessed_by_names_and_cells() -> None:
    lines = [
        ("Gesprächs-ID", "Zeitpunkt", "Absender", "Nachricht", "Kunde", "Bewertung", "Filiale"),
        ("1", "01.10.2025 10:00", "Kunde", "Was kostet das denn?", "a@b.org", "4", "Süd"),
        ("1", "01.10.2025 10:01", "Bot", "Das kostet nichts.", "", "4", "Süd"),
    ]
    table = build_table(enumerate(lines, 1), "log", options=ReadOptions(guess=True, rename=True))
    assert guess_columns(table) == ("dialogue", "order", "speaker", "text", "user", "rating", "")


def test_several_raters_need_names(tmp_path: Path) -> None:
    path = save(tmp_path, "dialogue,speaker,text,rating,rater\na,Ann,hi,3,Ann\na,Max,hello,5,Max\n")
    assert read_dialogues(path).dialogues[0].ratings == (Rating("Ann", 3.0), Rating("Max", 5.0))


def test_numbers_and_dates_from_order_columns_do_not_mix(tmp_path: Path) -> None:
    faults = faults_of(save(tmp_path, "dialogue,speaker,text,time\na,Ann,hi,1\na,Max,hello,2024-01-01\n"))
    assert "number in some rows and a date in others" in faults[0]


def test_a_table_without_rows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no rows"):
        read_dialogues(save(tmp_path, "dialogue,speaker,text\n"))


def test_a_workbook_is_read_with_its_numbers_and_dates(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    for row in (
        ("dialogue", "speaker", "text", "rating", "is_bot", "time"),
        (7, "Ann", 42, None, False, datetime(2024, 1, 1, 10, 2)),
        (7, "Max", "first", 4.0, True, datetime(2024, 1, 1, 10, 1)),
    ):
        sheet.append(row)
    book.save(tmp_path / "log.xlsx")
    (read,) = read_dialogues(tmp_path / "log.xlsx").dialogues
    assert read.id == "7"
    assert [(turn.text, turn.is_bot) for turn in read.turns] == [("first", True), ("42", False)]
    assert read.quality == 4
    book.create_sheet("other").append(("a",))
    book.save(tmp_path / "log.xlsx")
    assert "only the sheet 'Sheet' is read" in read_dialogues(tmp_path / "log.xlsx").notes[0]
    assert read_dialogues(tmp_path / "log.xlsx", sheet="Sheet").dialogues == (read,)
    (tmp_path / "log.xlsx").rename(tmp_path / "nameless")
    with pytest.raises(FileError, match=r"rename it to \.xlsx"):
        read_dialogues(tmp_path / "nameless")


def test_emoji_and_other_languages_stay_as_they_are(tmp_path: Path) -> None:
    (read,) = read_dialogues(save(tmp_path, "dialogue,speaker,text\na,Анна,привет 🙂\na,bot,你好\n")).dialogues
    assert texts(read) == ["привет 🙂", "你好"]
