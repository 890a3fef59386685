"""Trackers of Rasa: whole, as lists, as lines, and cut into sessions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vivavoce.dialogues.corpus.reading import read_dialogues
from vivavoce.errors import DataError

START = [
    {"event": "action", "name": "action_session_start", "timestamp": 1.0},
    {"event": "session_started", "timestamp": 1.0},
    {"event": "action", "name": "action_listen", "timestamp": 1.0},
]


def user(text: object, **more: object) -> dict[str, object]:
    return {"event": "user", "text": text, "timestamp": 2.0, "parse_data": {"intent": {"name": "greet"}}} | more


def bot(text: object, **more: object) -> dict[str, object]:
    return {"event": "bot", "text": text, "data": {"buttons": None}, "timestamp": 3.0} | more


def save(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_a_tracker_is_one_dialogue_of_user_and_bot(tmp_path: Path) -> None:
    slot = {"event": "slot", "name": "city", "value": "Ulm"}
    events = [*START, user("hi"), slot, bot("hello", metadata={"assistant_id": "helper"})]
    path = save(tmp_path / "tracker.json", {"sender_id": "s1", "slots": {}, "events": events})
    (dialogue,) = read_dialogues(path).dialogues
    assert [(turn.speaker, turn.text, turn.is_bot) for turn in dialogue.turns] == [
        ("user", "hi", False),
        ("bot", "hello", True),
    ]
    assert (dialogue.id, dialogue.user, dialogue.bot) == ("s1", "s1", "helper")


def test_sessions_are_dialogues_of_their_own(tmp_path: Path) -> None:
    events = [*START, user("a"), bot("b"), *START, user("c"), {"event": "restart"}, user("d"), *START]
    corpus = read_dialogues(save(tmp_path / "x.json", [{"sender_id": "s", "events": events}]), format="rasa")
    assert [each.id for each in corpus.dialogues] == ["s/1", "s/2", "s/3"]
    assert [[turn.text for turn in each.turns] for each in corpus.dialogues] == [["a", "b"], ["c"], ["d"]]
    assert any("is skipped because it has no messages" in note for note in corpus.notes)


@pytest.mark.parametrize("format", [None, "rasa"])
def test_trackers_may_stand_on_lines(tmp_path: Path, format: str | None) -> None:
    path = tmp_path / "trackers.jsonl"
    lines = [json.dumps({"sender_id": name, "events": [user("hi"), bot("yes")]}) for name in "ab"]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert [each.id for each in read_dialogues(path, format=format).dialogues] == ["a", "b"]


def test_a_picture_is_a_turn_without_text_and_a_command_is_none(tmp_path: Path) -> None:
    events = [user("/session_start"), user("/greet"), bot(None, data={"image": "x.png"})]
    corpus = read_dialogues(save(tmp_path / "x.json", {"sender_id": "s", "events": events}))
    assert [turn.text for turn in corpus.dialogues[0].turns] == ["/greet", ""]
    assert "'/session_start' is skipped" in corpus.notes[0]


def test_a_tracker_in_which_nobody_spoke_is_kept(tmp_path: Path) -> None:
    (dialogue,) = read_dialogues(save(tmp_path / "x.json", {"sender_id": "s", "events": START})).dialogues
    assert dialogue.turns == ()


@pytest.mark.parametrize("format", [None, "rasa", "json"])
def test_trackers_may_stand_under_the_names_of_their_senders(tmp_path: Path, format: str | None) -> None:
    events = [user("hi"), bot("yes")]
    path = save(tmp_path / "x.json", {"u1": {"sender_id": "one", "events": events}, "u2": {"events": events * 2}})
    corpus = read_dialogues(path, format=format)
    assert [(each.id, len(each.turns)) for each in corpus.dialogues] == [("one", 2), ("u2", 4)]
    assert corpus.notes == ()


def test_a_fault_of_a_tracker_under_a_name_is_told_with_the_name(tmp_path: Path) -> None:
    path = save(tmp_path / "x.json", {"u1": {"events": [user("hi")]}, "u2": {"events": "none"}})
    with pytest.raises(DataError) as caught:
        read_dialogues(path)
    assert [fault.where.rpartition(", ")[2] for fault in caught.value.faults] == ["sender 'u2'"]


def test_an_object_of_other_things_is_not_taken_for_trackers(tmp_path: Path) -> None:
    path = save(tmp_path / "x.json", {"u1": {"events": [user("hi")]}, "version": 3})
    with pytest.raises(DataError):
        read_dialogues(path)


def test_what_is_wrong_with_a_tracker_is_told_at_once(tmp_path: Path) -> None:
    trackers = [{"events": "none"}, {"sender_id": "s", "events": [user(True), "hi", {"name": "x"}]}]
    with pytest.raises(DataError) as caught:
        read_dialogues(save(tmp_path / "x.json", trackers))
    told = [str(fault) for fault in caught.value.faults]
    assert len(told) == 5
    assert "item 1: the key 'sender_id' is missing" in told[0]
    assert "event 1: the text is true or false" in told[2]
