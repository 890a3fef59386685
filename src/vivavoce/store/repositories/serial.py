"""One writer at a time, where the database would let several choose the same work."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import Connection

# Any number will do, as long as all workers of a database use the same one.
_LOCK = 8_482_001


def one_at_a_time(connection: Connection) -> None:
    """Wait until no other transaction deals with runs; SQLite's lock for writing does the same by itself."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
