"""The training data of a project, as exams take them and as files hold them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from vivavoce.errors import UsageError
from vivavoce.jobs.exams.documents import dataset_to_bytes
from vivavoce.messages import say
from vivavoce.records import Dataset, Example
from vivavoce.store.database import Store
from vivavoce.store.rows import ExampleRow, Project, Topic
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.topics.names import OUT_OF_SCOPE


def project_dataset(tx: Transaction, project: Project) -> Dataset:
    """Return all examples of a project in their order, each with the answer of its topic."""
    topics = {topic.id: topic for topic in tx.topics.of_project(project.id)}
    rows = tx.examples.of_project(project.id)
    examples = (to_example(row, topics.get(row.topic_id or ""), project, place) for place, row in enumerate(rows, 1))
    return Dataset(tuple(examples), project.slug)


def exam_material(store: Store, project: Project) -> bytes:
    """Return the training data as a run keeps them; refuse a project without any."""
    with store.reading() as tx:
        data = project_dataset(tx, project)
    if not data.examples:
        raise UsageError(
            say("the project has no examples yet"), remedy=say("import topics, or write some, then start the exam")
        )
    return dataset_to_bytes(data)


def to_example(row: ExampleRow, topic: Topic | None, project: Project, place: int = 0) -> Example:
    """Return an example as exams take it; `place` is its row in the data set."""
    return Example(
        text=row.text,
        intent=topic.name if topic else None,
        created=row.created,
        language=row.language,
        answer=_answer(topic.answers, row.language, project.language) if topic else None,
        row=place,
        id=row.id,
    )


def _answer(answers: Mapping[str, str], *languages: str) -> str | None:
    """Return the answer in the first language that has one."""
    return next((answers[language] for language in languages if answers.get(language)), None)


COLUMNS = ("text", "intent", "language", "created", "answer")


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
