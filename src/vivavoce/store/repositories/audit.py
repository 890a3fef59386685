"""What was done by whom."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from vivavoce.store.repositories.repository import Repository
from vivavoce.store.rows import AuditLine
from vivavoce.store.stamps import new_id, now
from vivavoce.store.tables import audit


class Audit(Repository):
    """What was done by whom, from where; lines are added and never changed."""

    def add(
        self,
        action: str,
        noun: str,
        noun_id: str,
        user_id: str | None = None,
        project_id: str | None = None,
        *,
        detail: str = "",
        address: str = "",
        at: datetime | None = None,
    ) -> AuditLine:
        """Write a line."""
        line = AuditLine(new_id(), at or now(), user_id, action, noun, noun_id, project_id, detail, address)
        self._put(audit, [{column.name: getattr(line, column.name) for column in audit.c}])
        return line

    def page(
        self, limit: int = 50, offset: int = 0, project_id: str | None = None, user_id: str | None = None
    ) -> tuple[AuditLine, ...]:
        """Return lines, the newest first; of one project or person where they are given."""
        query = _chosen(sa.select(audit), project_id, user_id).order_by(audit.c.at.desc(), audit.c.id)
        return self._all(AuditLine, query.limit(limit).offset(offset))

    def count(self, project_id: str | None = None, user_id: str | None = None) -> int:
        """Return how many lines there are."""
        query = _chosen(sa.select(sa.func.count()).select_from(audit), project_id, user_id)
        return int(self.connection.execute(query).scalar_one())


def _chosen(query: sa.Select[Any], project_id: str | None, user_id: str | None) -> sa.Select[Any]:
    if project_id is not None:
        query = query.where(audit.c.project_id == project_id)
    if user_id is not None:
        query = query.where(audit.c.user_id == user_id)
    return query
