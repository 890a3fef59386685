"""Assistants of projects, their visitors and talks."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from vivavoce.store.repositories.repository import AddedRows, Repository, RowsById
from vivavoce.store.rows import AssistantRow, TalkRow, VisitorRow
from vivavoce.store.stamps import now
from vivavoce.store.tables import assistants, messages, talks, visitors


class Assistants(Repository[AssistantRow], table=assistants, row=AssistantRow):
    """The settings of assistants, one for each project."""

    def get(self, project_id: str) -> AssistantRow | None:
        """Return the assistant of a project."""
        return self._one(assistants.c.project_id == project_id)

    def put(self, row: AssistantRow) -> None:
        """Keep the settings of an assistant."""
        self._put([row], "project_id")

    def rebuild(self, project_id: str) -> None:
        """Have all servers load an assistant anew."""
        self._update(assistants.c.project_id == project_id, build=assistants.c.build + 1)

    def swap(self, project_id: str, material: bytes, at: datetime) -> None:
        """Give an assistant the examples that it has learned."""
        self._update(assistants.c.project_id == project_id, material=material, learned=at)
        self.rebuild(project_id)

    def material(self, project_id: str) -> bytes | None:
        """Return the examples that an assistant has learned; None before the first time."""
        material: bytes | None = self._scalar(
            sa.select(assistants.c.material).where(assistants.c.project_id == project_id)
        )
        return material

    def all(self) -> tuple[AssistantRow, ...]:
        """Return all assistants."""
        return self._all(self._select().order_by(assistants.c.project_id))


class Visitors(RowsById[VisitorRow], table=visitors, row=VisitorRow):
    """Visitors of an assistant; their keys are known by hash only."""

    def add(self, row: VisitorRow, secret_hash: str) -> VisitorRow:
        """Keep a new visitor."""
        return self._add(row, secret=secret_hash)

    def find(self, project_id: str, secret_hash: str) -> VisitorRow | None:
        """Return the visitor with a key."""
        return self._one(visitors.c.project_id == project_id, visitors.c.secret == secret_hash)

    def note(self, visitor_id: str, **values: Any) -> None:
        """Note when a visitor was seen, or which address they left."""
        self._update(visitors.c.id == visitor_id, **values)

    def delete(self, visitor_id: str) -> bool:
        """Delete a visitor with all talks; whether there was one."""
        return self._delete(visitors.c.id == visitor_id) > 0

    def prune(self, project_id: str, before: datetime) -> int:
        """Delete the visitors who were not seen since a time, with their talks; return how many."""
        return self._delete(visitors.c.project_id == project_id, visitors.c.seen < before)

    def count(self, project_id: str, since: datetime, until: datetime) -> int:
        """Return how many visitors opened the chat in a stretch of time."""
        return self._count(visitors.c.project_id == project_id, visitors.c.seen >= since, visitors.c.created < until)


class Talks(AddedRows[TalkRow], table=talks, row=TalkRow):
    """Talks of visitors with an assistant."""

    def last(self, visitor_id: str) -> TalkRow | None:
        """Return the latest talk of a visitor."""
        query = self._select(talks.c.visitor_id == visitor_id).order_by(talks.c.created.desc(), talks.c.id)
        return self._first(query)

    def of_key(self, project_id: str, secret_hash: str) -> TalkRow | None:
        """Return the latest talk of the visitor with a key."""
        query = self._select(visitors.c.project_id == project_id, visitors.c.secret == secret_hash)
        query = query.join_from(talks, visitors, visitors.c.id == talks.c.visitor_id)
        return self._first(query.order_by(talks.c.created.desc(), talks.c.id))

    def of_visitor(self, visitor_id: str) -> tuple[TalkRow, ...]:
        """Return the talks of a visitor, the oldest first."""
        return self._all(self._select(talks.c.visitor_id == visitor_id).order_by(talks.c.created, talks.c.id))

    def go_on(self, talk: TalkRow, state: Mapping[str, Any], language: str) -> bool:
        """Keep what the assistant remembers after a message; False where the talk went on meanwhile."""
        unchanged = (talks.c.id == talk.id, talks.c.size == talk.size)
        return self._update(*unchanged, state=state, language=language, seen=now(), size=talk.size + 1) > 0

    def grow(self, talk_id: str) -> None:
        """Count a reply of a person."""
        self._update(talks.c.id == talk_id, seen=now(), size=talks.c.size + 1)

    def assign(self, talk_id: str, user_id: str | None) -> None:
        """Say who looks after a talk."""
        self._update(talks.c.id == talk_id, assigned=user_id)

    def prune(self, project_id: str, before: datetime) -> int:
        """Delete the talks in which nothing was said since a time; return how many."""
        return self._delete(talks.c.project_id == project_id, talks.c.seen < before)

    def page(self, project_id: str, limit: int, offset: int) -> tuple[TalkRow, ...]:
        """Return talks in which a visitor wrote, the newest first."""
        query = self._select(talks.c.project_id == project_id, talks.c.size > 0)
        return self._all(query.order_by(talks.c.seen.desc(), talks.c.id).limit(limit).offset(offset))

    def count(self, project_id: str, since: datetime | None = None, until: datetime | None = None) -> int:
        """Return how many talks there were, at all or begun in a stretch of time."""
        conditions = [talks.c.project_id == project_id, talks.c.size > 0]
        conditions += [] if since is None else [talks.c.created >= since]
        return self._count(*conditions, *([] if until is None else [talks.c.created < until]))

    def asking(self, project_id: str, since: datetime, until: datetime) -> int:
        """Return how many visitors asked something that counts in a stretch of time."""
        query = sa.select(sa.func.count(sa.distinct(talks.c.visitor_id))).join(
            messages, messages.c.talk_id == talks.c.id
        )
        own = (messages.c.project_id == project_id, messages.c.author == "visitor", messages.c.skipped == "")
        return int(self._scalar(query.where(*own, messages.c.created >= since, messages.c.created < until)))
