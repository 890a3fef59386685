"""Openings with their full-text search, subscriptions to new ones, and mail that waits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import TSQUERY

from vivavoce.store.repositories.repository import AddedRows, RowsById, values_of
from vivavoce.store.rows import MailRow, OpeningRow, SubscriptionRow
from vivavoce.store.tables import mails, openings, subscriptions

_NEWEST = (openings.c.posted.desc(), openings.c.ref)
# The index of PostgreSQL is on this expression.
_WORDS = sa.func.array_to_tsvector(sa.func.string_to_array(openings.c.tokens, sa.literal_column("' '")))


class OpeningRows(RowsById[OpeningRow], table=openings, row=OpeningRow):
    """Openings of projects."""

    def of_project(self, project_id: str, limit: int | None = None, offset: int = 0) -> tuple[OpeningRow, ...]:
        """Return openings, the newest first."""
        query = self._select(openings.c.project_id == project_id)
        return self._all(query.order_by(*_NEWEST).limit(limit).offset(offset))

    def count(self, project_id: str) -> int:
        """Return how many openings a project has."""
        return self._count(openings.c.project_id == project_id)

    def refs(self, project_id: str) -> set[str]:
        """Return the ids that openings have in their feed."""
        return set(self._scalars(sa.select(openings.c.ref).where(openings.c.project_id == project_id)))

    def replace(self, project_id: str, rows: Iterable[OpeningRow]) -> None:
        """Keep exactly these openings of a project."""
        self._delete(openings.c.project_id == project_id)
        self._insert(values_of(openings, row) for row in rows)

    def search(
        self, project_id: str, groups: Sequence[Sequence[str]], limit: int, offset: int = 0
    ) -> tuple[tuple[OpeningRow, ...], int]:
        """Return openings that have a token of every group, those with more of the tokens first, and how many fit."""
        own = openings.c.project_id == project_id
        if not groups:
            return self.of_project(project_id, limit, offset), self.count(project_id)
        query = sa.select(openings.c.id, openings.c.tokens).where(own, self._has(groups)).order_by(*_NEWEST)
        wanted = {token for group in groups for token in group}
        fitting = sorted(self.connection.execute(query), key=lambda row: -len(wanted.intersection(row[1].split())))
        ids = [row[0] for row in fitting[offset : offset + limit]]
        by_id = {row.id: row for row in self._all(self._select(openings.c.id.in_(ids)))}
        return tuple(by_id[row_id] for row_id in ids), len(fitting)

    def _has(self, groups: Sequence[Sequence[str]]) -> sa.ColumnElement[bool]:
        """Return the condition of a search: tokens are letters and digits, and whatever else comes is left out."""
        bare = [[word for token in group if (word := "".join(filter(str.isalnum, token)))] for group in groups]
        if not all(bare):
            return sa.false()
        if self.connection.dialect.name == "postgresql":
            words = " & ".join("(" + " | ".join(f"'{word}'" for word in group) + ")" for group in bare)
            return _WORDS.op("@@")(sa.cast(words, TSQUERY))
        words = " AND ".join("(" + " OR ".join(f'"{word}"' for word in group) + ")" for group in bare)
        rows = sa.text("SELECT id FROM openings_words WHERE openings_words MATCH :words").columns(openings.c.id)
        return openings.c.id.in_(rows.bindparams(words=f"tokens : ({words})"))


class Subscriptions(RowsById[SubscriptionRow], table=subscriptions, row=SubscriptionRow):
    """Subscriptions to new openings; their links are known by hash only."""

    def add(self, row: SubscriptionRow, secret_hash: str) -> SubscriptionRow:
        """Keep a subscription."""
        return self._add(row, secret=secret_hash)

    def find(self, secret_hash: str) -> SubscriptionRow | None:
        """Return the subscription of a link."""
        return self._one(subscriptions.c.secret == secret_hash)

    def renew(self, subscription_id: str, secret_hash: str) -> None:
        """Give a subscription another link: the one before is worthless then."""
        self._update(subscriptions.c.id == subscription_id, secret=secret_hash)

    def confirm(self, subscription_id: str, at: datetime) -> bool:
        """Note that the link in the mail was used; whether it was the first time."""
        return (
            self._update(subscriptions.c.id == subscription_id, subscriptions.c.confirmed.is_(None), confirmed=at) > 0
        )

    def end(self, at: datetime, *, subscription_id: str | None = None, visitor_id: str | None = None) -> int:
        """End one subscription, or all of a visitor; return how many."""
        own = subscriptions.c.id == subscription_id if subscription_id else subscriptions.c.visitor_id == visitor_id
        return self._update(own, subscriptions.c.ended.is_(None), ended=at)

    def mark_notified(self, subscription_id: str, at: datetime) -> None:
        """Note that a mail about new openings was written."""
        self._update(subscriptions.c.id == subscription_id, told=at)

    def active(self, project_id: str) -> tuple[SubscriptionRow, ...]:
        """Return the subscriptions that were confirmed and not ended."""
        live = (subscriptions.c.confirmed.is_not(None), subscriptions.c.ended.is_(None))
        return self._all(self._select(subscriptions.c.project_id == project_id, *live).order_by(subscriptions.c.id))

    def of_visitor(self, visitor_id: str) -> tuple[SubscriptionRow, ...]:
        """Return the subscriptions of a visitor."""
        return self._all(self._select(subscriptions.c.visitor_id == visitor_id).order_by(subscriptions.c.created))

    def prune(self, project_id: str, before: datetime) -> int:
        """Delete the subscriptions that ended before a time, or were never confirmed since then; return how many."""
        unconfirmed = sa.and_(subscriptions.c.confirmed.is_(None), subscriptions.c.created < before)
        return self._delete(
            subscriptions.c.project_id == project_id, sa.or_(subscriptions.c.ended < before, unconfirmed)
        )

    def delete_of(self, visitor_id: str) -> int:
        """Delete the subscriptions of a visitor; return how many."""
        return self._delete(subscriptions.c.visitor_id == visitor_id)


class Mails(AddedRows[MailRow], table=mails, row=MailRow):
    """Mail to visitors: waiting, sent, or to be sent by hand."""

    def take_due(self, project_id: str, at: datetime, until: datetime, limit: int = 20) -> tuple[MailRow, ...]:
        """Return mails of a project that are due; nobody else gets them before `until`."""
        is_due = (mails.c.project_id == project_id, mails.c.sent.is_(None), mails.c.next_at <= at)
        due = sa.select(mails.c.id).where(*is_due).order_by(mails.c.next_at)
        ids = list(self._scalars(due.limit(limit).with_for_update(skip_locked=True)))
        self._update(mails.c.id.in_(ids), next_at=until, attempts=mails.c.attempts + 1)
        return self._all(self._select(mails.c.id.in_(ids)).order_by(mails.c.created, mails.c.id))

    def due_projects(self, at: datetime) -> tuple[str, ...]:
        """Return the projects that have mails to send."""
        query = sa.select(mails.c.project_id).where(mails.c.sent.is_(None), mails.c.next_at <= at).distinct()
        return tuple(self._scalars(query))

    def hasten(self, mail_id: str, at: datetime) -> None:
        """Have a mail be due, and tried as often as a new one."""
        self._update(mails.c.id == mail_id, next_at=at, attempts=0)

    def mark_sent(self, mail_id: str, at: datetime) -> bool:
        """Note that a mail is out; whether it still waited."""
        return self._update(mails.c.id == mail_id, mails.c.sent.is_(None), sent=at, error="") > 0

    def mark_failed(self, mail_id: str, error: str, next_at: datetime) -> None:
        """Note why a mail is not out, and when to try again."""
        self._update(mails.c.id == mail_id, error=error, next_at=next_at)

    def of_project(self, project_id: str, limit: int = 50, offset: int = 0) -> tuple[MailRow, ...]:
        """Return mails of a project, those that wait first, then the newest."""
        query = self._select(mails.c.project_id == project_id)
        order = (mails.c.sent.is_not(None), mails.c.created.desc(), mails.c.id)
        return self._all(query.order_by(*order).limit(limit).offset(offset))

    def count(self, project_id: str) -> int:
        """Return how many mails a project has written."""
        return self._count(mails.c.project_id == project_id)

    def waiting(self, project_id: str) -> int:
        """Return how many of them wait."""
        return self._count(mails.c.project_id == project_id, mails.c.sent.is_(None))

    def of_visitor(self, visitor_id: str) -> tuple[MailRow, ...]:
        """Return the mails to a visitor."""
        return self._all(self._select(mails.c.visitor_id == visitor_id).order_by(mails.c.created))

    def prune(self, project_id: str, before: datetime) -> int:
        """Delete the mails that were written before a time; return how many."""
        return self._delete(mails.c.project_id == project_id, mails.c.created < before)

    def delete_of(self, visitor_id: str) -> int:
        """Delete the mails to a visitor; return how many."""
        return self._delete(mails.c.visitor_id == visitor_id)
