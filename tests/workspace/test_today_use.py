"""How a project stands: what is said without an exam, what counts as worse, and what comes next."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from places import in_both
from vivavoce.jobs.exams.registry import exam_kinds
from vivavoce.records import Rate
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.store.database import Store
from vivavoce.store.rows import DialogueRow, DocumentRow, MeasureRow, Project, Role, Run, RunState, ScoreRow
from vivavoce.store.stamps import new_id, now
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.access.bot_rules import BotRules
from vivavoce.workspace.bots.bots import add_bot
from vivavoce.workspace.exams.project_exams import project_exam
from vivavoce.workspace.projects.today import MAX_PROBLEMS, judge_difference, show_today
from vivavoce.workspace.topics.topics import add_topic

SCOPE = "0,0"
OPTIONS = {"settings": [[0, 0.0]]}


@pytest.fixture
def project(store: Store) -> Project:
    with store.writing() as tx:
        return tx.projects.add("jobs", "Jobs", language="en", classifier="tfidf", threshold=0.5)


@cache
def findings() -> bytes:
    """Return the findings of a small exam in which two topics cannot be told apart."""
    from vivavoce.intents import examine_intents
    from vivavoce.records import Dataset, Example

    rows = [("pay", f"how much money do I get {n}") for n in range(8)]
    rows += [("bonus", f"how much money do I get then {n}") for n in range(8)]
    rows += [("visa", f"passport abroad permit {n}") for n in range(8)]
    data = Dataset(tuple(Example(text, topic) for topic, text in rows), "test")
    result = examine_intents(data, classifier="tfidf", retries=2, workers=1)
    return json.dumps(result.to_json()).encode()


def hold(
    store: Store,
    project: Project,
    kind: str = "intents",
    numbers: Mapping[str, tuple[float, float, float]] | None = None,
    *,
    at: datetime | None = None,
    scope: str = SCOPE,
) -> Run:
    """Keep a run that is done, with numbers as value, low and high."""
    moment = at or now()
    run = Run(
        new_id(), project.id, 0, kind, kind, RunState.DONE, OPTIONS if kind == "intents" else {}, 1, 1, 1, 0,
        "One sentence.", "", None, None, None, "1", "h", 0, moment, moment, moment,
    )  # fmt: skip
    rows = [MeasureRow(run.id, scope, name, *values, 100) for name, values in (numbers or {}).items()]
    with store.writing() as tx:
        kept = tx.runs.add(run, b"{}", ())
        tx.measures.put(rows)
        if kind == "intents":
            tx.documents.put([DocumentRow(run.id, "findings.json", "application/json", findings())])
    return kept


def test_an_empty_project_is_told_what_to_do_and_nothing_about_quality(store: Store, project: Project) -> None:
    found = show_today(store, project)
    assert found.light == "none"
    assert found.steps == ("topics", "suite", "bot", "talks")
    assert (found.exams, found.alarms, found.problems, found.moves) == ((), (), (), ())


def test_a_project_with_examples_is_led_to_the_exam(store: Store, project: Project) -> None:
    add_topic(store, PRODUCT, project, "pay", examples=["how much"])
    assert show_today(store, project).steps[0] == "intents"


def test_topics_that_are_mixed_up_are_problems_with_the_way_to_both(store: Store, project: Project) -> None:
    made = {name: add_topic(store, PRODUCT, project, name).topic.id for name in ("pay", "bonus")}
    hold(store, project)
    found = show_today(store, project)
    assert found.light == "watch"
    first = found.problems[0]
    assert set(first.topics) == {"pay", "bonus"}
    assert dict(zip(first.topics, first.topic_ids, strict=True)) == made
    assert len(found.problems) <= MAX_PROBLEMS


@in_both
def test_a_number_that_fell_by_more_than_chance_is_an_alarm(store: Store, project: Project) -> None:
    hold(store, project, numbers={"automation_rate": (0.8, 0.78, 0.82), "precision_answered": (0.9, 0.7, 1.0)})
    hold(store, project, numbers={"automation_rate": (0.6, 0.58, 0.62), "precision_answered": (0.85, 0.65, 0.95)})
    found = show_today(store, project)
    assert found.light == "bad"
    assert [move.name for move in found.alarms] == ["automation_rate"]
    assert {move.name: move.verdict for move in found.moves} == {
        "automation_rate": "worse",
        "precision_answered": "same",
    }


@in_both
def test_numbers_are_held_against_the_newest_run_that_is_older_than_a_week(store: Store, project: Project) -> None:
    for days in (30, 9, 2, 0):
        hold(store, project, numbers={"automation_rate": (0.5, 0.4, 0.6)}, at=now() - timedelta(days=days))
    found = show_today(store, project)
    (exam,) = found.exams
    assert (exam.base.number, exam.before.number, exam.run.number) == (2, 3, 4)
    assert {move.since.number for move in found.moves} == {2}
    assert [run.number for run in found.runs] == [4, 3]


def test_runs_over_other_material_are_not_held_against_each_other(store: Store, project: Project) -> None:
    from vivavoce.store.tables import runs

    one = hold(store, project, "dialogues", {"score": (3.0, 2.9, 3.1)}, scope="")
    with store.writing() as tx:
        tx.connection.execute(runs.update().where(runs.c.id == one.id).values(options={"source": "another batch"}))
    hold(store, project, "dialogues", {"score": (1.0, 0.9, 1.1)}, scope="")
    assert show_today(store, project).alarms == ()


@in_both
def test_the_worst_talks_are_named_and_good_ones_are_not(store: Store, project: Project) -> None:
    run = hold(store, project, "dialogues", {"score": (3.0, 2.9, 3.1)}, scope="")
    talks = {
        name: DialogueRow(new_id(), project.id, name, "b", "ours", None, "test", None, (), n, now())
        for n, name in enumerate(("bad", "good"))
    }
    with store.writing() as tx:
        tx.dialogues.put(talks.values())
        tx.scores.put(
            ScoreRow(run.id, talks[name].id, score, None, None, "", {})
            for name, score in (("bad", 1.2), ("good", 4.0))
        )
    assert [one.talk for one in show_today(store, project).problems] == [talks["bad"].id]


@in_both
def test_what_people_changed_is_counted_for_each_of_them(store: Store, project: Project) -> None:
    with store.writing() as tx:
        anna = tx.users.add("anna@example.org", "Anna", Role.EDITOR, password=None)
    for n in range(3):
        add_topic(store, Actor(anna.id, "Anna", Role.EDITOR), project, f"topic {n}")
    add_topic(store, PRODUCT, project, "another")
    work = {one.who: one for one in show_today(store, project).people}
    assert {name: one.edits for name, one in work.items()} == {"Anna": 3, "vivavoce": 1}
    assert "topic 2" in work["Anna"].last


@in_both
def test_changes_of_topics_after_the_exam_are_counted(store: Store, project: Project) -> None:
    add_topic(store, PRODUCT, project, "before")
    hold(store, project)
    add_topic(store, PRODUCT, project, "after")
    # What is no part of the training data makes the exam no older.
    add_bot(store, PRODUCT, project, "ours", {"kind": "keywords"}, rules=BotRules())
    assert show_today(store, project).edits_since_exam == 1


def test_every_watched_number_has_a_meaning() -> None:
    for kind in exam_kinds():
        exam = project_exam(kind.name)
        assert [exam.measure(name).name for name in kind.watched] == list(kind.watched)


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1))
def test_a_number_moves_only_where_the_interval_of_the_difference_leaves_zero_out(
    gap: float, down: float, up: float
) -> None:
    verdict = judge_difference(MEASURES["accuracy"], Rate(gap, gap - down, gap + up, 10))
    if gap - down <= 0 <= gap + up:
        assert verdict == "same"
    else:
        assert verdict == ("better" if gap > 0 else "worse")
    assert judge_difference(MEASURES["accuracy"], Rate(gap, None, None, 10)) == "unknown"
