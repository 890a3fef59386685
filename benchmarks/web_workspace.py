"""A large workspace for the benchmark of the web application, filled by the product itself: imports and real runs."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from material import in_scope, intents, shared

from vivavoce.jobs.worker import Worker
from vivavoce.store.database import Store
from vivavoce.store.migrating import create_store
from vivavoce.store.rows import Project
from vivavoce.workspace.actors import PRODUCT
from vivavoce.workspace.bot_rules import BotRules
from vivavoce.workspace.conversation_choices import Choice
from vivavoce.workspace.conversations import start_conversations
from vivavoce.workspace.demo import create_demo_project
from vivavoce.workspace.importing import Choices, Source, apply_import, prepare_import
from vivavoce.workspace.intents import start_intents
from vivavoce.workspace.projects import create_project

TOPICS, EACH = 200, 60


@dataclass(frozen=True)
class Scale:
    """How large the workspace is."""

    topics: int = TOPICS
    each: int = EACH
    repeats: int = 95


def build(path: Path, scale: Scale) -> tuple[Store, Project]:
    """Make the workspace: many topics with two intents exams, many conversations, logged talks with scores."""
    store = create_store(path)
    demo = create_demo_project(store, PRODUCT)
    project = create_project(store, PRODUCT, "Large", classifier="tfidf")
    _import_topics(store, project, scale)
    for seed in (0, 1):
        start_intents(store, PRODUCT, project, options={"classifier": "tfidf", "retries": 2, "seed": seed})
    _start_talks(store, demo, scale)
    Worker(store).drain()
    return store, project


def _import_topics(store: Store, project: Project, scale: Scale) -> None:
    by_topic: dict[str, list[str]] = defaultdict(list)
    for name in ("clinc150_full", "banking77"):
        data = in_scope(intents(name, "train"))
        for text, intent in zip(data.texts, data.intents, strict=True):
            by_topic[intent].append(text)
    kept = [topic for topic, texts in by_topic.items() if len(texts) >= scale.each][: scale.topics]
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(("text", "intent"))
    writer.writerows((text, topic) for topic in kept for text in by_topic[topic][: scale.each])
    source = Source("large.csv", table.getvalue().encode())
    preview = prepare_import(store, PRODUCT, project, source, Choices())
    apply_import(store, PRODUCT, project, preview.key)


def _start_talks(store: Store, project: Project, scale: Scale) -> None:
    with store.reading() as tx:
        suite = next(one for one in tx.suites.of_project(project.id) if one.name == "flight")
    for repeats in (1, scale.repeats):
        choice = Choice(suite.id, bots=("keywords", "nearest"), repeats=repeats)
        start_conversations(store, PRODUCT, project, choice, BotRules())


__all__ = ["Scale", "build", "shared"]
