"""The public data sets, as far as they are here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vivavoce.dialogues.corpus.published import PUBLISHED, read_convai2017, read_dstc9, read_fed, read_published
from vivavoce.dialogues.dialogue import Kind
from vivavoce.errors import FileError, UsageError

pytestmark = pytest.mark.slow

COUNTS = {"convai2017": (3307, 3773), "convai2018": (3987, 3356), "dstc9": (1990, 5853), "fed": (125, 625)}


@pytest.mark.shared
@pytest.mark.parametrize("name", PUBLISHED)
def test_every_dialogue_and_every_mark_is_read(shared: Path, name: str) -> None:
    dialogues = read_published(name, shared / "data")
    marks = [rating.quality for each in dialogues for rating in each.ratings if rating.quality is not None]
    assert (len(dialogues), len(marks)) == COUNTS[name]
    assert all(1 <= mark <= 5 for mark in marks)
    assert len({each.id for each in dialogues}) == len(dialogues)
    assert all(each.source for each in dialogues)
    assert dialogues == read_published(name, shared / "data" / name)


@pytest.mark.shared
def test_thumbs_and_aspects_of_2017_are_read(shared: Path) -> None:
    dialogues = read_convai2017(shared / "data")
    thumbs = [turn.thumb for each in dialogues for turn in each.turns]
    assert (thumbs.count(True), thumbs.count(False)) == (4768, 3985)
    july = [rating for each in dialogues if each.source == "july2017" for rating in each.ratings]
    assert all(set(rating.aspects) == {"breadth", "engagement"} for rating in july)
    both = [each for each in dialogues if len(each.speakers) == 2]
    assert sum(each.kind is Kind.HUMAN_HUMAN for each in both) == sum(len(each.ratings) == 2 for each in both) > 0
    assert not any(each.bot or each.user for each in dialogues)


@pytest.mark.shared
def test_2018_names_bots_and_users_of_volunteers(shared: Path) -> None:
    dialogues = read_published("convai2018", shared / "data")
    named = [each for each in dialogues if each.bot is not None]
    assert len(named) == 1263
    assert all(each.user and each.source.startswith("volunteers") for each in named)


@pytest.mark.shared
def test_dstc9_has_eleven_bots_and_marks_of_outsiders(shared: Path) -> None:
    dialogues = read_dstc9(shared / "data")
    assert {each.bot for each in dialogues} == {f"chatbot{number}" for number in range(1, 12)}
    assert all(each.kind is Kind.HUMAN_BOT for each in dialogues)
    aspects = [rating.aspects for each in dialogues for rating in each.ratings]
    assert sum(map(len, aspects)) == 5853 * 10 - 205  # 205 are remarks, not marks


@pytest.mark.shared
def test_fed_keeps_people_apart_from_bots(shared: Path) -> None:
    dialogues = read_fed(shared / "data")
    kinds = {(each.bot, each.kind) for each in dialogues}
    assert kinds == {("Mitsuku", Kind.HUMAN_BOT), ("Meena", Kind.HUMAN_BOT), ("Human", Kind.HUMAN_HUMAN)}
    assert all(each.speakers == ("User", "System") for each in dialogues)
    first = dialogues[0]
    assert (first.turns[1].text, [rating.quality for rating in first.ratings]) == ("Hi! What's up?", [4, 2, 3, 4, 5])
    assert "error_recovery" not in first.ratings[0].aspects
    assert first.ratings[1].aspects["error_recovery"] == 1


def test_a_mark_of_zero_is_kept_as_published(tmp_path: Path) -> None:
    turns = [{"speaker": "user0", "text": "hi", "is_bot": False}]
    item = {"id": "x", "source": "autumn2017", "turns": turns, "ratings": {"user0": {"quality": 0}}}
    (tmp_path / "dialogues.jsonl").write_text(json.dumps(item), encoding="utf-8")
    assert read_convai2017(tmp_path)[0].quality == 0


def test_an_unknown_set_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Did you mean 'convai2017'"):
        read_published("convai17", tmp_path)


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_folder_without_the_set_is_refused(tmp_path: Path, name: str) -> None:
    for place in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(FileError, match="was not found"):
            read_published(name, place)


@pytest.mark.parametrize("content", ['{"id": 1}', "[1]", "{", '{"id": "x", "turns": [3], "ratings": {}}', "\udcff"])
@pytest.mark.parametrize("name", PUBLISHED)
def test_another_file_of_the_same_name_is_refused(tmp_path: Path, name: str, content: str) -> None:
    file = tmp_path / ("fed_data.json" if name == "fed" else "dialogues.jsonl")
    file.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(FileError):
        read_published(name, tmp_path)
