"""Topics of nearly the same name, merged together."""

from __future__ import annotations

import pytest

from vivavoce.errors import StaleError, UsageError
from vivavoce.store.database import Store
from vivavoce.store.rows import Project
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.topics.examples import add_examples
from vivavoce.workspace.topics.history import undo_edit
from vivavoce.workspace.topics.topics import add_topic, topic_names
from vivavoce.workspace.topics.twins import list_twin_topics, merge_twins

pytestmark = pytest.mark.slow


def add(place: tuple[Store, Actor, Project], name: str, count: int, answer: str = "") -> str:
    store, actor, project = place
    answers = {"en": answer} if answer else {}
    made = add_topic(store, actor, project, name, answers=answers)
    add_examples(store, actor, project, [f"{name} {n}" for n in range(count)], topic_id=made.topic.id)
    return made.topic.id


@pytest.fixture
def place(store: Store) -> tuple[Store, Actor, Project]:
    """Return a project with a pair of twins, three of them, and a pair whose answers differ."""
    with store.writing() as tx:
        project = tx.projects.add("jobs", "Jobs", language="en", classifier="linear", threshold=0.5)
    given = (store, PRODUCT, project)
    for name, count in (("Salary", 3), ("SALARY", 1), ("remote work", 2), ("Remote-Work", 4), ("remote works", 1)):
        add(given, name, count)
    add(given, "Parking", 2, "Behind the house.")
    add(given, "parking", 1, "There is none.")
    return given


def test_the_largest_stays_and_differing_answers_come_last(place: tuple[Store, Actor, Project]) -> None:
    groups = list_twin_topics(place[0], place[2])
    assert [(group.into.name, group.sizes, group.differ) for group in groups] == [
        ("Remote-Work", (4, 2, 1), False),
        ("Salary", (3, 1), False),
        ("Parking", (2, 1), True),
    ]


def test_groups_are_merged_in_one_edit_that_can_be_undone(place: tuple[Store, Actor, Project]) -> None:
    store, actor, project = place
    before = topic_names(store, project)
    remote, salary, _ = list_twin_topics(store, project)
    edit = merge_twins(store, actor, project, [remote.into.id, salary.into.id])
    assert set(topic_names(store, project).values()) == {"Remote-Work", "Salary", "Parking", "parking"}
    with store.reading() as tx:
        assert tx.examples.count_of_topic(remote.into.id) == 7
    undo_edit(store, actor, project, edit.id)
    assert topic_names(store, project) == before


def test_what_cannot_be_merged_without_a_choice_is_refused(place: tuple[Store, Actor, Project]) -> None:
    store, actor, project = place
    parking = list_twin_topics(store, project)[2]
    with pytest.raises(StaleError):
        merge_twins(store, actor, project, [parking.into.id])
    with pytest.raises(UsageError, match="no topics selected"):
        merge_twins(store, actor, project, [])
