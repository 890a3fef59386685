"""What all repositories share: one connection, one table, and rows made of what it returns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, Generic, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from vivavoce.errors import AbsentError, UsageError
from vivavoce.messages import Message, message_from_json, message_to_json, say
from vivavoce.store.columns import DATA

T = TypeVar("T")
Row = TypeVar("Row")
# SQLite allows 32,766 values in one statement; a list of ids is asked for in pieces of this size.
PIECE = 5_000
# Any number will do, as long as all workers of a database use the same one.
_LOCK = 8_482_001


class Repository(Generic[Row]):
    """What can be asked about one table within a transaction.

    Rows have the columns that are fields of their class: a secret that is no field is never read. The template and
    values of a message are in a column beside its text; rows hold the message.
    """

    table: ClassVar[sa.Table]
    columns: ClassVar[tuple[sa.Column[Any], ...]]
    row: type[Row]

    def __init_subclass__(cls, *, table: sa.Table | None = None, row: type[Any] | None = None) -> None:
        if table is not None:
            cls.table = table
        if row is not None:
            cls.row = row
            cls.columns = columns_of(cls.table, row)

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def _select(self, *conditions: sa.ColumnElement[bool]) -> sa.Select[Any]:
        return sa.select(*self.columns).where(*conditions)

    def _all(self, query: sa.Select[Any]) -> tuple[Row, ...]:
        """Return all rows of a query for the columns of this table."""
        return self._rows(self.row, query)

    def _rows(self, row: type[T], query: sa.Select[Any]) -> tuple[T, ...]:
        """Return rows of another kind: the columns of the query are its fields, in their order."""
        # By their order, which takes half the time of names: a run has 60,000 messages.
        return tuple(row(*values) for values in self._fetch(query))

    def _fetch(self, query: sa.Select[Any]) -> Iterable[Sequence[Any]]:
        """Return the rows of a query, with messages in the places of their texts and without their columns."""
        result = self.connection.execute(query)
        names = list(result.keys())
        data = {names.index(name.removesuffix(DATA)): at for at, name in enumerate(names) if name.endswith(DATA)}
        if not data:
            return result
        places = [(at, data.get(at)) for at in range(len(names)) if at not in data.values()]
        return (
            [row[at] if of is None or row[of] is None else message_from_json(row[of]) for at, of in places]
            for row in result
        )

    def _first(self, query: sa.Select[Any]) -> Row | None:
        """Return the first row of a query, or None."""
        return next(iter(self._all(query.limit(1))), None)

    def _one(self, *conditions: sa.ColumnElement[bool]) -> Row | None:
        """Return the row for which the conditions hold, or None."""
        return self._first(self._select(*conditions))

    def _scalar(self, query: sa.Executable) -> Any:
        return self.connection.execute(query).scalar()

    def _scalars(self, query: sa.Select[Any]) -> Sequence[Any]:
        return self.connection.execute(query).scalars().all()

    def _pairs(self, query: sa.Select[Any]) -> dict[Any, Any]:
        """Return the second column of a query by the first."""
        return {key: value for key, value in self.connection.execute(query)}  # noqa: C416 - rows are no tuples to mypy

    def _count(self, *conditions: sa.ColumnElement[bool]) -> int:
        return int(self._scalar(sa.select(sa.func.count()).select_from(self.table).where(*conditions)))

    def _counts(self, column: sa.Column[Any], *conditions: sa.ColumnElement[bool]) -> dict[Any, int]:
        """Return how many rows have each value of a column."""
        return self._pairs(sa.select(column, sa.func.count()).where(*conditions).group_by(column))

    def _update(self, *conditions: sa.ColumnElement[bool], **values: Any) -> int:
        """Change rows; return how many."""
        statement = sa.update(self.table).where(*conditions).values(with_data(self.table, values))
        return int(self.connection.execute(statement).rowcount)

    def _delete(self, *conditions: sa.ColumnElement[bool]) -> int:
        """Delete rows; return how many."""
        return int(self.connection.execute(sa.delete(self.table).where(*conditions)).rowcount)

    def _add(self, row: Row, **more: Any) -> Row:
        """Insert a row, with columns that are no fields of it."""
        self._insert([values_of(self.table, row) | more])
        return row

    def _add_unique(self, row: Row, column: str, error_if_taken: UsageError) -> Row:
        """Insert a row whose value of a column no other row may have."""
        if self._one(self.table.c[column] == getattr(row, column)) is not None:
            raise error_if_taken
        try:
            return self._add(row)
        except IntegrityError as error:  # somebody else added the same at the same time
            raise error_if_taken from error

    def _insert(self, rows: Iterable[Mapping[str, Any]], table: sa.Table | None = None) -> None:
        table = self.table if table is None else table
        if values := [with_data(table, row) for row in rows]:
            self.connection.execute(sa.insert(table), values)

    def _put(self, rows: Iterable[Row], *keys: str) -> None:
        """Insert rows, or replace those with the same keys: the primary key, or others that are unique."""
        self._upsert((values_of(self.table, row) for row in rows), *keys)

    def _upsert(self, rows: Iterable[Mapping[str, Any]], *keys: str) -> None:
        keys = keys or tuple(column.name for column in self.table.primary_key)
        if values := [with_data(self.table, row) for row in rows]:
            insert = self._insert_or(self.table)
            others = {name: insert.excluded[name] for name in values[0] if name not in keys}
            self.connection.execute(insert.on_conflict_do_update(index_elements=keys, set_=others), values)

    def _insert_or(self, table: sa.Table) -> Any:
        """Return an insert that can say what happens on a conflict: both dialects have it, each in its own module."""
        from sqlalchemy.dialects import postgresql, sqlite

        return (sqlite if self.connection.dialect.name == "sqlite" else postgresql).insert(table)

    def lock(self) -> None:
        """Wait until no other transaction deals with runs or roles; SQLite's lock for writing does the same."""
        if self.connection.dialect.name == "postgresql":
            self.connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))


class RowsById(Repository[Row]):
    """A table whose rows have an id."""

    def get(self, row_id: str) -> Row | None:
        """Return the row with this id."""
        return self._one(self.table.c.id == row_id)


class AddedRows(RowsById[Row]):
    """A table whose rows are added as they are."""

    def add(self, row: Row) -> Row:
        """Keep a new row."""
        return self._add(row)


class RowsOfProject(RowsById[Row]):
    """A table whose rows belong to a project, in the order of `order`; a minus turns a column round."""

    order: ClassVar[tuple[str, ...]]

    def of_project(self, project_id: str) -> tuple[Row, ...]:
        """Return all rows of a project, in order."""
        columns = {name: self.table.c[name.removeprefix("-")] for name in self.order}
        order = [column.desc() if name.startswith("-") else column for name, column in columns.items()]
        return self._all(self._select(self.table.c.project_id == project_id).order_by(*order))

    def count(self, project_id: str) -> int:
        """Return how many rows a project has."""
        return self._count(self.table.c.project_id == project_id)


class NamedRows(RowsOfProject[Row]):
    """A table whose rows belong to a project, in which each has a name."""

    order = ("name",)

    def by_name(self, project_id: str, name: str) -> Row | None:
        """Return the row of this name."""
        return self._one(self.table.c.project_id == project_id, self.table.c.name == name)


class RowsOfRun(Repository[Row]):
    """A table whose rows belong to a run."""

    def put(self, rows: Iterable[Row]) -> None:
        """Keep rows; those with the same key are replaced."""
        self._put(rows)

    def clear(self, run_id: str) -> None:
        """Forget the rows of a run."""
        self._delete(self.table.c.run_id == run_id)


def columns_of(table: sa.Table, row: type[Any]) -> tuple[sa.Column[Any], ...]:
    """Return the columns that are fields of a row, in the order of the fields; after them those of messages."""
    names = [field.name for field in fields(row)]
    return tuple(table.c[name] for name in (*names, *(f"{name}{DATA}" for name in names)) if name in table.c)


def values_of(table: sa.Table, row: Any) -> dict[str, Any]:
    """Return the fields of a row that are columns of a table."""
    return {field.name: getattr(row, field.name) for field in fields(row) if field.name in table.c}


def with_data(table: sa.Table, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values as they are stored: the template and values of a message in a column beside its text."""
    stored = dict(values)
    for name, value in values.items():
        if f"{name}{DATA}" in table.c:
            stored[f"{name}{DATA}"] = message_to_json(value) if isinstance(value, Message) else None
    return stored


def pieces(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """Yield a long list in pieces that fit into one statement."""
    return (values[start : start + PIECE] for start in range(0, len(values), PIECE))


def holding(search: str | None, *columns: sa.ColumnElement[Any]) -> tuple[sa.ColumnElement[bool], ...]:
    """Return the condition that one of the columns holds these words; none where there are no words."""
    return (sa.or_(*(column.icontains(search, autoescape=True) for column in columns)),) if search else ()


def matching(*wanted: tuple[sa.Column[Any], Any]) -> list[sa.ColumnElement[bool]]:
    """Return the conditions that columns have these values; None means any."""
    return [column == value for column, value in wanted if value is not None]


def require(row: T | None, noun: str, name: str) -> T:
    """Return the row; AbsentError where there is none."""
    if row is None:
        raise AbsentError(
            say("{noun} '{name}' not found", noun=noun, name=name),
            remedy=say("it may have been deleted: check the list"),
        )
    return row
