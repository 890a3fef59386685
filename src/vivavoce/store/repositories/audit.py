"""What was done by whom, and what holds for the whole workspace."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from vivavoce.store.repositories.repository import Repository, holding, matching
from vivavoce.store.rows import AuditLine
from vivavoce.store.stamps import new_id, now
from vivavoce.store.tables import audit, options

# Asked for instead of the id of a person: nobody did it, the product did.
PRODUCT_ITSELF = "product"


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Which lines of the log are wanted; what is empty narrows nothing. `person`: an id, or `PRODUCT_ITSELF`."""

    person: str = ""
    project: str = ""
    action: str = ""
    search: str = ""


ALL_LINES = LogFilter()


class Audit(Repository[AuditLine], table=audit, row=AuditLine):
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
        return self._add(
            AuditLine(new_id(), at or now(), user_id, action, noun, noun_id, project_id, detail, address)
        )

    def page(self, wanted: LogFilter = ALL_LINES, limit: int = 50, offset: int = 0) -> tuple[AuditLine, ...]:
        """Return lines, the newest first."""
        query = self._select(*_conditions(wanted)).order_by(audit.c.at.desc(), audit.c.id)
        return self._all(query.limit(limit).offset(offset))

    def count(self, wanted: LogFilter = ALL_LINES) -> int:
        """Return how many lines there are."""
        return self._count(*_conditions(wanted))

    def actions(self) -> tuple[str, ...]:
        """Return everything that was ever done, by name."""
        return tuple(self._scalars(sa.select(audit.c.action).distinct().order_by(audit.c.action)))

    def latest(self, project_id: str, noun: str, action: str, limit: int) -> dict[str, tuple[datetime, str]]:
        """Return when and how something was done last to each row of a kind, by its id; `limit`: lines to read."""
        same = (audit.c.project_id == project_id, audit.c.noun == noun, audit.c.action == action)
        columns = (audit.c.noun_id, audit.c.at, audit.c.detail, audit.c.detail_data)
        query = sa.select(*columns).where(*same).order_by(audit.c.at.desc())
        latest: dict[str, tuple[datetime, str]] = {}
        for noun_id, at, detail in self._fetch(query.limit(limit)):
            latest.setdefault(noun_id, (at, detail))
        return latest


class Options(Repository[Any], table=options):
    """Plain values by name, for the whole workspace."""

    def get(self, name: str, default: Any = None) -> Any:
        """Return a value, or the default where none was set."""
        values = self.connection.execute(sa.select(options.c.value).where(options.c.name == name)).first()
        return default if values is None else values[0]

    def set(self, name: str, value: Any) -> None:
        """Keep a value of plain JSON."""
        self._upsert([{"name": name, "value": value}])

    def unset(self, name: str) -> None:
        """Forget a value: the default holds again."""
        self._delete(options.c.name == name)

    def all(self) -> dict[str, Any]:
        """Return all values that were set."""
        return self._pairs(sa.select(options.c.name, options.c.value).order_by(options.c.name))


def _conditions(wanted: LogFilter) -> list[sa.ColumnElement[bool]]:
    conditions = matching((audit.c.project_id, wanted.project or None), (audit.c.action, wanted.action or None))
    if wanted.person:
        conditions.append(audit.c.user_id == (None if wanted.person == PRODUCT_ITSELF else wanted.person))
    return [*conditions, *holding(wanted.search.strip(), audit.c.detail, audit.c.noun, audit.c.address)]
