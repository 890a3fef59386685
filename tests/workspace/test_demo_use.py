"""The demo project: everything is there and ready to be examined."""

from __future__ import annotations

import pytest

from places import in_both
from vivavoce import demo
from vivavoce.errors import AccessError
from vivavoce.store.database import Store
from vivavoce.store.rows import Role
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.access.bot_rules import BotRules
from vivavoce.workspace.conversations.choices import Choice
from vivavoce.workspace.conversations.conversations import look_ahead
from vivavoce.workspace.exams.intents import start_intents
from vivavoce.workspace.projects.demo import create_demo_project
from vivavoce.workspace.projects.today import show_today

pytestmark = pytest.mark.slow


@in_both
def test_the_demo_project_holds_all_material_and_can_be_examined(store: Store) -> None:
    project = create_demo_project(store, PRODUCT)
    with store.reading() as tx:
        topics = tx.topics.of_project(project.id)
        assert {topic.name: topic.answers["en"] for topic in topics} == {
            topic.intent: topic.answer for topic in demo.topics("recruiting-en")
        }
        assert tx.examples.count(project.id) == len(demo.load("recruiting-en"))
        assert {suite.name for suite in tx.suites.of_project(project.id)} == set(demo.suites())
        assert tx.dialogues.count(project.id) > 10
    assert show_today(store, project).steps == ("intents", "conversations", "dialogues")
    assert start_intents(store, PRODUCT, project, options={"classifier": "tfidf", "retries": 2}).total > 0
    found = look_ahead(store, project, Choice("flight", ("keywords", "nearest")), BotRules())
    assert found.errors == ()
    assert found.size.talks > 0


def test_a_second_demo_project_gets_a_name_of_its_own(sqlite_store: Store) -> None:
    slugs = [create_demo_project(sqlite_store, PRODUCT).slug for _ in range(2)]
    assert slugs == ["demo", "demo-2"]


def test_readers_cannot_load_the_demo(sqlite_store: Store) -> None:
    with pytest.raises(AccessError):
        create_demo_project(sqlite_store, Actor(None, "a reader", Role.READER))
