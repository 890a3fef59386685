"""ConvAI as it was published: hand-written files in exactly that shape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from vivavoce.dialogues.corpus.published import missing_parts, read_published
from vivavoce.dialogues.corpus.reading import read_dialogues
from vivavoce.dialogues.dialogue import Dialogue, Kind, Rating, Utterance
from vivavoce.errors import DataError, FileError

# Alice is a person and Bob a bot. The mark that Alice gave stands under Bob; a bot gives none, which is written as 0.
WITH_BOT: dict[str, Any] = {
    "dialogId": -1682987452,
    "context": "The Hashimiyya movement overthrew the Umayyad caliphate.",
    "users": [{"userType": "Human", "id": "Alice"}, {"userType": "Bot", "id": "Bob"}],
    "evaluation": [
        {"userId": "Bob", "quality": 3, "breadth": 2, "engagement": 4},
        {"userId": "Alice", "quality": 0, "breadth": 0, "engagement": 0},
    ],
    "thread": [
        {"userId": "Alice", "text": "Hello!", "evaluation": 0, "time": 526000000},
        {"userId": "Bob", "text": "What is the text about?", "evaluation": 2, "time": 526000001},
        {"userId": "Alice", "text": "\udcd0\udc9e\udcd0\udcba", "evaluation": 0, "time": 526000002},
        {"userId": "Bob", "text": "What?", "evaluation": 1},
    ],
}
BETWEEN_PEOPLE: dict[str, Any] = {
    "dialogId": 179647003,
    "context": "Hayek had made contact with many in Chicago.",
    "users": [{"userType": "Human", "id": "Bob"}, {"userType": "Human", "id": "Alice"}],
    "evaluation": [{"userId": "Alice", "quality": 1}, {"userId": "Bob", "quality": 4}],
    "thread": [{"userId": "Bob", "text": "Had Hayek read it?"}, {"userId": "Alice", "text": "No idea."}],
}
TURNS_2017 = (
    Utterance("Alice", "Hello!", False),
    Utterance("Bob", "What is the text about?", True, True),
    Utterance("Alice", "Ок", False),
    Utterance("Bob", "What?", True, False),
)
VOLUNTEERED: dict[str, Any] = {
    "dialog": [
        {"id": 0, "sender": "participant1", "text": "Hello!", "evaluation_score": None, "sender_class": "Human"},
        {"id": 1, "sender": "participant2", "text": "Hi! How are you?", "evaluation_score": 1, "sender_class": "Bot"},
        {"id": 2, "sender": "participant1", "text": "Not bad!", "evaluation_score": None, "sender_class": "Human"},
        {"id": 3, "sender": "participant2", "text": "I like ps4.", "evaluation_score": 0, "sender_class": "Bot"},
    ],
    "start_time": "2018-10-29 09:08:40",
    "end_time": "2018-10-29 09:12:32",
    "bot_profile": ["my favorite singer is taylor swift."],
    "user_profile": ["they are constantly on my back."],
    "eval_score": 5,
    "profile_match": 1,
    "participant1_id": {"class": "User", "user_id": "User 00892"},
    "participant2_id": {"class": "Bot", "user_id": "Bot 002"},
}
PAID: dict[str, Any] = {
    "dialog_id": "0x18da5a21",
    "dialog": [
        {"id": 0, "sender": "participant1", "text": "Hi"},
        {"id": 1, "sender": "participant2", "text": "Yes, i am a very experienced person."},
    ],
    "eval_score": None,
    "profile_match": "",
}


def write(path: Path, *items: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(items), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["train_full.json", "train_final.json", "data_train_1501534800.json"])
@pytest.mark.parametrize("place", ["file", "folder", "holder"])
def test_2017_is_read_from_a_file_its_folder_or_a_folder_of_sets(tmp_path: Path, name: str, place: str) -> None:
    file = write(tmp_path / "convai2017" / name, WITH_BOT, BETWEEN_PEOPLE)
    given = {"file": file, "folder": file.parent, "holder": tmp_path}[place]
    bot, people = read_published("convai2017", given)
    assert bot == Dialogue(
        "convai2017:-1682987452",
        TURNS_2017,
        (Rating("Alice", 3.0, {"breadth": 2.0, "engagement": 4.0}),),
        "july2017",
        row=1,
    )
    assert people.kind is Kind.HUMAN_HUMAN
    assert people.ratings == (Rating("Bob", 1.0), Rating("Alice", 4.0))


def test_both_files_of_the_archive_are_read_and_the_whole_file_replaces_them(tmp_path: Path) -> None:
    write(tmp_path / "data_train_1501534800.json", WITH_BOT)
    write(tmp_path / "data_test_1501534800.json", BETWEEN_PEOPLE)
    assert len(read_published("convai2017", tmp_path)) == 2
    write(tmp_path / "train_full.json", WITH_BOT, BETWEEN_PEOPLE)
    assert len(read_published("convai2017", tmp_path)) == 2


def test_2018_is_read_with_bots_people_thumbs_and_marks(tmp_path: Path) -> None:
    write(tmp_path / "data_volunteers.json", PAID | {"dialog_id": "0x1"}, VOLUNTEERED)
    write(tmp_path / "export_2018-07-05_train.json", PAID)
    paid, _, volunteered = read_published("convai2018", tmp_path)
    assert (paid.id, paid.source, paid.ratings) == ("convai2018:0x18da5a21", "toloka_2018-07", ())
    assert [(turn.speaker, turn.is_bot) for turn in paid.turns] == [("user", False), ("bot", True)]
    assert (volunteered.id, volunteered.row) == ("convai2018:data_volunteers:1", 2)
    assert (volunteered.bot, volunteered.user) == ("Bot 002", "User 00892")
    assert volunteered.ratings == (Rating("user", 5.0, {"profile_match": 1.0}),)
    assert [turn.thumb for turn in volunteered.turns] == [None, True, None, False]


def test_what_is_missing_is_named_with_where_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(FileError) as refused:
        read_published("convai2017", tmp_path)
    assert "train_full.json" in refused.value.remedy
    assert "https://github.com/deepmipt/turing-data" in refused.value.remedy
    write(tmp_path / "data_volunteers.json", VOLUNTEERED)
    missing = missing_parts("convai2018", tmp_path)
    assert [part.source for part in missing] == ["toloka_2018-07", "volunteers_2018-07_10"]
    assert all(part.where for part in missing)
    write(tmp_path / "train_full.json", WITH_BOT)
    assert [(part.source, part.where) for part in missing_parts("convai2017", tmp_path)] == [("autumn2017", "")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("<!DOCTYPE html><title>train_full.json at master</title>", "it is a web page"),
        ("{}", "it is not a list"),
        ("[{}]", "it has other keys"),
        (json.dumps([WITH_BOT | {"users": [{"id": "Alice"}]}]), "'userType' is missing"),
        (json.dumps([WITH_BOT | {"thread": [{"userId": "Eve", "text": "x"}]}]), "'Eve' speaks"),
        (json.dumps([WITH_BOT | {"thread": [{"userId": "Bob", "text": "x", "evaluation": 7}]}]), "is 7"),
        (json.dumps([WITH_BOT | {"evaluation": [{"userId": "Bob", "quality": 9}]}]), "outside 1 to 5"),
    ],
)
def test_a_file_that_differs_is_refused_with_what_differs(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "train_full.json").write_text(content, encoding="utf-8")
    with pytest.raises(FileError, match=said):
        read_published("convai2017", tmp_path)


def test_a_published_file_is_a_log_with_marks_too(tmp_path: Path) -> None:
    log = read_dialogues(write(tmp_path / "train_full.json", WITH_BOT, BETWEEN_PEOPLE))
    assert [dialogue.quality for dialogue in log.dialogues] == [3.0, 2.5]
    assert log.dialogues[0].turns == TURNS_2017
    assert any("the key 'context' is ignored (2 dialogues" in note for note in log.notes)
    assert not any("evaluation" in note for note in log.notes)
    later = read_dialogues(write(tmp_path / "data_volunteers.json", VOLUNTEERED))
    assert (later.dialogues[0].quality, later.dialogues[0].bot) == (5.0, "Bot 002")
    with pytest.raises(DataError, match="1 dialogue invalid"):
        read_dialogues(write(tmp_path / "odd.json", WITH_BOT | {"evaluation": [{"userId": "Eve", "quality": 1}]}))
