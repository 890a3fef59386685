"""Rows of a table as lines of JSON, and back: alike for every database.

Tables are taken as the database has them, not as the program knows them: an older workspace can be read too.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from vivavoce.errors import DataError, Fault
from vivavoce.messages import say
from vivavoce.store.columns import Moment

Convert = Callable[[Any], Any]
# So many rows are in memory at once.
BATCH = 500


def found_tables(connection: Connection) -> dict[str, sa.Table]:
    """Return the tables that a database has, those first that others point to."""
    found = sa.MetaData()
    found.reflect(connection)
    for table in found.sorted_tables:
        for column in table.columns:
            # Give a column the type that means the same in both databases.
            if isinstance(column.type, sa.DateTime):
                column.type = Moment()
            elif isinstance(column.type, sa.JSON):
                column.type = sa.JSON(none_as_null=bool(column.nullable))
    return {table.name: table for table in found.sorted_tables if table.name != "alembic_version"}


def dump_lines(connection: Connection, table: sa.Table) -> Iterator[bytes]:
    """Yield the rows of a table, in the order of its key."""
    query = sa.select(table).order_by(*table.primary_key.columns)
    changed = {column.name: write for column in table.columns if (write := _writer(column)) is not None}
    for row in connection.execute(query, execution_options={"yield_per": BATCH}).mappings():
        values = {
            name: changed[name](value) if name in changed and value is not None else value
            for name, value in row.items()
        }
        yield json.dumps(values, ensure_ascii=False).encode() + b"\n"


def load_lines(connection: Connection, table: sa.Table, lines: Iterable[bytes], where: str) -> int:
    """Insert rows; return how many."""
    count = 0
    batch: list[dict[str, Any]] = []
    for count, line in enumerate(lines, 1):
        batch.append(_parsed(line, table, f"{where}, line {count}"))
        if len(batch) == BATCH:
            connection.execute(sa.insert(table), batch)
            batch = []
    if batch:
        connection.execute(sa.insert(table), batch)
    return count


def _writer(column: sa.Column[Any]) -> Convert | None:
    if isinstance(column.type, Moment):
        return lambda value: value.astimezone(UTC).isoformat()
    if isinstance(column.type, sa.LargeBinary):
        return lambda value: base64.b64encode(value).decode()
    return None


def _reader(column: sa.Column[Any]) -> Convert | None:
    if isinstance(column.type, Moment):
        return datetime.fromisoformat
    if isinstance(column.type, sa.LargeBinary):
        return lambda value: base64.b64decode(value, validate=True)
    return None


def _parsed(line: bytes, table: sa.Table, where: str) -> dict[str, Any]:
    try:
        values = json.loads(line)
        if not isinstance(values, dict) or set(values) != set(table.columns.keys()):
            raise ValueError("its columns are not those of the table")
        return {name: _value(table.columns[name], value) for name, value in values.items()}
    except (ValueError, TypeError, binascii.Error) as error:
        raise DataError(
            say("a row cannot be read"), faults=[Fault(str(error), where)], remedy=say("use another copy of the file")
        ) from error


def _value(column: sa.Column[Any], value: Any) -> Any:
    read = _reader(column)
    return value if read is None or value is None else read(value)
