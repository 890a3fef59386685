"""Topics that a scenario can expect: those of the project's training data and of the agent of its suite."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from vivavoce.kept import Kept
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, SuiteRow
from vivavoce.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class OfferedTopic:
    """A topic and up to two phrases that visitors write about it."""

    name: str
    phrases: tuple[str, ...]


_OFFERED: Kept[tuple[OfferedTopic, ...]] = Kept(8)


def offered_topics(store: Store, project: Project, suite: SuiteRow) -> tuple[OfferedTopic, ...]:
    """Return the topics that can be chosen, by name."""
    with store.reading() as tx:
        key = (project.id, tx.edits.state(project.id), suite.agent)
        return _OFFERED.get(key, lambda: _offered(tx, project, suite))


def _offered(tx: Transaction, project: Project, suite: SuiteRow) -> tuple[OfferedTopic, ...]:
    found = {topic.name: topic for topic in _of_agent(suite.agent)}
    found |= {name: OfferedTopic(name, phrases) for name, phrases in tx.topics.phrases(project.id).items()}
    return tuple(sorted(found.values(), key=lambda topic: topic.name.casefold()))


@lru_cache(maxsize=16)
def _of_agent(agent: str | None) -> tuple[OfferedTopic, ...]:
    if agent is None:
        return ()
    from vivavoce.agents import read_agent

    return tuple(OfferedTopic(topic.intent, topic.phrases[:2]) for topic in read_agent(agent).topics)
