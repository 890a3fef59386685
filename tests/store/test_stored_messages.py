"""Messages in rows: written as text with template and values beside it, and messages again when read."""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy as sa
from test_runs_store import LATER, NOON, add_run, claim

from vivavoce.messages import Message, say, say_count
from vivavoce.store.database import Store
from vivavoce.store.rows import DialogueRow, Edit, MeasureRow, Project, RunState, ScoreRow, TurnRow, UnitState
from vivavoce.store.stamps import new_id
from vivavoce.store.tables import runs

TOLD = say("{topics} of {name}", topics=say_count(2, "{n} topic", "{n} topics"), name="'x'")


def same(text: str | None, message: Message = TOLD) -> bool:
    """Tell whether a text is this message, with its template and values."""
    return isinstance(text, Message) and text == message and text.__reduce__() == message.__reduce__()


def test_a_run_keeps_its_messages_and_other_programs_read_their_text(store: Store, project: Project) -> None:
    run = add_run(store, project)
    with store.writing() as tx:
        tx.runs.touch(run.id, title=TOLD)
        tx.runs.set_state(run.id, RunState.DONE, headline=TOLD, error=TOLD)
        tx.measures.put([MeasureRow(run.id, "", "score", 0.5, 0.4, 0.6, 10)])
    with store.reading() as tx:
        kept = tx.runs.get(run.id)
        (point,) = tx.measures.series(project.id, "intents")
        assert tx.runs.has_title(project.id, "2 topics of 'x'")
        (title,) = tx.connection.execute(sa.select(runs.c.title)).scalars()
    assert kept is not None
    assert all(map(same, (kept.title, kept.headline, kept.error, point.title)))
    assert (point.number, point.at) == (run.number, NOON)
    assert type(title) is str
    assert title == "2 topics of 'x'"


def test_plain_text_after_a_message_is_plain_text(store: Store, project: Project) -> None:
    run = add_run(store, project)
    for title in (TOLD, "mine"):
        with store.writing() as tx:
            tx.runs.touch(run.id, title=title)
    with store.reading() as tx:
        kept = tx.runs.get(run.id)
    assert kept is not None
    assert (kept.title, type(kept.title)) == ("mine", str)


def test_the_error_of_a_unit_becomes_that_of_its_run_and_goes_with_another_try(
    store: Store, project: Project
) -> None:
    run = add_run(store, project, 1)
    (unit,) = claim(store)
    with store.writing() as tx:
        tx.units.fail(unit.id, "a", TOLD, retry=False)
    with store.reading() as tx:
        (failed,) = tx.units.of_run(run.id, state=UnitState.FAILED)
        closed = tx.runs.get(run.id)
    assert closed is not None
    assert same(failed.error)
    assert same(closed.error)
    with store.writing() as tx:
        tx.units.retry_failed(run.id)
        opened = tx.runs.get(run.id)
    assert opened is not None
    assert (opened.error, type(opened.error)) == ("", str)


def test_edits_keep_the_message_of_their_summary(
    store: Store, project: Project, add_topic: Callable[..., str]
) -> None:
    topic = add_topic("bills")
    with store.writing() as tx:
        change = tx.edits.update("topics", topic, topic, name="invoices")
        edit = tx.edits.apply(project.id, None, "rename", TOLD, [change], at=LATER)
        undone = tx.edits.undo(edit.id, None)
    with store.reading() as tx:
        kept, reverse = tx.edits.get(edit.id), tx.edits.get(undone.id)
        ((read, noun_id, before, after),) = tx.edits.changes_of(project.id, "topics", [topic], LATER, LATER)
    assert isinstance(kept, Edit)
    assert isinstance(reverse, Edit)
    assert same(kept.summary)
    assert same(reverse.summary, say("Undone: {summary}", summary=TOLD))
    assert read == kept
    assert same(read.summary)
    assert noun_id == topic
    assert before is not None
    assert after is not None
    assert (before["name"], after["name"]) == ("bills", "invoices")


def test_the_log_keeps_messages(store: Store, project: Project) -> None:
    with store.writing() as tx:
        tx.audit.add("could not start", "schedule", "s", None, project.id, detail=TOLD, at=NOON)
        tx.audit.add("delete", "run", "r", None, project.id, detail="mine", at=LATER)
    with store.reading() as tx:
        newest, first = tx.audit.page()
        latest = tx.audit.latest(project.id, "schedule", "could not start", 10)
    assert (newest.detail, type(newest.detail)) == ("mine", str)
    assert same(first.detail)
    assert latest["s"][0] == NOON
    assert same(latest["s"][1])


def test_scores_and_turns_keep_the_messages_in_their_detail(store: Store, project: Project) -> None:
    run = add_run(store, project, 1, kind="dialogues")
    talk = DialogueRow(new_id(), project.id, "t", "b", None, None, "", None, (), 0, NOON)
    detail = {"reasons": [TOLD, "plain"], "n": 1}
    with store.writing() as tx:
        (unit,) = tx.units.of_run(run.id)
        tx.dialogues.put([talk])
        tx.scores.put([ScoreRow(run.id, talk.id, None, None, None, TOLD, detail)])
        places = ("bot", "s", "s", "d", "l", "k", 0)
        tx.turns.put([TurnRow(unit.id, 1, run.id, *places, "hi", "ho", "ok", "right", detail, 1.0)])
    with store.reading() as tx:
        score = tx.scores.get(run.id, talk.id)
        (line,) = tx.dialogues.page(project.id)
        (turn,) = tx.turns.of_run(run.id)
    assert score is not None
    assert same(score.refusal)
    assert same(line.refusal)
    assert (line.dialogue_id, line.run, line.score) == (talk.id, run.number, None)
    for kept in (score.detail, turn.detail):
        assert kept == detail
        assert [isinstance(reason, Message) for reason in kept["reasons"]] == [True, False]
