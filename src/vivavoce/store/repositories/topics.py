"""Topics with their answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from vivavoce.errors import UsageError, nearest
from vivavoce.store.repositories.repository import Repository
from vivavoce.store.rows import Topic
from vivavoce.store.tables import answers, examples, topics

_SIZE = sa.func.count(examples.c.id)
_NAME = sa.func.lower(topics.c.name)
# How a list of topics can be sorted; a minus turns it round. Names decide between equals.
_SORTS: Mapping[str, tuple[sa.ColumnElement[Any], ...]] = {
    "name": (_NAME, topics.c.name),
    "-name": (_NAME.desc(), topics.c.name.desc()),
    "size": (_SIZE, _NAME),
    "-size": (_SIZE.desc(), _NAME),
    "created": (topics.c.created, _NAME),
    "-created": (topics.c.created.desc(), _NAME),
    "owner": (sa.func.lower(topics.c.owner), _NAME),
    "-owner": (sa.func.lower(topics.c.owner).desc(), _NAME),
}
SORTS = tuple(_SORTS)


class Topics(Repository):
    """Topics with their answers; changes of them are edits."""

    def get(self, topic_id: str) -> Topic | None:
        """Return a topic."""
        return next(iter(self._topics(topics.c.id == topic_id)), None)

    def by_name(self, project_id: str, name: str) -> Topic | None:
        """Return the topic with exactly this name."""
        return next(iter(self._topics(topics.c.project_id == project_id, topics.c.name == name)), None)

    def of_project(self, project_id: str) -> tuple[Topic, ...]:
        """Return all topics of a project, by name."""
        found = self._topics(topics.c.project_id == project_id)
        return tuple(sorted(found, key=lambda topic: (topic.name.casefold(), topic.name)))

    def names(self, project_id: str) -> dict[str, str]:
        """Return the names of all topics of a project by their ids, in order."""
        query = sa.select(topics.c.id, topics.c.name).where(topics.c.project_id == project_id)
        found = sorted(self.connection.execute(query), key=lambda row: (row.name.casefold(), row.name))
        return {row.id: row.name for row in found}

    def sizes(self, project_id: str) -> dict[str, int]:
        """Return how many examples each topic has, by its id."""
        query = sa.select(topics.c.id, _SIZE).outerjoin(examples, examples.c.topic_id == topics.c.id)
        query = query.where(topics.c.project_id == project_id).group_by(topics.c.id)
        return {row[0]: int(row[1]) for row in self.connection.execute(query)}

    def answer_ids(self, topic_id: str) -> dict[str, str]:
        """Return the ids of a topic's answers, by language."""
        query = sa.select(answers.c.language, answers.c.id).where(answers.c.topic_id == topic_id)
        return {row[0]: row[1] for row in self.connection.execute(query)}

    def count(self, project_id: str, search: str = "") -> int:
        """Return how many topics there are whose name, description or answer holds the words."""
        query = sa.select(sa.func.count()).select_from(topics).where(*_chosen(project_id, search))
        return int(self.connection.execute(query).scalar_one())

    def page(
        self, project_id: str, search: str = "", sort: str = "name", limit: int = 50, offset: int = 0
    ) -> tuple[tuple[Topic, int], ...]:
        """Return topics, each with the number of its examples."""
        query = sa.select(topics.c.id, _SIZE).outerjoin(examples, examples.c.topic_id == topics.c.id)
        query = query.where(*_chosen(project_id, search)).group_by(topics.c.id)
        found = self.connection.execute(query.order_by(*_order(sort), topics.c.id).limit(limit).offset(offset))
        sizes = {row[0]: int(row[1]) for row in found}
        made = {topic.id: topic for topic in self._topics(topics.c.id.in_(sizes))}
        return tuple((made[topic_id], size) for topic_id, size in sizes.items())

    def _topics(self, *conditions: sa.ColumnElement[bool]) -> tuple[Topic, ...]:
        query = sa.select(topics, answers.c.language, answers.c.text).where(*conditions)
        query = query.outerjoin(answers, answers.c.topic_id == topics.c.id).order_by(topics.c.id, answers.c.language)
        return tuple(_joined(self.connection.execute(query).mappings()))


def _joined(rows: Iterable[Mapping[Any, Any]]) -> Iterable[Topic]:
    """Make topics of rows that hold one answer each."""
    spoken: dict[str, dict[str, str]] = {}
    made: dict[str, Mapping[Any, Any]] = {}
    for row in rows:
        made.setdefault(row["id"], row)
        own = spoken.setdefault(row["id"], {})
        if row["language"] is not None:
            own[row["language"]] = row["text"]
    for topic_id, row in made.items():
        yield Topic(**{column.name: row[column.name] for column in topics.c}, answers=spoken[topic_id])


def _chosen(project_id: str, search: str) -> tuple[sa.ColumnElement[bool], ...]:
    of_project = topics.c.project_id == project_id
    words = search.strip()
    if not words:
        return (of_project,)
    answered = sa.exists().where(answers.c.topic_id == topics.c.id, answers.c.text.icontains(words, autoescape=True))
    places = (topics.c.name, topics.c.description)
    return (of_project, sa.or_(*(place.icontains(words, autoescape=True) for place in places), answered))


def _order(sort: str) -> tuple[sa.ColumnElement[Any], ...]:
    if sort not in _SORTS:
        raise UsageError(f"topics cannot be sorted by '{sort}'.{nearest(sort, SORTS)}", remedy=", ".join(SORTS))
    return _SORTS[sort]
