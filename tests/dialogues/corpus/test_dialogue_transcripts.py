"""Logs as plain text with speakers."""

from __future__ import annotations

from pathlib import Path

import pytest

from vivavoce.dialogues.corpus.reading import Corpus, read_dialogues
from vivavoce.dialogues.dialogue import Rating
from vivavoce.errors import DataError, FileError


def read(folder: Path, text: str, **options: object) -> Corpus:
    path = folder / "talks.txt"
    path.write_text(text, encoding="utf-8")
    return read_dialogues(path, **options)  # type: ignore[arg-type]


def spoken(corpus: Corpus) -> list[list[tuple[str, str]]]:
    return [[(turn.speaker, turn.text) for turn in each.turns] for each in corpus.dialogues]


def test_blank_lines_part_dialogues(tmp_path: Path) -> None:
    corpus = read(tmp_path, "User: hi\nBot: hello\n\n\nUser: bye\nBot: see you\n")
    assert spoken(corpus) == [[("User", "hi"), ("Bot", "hello")], [("User", "bye"), ("Bot", "see you")]]
    assert [each.id for each in corpus.dialogues] == ["talks-1", "talks-2"]
    assert [each.row for each in corpus.dialogues] == [1, 5]
    assert [turn.is_bot for turn in corpus.dialogues[0].turns] == [False, True]


def test_a_single_dialogue_is_called_after_its_file(tmp_path: Path) -> None:
    assert read(tmp_path, "User: hi\nBot: hello").dialogues[0].id == "talks"


def test_where_rules_or_titles_part_dialogues_blank_lines_do_not(tmp_path: Path) -> None:
    ruled = read(tmp_path, "Ann: hi\n\nMax: hello\n---\nAnn: bye\n\nMax: see you\n")
    titled = read(tmp_path, "# first\n\nAnn: hi\nMax: hello\n\n# second\nAnn: bye\nMax: see you\n")
    assert spoken(ruled) == spoken(titled)
    assert [len(talk) for talk in spoken(ruled)] == [2, 2]
    assert [each.id for each in titled.dialogues] == ["first", "second"]


def test_a_title_without_messages_is_a_dialogue_without_turns(tmp_path: Path) -> None:
    corpus = read(tmp_path, "# first\n# second\nAnn: hi\n")
    assert [len(each.turns) for each in corpus.dialogues] == [0, 1]


def test_a_blank_line_after_every_message_makes_one_dialogue_and_a_note(tmp_path: Path) -> None:
    corpus = read(tmp_path, "User: hi\n\nBot: hello\n\nUser: bye\n")
    assert [len(talk) for talk in spoken(corpus)] == [3]
    assert "one dialogue" in corpus.notes[0]


def test_lines_go_on_until_somebody_else_speaks(tmp_path: Path) -> None:
    text = "Ann: look at\nhttp://example.org\n  Note: indented\nhe said to me and you: no\nMax:\nMax: yes\n"
    assert spoken(read(tmp_path, text)) == [
        [
            ("Ann", "look at\nhttp://example.org\nNote: indented\nhe said to me and you: no"),
            ("Max", ""),
            ("Max", "yes"),
        ]
    ]


def test_times_before_the_speaker_are_passed_over(tmp_path: Path) -> None:
    text = (
        "[12:03] Ann: a\n12:04 Max: b\n2024-01-31 12:05:22 - Ann: c\n31/01/24, 12:06 PM - Max: d\n"
        "[31.01.24, 12:07:01] Ann: it is 12:08: late\n"
    )
    assert spoken(read(tmp_path, text)) == [
        [("Ann", "a"), ("Max", "b"), ("Ann", "c"), ("Max", "d"), ("Ann", "it is 12:08: late")]
    ]


def test_ratings_stand_on_lines_of_their_own(tmp_path: Path) -> None:
    corpus = read(
        tmp_path, "Ann: hi\nMax: hello\nRating: 4\n\nAnn: a\nMax: b\nrating by Ann: 2\nrating by Max: 5/5\n"
    )
    assert corpus.dialogues[0].ratings == (Rating("", 4.0),)
    assert corpus.dialogues[1].ratings == (Rating("Ann", 2.0), Rating("Max", 5.0))


def test_the_user_names_the_bot(tmp_path: Path) -> None:
    corpus = read(tmp_path, "Ann: hi\nMax: hello\n", bot="Max")
    assert corpus.dialogues[0].bots == {"Max"}


def test_faults_are_told_at_once_with_their_line(tmp_path: Path) -> None:
    text = "no speaker here\nAnn: hi\n---\nAnn: hi\nrating: 9\n---\nAnn: hi\nrating: 3\nrating: 4\n---\nAnn: fine\n"
    with pytest.raises(DataError) as caught:
        read(tmp_path, text)
    told = [str(fault) for fault in caught.value.faults]
    assert ["line 1:" in told[0], "line 5:" in told[1], "line 9:" in told[2], len(told)] == [True, True, True, 3]
    corpus = read(tmp_path, text, skip_bad=True)
    assert (len(corpus.dialogues), corpus.excluded) == (1, 3)


def test_the_same_title_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the same id was already used in line 1"):
        read(tmp_path, "# a\nAnn: hi\n# a\nAnn: hi\n")


def test_a_wrong_encoding_is_refused_with_a_remedy(tmp_path: Path) -> None:
    path = tmp_path / "talks.txt"
    path.write_bytes("Zoë: hi\n".encode("cp1252"))
    with pytest.raises(FileError, match="--encoding cp1252"):
        read_dialogues(path)
    assert read_dialogues(path, encoding="cp1252").dialogues[0].speakers == ("Zoë",)
