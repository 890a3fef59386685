"""Writing a record: rows that come at nearly the same time are written and committed together.

Many small writes would take as much of the processor as talking to the bots does. A commit goes to the log of the
database without waiting for the disk: a killed process loses nothing of it.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Sequence

Values = tuple[object, ...]
MAX_SECONDS = 0.05
MAX_ROWS = 200


class RecordWriter:
    """Takes rows in order and commits them in groups: at once where told so, else after a twentieth of a second."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._rows: list[tuple[str, Values]] = []
        self._flushed = 0.0
        self._scheduled = False

    def write(self, into: str, *values: object) -> None:
        """Add a row; `into` is the statement before its values."""
        self._rows.append((into, values))
        if len(self._rows) >= MAX_ROWS or time.monotonic() - self._flushed > MAX_SECONDS:
            self.flush()

    def flush_soon(self) -> None:
        """Write and commit what waits before the event loop waits for anything else; without a loop, now.

        Conversations that end in the same turn of the loop share a commit: one for each of them would take as much
        of the processor as judging it does.
        """
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self.flush()
            return
        if not self._scheduled:
            self._scheduled = True
            loop.call_soon(self.flush)

    def flush(self) -> None:
        """Write and commit what waits."""
        self._scheduled = False
        self._flushed = time.monotonic()
        if self._rows:
            rows, self._rows = self._rows, []
            _insert(self._database, rows)
            self._database.commit()


def _insert(database: sqlite3.Connection, rows: Sequence[tuple[str, Values]]) -> None:
    """Write rows with as few statements as can be; those of one table stay in their order.

    Tables do not depend on each other: what must come after something of another table is flushed before.
    """
    for into in dict.fromkeys(into for into, _ in rows):
        values = [row for table, row in rows if table == into]
        marks = ",".join([f"({','.join('?' * len(values[0]))})"] * len(values))
        database.execute(f"{into} VALUES {marks}", [value for row in values for value in row])
