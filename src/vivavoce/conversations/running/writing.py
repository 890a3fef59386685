"""Writing a record in a thread of its own: a slow disk must neither delay nor lengthen the replies that are timed."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread

Values = tuple[object, ...]
Settled = Future[None]
# Rows that come within this time are written together: few large writes cost far less than many small ones.
GATHER_SECONDS = 0.004
MOST_ROWS = 200


@dataclass(frozen=True, slots=True)
class Row:
    """One row to be written: into which table, with what before the values (`INSERT`, or `INSERT OR REPLACE`)."""

    into: str
    values: Values


class RecordWriter:
    """Takes rows in order and commits them together, as fast as the disk allows.

    `settled` gives a future that is done when all that was written before is on disk.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._work: SimpleQueue[Row | Settled | None] = SimpleQueue()
        self._failure: Exception | None = None
        self._thread = Thread(target=self._run, args=(connect,), name="record", daemon=True)
        self._thread.start()

    def write(self, into: str, *values: object) -> None:
        """Add a row; raises what an earlier one met on the disk."""
        if self._failure is not None:
            raise self._failure
        self._work.put(Row(into, values))

    def settled(self) -> Settled:
        """Return a future for everything written so far."""
        done: Settled = Future()
        self._work.put(done)
        return done

    def close(self) -> None:
        """Write what waits, then end. May be called more than once."""
        if self._thread.is_alive():
            self._work.put(None)
            self._thread.join()

    def _run(self, connect: Callable[[], sqlite3.Connection]) -> None:
        database = connect()
        going = True
        while going:
            batch = self._gathered()
            going = None not in batch
            try:
                _insert(database, [one for one in batch if isinstance(one, Row)])
                database.commit()
            except Exception as error:  # whatever it is, those who wait must hear of it
                self._failure = self._failure or error
            self._tell([one for one in batch if isinstance(one, Future)])
        database.close()

    def _gathered(self) -> list[Row | Settled | None]:
        """Wait for work and take all that comes together."""
        batch = [self._work.get()]
        if batch[0] is not None:
            time.sleep(GATHER_SECONDS)
        try:
            while True:
                batch.append(self._work.get_nowait())
        except Empty:
            return batch

    def _tell(self, waiting: list[Settled]) -> None:
        for future in waiting:
            if not future.set_running_or_notify_cancel():
                continue
            if self._failure is None:
                future.set_result(None)
            else:
                future.set_exception(self._failure)


def _insert(database: sqlite3.Connection, rows: Sequence[Row]) -> None:
    """Write rows with as few statements as can be; those of one table stay in their order.

    Tables do not depend on each other: what must come after something of another table waits for `settled`.
    """
    tables = dict.fromkeys(row.into for row in rows)
    for into in tables:
        values = [row.values for row in rows if row.into == into]
        for start in range(0, len(values), MOST_ROWS):
            some = values[start : start + MOST_ROWS]
            marks = ",".join([f"({','.join('?' * len(some[0]))})"] * len(some))
            database.execute(f"{into} VALUES {marks}", [value for row in some for value in row])
