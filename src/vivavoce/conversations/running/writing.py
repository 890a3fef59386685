"""Writing a record: rows that come at nearly the same time are written and committed together.

Many small writes would take as much of the processor as talking to the bots does. A commit goes to the log of the
database without waiting for the disk: a killed process loses nothing of it.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence

Values = tuple[object, ...]
GATHER_SECONDS = 0.005
MOST_ROWS = 200


class RecordWriter:
    """Takes rows in order and commits them in groups; `settled` waits until all that was written is kept."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._rows: list[tuple[str, Values]] = []
        self._next: asyncio.Future[None] | None = None

    def write(self, into: str, *values: object) -> None:
        """Add a row; `into` is what stands before its values."""
        self._rows.append((into, values))
        if len(self._rows) >= MOST_ROWS:
            self.flush()

    async def settled(self) -> None:
        """Wait until all that was written is kept, together with others who wait."""
        if self._next is None:
            loop = asyncio.get_running_loop()
            self._next = loop.create_future()
            loop.call_later(GATHER_SECONDS, self._settle, self._next)
        # Whoever is cancelled must not take the others with it.
        await asyncio.shield(self._next)

    def _settle(self, waiting: asyncio.Future[None]) -> None:
        self._next = None
        try:
            self.flush()
        except sqlite3.Error as error:
            waiting.set_exception(error)
        else:
            waiting.set_result(None)

    def flush(self) -> None:
        """Write and commit what waits."""
        if self._rows:
            rows, self._rows = self._rows, []
            _insert(self._database, rows)
            self._database.commit()


def _insert(database: sqlite3.Connection, rows: Sequence[tuple[str, Values]]) -> None:
    """Write rows with as few statements as can be; those of one table stay in their order.

    Tables do not depend on each other: what must come after something of another table waits until it is kept.
    """
    for into in dict.fromkeys(into for into, _ in rows):
        values = [row for table, row in rows if table == into]
        for start in range(0, len(values), MOST_ROWS):
            some = values[start : start + MOST_ROWS]
            marks = ",".join([f"({','.join('?' * len(some[0]))})"] * len(some))
            database.execute(f"{into} VALUES {marks}", [value for row in some for value in row])
