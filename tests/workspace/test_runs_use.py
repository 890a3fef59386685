"""Runs in a workspace: who may do what with them, how far they are, and what they found."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa

from exam_hall import fill_project, finish, found_in, hold_engines, hold_intents
from places import in_both
from vivavoce.errors import AbsentError, AccessError, UsageError
from vivavoce.store import tables
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role, RunState
from vivavoce.store.stamps import now
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.exams import runs
from vivavoce.workspace.exams.intents import start_intents

EDITOR = Actor("emil", "Emil", Role.EDITOR)
REVIEWER = Actor(None, "a reviewer", Role.REVIEWER)
OPTIONS: dict[str, Any] = {"classifier": "tfidf", "retries": 2, "settings": [[0, 0], [0, 0.3]], "leak_proof": False}


@pytest.fixture
def project(store: Store) -> Project:
    with store.writing() as tx:
        made = tx.projects.add("jobs", "Jobs", language="en", classifier="tfidf", threshold=0.3)
    fill_project(store, made)
    return made


def started(store: Store, project: Project) -> int:
    return start_intents(store, PRODUCT, project, options=OPTIONS).number


def actions(store: Store, project: Project) -> list[str]:
    with store.reading() as tx:
        return [line.action for line in tx.audit.page(limit=50) if line.noun == "run"]


@in_both
def test_runs_are_listed_by_kind_and_state_the_newest_first(store: Store, project: Project) -> None:
    first, second = hold_intents(store, project), hold_engines(store, project)
    third = started(store, project)
    listed = [line.run.number for line in runs.list_runs(store, project).lines]
    assert listed == [third, second.number, first.number]
    found = runs.list_runs(store, project, kind="intents", state=RunState.DONE)
    assert ([line.run.id for line in found.lines], found.total) == ([first.id], 1)
    assert found.lines[0].who == PRODUCT.name


def test_a_run_is_found_by_its_number_and_only_as_what_it_is(store: Store, project: Project) -> None:
    number = started(store, project)
    assert runs.show_run(store, project, number, "intents").run.number == number
    with pytest.raises(AbsentError, match="run 7 not found"):
        runs.show_run(store, project, 7)
    with pytest.raises(AbsentError, match="of exam 'engines' not found"):
        runs.show_run(store, project, number, "engines")


@in_both
def test_a_run_is_cancelled_and_goes_on(store: Store, project: Project) -> None:
    number = started(store, project)
    assert runs.cancel_run(store, PRODUCT, project, number).state is RunState.CANCELLED
    with pytest.raises(UsageError, match="already ended"):
        runs.cancel_run(store, PRODUCT, project, number)
    assert runs.resume_run(store, PRODUCT, project, number).state is RunState.WAITING
    # What was refused was not done, so it is not written down.
    assert sorted(actions(store, project)) == ["cancel", "resume", "start"]


@pytest.mark.parametrize("go_on", [runs.resume_run, runs.retry_run])
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("intents", {"classifier": "sklearn:sklearn.svm.LinearSVC"}),
        ("engines", {"classifiers": ["tfidf", "python:os:getcwd"]}),
        ("dialogues", {"rater": "python:os:getcwd"}),
    ],
)
def test_nobody_lets_a_run_go_on_that_they_could_not_begin(
    store: Store, project: Project, go_on: Any, kind: str, options: dict[str, Any]
) -> None:
    number = started(store, project)
    runs.cancel_run(store, PRODUCT, project, number)
    with store.writing() as tx:
        tx.connection.execute(sa.update(tables.runs).values(kind=kind, options=options))
    for who in (EDITOR, replace(EDITOR, role=Role.ADMIN)):
        with pytest.raises(AccessError):
            go_on(store, who, project, number)
    assert runs.resume_run(store, PRODUCT, project, number).state is RunState.WAITING


def test_runs_of_one_title_are_told_apart_by_their_time(store: Store, project: Project) -> None:
    titles = [start_intents(store, PRODUCT, project, title="Daily", options=OPTIONS).title for _ in range(2)]
    assert titles[0] == "Daily"
    assert re.fullmatch(r"Daily, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d", titles[1])
    long = start_intents(store, PRODUCT, project, title="x" * runs.MAX_TITLE, options=OPTIONS)
    again = start_intents(store, PRODUCT, project, title=long.title, options=OPTIONS)
    assert len(again.title) == runs.MAX_TITLE


def test_only_editors_begin_change_and_end_runs(store: Store, project: Project) -> None:
    for do in (
        lambda: runs.cancel_run(store, REVIEWER, project, 1),
        lambda: runs.resume_run(store, REVIEWER, project, 1),
        lambda: runs.retry_run(store, REVIEWER, project, 1),
        lambda: runs.rename_run(store, REVIEWER, project, 1, "x"),
        lambda: runs.delete_run(store, REVIEWER, project, 1),
        lambda: start_intents(store, REVIEWER, project, options=OPTIONS),
    ):
        with pytest.raises(AccessError):
            do()


@in_both
def test_failures_are_told_by_their_reasons_and_can_be_tried_again(store: Store, project: Project) -> None:
    run = start_intents(store, PRODUCT, project, options=OPTIONS)
    done = finish(store, run, found_in("intents", 0.3), failed=2)
    found = runs.progress_of(store, done)
    assert [(one.reason, one.count) for one in found.failures] == [("the engine is on fire", 2)]
    assert runs.retry_run(store, PRODUCT, project, run.number).state is RunState.WAITING
    again = finish(store, run, found_in("intents", 0.3))
    assert runs.progress_of(store, again).failures == ()
    with pytest.raises(UsageError, match="nothing failed in this run"):
        runs.retry_run(store, PRODUCT, project, run.number)


@in_both
def test_the_time_left_follows_from_the_pace_of_the_last_units(store: Store, project: Project) -> None:
    run = start_intents(store, PRODUCT, project, options=OPTIONS)
    assert runs.progress_of(store, run).seconds_left is None
    for _ in ("the texts are read", "two splits are tested"):
        with store.writing() as tx:
            for unit in tx.units.claim("w", 2, now()):
                tx.units.finish(unit.id, "w", b"done")
    found = runs.progress_of(store, run)
    assert found.run.state is RunState.RUNNING
    assert found.seconds_left is not None
    assert found.seconds_left >= 0


@in_both
def test_a_run_gets_another_title_and_an_open_one_is_not_deleted(store: Store, project: Project) -> None:
    number = started(store, project)
    assert runs.rename_run(store, PRODUCT, project, number, "  After   the move ").title == "After the move"
    with pytest.raises(UsageError, match="1 to 200"):
        runs.rename_run(store, PRODUCT, project, number, " ")
    with pytest.raises(UsageError, match="still in progress"):
        runs.delete_run(store, PRODUCT, project, number)
    runs.cancel_run(store, PRODUCT, project, number)
    runs.delete_run(store, PRODUCT, project, number)
    assert runs.list_runs(store, project).total == 0


def test_what_a_run_found_is_read_once_and_anew_after_another_try(store: Store, project: Project) -> None:
    done = hold_intents(store, project)
    result = runs.result_of(store, done)
    assert runs.result_of(store, done) is result
    assert runs.document(store, done, "charts/settings.svg").startswith(b"<svg")
    assert runs.warnings_of(store, done) == found_in("intents", 0.3).warnings
    renamed = runs.rename_run(store, PRODUCT, project, done.number, "other")
    assert runs.result_of(store, renamed) is not result


def test_a_run_that_is_not_done_has_no_result_and_says_so(store: Store, project: Project) -> None:
    run = start_intents(store, PRODUCT, project, options=OPTIONS)
    with pytest.raises(AbsentError, match="it is waiting"):
        runs.result_of(store, run)
    with pytest.raises(AbsentError, match=r"has no 'report\.html'"):
        runs.document(store, run, runs.REPORT)


def test_a_comparison_of_engines_is_read_back(store: Store, project: Project) -> None:
    result: Any = runs.result_of(store, hold_engines(store, project))
    assert [one.name for one in result.classifiers] == ["tfidf", "tfidf:en"]
