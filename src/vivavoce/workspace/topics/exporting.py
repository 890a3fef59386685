"""Everything that a project's topics hold, in the form in which it can be read back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from vivavoce.store.database import Store
from vivavoce.store.rows import ExampleRow, Project, Topic
from vivavoce.workspace.topics.names import OUT_OF_SCOPE
from vivavoce.workspace.topics.standing import TopicLine, TopicList

COLUMNS = ("text", "intent", "language", "created", "answer")
LIST_COLUMNS = (
    "topic",
    "examples",
    "share_of_questions",
    "right",
    "deferred",
    "wrong",
    "attracted",
    "flags",
    "owner",
    "description",
    "created",
)


def example_table(store: Store, project: Project) -> list[tuple[object, ...]]:
    """Return all examples under `COLUMNS`, each with the answer of its topic in its language."""
    with store.reading() as tx:
        topics = {topic.id: topic for topic in tx.topics.of_project(project.id)}
        rows = tx.examples.of_project(project.id)
    return [_cells(row, topics.get(row.topic_id or "")) for row in rows]


def export_json(store: Store, project: Project) -> bytes:
    """Return all examples as JSON that can be read back, and beside them the topics with all their answers."""
    with store.reading() as tx:
        topics = tx.topics.of_project(project.id)
    examples = [dict(zip(COLUMNS, cells, strict=True)) for cells in example_table(store, project)]
    content = {"examples": examples, "topics": [_described(topic) for topic in topics]}
    return json.dumps(content, ensure_ascii=False, indent=1).encode()


def topic_table(found: TopicList) -> list[tuple[object, ...]]:
    """Return the list of topics under `LIST_COLUMNS`."""
    return [tuple(_line_cells(line)) for line in found.lines]


def _cells(row: ExampleRow, topic: Topic | None) -> tuple[object, ...]:
    answer = topic.answers.get(row.language, "") if topic else ""
    return row.text, topic.name if topic else OUT_OF_SCOPE, row.language, row.created.isoformat(), answer


def _described(topic: Topic) -> dict[str, Any]:
    return {
        "name": topic.name,
        "description": topic.description,
        "owner": topic.owner,
        "created": topic.created.isoformat(),
        "answers": dict(topic.answers),
    }


def _line_cells(line: TopicLine) -> Iterator[object]:
    topic = line.topic
    yield from (topic.name, line.size, line.share)
    yield from (line.right, line.deferred, line.wrong) if line.asked else (None, None, None)
    yield from (line.attracted, " ".join(line.flags), topic.owner, topic.description, topic.created)
