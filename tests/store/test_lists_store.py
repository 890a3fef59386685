"""What lists and pages ask of the store, on both databases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from vivavoce.store.database import Store
from vivavoce.store.repositories.dialogues import DialogueFilter
from vivavoce.store.rows import (
    DialogueRow,
    Edit,
    Project,
    RatingRow,
    Run,
    RunState,
    ScoreRow,
    TurnRow,
    Unit,
    UnitState,
    User,
    WorkerRow,
)
from vivavoce.store.stamps import new_id

NOON = datetime(2026, 5, 2, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
AddTopic = Callable[..., str]


def new_run(project: Project, number: int, state: RunState = RunState.DONE, title: str = "A run") -> Run:
    counters = {"version": 1, "total": 0, "done": 0, "failed": 0, "seed": 0}
    texts = dict.fromkeys(("headline", "error", "code_version", "data_hash"), "")
    nobody = dict.fromkeys(("user_id", "schedule_id", "suite_id", "started", "finished"))
    head = {"id": new_id(), "project_id": project.id, "number": number, "kind": "conversations", "title": title}
    return Run(**head, state=state, options={}, created=NOON, **counters, **texts, **nobody)


def new_unit(run: Run, key: str, place: int, state: UnitState, finished: datetime | None = None) -> Unit:
    lease = NOON if state is UnitState.RUNNING else None
    bot = key.partition("/")[0]
    return Unit(new_id(), run.id, key, key, place, 0, bot, "", state, 1, "w", lease, NOON, finished, "")


def new_turn(unit: Unit, number: int, outcome: str, kind: str = "clean") -> TurnRow:
    bot, script, repeat = unit.key.split("/")
    said = {"sent": "hello", "reply": "hi", "status": "ok", "detail": {}, "first_ms": None}
    place = {"scenario": script, "domain": "d", "level": "l", "repeat": int(repeat)}
    return TurnRow(unit.id, number, unit.run_id, bot, script, kind=kind, outcome=outcome, **place, **said)


def add_units(store: Store, run: Run, units: Sequence[Unit]) -> None:
    with store.writing() as tx:
        tx.runs.add(run, b"", units)


def test_the_units_of_a_run_are_counted_by_bot(store: Store, project: Project) -> None:
    run = new_run(project, 1, RunState.RUNNING)
    done = [new_unit(run, f"zoe/s/{n}", n, UnitState.DONE, NOON + n * MINUTE) for n in range(3)]
    others = [new_unit(run, "abe/s/0", 3, UnitState.RUNNING), new_unit(run, "abe/s/1", 4, UnitState.WAITING)]
    add_units(store, run, [*reversed(others), *done])
    with store.reading() as tx:
        counts = tx.units.counts_by_bot(run.id)
        assert set(counts) == {"zoe", "abe"}
        assert counts["abe"] == {UnitState.RUNNING: 1, UnitState.WAITING: 1}
        assert tx.units.recent(run.id, 2) == [("abe", "abe/s/0"), ("zoe", "zoe/s/2"), ("zoe", "zoe/s/1")]
        assert tx.units.states_by_bot(run.id, "/s/0") == {"zoe": UnitState.DONE, "abe": UnitState.RUNNING}
        assert list(tx.units.last_finished(run.id, 2)) == [NOON + 2 * MINUTE, NOON + MINUTE]
        assert tx.units.held_until(run.id) == NOON
        assert tx.units.held_until("no run") is None
        assert tx.units.bots(run.id) == {"zoe", "abe"}


def test_runs_are_counted_by_kind_and_state(store: Store, project: Project) -> None:
    first, second = new_run(project, 1, title="Morning"), new_run(project, 2, RunState.FAILED)
    for run in (first, second):
        add_units(store, run, [])
    with store.reading() as tx:
        assert sorted(tx.runs.counts(project.id)) == [
            ("conversations", RunState.DONE, 1),
            ("conversations", RunState.FAILED, 1),
        ]
        assert tx.runs.has_title(project.id, "Morning")
        assert not tx.runs.has_title(project.id, "Evening")
        before = tx.runs.state(project.id, "conversations")
    with store.writing() as tx:
        tx.runs.touch(first.id, title="Noon")
        assert tx.runs.state(project.id, "conversations") != before


def test_the_newest_run_of_each_schedule_is_found(store: Store, project: Project) -> None:
    schedule = {"id": new_id(), "project_id": project.id, "kind": "conversations", "title": "Daily", "options": {}}
    times = {"minute_of_day": 0, "enabled": True, "next_at": NOON, "user_id": None, "created": NOON}
    old, new, other = (new_run(project, number) for number in (1, 2, 3))
    with store.writing() as tx:
        tx.edits.apply(project.id, None, "add", "Daily", [tx.edits.insert("schedules", schedule | times)])
        for run in (old, new, other):
            tx.runs.add(run, b"", [])
        for run in (old, new):
            tx.runs.set_schedule(run.id, schedule["id"])
        assert {key: run.id for key, run in tx.runs.last_of_schedules(project.id).items()} == {schedule["id"]: new.id}


def test_edits_are_told_by_person_by_time_and_by_what_builds_on_them(
    store: Store, project: Project, anna: User, add_topic: AddTopic, rename: Callable[..., Edit]
) -> None:
    topic_id = add_topic("hours", ["when do you open", "are you open"])
    edit = rename(topic_id, "opening hours", anna.id)
    with store.reading() as tx:
        first = tx.edits.of_project(project.id)[-1]
        assert tx.edits.by_person(project.id, first.at) == {None: (1, first.at), anna.id: (1, edit.at)}
        assert tx.edits.by_person(project.id, edit.at + MINUTE) == {}
        assert tx.edits.count_of_topics(project.id, edit.at) == 1
        assert tx.edits.of_project(project.id, until=first.at) == (first,)
        assert tx.edits.count(project.id, since=edit.at) == 1
        assert tx.edits.later(first, 10) == (edit,)
        assert tx.edits.later(edit, 10) == ()
        ((by, noun_id, before, after),) = tx.edits.changes_of(project.id, "topics", [topic_id], edit.at, edit.at)
        assert (by, noun_id) == (edit, topic_id)
        assert before is not None
        assert after is not None
        assert (before["name"], after["name"]) == ("hours", "opening hours")
        assert tx.topics.phrases(project.id) == {"opening hours": ("are you open", "when do you open")}


def test_turns_are_counted_by_script_and_found_by_unit(store: Store, project: Project) -> None:
    run = new_run(project, 1)
    keys = ("a/x/0", "a/y/0", "b/x/0")
    units = [new_unit(run, key, place, UnitState.DONE) for place, key in enumerate(keys)]
    add_units(store, run, units)
    with store.writing() as tx:
        tx.turns.put(new_turn(unit, number, "right") for unit in units for number in (1, 2))
        tx.turns.put([new_turn(units[0], 2, "wrong", "typo")])
    with store.reading() as tx:
        counted = tx.turns.counts_by_script(run.id, ["a"], ["x", "y"], ["right", "wrong"])
        assert sorted(counted) == [("x", "a", "right", 1), ("x", "a", "wrong", 1), ("y", "a", "right", 2)]
        found = tx.turns.of_units(run.id, ["a/x/0", "b/x/0"], [2])
        assert sorted((row.bot, row.outcome) for row in found) == [("a", "wrong"), ("b", "right")]
        assert {tuple(row) for row in tx.turns.combinations(run.id, ("bot", "kind"))} == {
            ("a", "clean"),
            ("a", "typo"),
            ("b", "clean"),
        }


def test_dialogues_are_asked_for_with_their_scores_and_ratings(store: Store, project: Project, anna: User) -> None:
    run = new_run(project, 1)
    add_units(store, run, [])
    turns = ({"speaker": "bot", "text": "hi", "is_bot": True},)
    good, bad, silent = (
        DialogueRow(new_id(), project.id, name, "may", name, None, "", None, turns, place, NOON)
        for place, name in enumerate(("good", "bad", "silent"))
    )
    rating = RatingRow(new_id(), good.id, 0, anna.id, "anna", 4.0, None, NOON)
    marks = [rating, replace(rating, id=new_id(), user_id=None, rater="bob", quality=2.0)]
    answer = replace(rating, id=new_id(), turn=1, quality=None, verdict="yes")
    with store.writing() as tx:
        tx.dialogues.put([good, bad, replace(silent, turns=())])
        tx.scores.put([ScoreRow(run.id, good.id, 4.5, 4.0, 5.0, "", {})])
        tx.scores.put([ScoreRow(run.id, bad.id, 1.5, 1.0, 2.0, "", {})])
        tx.ratings.put_many([*marks, answer])
        assert [row.name for row in tx.dialogues.worst(run.id, 3.0, 5)] == ["bad"]
        assert [row.name for row in tx.dialogues.named(project.id, ["bad", "nobody"])] == ["bad"]
        assert tx.dialogues.list_ids(project.id, DialogueFilter(bot="good")) == [good.id]
        assert tx.dialogues.some([bad.id]) == {bad.id: bad}
        assert len(tx.dialogues.newest_scores(project.id)) == 2
        assert [row_id for row_id, said in tx.dialogues.turns(project.id) if not said] == [silent.id]
        assert tx.dialogues.state(project.id) == (3, NOON)
        assert tx.ratings.means([good.id, bad.id]) == {good.id: (3.0, 2)}
        assert tx.ratings.by_person(project.id, anna.id, "") == (rating,)
        assert tx.ratings.by_person(project.id, None, "bob") == (marks[1],)
        assert [(row.rater, row.turn, bot) for row, bot in tx.ratings.with_bots(project.id)] == [
            ("anna", 0, "good"),
            ("bob", 0, "good"),
            ("anna", 1, "good"),
        ]


def test_the_log_tells_what_was_done_last_to_each_thing(store: Store, project: Project) -> None:
    with store.writing() as tx:
        for minute, detail in enumerate(("old", "new")):
            tx.audit.add("failed", "schedule", "s1", None, project.id, detail=detail, at=NOON + minute * MINUTE)
        tx.audit.add("started", "schedule", "s1", None, project.id, at=NOON)
        assert tx.audit.latest(project.id, "schedule", "failed", 10) == {"s1": (NOON + MINUTE, "new")}
        assert tx.audit.actions() == ("failed", "started")
        assert tx.workers.last_seen() is None
        tx.workers.beat(WorkerRow("w", "host", 1, NOON, NOON + MINUTE))
        assert tx.workers.last_seen() == NOON + MINUTE
