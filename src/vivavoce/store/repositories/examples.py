"""Examples of topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from vivavoce.store.repositories.repository import PIECE, Repository
from vivavoce.store.rows import ExampleRow
from vivavoce.store.tables import examples


class Examples(Repository):
    """Examples of topics, and those out of scope, which have no topic; changes of them are edits."""

    def get(self, example_id: str) -> ExampleRow | None:
        """Return an example."""
        return next(iter(self._rows(sa.select(examples).where(examples.c.id == example_id))), None)

    def some(self, ids: Sequence[str]) -> tuple[ExampleRow, ...]:
        """Return the examples with these ids, in their order in the project; those that are gone are left out."""
        found: list[ExampleRow] = []
        for start in range(0, len(ids), PIECE):
            found += self._rows(sa.select(examples).where(examples.c.id.in_(ids[start : start + PIECE])))
        return tuple(sorted(found, key=lambda row: (row.place, row.id)))

    def of_topic(
        self, topic_id: str, limit: int | None = None, offset: int = 0, search: str = ""
    ) -> tuple[ExampleRow, ...]:
        """Return the examples of a topic, in order."""
        query = sa.select(examples).where(examples.c.topic_id == topic_id, *_holding(search))
        return self._rows(_ordered(query).limit(limit).offset(offset))

    def out_of_scope(
        self, project_id: str, limit: int | None = None, offset: int = 0, search: str = ""
    ) -> tuple[ExampleRow, ...]:
        """Return the examples of a project that belong to no topic, in order."""
        chosen = (examples.c.project_id == project_id, examples.c.topic_id.is_(None), *_holding(search))
        return self._rows(_ordered(sa.select(examples).where(*chosen)).limit(limit).offset(offset))

    def of_project(self, project_id: str) -> tuple[ExampleRow, ...]:
        """Return all examples of a project, in order."""
        return self._rows(_ordered(sa.select(examples).where(examples.c.project_id == project_id)))

    def page(
        self, project_id: str, search: str = "", limit: int | None = 50, offset: int = 0
    ) -> tuple[ExampleRow, ...]:
        """Return examples of all topics that hold the words, in order."""
        query = sa.select(examples).where(examples.c.project_id == project_id, *_holding(search))
        return self._rows(_ordered(query).limit(limit).offset(offset))

    def count(self, project_id: str, search: str = "") -> int:
        """Return how many examples of a project hold the words."""
        return self._count(examples.c.project_id == project_id, *_holding(search))

    def count_of_topic(self, topic_id: str, search: str = "") -> int:
        """Return how many examples of a topic hold the words."""
        return self._count(examples.c.topic_id == topic_id, *_holding(search))

    def count_out_of_scope(self, project_id: str, search: str = "") -> int:
        """Return how many examples without a topic hold the words."""
        return self._count(examples.c.project_id == project_id, examples.c.topic_id.is_(None), *_holding(search))

    def next_place(self, project_id: str) -> int:
        """Return the place of the next new example: after all others."""
        query = sa.select(sa.func.max(examples.c.place)).where(examples.c.project_id == project_id)
        last = self.connection.execute(query).scalar()
        return 0 if last is None else int(last) + 1

    def _rows(self, query: sa.Select[Any]) -> tuple[ExampleRow, ...]:
        # The columns stand in the order of the fields: ten thousand rows are made twice as fast as by name.
        return tuple(ExampleRow(*row) for row in self.connection.execute(query))

    def _count(self, *conditions: sa.ColumnElement[bool]) -> int:
        query = sa.select(sa.func.count()).select_from(examples).where(*conditions)
        return int(self.connection.execute(query).scalar_one())


def _ordered(query: sa.Select[Any]) -> sa.Select[Any]:
    return query.order_by(examples.c.place, examples.c.id)


def _holding(search: str) -> tuple[sa.ColumnElement[bool], ...]:
    words = search.strip()
    return (examples.c.text.icontains(words, autoescape=True),) if words else ()
