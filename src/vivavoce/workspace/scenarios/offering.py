"""Topics that a scenario can expect: those of the project's training data and of the agent of its suite."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import sqlalchemy as sa

from vivavoce.kept import Kept
from vivavoce.store.rows import Project, SuiteRow
from vivavoce.store.tables import examples, topics
from vivavoce.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class OfferedTopic:
    """A topic and up to two phrases that visitors write about it."""

    name: str
    phrases: tuple[str, ...]


_OFFERED: Kept[tuple[OfferedTopic, ...]] = Kept(8)


def offered_topics(tx: Transaction, project: Project, suite: SuiteRow) -> tuple[OfferedTopic, ...]:
    """Return the topics that can be chosen, by name."""
    key = (project.id, tx.edits.state(project.id), suite.agent)

    def collect() -> tuple[OfferedTopic, ...]:
        offered = {topic.name: topic for topic in (*_of_agent(suite.agent), *_of_project(tx, project))}
        return tuple(sorted(offered.values(), key=lambda topic: topic.name.casefold()))

    return _OFFERED.get(key, collect)


def _of_project(tx: Transaction, project: Project) -> Iterator[OfferedTopic]:
    # The first and the last in the alphabet: two phrases of each topic in one query, the same ones every time.
    query = (
        sa.select(topics.c.name, sa.func.min(examples.c.text), sa.func.max(examples.c.text))
        .outerjoin(examples, examples.c.topic_id == topics.c.id)
        .where(topics.c.project_id == project.id)
        .group_by(topics.c.id, topics.c.name)
    )
    for name, first, last in tx.connection.execute(query):
        yield OfferedTopic(name, tuple(dict.fromkeys(text for text in (first, last) if text)))


@lru_cache(maxsize=16)
def _of_agent(agent: str | None) -> tuple[OfferedTopic, ...]:
    if agent is None:
        return ()
    from vivavoce.agents import read_agent

    return tuple(OfferedTopic(topic.intent, topic.phrases[:2]) for topic in read_agent(agent).topics)
