"""Edits: all or nothing, nobody is overwritten, and everything can be undone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sample_workspace import START, example_values

from vivavoce.errors import AbsentError, StaleError, UsageError
from vivavoce.store.database import Store
from vivavoce.store.rows import Edit, Project, User
from vivavoce.store.stamps import new_id

AddTopic = Callable[..., str]


def material(store: Store, project: Project) -> tuple[Any, ...]:
    with store.reading() as tx:
        return tx.topics.of_project(project.id), tx.examples.of_project(project.id)


def test_an_edit_says_who_when_and_why(
    store: Store, project: Project, anna: User, add_topic: AddTopic, rename: Callable[..., Edit]
) -> None:
    topic_id = add_topic("hours", ["when"])
    edit = rename(topic_id, "opening hours", anna.id)
    with store.reading() as tx:
        assert tx.edits.get(edit.id) == edit
        assert tx.edits.of_project(project.id)[0] == edit
        assert tx.edits.of_topic(topic_id)[0] == edit
        assert tx.edits.count(project.id) == 2
        (change,) = tx.edits.changes(edit.id)
    assert (edit.user_id, edit.why, edit.action, edit.size) == (anna.id, "clearer", "rename", 1)
    assert change.before is not None
    assert change.after is not None
    assert (change.before["name"], change.after["name"]) == ("hours", "opening hours")


def test_who_comes_second_is_told_and_overwrites_nothing(
    store: Store, project: Project, add_topic: AddTopic, rename: Callable[..., Edit]
) -> None:
    topic_id = add_topic("hours")
    with store.reading() as tx:
        mine = tx.edits.update("topics", topic_id, name="mine")
    rename(topic_id, "theirs")
    with (
        store.writing() as tx,
        pytest.raises(StaleError, match="someone else made changes in the meantime") as caught,
    ):
        tx.edits.apply(project.id, None, "rename", "Mine", [mine])
    assert "theirs" in str(caught.value)
    with store.reading() as tx:
        assert tx.topics.by_name(project.id, "theirs") is not None
        assert tx.edits.count(project.id) == 2


def test_an_edit_that_fails_half_way_changes_nothing(store: Store, project: Project, add_topic: AddTopic) -> None:
    first, second = add_topic("first"), add_topic("second")
    before = material(store, project)
    with store.reading() as tx:
        changes = [tx.edits.update("topics", first, name="third"), tx.edits.update("topics", second, name="third")]
    with pytest.raises(UsageError, match="name is already taken"), store.writing() as tx:
        tx.edits.apply(project.id, None, "rename", "Both", changes)
    assert material(store, project) == before


def test_a_topic_does_not_go_before_its_examples(store: Store, project: Project, add_topic: AddTopic) -> None:
    topic_id = add_topic("first", ["one", "two"])
    with pytest.raises(UsageError, match="still belong"), store.writing() as tx:
        tx.edits.apply(project.id, None, "delete", "Topic", [tx.edits.delete("topics", topic_id, topic_id)])
    with store.writing() as tx:
        examples = [tx.edits.delete("examples", row.id, topic_id) for row in tx.examples.of_topic(topic_id)]
        tx.edits.apply(
            project.id, None, "delete", "Topic", [*examples, tx.edits.delete("topics", topic_id, topic_id)]
        )
        assert tx.topics.of_project(project.id) == tx.examples.of_project(project.id) == ()


def test_a_deleted_topic_comes_back_with_examples_and_ids(
    store: Store, project: Project, add_topic: AddTopic
) -> None:
    topic_id = add_topic("first", ["one", "two"])
    before = material(store, project)
    with store.writing() as tx:
        rows = [tx.edits.delete("examples", row.id) for row in tx.examples.of_topic(topic_id)]
        edit = tx.edits.apply(project.id, None, "delete", "Topic", [*rows, tx.edits.delete("topics", topic_id)])
    with store.writing() as tx:
        undone = tx.edits.undo(edit.id, None)
    assert material(store, project) == before
    with store.reading() as tx:
        told = tx.edits.get(edit.id)
        assert told is not None
        assert (told.undone_by, undone.undoes) == (undone.id, edit.id)


def test_an_edit_is_undone_once_until_the_undoing_is_undone(
    store: Store, project: Project, add_topic: AddTopic, rename: Callable[..., Edit]
) -> None:
    topic_id = add_topic("old")
    edit = rename(topic_id, "new")
    with store.writing() as tx:
        undone = tx.edits.undo(edit.id, None)
        with pytest.raises(StaleError, match="already"):
            tx.edits.undo(edit.id, None)
        tx.edits.undo(undone.id, None)
        assert tx.topics.by_name(project.id, "new") is not None
        tx.edits.undo(edit.id, None)
        assert tx.topics.by_name(project.id, "old") is not None


def test_what_was_changed_since_is_not_undone(store: Store, add_topic: AddTopic, rename: Callable[..., Edit]) -> None:
    topic_id = add_topic("one")
    edit = rename(topic_id, "two")
    rename(topic_id, "three")
    with store.writing() as tx, pytest.raises(StaleError, match="someone else made changes in the meantime"):
        tx.edits.undo(edit.id, None)


def test_a_project_is_changed_by_edits_and_counts_them(store: Store, project: Project) -> None:
    with store.writing() as tx:
        change = tx.edits.update("projects", project.id, threshold=0.7, languages=["en", "fr"])
        edit = tx.edits.apply(project.id, None, "settings", "Threshold", [change])
        changed = tx.projects.get(project.id)
        tx.edits.undo(edit.id, None)
        back = tx.projects.get(project.id)
    assert changed is not None
    assert back is not None
    assert (changed.threshold, changed.languages, changed.version) == (0.7, ("en", "fr"), project.version + 1)
    assert (back.threshold, back.languages, back.version) == (0.4, ("en", "de"), project.version + 2)


def test_versions_of_scenarios_count_up_even_when_they_are_undone(store: Store, project: Project) -> None:
    suite, scenario = new_id(), new_id()
    head = {"title": "", "created": START}
    with store.writing() as tx:
        made = [
            tx.edits.insert(
                "suites",
                {
                    "id": suite,
                    "project_id": project.id,
                    "name": "s",
                    "language": "en",
                    "agent": None,
                    "head": "",
                    **head,
                },
            ),
            tx.edits.insert(
                "scenarios",
                {
                    "id": scenario,
                    "suite_id": suite,
                    "name": "x",
                    "domain": "",
                    "level": "",
                    "text": "one",
                    "place": 0,
                    **head,
                },
            ),
        ]
        tx.edits.apply(project.id, None, "add", "Suite", made)
        edit = tx.edits.apply(
            project.id, None, "edit", "Scenario", [tx.edits.update("scenarios", scenario, text="two")]
        )
        tx.edits.undo(edit.id, None)
        texts = [(version.version, version.text) for version in tx.suites.versions(scenario)]
    assert texts == [(3, "one"), (2, "two"), (1, "one")]


def test_nothing_and_nobody_cannot_be_edited(store: Store, project: Project) -> None:
    with store.writing() as tx:
        with pytest.raises(UsageError, match="nothing to change"):
            tx.edits.apply(project.id, None, "edit", "Nothing", [])
        with pytest.raises(AbsentError, match="topic 'nobody' not found"):
            tx.edits.update("topics", "nobody", name="x")


def test_text_that_cannot_be_kept_is_refused(store: Store, project: Project) -> None:
    for text in ("a\0b", "\udfff"):
        with store.reading() as tx:
            change = tx.edits.insert("examples", example_values(project, text, None))
        with pytest.raises(UsageError, match="the text contains"), store.writing() as tx:
            tx.edits.apply(project.id, None, "add", "Example", [change])
    with store.reading() as tx:
        assert tx.examples.count(project.id) == 0


TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=30)
STEPS = st.lists(st.tuples(st.sampled_from(["add", "change", "delete", "undo"]), st.integers(0, 5), TEXT), max_size=6)


@given(steps=STEPS)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_undoing_all_edits_in_turn_leads_back_to_the_beginning(sqlite_store: Store, steps: list[Any]) -> None:
    with sqlite_store.writing() as tx:
        project = tx.projects.add(new_id(), "Any", language="en", classifier="linear", threshold=0.5)
        done = [edit for step in steps if (edit := _take(tx, project, *step)) is not None]
        for edit in reversed(done):
            told = tx.edits.get(edit.id)
            assert told is not None
            if told.undone_by is None:
                tx.edits.undo(edit.id, None)
        assert tx.examples.of_project(project.id) == ()


def _take(tx: Any, project: Project, action: str, number: int, text: str) -> Edit | None:
    rows = tx.examples.of_project(project.id)
    if action == "add":
        change = tx.edits.insert("examples", example_values(project, text, None, number))
    elif action == "undo":
        last = [edit for edit in tx.edits.of_project(project.id) if not edit.undone_by]
        return _undo_latest(tx, last)
    elif not rows:
        return None
    elif action == "change":
        change = tx.edits.update("examples", rows[number % len(rows)].id, text=text)
    else:
        change = tx.edits.delete("examples", rows[number % len(rows)].id)
    edit: Edit = tx.edits.apply(project.id, None, action, text, [change])
    return edit


def _undo_latest(tx: Any, edits: list[Edit]) -> Edit | None:
    """Undo one that can be undone; those that others built upon cannot."""
    for edit in edits:
        try:
            undone: Edit = tx.edits.undo(edit.id, None)
        except StaleError:
            continue
        return undone
    return None
