"""The training data of a project: as exams take them, as files hold them, and what is in them nearly twice."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass

from vivavoce.errors import UsageError
from vivavoce.jobs.exams.documents import dataset_to_bytes
from vivavoce.kept import Kept
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
            say("the project has no examples yet"), remedy=say("import or add topics, then start the exam")
        )
    return dataset_to_bytes(data)


def to_example(row: ExampleRow, topic: Topic | None, project: Project, place: int = 0) -> Example:
    """Return an example as exams take it; `place` is its row in the data set."""
    languages = (row.language, project.language)
    return Example(
        text=row.text,
        intent=topic.name if topic else None,
        created=row.created,
        language=row.language,
        answer=next(filter(None, map(topic.answers.get, languages)), None) if topic else None,
        row=place,
        id=row.id,
    )


COLUMNS = ("text", "intent", "language", "created", "answer")


def example_table(store: Store, project: Project) -> list[tuple[object, ...]]:
    """Return all examples under `COLUMNS`, each with the answer of its topic in its language."""
    with store.reading() as tx:
        topics = {topic.id: (topic.name, topic.answers) for topic in tx.topics.of_project(project.id)}
        rows = [
            (row, *topics.get(row.topic_id or "", (OUT_OF_SCOPE, {}))) for row in tx.examples.of_project(project.id)
        ]
    return [
        (row.text, name, row.language, row.created.isoformat(), answers.get(row.language, ""))
        for row, name, answers in rows
    ]


def export_json(store: Store, project: Project) -> bytes:
    """Return all examples as JSON that can be read back, and beside them the topics with all their answers."""
    with store.reading() as tx:
        topics = tx.topics.of_project(project.id)
    examples = [dict(zip(COLUMNS, cells, strict=True)) for cells in example_table(store, project)]
    described = [
        {name: getattr(topic, name) for name in ("name", "description", "owner")}
        | {"created": topic.created.isoformat(), "answers": dict(topic.answers)}
        for topic in topics
    ]
    return json.dumps({"examples": examples, "topics": described}, ensure_ascii=False, indent=1).encode()


@dataclass(frozen=True, slots=True)
class Twin:
    """An example with the name of its topic (None: out of scope)."""

    row: ExampleRow
    topic: str | None


@dataclass(frozen=True, slots=True)
class Twins:
    """Examples that say nearly the same; `apart`: they stand under different topics."""

    examples: tuple[Twin, ...]
    apart: bool

    @property
    def id(self) -> str:
        """The id of its first example, by which it goes."""
        return self.examples[0].row.id


@dataclass(frozen=True, slots=True)
class TwinPage:
    """Some groups of examples, those under different topics first, how many fit, and how many stand apart."""

    groups: tuple[Twins, ...]
    total: int
    apart: int


_GROUPS: Kept[tuple[Twins, ...]] = Kept(4)


def list_duplicates(
    store: Store, project: Project, *, apart: bool = False, limit: int = 50, offset: int = 0
) -> TwinPage:
    """Return examples that say nearly the same, as exams tell it; `apart`: those under different topics alone."""
    with store.reading() as tx:
        groups = _GROUPS.get((project.id, tx.edits.state(project.id)), lambda: _find_groups(tx, project))
    torn = [group for group in groups if group.apart]
    chosen = torn if apart else groups
    return TwinPage(tuple(chosen[offset : offset + limit]), len(chosen), len(torn))


def _find_groups(tx: Transaction, project: Project) -> tuple[Twins, ...]:
    from vivavoce.text.duplicates import duplicate_groups  # heavy: only when somebody looks

    names = tx.topics.names(project.id)
    rows = tx.examples.of_project(project.id)
    groups: defaultdict[int, list[Twin]] = defaultdict(list)
    numbers = duplicate_groups([row.text for row in rows], (project.language,)) if rows else ()
    for row, number in zip(rows, numbers, strict=True):
        groups[int(number)].append(Twin(row, names.get(row.topic_id or "")))
    twins = [Twins(tuple(own), len({twin.topic for twin in own}) > 1) for own in groups.values() if len(own) > 1]
    return tuple(sorted(twins, key=lambda group: not group.apart))
