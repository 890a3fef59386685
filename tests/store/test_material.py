"""Projects, topics and examples: found, counted, sorted and searched alike on both databases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from sample_workspace import START, example_values, fill_workspace

from vivavoce.errors import AbsentError, UsageError
from vivavoce.store.database import Store
from vivavoce.store.rows import Project
from vivavoce.store.stamps import new_id

AddTopic = Callable[..., str]


def test_a_project_is_found_by_id_and_by_short_name(store: Store, project: Project) -> None:
    with store.reading() as tx:
        assert tx.projects.get(project.id) == tx.projects.by_slug("shop") == project
        assert tx.projects.get("shop") is None
        assert tx.projects.all() == (project,)
        assert tx.projects.count() == 1
    assert project.languages == ("en", "de")
    assert project.created == START


def test_a_short_name_is_taken_once(store: Store, project: Project) -> None:
    with store.writing() as tx, pytest.raises(UsageError, match="'shop' already"):
        tx.projects.add("shop", "Another", language="en", classifier="linear", threshold=0.5)


def test_a_project_is_deleted_with_all_that_is_in_it(store: Store) -> None:
    fill_workspace(store)
    with store.writing() as tx:
        tx.projects.delete("project1")
    with store.writing() as tx:
        assert tx.projects.all() == ()
        assert tx.topics.of_project("project1") == tx.examples.of_project("project1") == ()
        assert tx.edits.count("project1") == 0
        assert tx.units.get("unit1") is None
        assert tx.users.count() == 2
        with pytest.raises(AbsentError):
            tx.projects.delete("project1")


def test_topics_come_with_their_answers_in_the_order_of_their_names(
    store: Store, project: Project, add_topic: AddTopic
) -> None:
    ids = {name: add_topic(name) for name in ("b", "C", "a", "Ä")}
    with store.writing() as tx:
        spoken = [
            tx.edits.insert("answers", {"id": new_id(), "topic_id": ids["a"], "language": code, "text": code * 3})
            for code in ("en", "de")
        ]
        tx.edits.apply(project.id, None, "answer", "Answers", spoken)
        found = tx.topics.of_project(project.id)
        assert tx.topics.get(ids["a"]) == tx.topics.by_name(project.id, "a") == found[0]
        assert tx.topics.by_name(project.id, "A") is None
        assert tx.topics.get("nothing") is None
    assert [topic.name for topic in found] == ["a", "b", "C", "Ä"]
    assert [dict(topic.answers) for topic in found] == [{"de": "dedede", "en": "enenen"}, {}, {}, {}]


def test_sizes_name_empty_topics_too(store: Store, project: Project, add_topic: AddTopic) -> None:
    full, empty = add_topic("full", ["one", "two"]), add_topic("empty")
    with store.reading() as tx:
        assert {topic.id: size for topic, size in tx.topics.page(project.id)} == {full: 2, empty: 0}


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("name", ["apple", "Berry", "cherry"]),
        ("-name", ["cherry", "Berry", "apple"]),
        ("size", ["cherry", "apple", "Berry"]),
        ("-size", ["Berry", "apple", "cherry"]),
        ("owner", ["cherry", "Berry", "apple"]),
    ],
)
def test_a_page_of_topics_is_sorted(
    store: Store, project: Project, add_topic: AddTopic, sort: str, order: list[str]
) -> None:
    for name, size, owner in (("Berry", 3, "b"), ("cherry", 0, "A"), ("apple", 1, "C")):
        add_topic(name, [f"{name} {n}" for n in range(size)], owner=owner)
    with store.reading() as tx:
        pages = [tx.topics.page(project.id, sort=sort, limit=2, offset=offset) for offset in (0, 2, 4)]
        sizes = {topic.id: tx.examples.count_of_topic(topic.id) for topic in tx.topics.of_project(project.id)}
    assert [topic.name for page in pages for topic, _ in page] == order
    assert all(sizes[topic.id] == size for page in pages for topic, size in page)


def test_an_unknown_order_is_refused_with_the_nearest_one(store: Store, project: Project) -> None:
    with store.reading() as tx, pytest.raises(UsageError, match="Did you mean 'name'"):
        tx.topics.page(project.id, sort="nome")


@pytest.mark.parametrize(
    ("words", "names"),
    [("über", ["Über uns"]), ("ÜBER", ["Über uns"]), ("%", ["50% off"]), ("_", []), ("refund", ["returns"]), ("", 3)],
)
def test_topics_are_searched_by_name_description_and_answer_in_any_case(
    store: Store, project: Project, add_topic: AddTopic, words: str, names: list[str] | int
) -> None:
    add_topic("Über uns")
    add_topic("50% off", description="a discount")
    answered = add_topic("returns")
    with store.writing() as tx:
        values = {"id": new_id(), "topic_id": answered, "language": "en", "text": "You get a REFUND."}
        tx.edits.apply(project.id, None, "answer", "Answer", [tx.edits.insert("answers", values)])
        found = [topic.name for topic, _ in tx.topics.page(project.id, words)]
        assert tx.topics.count(project.id, words) == len(found)
    assert (found if isinstance(names, list) else len(found)) == names


def test_examples_come_in_their_order(store: Store, project: Project, add_topic: AddTopic) -> None:
    first, second = add_topic("first", ["a1", "a2"]), add_topic("second", ["b1", "b2"])
    with store.writing() as tx:
        assert tx.examples.next_place(project.id) == 4
        assert tx.examples.next_place("nothing") == 0
        outside = example_values(project, "joke", None, 4)
        tx.edits.apply(project.id, None, "add", "Out of scope", [tx.edits.insert("examples", outside)])
        assert [row.text for row in tx.examples.of_project(project.id)] == ["a1", "a2", "b1", "b2", "joke"]
        assert [row.text for row in tx.examples.of_topic(second)] == ["b1", "b2"]
        assert [row.text for row in tx.examples.of_topic(first, limit=1, offset=1)] == ["a2"]
        assert [row.text for row in tx.examples.out_of_scope(project.id)] == ["joke"]
        row = tx.examples.get(outside["id"])
        assert row is not None
        assert row == replace(row, **outside)
        assert tx.examples.some([row.id, "gone"]) == (row,)


def test_examples_are_searched_and_counted(store: Store, project: Project, add_topic: AddTopic) -> None:
    topic = add_topic("first", ["Grüße an alle", "GRÜSSE", "a_b", "axb"])
    with store.reading() as tx:
        assert [row.text for row in tx.examples.page(project.id, "GRÜ")] == ["Grüße an alle", "GRÜSSE"]
        assert [row.text for row in tx.examples.of_topic(topic, search="A_B")] == ["a_b"]
        assert [row.text for row in tx.examples.page(project.id, limit=1, offset=3)] == ["axb"]
        assert tx.examples.count(project.id, "grü") == tx.examples.count_of_topic(topic, "grü") == 2
        assert tx.examples.count(project.id) == 4
        assert tx.examples.count_out_of_scope(project.id) == 0


def test_a_search_for_what_cannot_be_there_is_refused_or_empty_and_never_an_accident(
    store: Store, project: Project
) -> None:
    with store.reading() as tx:
        assert tx.topics.page(project.id, "x" * 5000) == ()
        with pytest.raises(UsageError, match="NUL"):
            tx.topics.page(project.id, "a\0b")
        with pytest.raises(UsageError, match="an incomplete character"):
            tx.examples.page(project.id, "\ud800")
        with pytest.raises(UsageError, match="NUL"):
            tx.projects.by_slug("\0")
