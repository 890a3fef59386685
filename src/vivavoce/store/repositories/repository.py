"""What all repositories share: one connection, and rows made of what it returns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from vivavoce.errors import AbsentError

T = TypeVar("T")
# SQLite allows 32,766 values in one statement; a list of ids is asked for in pieces of this size.
PIECE = 5_000


class Repository:
    """What can be asked about one noun within a transaction."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def _one(self, kind: type[T], query: sa.Select[Any]) -> T | None:
        """Return the first row, or None."""
        found = self.connection.execute(query).mappings().first()
        return None if found is None else self._made(kind, found)

    def _all(self, kind: type[T], query: sa.Select[Any]) -> tuple[T, ...]:
        """Return all rows."""
        found = self.connection.execute(query)
        names = tuple(found.keys())
        # Half the time of the rows' own mappings, which counts where a run has 60,000 messages.
        return tuple(self._made(kind, dict(zip(names, row, strict=True))) for row in found)

    def _made(self, kind: type[T], found: Mapping[Any, Any]) -> T:
        """Make a row; repositories whose rows hold more than plain values say how."""
        return kind(**found)

    def _put(self, table: sa.Table, rows: Iterable[Mapping[str, Any]]) -> None:
        """Insert rows."""
        values = [dict(row) for row in rows]
        if values:
            self.connection.execute(sa.insert(table), values)

    def _upsert(self, table: sa.Table, rows: Iterable[Mapping[str, Any]], keys: Sequence[str]) -> None:
        """Insert rows, or replace those with the same keys."""
        values = [dict(row) for row in rows]
        if not values:
            return
        # Both dialects have the same words for it, each in a module of its own.
        from sqlalchemy.dialects import postgresql, sqlite

        insert: Any = sqlite.insert if self.connection.dialect.name == "sqlite" else postgresql.insert
        said = insert(table)
        others = {name: said.excluded[name] for name in values[0] if name not in keys}
        self.connection.execute(said.on_conflict_do_update(index_elements=list(keys), set_=others), values)


def required(found: T | None, noun: str, name: str) -> T:
    """Return what was found; a clear refusal where there is none."""
    if found is None:
        raise AbsentError(f"there is no {noun} '{name}'", remedy="it may have been deleted: look at the list")
    return found
