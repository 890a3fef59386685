"""An assistant with two topics and a visitor: what the tests of its pages and of its API begin with."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.assistant.settings import change_settings, find_settings
from vivavoce.workspace.assistant.talking import answer_message, open_talk
from vivavoce.workspace.topics.topics import add_topic

if TYPE_CHECKING:
    from conftest import House
    from vivavoce.store.database import Store
    from vivavoce.store.rows import Project

FAQ = {"salary": ["what do you pay", "the salary"], "parking": ["where can I park", "parking"]}


def add_faq(store: Store, project: Project, users: object) -> None:
    for name, texts in FAQ.items():
        add_topic(store, PRODUCT, project, name, answers={"en": f"About {name}."}, examples=texts)


def visit_assistant(house: House, *texts: str) -> str:
    """Switch the assistant on, let a visitor write these texts, and return the visitor's key."""
    settings = replace(find_settings(house.store, house.project), enabled=True, random_share=1.0)
    change_settings(house.store, PRODUCT, house.project, settings)
    key = open_talk(house.store, house.project).key
    for text in texts:
        answer_message(house.store, house.project, key, text, text[:20])
    return key
