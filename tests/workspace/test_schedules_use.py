"""Daily runs: what can be scheduled, when it is due, and what is started."""

from __future__ import annotations

from datetime import timedelta

import pytest

from places import in_both
from vivavoce.errors import AbsentError, AccessError, UsageError
from vivavoce.jobs.starting import start_due
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role, Schedule
from vivavoce.store.stamps import now
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.projects.schedules import (
    NewSchedule,
    change_schedule,
    create_schedule,
    delete_schedule,
    list_schedules,
    start_scheduled,
    switch_schedule,
)
from vivavoce.workspace.scenarios.suites import import_suite
from vivavoce.workspace.topics.history import undo_edit
from vivavoce.workspace.topics.topics import add_topic

READER = Actor(None, "a reader", Role.READER)
EDITOR = Actor(None, "an editor", Role.EDITOR)
INTENTS = NewSchedule("intents", "Every night", {"retries": 10}, 200)


@pytest.fixture
def project(store: Store) -> Project:
    with store.writing() as tx:
        return tx.projects.add("jobs", "Jobs", language="en", classifier="tfidf", threshold=0.5)


def made(store: Store, project: Project, new: NewSchedule = INTENTS) -> Schedule:
    create_schedule(store, EDITOR, project, new)
    return list_schedules(store, project)[-1].schedule


def furnish(store: Store, project: Project) -> None:
    for name in ("pay", "visa"):
        add_topic(store, PRODUCT, project, name, examples=[f"{name} {n}" for n in range(6)])


@in_both
def test_a_daily_run_is_due_at_its_minute_and_can_be_switched_off_and_deleted(store: Store, project: Project) -> None:
    one = made(store, project)
    assert (one.next_at.hour * 60 + one.next_at.minute, one.enabled) == (200, True)
    assert now() < one.next_at <= now() + timedelta(days=1)
    switch_schedule(store, EDITOR, project, one.id, enabled=False)
    assert not list_schedules(store, project)[0].schedule.enabled
    with pytest.raises(UsageError):
        switch_schedule(store, EDITOR, project, one.id, enabled=False)
    edit = delete_schedule(store, EDITOR, project, one.id)
    assert list_schedules(store, project) == ()
    with store.writing() as tx:
        tx.edits.undo(edit.id, None)
    assert list_schedules(store, project)[0].schedule.id == one.id


def test_an_undone_change_holds_after_a_worker_was_there_and_nothing_is_made_up_for(
    store: Store, project: Project
) -> None:
    one = made(store, project)
    edit = switch_schedule(store, EDITOR, project, one.id, enabled=False)
    undo_edit(store, EDITOR, project, edit.id)
    with store.writing() as tx:
        assert tx.schedules.advance(list_schedules(store, project)[0].schedule, now() - timedelta(days=2))
    late = change_schedule(store, EDITOR, project, one.id, NewSchedule("intents", "At noon", {}, 720))
    with store.writing() as tx:
        # A worker has started the run of the day since.
        assert tx.schedules.advance(list_schedules(store, project)[0].schedule, now() + timedelta(days=1))
    undo_edit(store, EDITOR, project, late.id)
    found = list_schedules(store, project)[0].schedule
    assert (found.title, found.minute_of_day) == ("Every night", 200)
    assert now() < found.next_at <= now() + timedelta(days=1)


def test_readers_change_nothing_and_other_projects_are_not_reached(store: Store, project: Project) -> None:
    one = made(store, project)
    for change in (
        lambda: create_schedule(store, READER, project, INTENTS),
        lambda: switch_schedule(store, READER, project, one.id, enabled=False),
        lambda: delete_schedule(store, READER, project, one.id),
    ):
        with pytest.raises(AccessError):
            change()
    with store.writing() as tx:
        other = tx.projects.add("other", "Other", language="en", classifier="tfidf", threshold=0.5)
    with pytest.raises(AbsentError):
        delete_schedule(store, EDITOR, other, one.id)


def test_what_could_never_start_is_refused_with_all_faults(store: Store, project: Project) -> None:
    for kind, options, places in (
        ("intents", {"retries": 0, "classifier": "linaer"}, {"retries", "classifier"}),
        ("intents", {"retrys": 3}, {"retrys"}),
        ("intents", {"classifier": "python:os:system"}, {"classifier"}),
        ("engines", {"classifiers": ["tfidf"]}, {"classifiers"}),
        ("conversations", {"bots": ["x"]}, {"suite"}),
        ("conversations", {"suite": "none such", "repeats": 1000}, {"suite", "repeats"}),
        ("dialogues", {"batch": "none such"}, {"batch"}),
    ):
        with pytest.raises(UsageError) as refused:
            create_schedule(store, EDITOR, project, NewSchedule(kind, "", options))
        assert {fault.where for fault in refused.value.faults} == places
    assert list_schedules(store, project) == ()


def test_only_minutes_of_the_day_are_taken(store: Store, project: Project) -> None:
    for minute in (-1, 1440):
        with pytest.raises(UsageError):
            create_schedule(store, EDITOR, project, NewSchedule("intents", "", {}, minute))


def test_an_unknown_exam_is_refused_with_the_nearest_one(store: Store, project: Project) -> None:
    with pytest.raises(UsageError, match="intents"):
        create_schedule(store, EDITOR, project, NewSchedule("intent", "", {}))


@in_both
def test_the_worker_starts_what_is_due_on_the_material_of_that_moment(store: Store, project: Project) -> None:
    one = made(store, project)
    furnish(store, project)
    (run,) = start_due(store, start_scheduled, one.next_at + timedelta(seconds=1))
    assert (run.kind, run.schedule_id) == ("intents", one.id)
    assert run.title.endswith(", Every night")
    assert (run.options["retries"], run.options["classifier"]) == (10, "tfidf")
    (line,) = list_schedules(store, project)
    assert line.last_run == run
    assert line.schedule.next_at == one.next_at + timedelta(days=1)
    assert line.trouble == ""


@in_both
def test_a_daily_run_that_could_not_start_says_why_until_it_does(store: Store, project: Project) -> None:
    one = made(store, project)
    assert start_due(store, start_scheduled, one.next_at) == ()
    assert "no examples" in list_schedules(store, project)[0].trouble
    furnish(store, project)
    start_due(store, start_scheduled, one.next_at + timedelta(days=1))
    assert list_schedules(store, project)[0].trouble == ""


def test_conversations_and_engines_are_started_as_they_were_chosen(store: Store, project: Project) -> None:
    furnish(store, project)
    import_suite(store, PRODUCT, project, "flight")
    talks = {"suite": "flight", "bots": ["keywords"], "levels": ["basic"], "repeats": 2}
    run = start_scheduled(store, made(store, project, NewSchedule("conversations", "Talks", talks, 0)))
    assert (run.kind, run.options["repeats"]) == ("conversations", 2)
    with store.reading() as tx:
        assert {unit.bot for unit in tx.units.of_run(run.id)} - {""} == {"keywords"}
        assert tx.suites.get(run.suite_id or "").name == "flight"
    engines = NewSchedule("engines", "Engines", {"classifiers": ["tfidf", "linear"], "retries": 2}, 1439)
    run = start_scheduled(store, made(store, project, engines))
    assert run.options["classifiers"] == ["tfidf", "linear"]
