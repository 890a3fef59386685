"""What staff write to each other in the inbox, and what workers do for assistants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from vivavoce.store.repositories.repository import AddedRows, RowsById, matching, values_of, with_data
from vivavoce.store.rows import CommentRow, NoticeRow, TaskRow, TaskState
from vivavoce.store.tables import comments, notices, tasks


class Comments(AddedRows[CommentRow], table=comments, row=CommentRow):
    """What staff wrote about messages."""

    def of_message(self, message_id: str) -> tuple[CommentRow, ...]:
        """Return the comments on a message, the oldest first."""
        query = self._select(comments.c.message_id == message_id)
        return self._all(query.order_by(comments.c.created, comments.c.id))


class Notices(AddedRows[NoticeRow], table=notices, row=NoticeRow):
    """What people are told about messages until they have seen it."""

    def unseen(self, user_id: str, project_id: str) -> tuple[NoticeRow, ...]:
        """Return what somebody has not seen yet, the newest first."""
        own = (notices.c.user_id == user_id, notices.c.project_id == project_id, notices.c.seen.is_(None))
        return self._all(self._select(*own).order_by(notices.c.created.desc(), notices.c.id))

    def has_since(self, user_id: str, project_id: str, kind: str, at: datetime) -> bool:
        """Tell whether somebody got a notice of a kind since a moment."""
        own = (notices.c.user_id == user_id, notices.c.project_id == project_id, notices.c.kind == kind)
        return self._count(*own, notices.c.created >= at) > 0

    def mark_seen(self, user_id: str, project_id: str, at: datetime, message_id: str | None = None) -> int:
        """Note that somebody has seen their notices: all of a project, or those about a message."""
        own = (notices.c.user_id == user_id, notices.c.project_id == project_id, notices.c.seen.is_(None))
        return self._update(*own, *matching((notices.c.message_id, message_id)), seen=at)


class Tasks(RowsById[TaskRow], table=tasks, row=TaskRow):
    """What workers do for assistants; those that are over are kept for a while."""

    def add(self, row: TaskRow) -> TaskRow | None:
        """Keep a task; None where one of its kind is not over yet."""
        values = with_data(tasks, values_of(tasks, row))
        statement = self._insert_or(tasks).values(values).on_conflict_do_nothing().returning(tasks.c.id)
        return row if self._scalar(statement) else None

    def hasten(self, row: TaskRow) -> bool:
        """Have the task of this project and kind that waits begin now, as it was asked for; whether one waited."""
        waiting = (tasks.c.project_id == row.project_id, tasks.c.kind == row.kind, tasks.c.state == TaskState.WAITING)
        return self._update(*waiting, due=row.due, user_id=row.user_id, options=row.options, attempts=0) > 0

    def open(self) -> tuple[TaskRow, ...]:
        """Return the tasks that are not over."""
        return self._all(self._select(tasks.c.finished.is_(None)))

    def claim(self, worker: str, at: datetime) -> TaskRow | None:
        """Give a worker the task that is due the longest; also one whose worker is gone."""
        free = sa.or_(
            sa.and_(tasks.c.state == TaskState.WAITING, tasks.c.due <= at),
            sa.and_(tasks.c.state == TaskState.RUNNING, tasks.c.lease_until <= at),
        )
        query = self._select(tasks.c.finished.is_(None), free).order_by(tasks.c.due, tasks.c.id)
        row = self._first(query.with_for_update(skip_locked=True))
        if row is None:
            return None
        claimed = replace(row, state=TaskState.RUNNING, worker=worker, started=at, attempts=row.attempts + 1)
        self._put([claimed])
        return claimed

    def lease(self, task_id: str, worker: str, until: datetime) -> bool:
        """Have a worker keep a task until a moment; whether it still had it."""
        return self._update(*_match_held(task_id, worker), lease_until=until) > 0

    def release(self, task_id: str, worker: str, due: datetime, *, outcome: str = "", attempts: int) -> bool:
        """Have a task begin again later; whether the worker still had it."""
        again = {"state": TaskState.WAITING, "worker": None, "lease_until": None, "attempts": attempts}
        return self._update(*_match_held(task_id, worker), due=due, outcome=outcome, **again) > 0

    def finish(  # noqa: PLR0917 - all that is kept
        self, task_id: str, worker: str, state: TaskState, at: datetime, outcome: str, result: Mapping[str, Any]
    ) -> bool:
        """Keep what came of a task; whether the worker still had it."""
        values = {"state": state, "finished": at, "lease_until": None, "outcome": outcome, "result": result}
        return self._update(*_match_held(task_id, worker), **values) > 0

    def of_project(self, project_id: str, kind: str | None = None, limit: int = 20) -> tuple[TaskRow, ...]:
        """Return tasks of a project, those that are not over first, then the newest."""
        query = self._select(tasks.c.project_id == project_id, *matching((tasks.c.kind, kind)))
        order = (tasks.c.finished.is_not(None), tasks.c.created.desc(), tasks.c.id)
        return self._all(query.order_by(*order).limit(limit))

    def last_finished(self) -> dict[tuple[str, str], datetime]:
        """Return when a task of each project and kind was over last."""
        query = sa.select(tasks.c.project_id, tasks.c.kind, sa.func.max(tasks.c.finished))
        query = query.where(tasks.c.finished.is_not(None)).group_by(tasks.c.project_id, tasks.c.kind)
        return {(project_id, kind): at for project_id, kind, at in self.connection.execute(query)}

    def forget_before(self, at: datetime) -> int:
        """Delete the record of tasks that were over before a moment; return how many."""
        return self._delete(tasks.c.finished < at)


def _match_held(task_id: str, worker: str) -> tuple[sa.ColumnElement[bool], ...]:
    return (tasks.c.id == task_id, tasks.c.worker == worker, tasks.c.state == TaskState.RUNNING)
