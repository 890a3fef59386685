"""Which changes of material there were: by project, topic and time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from vivavoce.store.repositories.repository import RowsById, pieces
from vivavoce.store.rows import Change, Edit
from vivavoce.store.tables import changes, edits

_NEWEST_FIRST = (edits.c.at.desc(), edits.c.id)


@dataclass(frozen=True, slots=True)
class EditSize:
    """How many rows of one kind (`noun`) an edit touched, and how many of them came or went by it."""

    edit_id: str
    at: datetime
    action: str
    undoes: str | None
    undone_by: str | None
    noun: str
    rows: int
    added: int
    removed: int


class EditLog(RowsById[Edit], table=edits, row=Edit):
    """Edits as they are read; `Edits` makes them."""

    def of_project(
        self,
        project_id: str,
        *,
        limit: int | None = 50,
        offset: int = 0,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> tuple[Edit, ...]:
        """Return the edits of a project, or those of a stretch of time, the newest first."""
        query = self._select(*_between(project_id, since, until))
        return self._all(query.order_by(*_NEWEST_FIRST).limit(limit).offset(offset))

    def count(self, project_id: str, *, since: datetime | None = None, until: datetime | None = None) -> int:
        """Return how many edits a project has seen, at all or in a stretch of time."""
        return self._count(*_between(project_id, since, until))

    def count_of_topics(self, project_id: str, since: datetime) -> int:
        """Return how many edits of topics, answers or examples there were since a time."""
        touched = sa.select(changes.c.edit_id).where(changes.c.edit_id == edits.c.id, changes.c.topic_id.is_not(None))
        return self._count(*_between(project_id, since), touched.exists())

    def sizes(
        self, project_id: str, nouns: Sequence[str], since: datetime | None, until: datetime | None = None
    ) -> tuple[EditSize, ...]:
        """Return what edits of a stretch of time did to rows of some kinds, the oldest first."""
        # A row that moves leaves one place and comes to another: two changes, one row.
        came = sa.func.count(sa.distinct(sa.case((changes.c.before.is_(None), changes.c.noun_id))))
        went = sa.func.count(sa.distinct(sa.case((changes.c.after.is_(None), changes.c.noun_id))))
        about = (edits.c.id, edits.c.at, edits.c.action, edits.c.undoes, edits.c.undone_by, changes.c.noun)
        query = sa.select(*about, sa.func.count(sa.distinct(changes.c.noun_id)), came, went)
        query = query.join(changes, changes.c.edit_id == edits.c.id).where(*_between(project_id, since, until))
        query = query.where(changes.c.noun.in_(nouns)).group_by(*about).order_by(edits.c.at, edits.c.id)
        return self._rows(EditSize, query)

    def state(self, project_id: str) -> tuple[int, str]:
        """Return what changes whenever the content of a project does."""
        newest = next(iter(self.of_project(project_id, limit=1)), None)
        return self.count(project_id), newest.id if newest else ""

    def by_person(self, project_id: str, since: datetime) -> dict[str | None, tuple[int, datetime]]:
        """Return how many edits each person made since a time, and when the last one, by the id of the person."""
        query = sa.select(edits.c.user_id, sa.func.count(), sa.func.max(edits.c.at))
        query = query.where(*_between(project_id, since)).group_by(edits.c.user_id)
        return {user_id: (int(n), at) for user_id, n, at in self.connection.execute(query)}

    def of_topic(self, topic_id: str, *, limit: int = 50) -> tuple[Edit, ...]:
        """Return the edits that touched a topic, its answers or its examples, the newest first."""
        touched = sa.select(changes.c.edit_id).where(changes.c.topic_id == topic_id)
        return self._all(self._select(edits.c.id.in_(touched)).order_by(*_NEWEST_FIRST).limit(limit))

    def later(self, edit: Edit, limit: int) -> tuple[Edit, ...]:
        """Return the edits since then that touched a row of an edit, or what belongs to a topic that it made."""
        mine, other = changes.alias("mine"), changes.alias("other")
        same = sa.and_(other.c.noun == mine.c.noun, other.c.noun_id == mine.c.noun_id)
        within = sa.and_(mine.c.noun == "topics", other.c.topic_id == mine.c.noun_id)
        touched = sa.select(other.c.edit_id).join(mine, sa.or_(same, within)).where(mine.c.edit_id == edit.id)
        query = self._select(edits.c.id.in_(touched), edits.c.id != edit.id, edits.c.at >= edit.at)
        return self._all(query.order_by(*_NEWEST_FIRST).limit(limit))

    def topics_since(self, project_id: str, since: datetime) -> dict[str, str | None]:
        """Return the topics that were touched since a time, each with the name it had before (None: as now)."""
        recent = sa.select(edits.c.id).where(*_between(project_id, since))
        chosen = (changes.c.edit_id.in_(recent), changes.c.topic_id.is_not(None))
        ids = self._scalars(sa.select(changes.c.topic_id).where(*chosen).distinct())
        query = sa.select(changes.c.noun_id, changes.c.before).join(edits, edits.c.id == changes.c.edit_id)
        query = query.where(*chosen, changes.c.noun == "topics").order_by(edits.c.at.desc(), changes.c.place.desc())
        # The oldest change comes last and stays: it knows the first name.
        rows = self.connection.execute(query)
        return dict.fromkeys(ids) | {noun_id: before["name"] for noun_id, before in rows if before is not None}

    def last_names(self, noun: str, ids: Sequence[str]) -> dict[str, str]:
        """Return the names that rows had last, also of those that are gone, by id."""
        query = sa.select(changes.c.noun_id, changes.c.before, changes.c.after).where(changes.c.noun == noun)
        query = query.join(edits, edits.c.id == changes.c.edit_id).order_by(edits.c.at, changes.c.place)
        return {
            noun_id: str((after or before)["name"])
            for piece in pieces(ids)
            for noun_id, before, after in self.connection.execute(query.where(changes.c.noun_id.in_(piece)))
        }

    def last_values(self, project_id: str, action: str, noun: str) -> dict[str, Mapping[str, Any]]:
        """Return what rows were after the newest edit of a kind that holds, by id; rows that went are left out."""
        query = sa.select(changes.c.noun_id, changes.c.after).join(edits, edits.c.id == changes.c.edit_id)
        held = (*_between(project_id), edits.c.action == action, edits.c.undone_by.is_(None), changes.c.noun == noun)
        rows = self.connection.execute(query.where(*held).order_by(edits.c.at, changes.c.place))
        return {noun_id: after for noun_id, after in rows if after is not None}

    def changes(self, edit_id: str, *, limit: int | None = None) -> tuple[Change, ...]:
        """Return what an edit did, in order."""
        columns = (changes.c.noun, changes.c.noun_id, changes.c.before, changes.c.after, changes.c.topic_id)
        query = sa.select(*columns).where(changes.c.edit_id == edit_id).order_by(changes.c.place).limit(limit)
        return self._rows(Change, query)

    def changes_of(
        self, project_id: str, noun: str, ids: Sequence[str], since: datetime, until: datetime
    ) -> Iterator[tuple[Edit, str, Mapping[str, Any] | None, Mapping[str, Any] | None]]:
        """Yield what the edits of a stretch of time did to some rows: edit, id, before and after, in order."""
        query = sa.select(*self.columns, changes.c.noun_id, changes.c.before, changes.c.after)
        query = query.join(changes, edits.c.id == changes.c.edit_id).where(*_between(project_id, since, until))
        query = query.where(changes.c.noun == noun).order_by(edits.c.at, edits.c.id, changes.c.place)
        for piece in pieces(ids):
            for *edit, noun_id, before, after in self._fetch(query.where(changes.c.noun_id.in_(piece))):
                yield Edit(*edit), noun_id, before, after


def _between(
    project_id: str, since: datetime | None = None, until: datetime | None = None
) -> list[sa.ColumnElement[bool]]:
    conditions = [edits.c.project_id == project_id]
    conditions += [] if since is None else [edits.c.at >= since]
    return conditions if until is None else [*conditions, edits.c.at <= until]
