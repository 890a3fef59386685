"""A large workspace for the benchmark of the web application, filled by the product itself: imports and real runs."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from material import in_scope, intents

from vivavoce.jobs.worker import Worker
from vivavoce.store.database import Store
from vivavoce.store.migrating import create_store
from vivavoce.store.rows import Project
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.access.bot_rules import BotRules
from vivavoce.workspace.conversations.choices import Choice
from vivavoce.workspace.conversations.conversations import start_conversations
from vivavoce.workspace.dialogues.dialogues import begin_scoring
from vivavoce.workspace.exams.intents import start_engines, start_intents
from vivavoce.workspace.projects.demo_runs import create_demo_project
from vivavoce.workspace.topics.importing import apply_import, prepare_import
from vivavoce.workspace.topics.incoming import Choices
from vivavoce.workspace.uploads import Source

SUITE = "flight"
BOTS = ("keywords", "nearest")


@dataclass(frozen=True, slots=True)
class Scale:
    """How large the workspace is; the flight suite has 59 conversations with 319 messages."""

    topics: int = 200
    each: int = 60
    repeats: int = 95


def build(path: Path, scale: Scale) -> tuple[Store, Project]:
    """Make the workspace: many topics, exams of them, many conversations, logged talks with scores."""
    store = create_store(path)
    project = create_demo_project(store, PRODUCT)
    _replace_topics(store, project, scale)
    for seed in (0, 1):
        start_intents(store, PRODUCT, project, options={"classifier": "tfidf", "retries": 2, "seed": seed})
    start_engines(store, PRODUCT, project, ("tfidf", "tfidf:en"), options={"retries": 1})
    begin_scoring(store, PRODUCT, project)
    _start_talks(store, project, scale)
    Worker(store).drain()
    return store, project


def count(store: Store, project: Project) -> dict[str, int]:
    """Return how much there is."""
    with store.reading() as tx:
        runs = tx.runs.page(project.id, "conversations", limit=10)
        return {
            "topics": tx.topics.count(project.id),
            "examples": tx.examples.count(project.id),
            "conversations": sum(run.total for run in runs),
            "turns": sum(tx.turns.count(run.id) for run in runs),
            "talks": tx.dialogues.count(project.id),
        }


def _replace_topics(store: Store, project: Project, scale: Scale) -> None:
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
    preview = prepare_import(store, PRODUCT, project, source, Choices(mode="replace"))
    apply_import(store, PRODUCT, project, preview.key)


def _start_talks(store: Store, project: Project, scale: Scale) -> None:
    with store.reading() as tx:
        suite = next(one for one in tx.suites.of_project(project.id) if one.name == SUITE)
    for repeats in (1, scale.repeats):
        start_conversations(store, PRODUCT, project, Choice(suite.id, bots=BOTS, repeats=repeats), BotRules())
