"""What visitors wrote to an assistant, what it answered, and what people made of the answers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from vivavoce.store.repositories.repository import AddedRows, RowsById, holding, pieces
from vivavoce.store.rows import MessageRow, ReviewRow
from vivavoce.store.tables import messages, reviews

_FIRST_USEFUL = (messages.c.gain.desc(), messages.c.created, messages.c.id)
_NEWEST = (messages.c.created.desc(), messages.c.id)


class Messages(RowsById[MessageRow], table=messages, row=MessageRow):
    """Messages of talks, each with its answer."""

    def add(self, row: MessageRow) -> MessageRow:
        """Keep a message."""
        return self._add(row)

    def by_key(self, talk_id: str, key: str) -> MessageRow | None:
        """Return the message that a client sent with this id."""
        return self._one(messages.c.talk_id == talk_id, messages.c.key == key)

    def of_talk(self, talk_id: str, after: int = -1) -> tuple[MessageRow, ...]:
        """Return the messages of a talk in order, all or those after a number."""
        query = self._select(messages.c.talk_id == talk_id, messages.c.number > after)
        return self._all(query.order_by(messages.c.number))

    def repeats(self, talk_id: str, text: str, since: datetime) -> bool:
        """Tell whether the visitor wrote the same text since a time."""
        same = (messages.c.talk_id == talk_id, messages.c.text == text, messages.c.created >= since)
        return self._count(*same, messages.c.author == "visitor") > 0

    def waiting(
        self,
        project_id: str,
        *,
        newest: bool = False,
        but_reviewed_by: str | None = None,
        limit: int | None = 50,
        offset: int = 0,
    ) -> tuple[MessageRow, ...]:
        """Return the messages that wait in the inbox; second opinions are not asked of those who gave the first."""
        query = self._select(*_waiting(project_id, but_reviewed_by)).order_by(*(_NEWEST if newest else _FIRST_USEFUL))
        return self._all(query.limit(limit).offset(offset))

    def count_waiting(self, project_id: str, but_reviewed_by: str | None = None) -> int:
        """Return how many messages wait in the inbox."""
        return self._count(*_waiting(project_id, but_reviewed_by))

    def set_waiting(self, message_id: str, why: str) -> None:
        """Put a message into the inbox, or take it out where `why` is empty."""
        self._update(messages.c.id == message_id, waiting=why)

    def between(
        self, project_id: str, since: datetime, until: datetime, *, search: str = ""
    ) -> tuple[MessageRow, ...]:
        """Return what visitors wrote in a stretch of time, the oldest first."""
        own = (messages.c.project_id == project_id, messages.c.author == "visitor")
        within = (messages.c.created >= since, messages.c.created < until)
        query = self._select(*own, *within, *holding(search, messages.c.text))
        return self._all(query.order_by(messages.c.created, messages.c.id))

    def first_at(self, project_id: str) -> datetime | None:
        """Return when the first message came."""
        row = self._first(self._select(messages.c.project_id == project_id).order_by(messages.c.created))
        return row.created if row else None


class Reviews(AddedRows[ReviewRow], table=reviews, row=ReviewRow):
    """What people made of answers; those that were taken back stay, marked."""

    def of_message(self, message_id: str) -> tuple[ReviewRow, ...]:
        """Return the reviews of a message that hold, the oldest first."""
        query = self._select(reviews.c.message_id == message_id, reviews.c.undone.is_(None))
        return self._all(query.order_by(reviews.c.created, reviews.c.id))

    def of_messages(self, ids: Sequence[str]) -> dict[str, tuple[ReviewRow, ...]]:
        """Return the reviews that hold, the oldest first, by the id of their message."""
        grouped: dict[str, tuple[ReviewRow, ...]] = {}
        for piece in pieces(ids):
            query = self._select(reviews.c.message_id.in_(piece), reviews.c.undone.is_(None))
            for row in self._all(query.order_by(reviews.c.created, reviews.c.id)):
                grouped[row.message_id] = (*grouped.get(row.message_id, ()), row)
        return grouped

    def since(self, project_id: str, at: datetime, user_id: str | None = None) -> tuple[ReviewRow, ...]:
        """Return the reviews since a time that hold, of everybody or of one person, the newest first."""
        own = (reviews.c.project_id == project_id, reviews.c.undone.is_(None), reviews.c.created >= at)
        query = self._select(*own, *([] if user_id is None else [reviews.c.user_id == user_id]))
        return self._all(query.order_by(reviews.c.created.desc(), reviews.c.id))

    def list_confirmed(self, project_id: str) -> dict[str, tuple[str, str]]:
        """Return topic and language of the questions that people made sure of, by their texts."""
        query = sa.select(messages.c.text, reviews.c.topic, messages.c.language)
        query = query.join(messages, messages.c.id == reviews.c.message_id)
        valid = (
            reviews.c.project_id == project_id,
            reviews.c.undone.is_(None),
            reviews.c.verdict.in_(("right", "wrong", "new_topic")),
        )
        rows = self.connection.execute(query.where(*valid).order_by(reviews.c.created, reviews.c.id))
        return {text: (topic, language) for text, topic, language in rows}

    def messages_of_texts(self, project_id: str, texts: Sequence[str]) -> list[str]:
        """Return the ids of messages with these texts that people reviewed, the oldest first."""
        query = sa.select(messages.c.id).join(reviews, reviews.c.message_id == messages.c.id).distinct()
        query = query.where(messages.c.project_id == project_id, reviews.c.undone.is_(None))
        return [id_ for piece in pieces(texts) for id_ in self._scalars(query.where(messages.c.text.in_(piece)))]

    def undo(self, review_id: str, at: datetime) -> bool:
        """Take a review back; whether it still held."""
        return self._update(reviews.c.id == review_id, reviews.c.undone.is_(None), undone=at) > 0


def _waiting(project_id: str, but_reviewed_by: str | None) -> tuple[sa.ColumnElement[bool], ...]:
    own = (messages.c.project_id == project_id, messages.c.waiting != "")
    if but_reviewed_by is None:
        return own
    theirs = sa.select(reviews.c.id).where(
        reviews.c.message_id == messages.c.id, reviews.c.user_id == but_reviewed_by, reviews.c.undone.is_(None)
    )
    return (*own, ~theirs.exists())
