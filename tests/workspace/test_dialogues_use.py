"""Talks in a workspace: brought in from files and runs, listed, scored."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from places import in_both
from vivavoce.demo import dialogues_path
from vivavoce.dialogues.corpus.stored import read_stored
from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance
from vivavoce.errors import AbsentError, AccessError, DataError, FileError, UsageError
from vivavoce.store.database import Store
from vivavoce.store.repositories.dialogues import DialogueFilter
from vivavoce.store.rows import Project, Role, Run, RunState, ScoreRow, TurnRow, Unit, UnitState
from vivavoce.store.stamps import new_id, now
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.dialogues import reading
from vivavoce.workspace.dialogues.dialogues import (
    begin_scoring,
    delete_batch,
    find_talk,
    list_batches,
    list_bots,
    list_talks,
    talk_ids,
)
from vivavoce.workspace.dialogues.imports import (
    PENDING,
    add_talks,
    apply_talks,
    change_talks,
    open_talks,
    prepare_talks,
)
from vivavoce.workspace.dialogues.reading import TalkChoices, talks_of_run
from vivavoce.workspace.uploads import Source

READER = Actor(None, "a reader", Role.READER)
EDITOR = Actor(None, "an editor", Role.EDITOR)
NOON = datetime(2024, 5, 2, 12, tzinfo=UTC)


@pytest.fixture
def project(store: Store) -> Project:
    with store.writing() as tx:
        return tx.projects.add("jobs", "Jobs", language="en", classifier="tfidf", threshold=0.5)


def talk(name: str, *texts: str, bot: str | None = "Iris", marks: Sequence[float] = ()) -> Dialogue:
    turns = tuple(Utterance("bot" if n % 2 else "you", text, is_bot=bool(n % 2)) for n, text in enumerate(texts))
    return Dialogue(name, turns, tuple(Rating(f"p{n}", mark) for n, mark in enumerate(marks)), bot=bot)


def add(store: Store, project: Project, *talks: Dialogue, batch: str = "first", existing: str = "skip"):
    choices = TalkChoices(batch, existing="replace" if existing == "replace" else "skip")
    return add_talks(store, PRODUCT, project, talks, choices)


def lines(*talks: dict[str, object]) -> Source:
    return Source("log.jsonl", "\n".join(json.dumps(one) for one in talks).encode())


def plain(name: str, said: str = "hi") -> dict[str, object]:
    turns = [{"speaker": "you", "text": said}, {"speaker": "Iris", "text": "Hello!"}]
    return {"id": name, "turns": turns}


def finished_run(store: Store, project: Project, kind: str = "dialogues", units: Sequence[str] = ()) -> Run:
    """Keep a run that is done; `units`: the keys of conversations that it held."""
    with store.writing() as tx:
        run = Run(
            new_id(), project.id, tx.runs.next_number(project.id), kind, "a run", RunState.DONE, {}, 1, 1, 1, 0,
            "", "", None, None, None, "1", "0", 0, now(), now(), now(),
        )  # fmt: skip
        done = [
            Unit(key, run.id, key, key, place, 0, "Rex", "", UnitState.DONE, 1, None, None, None, None, "")
            for place, key in enumerate(units)
        ]
        tx.runs.add(run, b"", done)
    return run


def score(store: Store, project: Project, run: Run, **values: float | None) -> None:
    with store.writing() as tx:
        ids = tx.dialogues.ids(project.id)
        tx.scores.put(
            ScoreRow(run.id, ids[name], value, None if value is None else value - 0.5, value, "", {})
            for name, value in values.items()
        )


# --- files -------------------------------------------------------------------------------------------------------


@in_both
def test_a_file_is_shown_talk_by_talk_before_anything_is_kept(store: Store, project: Project) -> None:
    source = lines(plain("a", "is the job open"), {"id": "b"}, plain("c"))
    preview = prepare_talks(store, PRODUCT, project, source, TalkChoices(speaker="Iris"))
    assert preview.counts == {"refused": 1, "replaced": 0, "skipped": 0, "added": 2}
    assert [row.begins for row in preview.rows if row.kind == "added"] == ["is the job open", "hi"]
    assert "turns" in next(row.reason for row in preview.rows if row.kind == "refused")
    assert list_talks(store, project).total == 0
    taken = apply_talks(store, PRODUCT, project, preview.key)
    assert (taken.batch, taken.added, len(taken.refused)) == ("log", 2, 1)
    assert {line.name for line in list_talks(store, project).lines} == {"a", "c"}
    first = find_talk(store, project, list_talks(store, project, sort="name").lines[0].id)
    assert [turn["is_bot"] for turn in first.row.turns] == [None, True]
    with pytest.raises(AbsentError):
        apply_talks(store, PRODUCT, project, preview.key)


def test_a_shipped_log_comes_in_with_all_its_marks(store: Store, project: Project) -> None:
    path = dialogues_path()
    preview = prepare_talks(store, PRODUCT, project, Source(path.name, path.read_bytes()), TalkChoices())
    taken = apply_talks(store, PRODUCT, project, preview.key)
    assert taken.added == list_talks(store, project).total == 40
    assert sum(line.marks > 0 for line in list_talks(store, project, limit=1000).lines) == sum(
        row.marks > 0 for row in preview.rows
    )


def test_a_file_in_which_nothing_can_be_used_is_refused_with_every_reason(store: Store, project: Project) -> None:
    with pytest.raises(DataError) as refused:
        prepare_talks(store, PRODUCT, project, lines({"id": "a"}, {"id": "b"}), TalkChoices())
    assert len(refused.value.faults) == 2
    assert "log.jsonl" in refused.value.where
    assert "--" not in str(refused.value)


def test_a_preview_can_be_changed_and_dropped(store: Store, project: Project) -> None:
    first = prepare_talks(store, PRODUCT, project, lines(plain("a")), TalkChoices())
    second = change_talks(store, PRODUCT, project, first.key, TalkChoices("march", bot="Rex"))
    assert (second.choices.batch, second.rows[0].bot) == ("march", "Rex")
    assert open_talks(store, PRODUCT, project, second.key) == second
    with pytest.raises(AbsentError):
        open_talks(store, PRODUCT, project, first.key)
    PENDING.drop(store, PRODUCT, project, second.key)
    with pytest.raises(AbsentError):
        open_talks(store, PRODUCT, project, second.key)


def test_a_speaker_who_says_nothing_cannot_be_the_bot(store: Store, project: Project) -> None:
    with pytest.raises(UsageError, match="unknown speaker"):
        prepare_talks(store, PRODUCT, project, lines(plain("a")), TalkChoices(speaker="Irma"))


# --- talks that are there already --------------------------------------------------------------------------------


@in_both
def test_talks_that_are_there_already_are_skipped_or_replaced_as_chosen(store: Store, project: Project) -> None:
    add(store, project, talk("a", "hi", "yes?"))
    assert add(store, project, talk("a", "bye"), batch="second").skipped == 1
    assert list_batches(store, project) == {"first": 1}
    assert add(store, project, talk("a", "bye"), batch="second", existing="replace").replaced == 1
    assert list_batches(store, project) == {"second": 1}
    assert list_talks(store, project).lines[0].begins == "bye"


@in_both
def test_marks_and_scores_stay_only_with_the_same_words(store: Store, project: Project) -> None:
    add(store, project, talk("a", "hi", marks=[4]), talk("b", "hi", marks=[4]))
    score(store, project, finished_run(store, project), a=2.0, b=2.0)
    add(store, project, talk("a", "hi"), talk("b", "other words"), existing="replace")
    found = {line.name: line for line in list_talks(store, project).lines}
    assert (found["a"].score, found["a"].mark) == (2.0, 4.0)
    assert (found["b"].score, found["b"].mark) == (None, None)


@in_both
def test_what_no_database_holds_is_refused_by_name_and_the_rest_is_kept(store: Store, project: Project) -> None:
    odd = [talk("nul", "a\0b"), talk("half", "\ud800"), talk("x" * 401, "hi"), talk("empty"), talk("ok", "hi")]
    taken = add(store, project, *odd, talk("ok", "twice"))
    assert (taken.added, len(taken.refused)) == (1, 5)
    assert [line.name for line in list_talks(store, project).lines] == ["ok"]


@in_both
def test_a_batch_goes_with_all_that_is_known_of_it(store: Store, project: Project) -> None:
    add(store, project, talk("a", "hi", marks=[3]), talk("b", "hi"))
    add(store, project, talk("c", "hi"), batch="other")
    assert delete_batch(store, PRODUCT, project, "first") == 2
    assert list_batches(store, project) == {"other": 1}
    with pytest.raises(AbsentError, match="other"):
        delete_batch(store, PRODUCT, project, "othr")
    with store.reading() as tx:
        assert tx.ratings.of_project(project.id) == ()


def test_readers_bring_nothing_in_and_take_nothing_away(store: Store, project: Project) -> None:
    for forbidden in (
        lambda: add_talks(store, READER, project, [talk("a", "hi")], TalkChoices("x")),
        lambda: prepare_talks(store, READER, project, lines(plain("a")), TalkChoices()),
        lambda: delete_batch(store, READER, project, "x"),
        lambda: begin_scoring(store, READER, project),
    ):
        with pytest.raises(AccessError):
            forbidden()


# --- conversations of a run --------------------------------------------------------------------------------------


def conversation(store: Store, project: Project, **outcomes: Sequence[str]) -> Run:
    """Keep a run of conversations, one for each script with these outcomes of its turns."""
    run = finished_run(store, project, "conversations", list(outcomes))
    with store.writing() as tx:
        for script, own in outcomes.items():
            tx.turns.put(
                TurnRow(
                    script, n, run.id, "Rex", script, script, "d", "basic", "say", 1, f"message {n}", f"reply {n}",
                    "ok", outcome, {}, 10.0,
                )
                for n, outcome in enumerate(own, 1)
            )  # fmt: skip
    return run


@in_both
def test_a_conversation_passed_when_all_that_was_checked_went_well(store: Store, project: Project) -> None:
    run = conversation(
        store, project, good=["right", "unchecked", "declined"], poor=["right", "missed"], none=["unchecked", "error"]
    )
    talks = talks_of_run(store, project, run.number)
    assert [one.passed for one in talks] == [True, False, None]
    assert [turn.is_bot for turn in talks[0].turns] == [False, True] * 3
    add_talks(store, PRODUCT, project, talks, TalkChoices("run"))
    assert list_bots(store, project) == {"Rex": 3}
    assert add_talks(store, PRODUCT, project, talks, TalkChoices("run")).skipped == 3


def test_only_runs_of_conversations_hold_talks(store: Store, project: Project) -> None:
    with pytest.raises(AbsentError):
        talks_of_run(store, project, finished_run(store, project).number)
    with pytest.raises(UsageError, match="no completed conversations"):
        talks_of_run(store, project, finished_run(store, project, "conversations").number)


# --- lists -------------------------------------------------------------------------------------------------------


@in_both
def test_the_worst_talk_comes_first_by_its_newest_score(store: Store, project: Project) -> None:
    add(store, project, *(talk(name, f"say {name}") for name in "abcd"))
    score(store, project, finished_run(store, project), a=1.0, b=2.0, c=3.0)
    score(store, project, finished_run(store, project), a=4.0)
    assert [line.name for line in list_talks(store, project).lines] == ["b", "c", "a", "d"]
    assert [line.name for line in list_talks(store, project, sort="-score").lines] == ["a", "c", "b", "d"]
    assert [line.run for line in list_talks(store, project, sort="name").lines] == [2, 1, 1, None]
    assert sum(line.score is not None for line in list_talks(store, project).lines) == 3


@in_both
def test_a_list_is_narrowed_down_and_paged(store: Store, project: Project) -> None:
    add(store, project, talk("a", "about Pay", marks=[5, 4]), talk("b", "hi", bot="Rex"))
    add(store, project, talk("c", "hi", bot=None), batch="other")
    for chosen, names in (
        (DialogueFilter(batch="other"), ["c"]),
        (DialogueFilter(bot="Rex"), ["b"]),
        (DialogueFilter(search="pay"), ["a"]),
        (DialogueFilter(search="%"), []),
        (DialogueFilter(rated=True), ["a"]),
        (DialogueFilter(rated=False), ["b", "c"]),
    ):
        found = list_talks(store, project, chosen, sort="name")
        assert [line.name for line in found.lines] == names
        assert found.total == len(names)
    assert list_talks(store, project, sort="name").lines[0].mark == 4.5
    assert [line.name for line in list_talks(store, project, sort="name", limit=1, offset=1).lines] == ["b"]
    with pytest.raises(UsageError, match="score"):
        list_talks(store, project, sort="scor")


def test_talks_of_other_projects_are_not_there(store: Store, project: Project) -> None:
    add(store, project, talk("a", "hi"))
    with store.writing() as tx:
        other = tx.projects.add("other", "Other", language="en", classifier="tfidf", threshold=0.5)
    with pytest.raises(AbsentError):
        find_talk(store, other, list_talks(store, project).lines[0].id)
    assert list_talks(store, other).total == 0
    assert talk_ids(store, other, ["a"]) == {}


# --- the exam ----------------------------------------------------------------------------------------------------


@in_both
def test_an_exam_reads_what_is_stored_with_all_marks(store: Store, project: Project) -> None:
    add(store, project, talk("a", "hi", "hello", marks=[2, 4]), talk("b", "hi"))
    add(store, project, talk("c", "hi"), batch="other")
    run = begin_scoring(store, EDITOR, project, batch="first")
    with store.reading() as tx:
        read = read_stored(tx.runs.material(run.id))
    assert [one.id for one in read] == ["a", "b"]
    assert read[0].quality == 3.0
    assert (run.kind, run.options["rater"], run.total) == ("dialogues", "learned", 1)
    with store.reading() as tx:
        assert len(read_stored(tx.runs.material(begin_scoring(store, EDITOR, project).id))) == 3


def test_only_admins_name_another_rater(store: Store, project: Project) -> None:
    add(store, project, talk("a", "hi"))
    with pytest.raises(AccessError):
        begin_scoring(store, EDITOR, project, rater="length")
    assert begin_scoring(store, PRODUCT, project, rater="length").options["rater"] == "length"
    with pytest.raises(UsageError, match="rater"):
        begin_scoring(store, PRODUCT, project, rater="lenght")


def test_an_exam_needs_talks(store: Store, project: Project) -> None:
    with pytest.raises(UsageError, match="no dialogues"):
        begin_scoring(store, EDITOR, project)
    with pytest.raises(AbsentError):
        begin_scoring(store, EDITOR, project, batch="nothing")


def test_a_log_of_more_rows_than_a_request_can_bear_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source("log.csv", b"dialogue,speaker,text\n" + b"a,bot,hi\na,anna,hello\n" * 3)
    assert len(reading.read_log(source).dialogues) == 1
    monkeypatch.setattr(reading, "MAX_ROWS", 5)
    with pytest.raises(FileError, match="6 rows, the limit is 5") as caught:
        reading.read_log(source)
    assert caught.value.remedy == "send it in several parts"
