"""What all tables are made of.

Ids are random text that the application makes: a row that was deleted and brought back keeps its address, and two
workspaces can be joined. Times are UTC. What JSON columns hold is said beside them.
"""

from __future__ import annotations

from datetime import UTC, datetime

import sqlalchemy as sa
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

# Every constraint has a name, so that a migration can change it on every database.
metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Moment(TypeDecorator[datetime]):
    """A point in time in UTC; SQLite keeps no zone, so it is put back when a row is read."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuse times without a zone, which would be read as another moment elsewhere."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a zone cannot be stored")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the time in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def id_column() -> sa.Column[str]:
    """Return the id of a row."""
    return sa.Column("id", sa.String(32), primary_key=True)


def reference(table: str, name: str, *, null: bool = False, key: bool = False) -> sa.Column[str]:
    """Return a column that points to the id of another table: it goes with that row, or forgets it where it may."""
    target = sa.ForeignKey(f"{table}.id", ondelete="SET NULL" if null else "CASCADE")
    return sa.Column(name, sa.String(32), target, nullable=null, primary_key=key)


def text(name: str, *, null: bool = False) -> sa.Column[str]:
    """Return a text of any length."""
    return sa.Column(name, sa.Text, nullable=null)


def word(name: str, *, null: bool = False) -> sa.Column[str]:
    """Return a short text."""
    return sa.Column(name, sa.String(200), nullable=null)


def moment(name: str, *, null: bool = False) -> sa.Column[datetime]:
    """Return a point in time."""
    return sa.Column(name, Moment, nullable=null)


def count(name: str, default: int = 0) -> sa.Column[int]:
    """Return a whole number."""
    return sa.Column(name, sa.Integer, nullable=False, server_default=str(default))


def number(name: str) -> sa.Column[float]:
    """Return a number that may be missing."""
    return sa.Column(name, sa.Float)


def flag(name: str) -> sa.Column[bool]:
    """Return a yes or no."""
    return sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false())


def json_column(name: str) -> sa.Column[object]:
    """Return a column of plain JSON values."""
    return sa.Column(name, sa.JSON, nullable=False)
