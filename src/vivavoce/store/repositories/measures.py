"""Numbers of runs, and how they went over time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime

import sqlalchemy as sa

from vivavoce.store import tables
from vivavoce.store.repositories.repository import Repository
from vivavoce.store.rows import MeasureRow, RunState


@dataclass(frozen=True, slots=True)
class MeasurePoint:
    """A number of one run in a line over time."""

    run_id: str
    number: int
    title: str
    at: datetime
    scope: str
    name: str
    value: float | None
    low: float | None
    high: float | None
    n: int


class Measures(Repository):
    """Numbers that are followed over time."""

    def put(self, rows: Iterable[MeasureRow]) -> None:
        """Keep numbers of runs."""
        self._upsert(tables.measures, [asdict(row) for row in rows], ("run_id", "scope", "name"))

    def clear(self, run_id: str) -> None:
        """Forget the numbers of a run."""
        self.connection.execute(sa.delete(tables.measures).where(tables.measures.c.run_id == run_id))

    def of_run(self, run_id: str) -> tuple[MeasureRow, ...]:
        """Return all numbers of a run."""
        table = tables.measures
        return self._all(
            MeasureRow, sa.select(table).where(table.c.run_id == run_id).order_by(table.c.scope, table.c.name)
        )

    def series(
        self,
        project_id: str,
        kind: str,
        *,
        scope: str | None = None,
        name: str | None = None,
        since: datetime | None = None,
    ) -> tuple[MeasurePoint, ...]:
        """Return numbers of the runs of a kind that are done, the oldest run first."""
        table, runs = tables.measures, tables.runs
        columns = (runs.c.number, runs.c.title, runs.c.created.label("at"))
        query = sa.select(table, *columns).join(runs, runs.c.id == table.c.run_id)
        query = query.where(runs.c.project_id == project_id, runs.c.kind == kind)
        query = query.where(runs.c.state == RunState.DONE.value)
        for column, wanted in ((table.c.scope, scope), (table.c.name, name)):
            if wanted is not None:
                query = query.where(column == wanted)
        if since is not None:
            query = query.where(runs.c.created >= since)
        return self._all(MeasurePoint, query.order_by(runs.c.created, runs.c.number, table.c.scope, table.c.name))
