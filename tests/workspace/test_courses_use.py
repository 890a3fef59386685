"""An exam over time: which runs belong together, what changed between them, and what that brought."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from exam_hall import fill_project, hold_guessed, hold_intents, small_data
from places import in_both
from vivavoce.errors import UsageError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import Project
from vivavoce.store.stamps import now
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.exams.courses import followed_exams, merge_steps, show_course
from vivavoce.workspace.topics.topics import add_topic, merge_topics


@pytest.fixture
def project(store: Store) -> Project:
    with store.writing() as tx:
        made = tx.projects.add("jobs", "Jobs", language="en", classifier="tfidf", threshold=0.3)
    fill_project(store, made)
    return made


def merge(store: Store, project: Project) -> str:
    with store.reading() as tx:
        ids = {name: own for own, name in tx.topics.names(project.id).items()}
    return merge_topics(store, PRODUCT, project, [ids["topic 1"]], ids["topic 0"]).id


@in_both
def test_a_change_between_two_runs_is_named_with_what_it_brought(store: Store, project: Project) -> None:
    wrong = dict.fromkeys([text for text, topic in small_data() if topic == "topic 1"][:7], "topic 0")
    hold_guessed(store, project, wrong)
    edit = merge(store, project)
    hold_guessed(store, project)
    course = show_course(store, project, "intents")
    (step,) = course.steps
    assert (step.text, step.edits, step.a.number, step.b.number) == ("1 merge", (edit,), 1, 2)
    assert [(effect.verdict, effect.difference.value) for effect in step.effects] == [("better", 7 / 32)]
    assert course.effects == step.effects
    assert {line.name for line in course.lines} == {"accuracy", "precision_answered"}
    assert course.open is None
    add_topic(store, PRODUCT, project, "new", examples=["a new question"])
    assert show_course(store, project, "intents").open == "1 new topic"


def test_another_threshold_is_a_change_too(store: Store, project: Project) -> None:
    for threshold in (0.3, 0.9):
        hold_intents(store, project, threshold)
    (step,) = show_course(store, project, "intents", measure="accuracy").steps
    assert step.text == "threshold 0.9 instead of 0.3"


def test_only_runs_of_the_period_are_on_the_line(store: Store, project: Project) -> None:
    hold_intents(store, project)
    assert show_course(store, project, "intents", since=now() + timedelta(days=1)).runs == ()
    assert len(show_course(store, project, "intents", until=now() + timedelta(days=1)).runs) == 1
    assert followed_exams(store, project) == ("intents",)
    with pytest.raises(UsageError, match="not tracked over time"):
        show_course(store, project, "intents", measure="accurasy")


def test_steps_nearest_in_time_become_one_where_there_are_too_many() -> None:
    begin = now()
    found: list[Any] = [
        (f"run {n}", f"run {n + 1}", begin + timedelta(days=day), [say("change {n}", n=n)], [])
        for n, day in enumerate((0, 10, 11, 30))
    ]
    merged = list(merge_steps(found, most=3))
    assert [(a, b, str(text)) for a, b, _, text, _ in merged] == [
        ("run 0", "run 1", "change 0"),
        ("run 1", "run 3", "change 1, change 2"),
        ("run 3", "run 4", "change 3"),
    ]
