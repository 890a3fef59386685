"""The language of a project steers what is read of its examples, whatever they look like."""

from __future__ import annotations

import pytest

from vivavoce.classifiers.linear import DefaultClassifier
from vivavoce.intents.exam import load_classifier
from vivavoce.store.database import Store
from vivavoce.store.rows import Project
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.projects.projects import create_project
from vivavoce.workspace.topics.datasets import list_duplicates, project_dataset
from vivavoce.workspace.topics.topics import add_topic

pytestmark = pytest.mark.slow
HOURS = ("Arbeitszeit Homeoffice flexibel", "die Arbeitszeit im Homeoffice flexibel")


def make_project(store: Store, language: str) -> Project:
    project = create_project(store, PRODUCT, language, language=language)
    for name, texts in (("hours", HOURS), ("pay", ("Gehalt", "Lohn"))):
        add_topic(store, PRODUCT, project, name, examples=texts)
    return project


def test_a_german_project_uses_german_vectors_and_stop_words(store: Store) -> None:
    german = make_project(store, "de")
    with store.reading() as tx:
        data = project_dataset(tx, german)
    engine = load_classifier("linear", data)
    assert isinstance(engine, DefaultClassifier)
    engine.fit(data.texts, [str(intent) for intent in data.intents])
    assert ["+de" in note for note in engine.notes] == [True]
    assert list_duplicates(store, german).total == 1
    assert list_duplicates(store, make_project(store, "en")).total == 0, (
        "English is what projects are unless you choose"
    )
