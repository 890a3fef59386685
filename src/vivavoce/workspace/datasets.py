"""The training data of a project, as exams take them."""

from __future__ import annotations

from vivavoce.errors import UsageError
from vivavoce.records import Dataset, Example
from vivavoce.store.rows import ExampleRow, Project, Topic
from vivavoce.store.transaction import Transaction


def project_dataset(tx: Transaction, project: Project) -> Dataset:
    """Return all examples of a project with the answers of their topics; refuse a project without any."""
    topics = {topic.id: topic for topic in tx.topics.of_project(project.id)}
    rows = tx.examples.of_project(project.id)
    if not rows:
        raise UsageError(
            "the project has no examples yet", remedy="import topics, or write some, then start the exam"
        )
    examples = (_example(row, topics.get(row.topic_id or ""), place) for place, row in enumerate(rows, 1))
    return Dataset(tuple(examples), project.slug)


def _example(row: ExampleRow, topic: Topic | None, place: int) -> Example:
    answer = topic.answers.get(row.language) if topic else None
    return Example(
        text=row.text,
        intent=topic.name if topic else None,
        created=row.created,
        language=row.language,
        answer=answer or None,
        row=place,
    )
