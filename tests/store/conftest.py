"""What the tests of the store share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from sample_workspace import START, example_values, write_sample

from vivavoce.store.database import Store
from vivavoce.store.rows import Edit, Project, User
from vivavoce.store.stamps import new_id


@pytest.fixture(scope="session")
def sample_backup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of the sample, written by SQLite."""
    path = tmp_path_factory.mktemp("sample") / "backup.zip"
    write_sample(path)
    return path


@pytest.fixture
def anna(store: Store) -> User:
    """A person in the workspace."""
    with store.writing() as tx:
        return tx.users.add("anna@example.org", "Anna", at=START)


@pytest.fixture
def project(store: Store) -> Project:
    """A project without content."""
    with store.writing() as tx:
        return tx.projects.add(
            "shop", "The shop", language="en", languages=("en", "de"), classifier="linear", threshold=0.4, at=START
        )


@pytest.fixture
def add_topic(store: Store, project: Project) -> Callable[..., str]:
    """Add a topic with answers and examples in one edit; return its id."""

    def add(name: str, texts: Sequence[str] = (), **more: Any) -> str:
        with store.writing() as tx:
            topic_id = new_id()
            first = tx.examples.next_place(project.id)
            rows = [
                tx.edits.insert("examples", example_values(project, text, topic_id, first + place), topic_id)
                for place, text in enumerate(texts)
            ]
            tx.edits.apply(
                project.id, None, "add", f"Topic {name}", [_topic(tx, topic_id, project, name, more), *rows]
            )
            return topic_id

    return add


def _topic(tx: Any, topic_id: str, project: Project, name: str, more: dict[str, Any]) -> Any:
    values = {
        "id": topic_id,
        "project_id": project.id,
        "name": name,
        "description": "",
        "owner": "",
        "created": START,
    }
    return tx.edits.insert("topics", values | more, topic_id)


@pytest.fixture
def rename(store: Store, project: Project) -> Callable[..., Edit]:
    """Rename a topic, as an edit."""

    def change(topic_id: str, name: str, user_id: str | None = None) -> Edit:
        with store.writing() as tx:
            one = tx.edits.update("topics", topic_id, topic_id, name=name)
            return tx.edits.apply(project.id, user_id, "rename", f"Renamed to {name}", [one], why="clearer")

    return change
