"""What all tables are made of.

Ids are random text that the application makes: a row that was deleted and brought back keeps its address, and two
workspaces can be joined. Times are UTC. What JSON columns hold is said beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.operators import OperatorType
from sqlalchemy.types import TypeDecorator, TypeEngine

from vivavoce.messages import noted, restore_messages
from vivavoce.store.cleaning import clean_number, clean_text

# What the name of a column ends with that holds the template and values of the text beside it.
DATA = "_data"


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


class Word(TypeDecorator[str]):
    """A text of limited length, checked here because SQLite keeps whatever it is given."""

    impl = sa.String
    cache_ok = True

    def __init__(self, length: int) -> None:
        self.longest = length
        super().__init__(length)

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Refuse what the other database could not keep."""
        return None if value is None else str(clean_text(value, self.longest))

    def coerce_compared_value(self, op: OperatorType | None, value: Any) -> TypeEngine[Any]:
        """Let longer texts be asked for: they are not there, which is no mistake."""
        return Prose()


class Prose(TypeDecorator[str]):
    """A text of any length."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Refuse what the other database could not keep."""
        return None if value is None else str(clean_text(value))


class Whole(TypeDecorator[int]):
    """A whole number of 32 bits, checked here because SQLite keeps longer ones."""

    impl = sa.Integer
    cache_ok = True

    def process_bind_param(self, value: int | None, dialect: Dialect) -> int | None:
        """Refuse what the other database could not keep."""
        return None if value is None else clean_number(value)


class Choice(TypeDecorator[StrEnum]):
    """One of a few words."""

    impl = sa.String
    cache_ok = True

    def __init__(self, kind: type[StrEnum]) -> None:
        self.kind = kind
        super().__init__(200)

    def process_bind_param(self, value: StrEnum | str | None, dialect: Dialect) -> str | None:
        """Write the word."""
        return None if value is None else str(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> StrEnum | None:
        """Return what the word stands for."""
        return None if value is None else self.kind(value)


class JsonTuple(TypeDecorator[tuple[Any, ...]]):
    """A list of plain JSON values, which rows hold as a tuple."""

    impl = sa.JSON
    cache_ok = True

    def process_bind_param(self, value: Sequence[Any] | None, dialect: Dialect) -> list[Any] | None:
        """Write a list."""
        return None if value is None else list(value)

    def process_result_value(self, value: list[Any] | None, dialect: Dialect) -> tuple[Any, ...] | None:
        """Return a tuple."""
        return None if value is None else tuple(value)


class NotedJson(TypeDecorator[Mapping[str, Any]]):
    """Plain JSON values whose texts may be messages."""

    impl = sa.JSON
    cache_ok = True

    def process_bind_param(self, value: Mapping[str, Any] | None, dialect: Dialect) -> dict[str, Any] | None:
        """List the messages beside the texts."""
        return None if value is None else noted(value)

    def process_result_value(self, value: dict[str, Any] | None, dialect: Dialect) -> dict[str, Any] | None:
        """Put the messages in the places of their texts."""
        restored: dict[str, Any] | None = restore_messages(value)
        return restored


def reference(table: str, name: str, *, null: bool = False, key: bool = False) -> sa.Column[str]:
    """Return a column that points to the id of another table: it goes with that row, or forgets it where it may."""
    target = sa.ForeignKey(f"{table}.id", ondelete="SET NULL" if null else "CASCADE")
    return sa.Column(name, Word(32), target, nullable=null, primary_key=key)


def text(name: str, *, null: bool = False) -> sa.Column[str]:
    """Return a text of any length."""
    return sa.Column(name, Prose, nullable=null)


def message(name: str) -> tuple[sa.Column[str], sa.Column[object]]:
    """Return a text that pages translate, and its template and values; null: plain text."""
    return text(name), sa.Column(f"{name}{DATA}", sa.JSON(none_as_null=True))


def word(name: str, *, null: bool = False) -> sa.Column[str]:
    """Return a short text."""
    return sa.Column(name, Word(200), nullable=null)


def moment(name: str, *, null: bool = False) -> sa.Column[datetime]:
    """Return a point in time."""
    return sa.Column(name, Moment, nullable=null)


def count(name: str, default: int = 0) -> sa.Column[int]:
    """Return a whole number."""
    return sa.Column(name, Whole, nullable=False, server_default=str(default))


def number(name: str) -> sa.Column[float]:
    """Return a number that may be missing."""
    return sa.Column(name, sa.Float)


def flag(name: str) -> sa.Column[bool]:
    """Return a yes or no."""
    return sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false())


def json_column(name: str) -> sa.Column[object]:
    """Return a column of plain JSON values."""
    return sa.Column(name, sa.JSON, nullable=False)


def noted_column(name: str) -> sa.Column[Mapping[str, Any]]:
    """Return a column of plain JSON values whose texts may be messages."""
    return sa.Column(name, NotedJson, nullable=False)


def tuple_column(name: str) -> sa.Column[tuple[Any, ...]]:
    """Return a column that holds a list of plain JSON values."""
    return sa.Column(name, JsonTuple, nullable=False)


def choice(name: str, kind: type[StrEnum]) -> sa.Column[StrEnum]:
    """Return a column that holds one of a few words."""
    return sa.Column(name, Choice(kind), nullable=False)


def each(make: Callable[[str], sa.Column[Any]], *names: str) -> tuple[sa.Column[Any], ...]:
    """Return several columns of one kind."""
    return tuple(make(name) for name in names)
