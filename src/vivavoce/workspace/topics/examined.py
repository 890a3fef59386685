"""What an exam examined of each topic, and which topics are not as they were then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from vivavoce.errors import DataError
from vivavoce.jobs.exams.documents import dataset_from_bytes
from vivavoce.kept import Kept
from vivavoce.records import Example
from vivavoce.store.rows import ExampleRow, Project, Run, Topic
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.topics.datasets import to_example

# So many topics are asked for one by one; beyond that it is faster to read all examples.
FEW_TOPICS = 20
# What each topic held, by its name; None: nobody knows any more.
Held = Mapping[str, int]
_HELD: Kept[Held | None] = Kept(8)
_CHANGED: Kept[frozenset[str]] = Kept(32)


def changed_topics(tx: Transaction, project: Project, run: Run, touched: Mapping[str, str | None]) -> frozenset[str]:
    """Return the ids of topics that are not as the run examined them.

    `touched` are those that edits touched since, with the names they had: what was undone again counts as unchanged.
    """
    if not touched:
        return frozenset()
    key = (run.id, tx.edits.state(project.id))
    return _CHANGED.get(key, lambda: frozenset(_changed(tx, project, run, touched)))


def _changed(tx: Transaction, project: Project, run: Run, touched: Mapping[str, str | None]) -> Iterator[str]:
    held = _HELD.get(run.id, lambda: _examined(tx, run))
    topics = {topic.id: topic for topic in tx.topics.of_project(project.id) if topic.id in touched}
    rows = _rows(tx, project, topics)
    for topic_id, topic in topics.items():
        now = _summed(to_example(row, topic, project) for row in rows.get(topic_id, ()))
        renamed = touched[topic_id] not in (None, topic.name)
        if held is None or renamed or held.get(topic.name, _summed(())) != now:
            yield topic_id


def _examined(tx: Transaction, run: Run) -> Held | None:
    """Return what each topic held when the run began; None where its material cannot be read."""
    try:
        data = dataset_from_bytes(tx.runs.material(run.id))
    except DataError:
        return None
    found: dict[str, list[Example]] = {}
    for example in data.examples:
        found.setdefault(example.intent or "", []).append(example)
    return {name: _summed(own) for name, own in found.items()}


def _rows(tx: Transaction, project: Project, topics: Mapping[str, Topic]) -> dict[str, list[ExampleRow]]:
    if len(topics) <= FEW_TOPICS:
        return {topic_id: list(tx.examples.of_topic(topic_id)) for topic_id in topics}
    found: dict[str, list[ExampleRow]] = {}
    for row in tx.examples.of_project(project.id):
        found.setdefault(row.topic_id or "", []).append(row)
    return found


def _summed(examples: Iterable[Example]) -> int:
    """Return one number for all that an exam looks at, whatever the order of the examples."""
    return hash(tuple(sorted((one.text, one.language or "", one.answer or "") for one in examples)))
