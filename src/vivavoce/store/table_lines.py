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

# So many rows are in memory at once.
BATCH = 500
# Types whose values JSON does not have: how they are written and read.
_FORMS: tuple[tuple[type, Callable[[Any], Any], Callable[[Any], Any]], ...] = (
    (Moment, lambda value: value.astimezone(UTC).isoformat(), datetime.fromisoformat),
    (
        sa.LargeBinary,
        lambda value: base64.b64encode(value).decode(),
        lambda value: base64.b64decode(value, validate=True),
    ),
)


def reflect_tables(connection: Connection) -> dict[str, sa.Table]:
    """Return the tables that a database has, those first that others point to."""
    metadata = sa.MetaData()
    metadata.reflect(connection)
    for table in metadata.sorted_tables:
        for column in table.columns:
            # Give a column the type that means the same in both databases.
            if isinstance(column.type, sa.DateTime):
                column.type = Moment()
            elif isinstance(column.type, sa.JSON):
                column.type = sa.JSON(none_as_null=bool(column.nullable))
    return {table.name: table for table in metadata.sorted_tables if table.name != "alembic_version"}


def dump_lines(connection: Connection, table: sa.Table) -> Iterator[bytes]:
    """Yield the rows of a table, in the order of its key."""
    query = sa.select(table).order_by(*table.primary_key.columns)
    writers = {column.name: write for column in table.c for kind, write, _ in _FORMS if isinstance(column.type, kind)}
    for row in connection.execute(query, execution_options={"yield_per": BATCH}).mappings():
        values = {
            name: writers[name](value) if name in writers and value is not None else value
            for name, value in row.items()
        }
        yield json.dumps(values, ensure_ascii=False).encode() + b"\n"


def load_lines(connection: Connection, table: sa.Table, lines: Iterable[bytes], where: str) -> int:
    """Insert rows; return how many."""
    readers = {column.name: read for column in table.c for kind, _, read in _FORMS if isinstance(column.type, kind)}
    count = 0
    batch: list[dict[str, Any]] = []
    for count, line in enumerate(lines, 1):
        try:
            values = json.loads(line)
            if not isinstance(values, dict) or set(values) != set(table.c.keys()):
                raise ValueError("its columns do not match the table")
            for name, read in readers.items():
                values[name] = None if values[name] is None else read(values[name])
        except (ValueError, TypeError, binascii.Error) as error:
            faults = [Fault(str(error), f"{where}, line {count}")]
            remedy = say("use another copy of the file")
            raise DataError(say("a row cannot be read"), faults=faults, remedy=remedy) from error
        batch.append(values)
        if len(batch) == BATCH:
            connection.execute(sa.insert(table), batch)
            batch = []
    if batch:
        connection.execute(sa.insert(table), batch)
    return count
