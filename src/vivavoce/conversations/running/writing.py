"""Writing a record in a thread of its own: a slow disk must neither delay nor lengthen the replies that are timed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Thread

Statement = tuple[str, tuple[object, ...]]
Settled = Future[None]


class RecordWriter:
    """Takes statements in order and commits them together, as fast as the disk allows.

    `settled` gives a future that is done when all that was written before is on disk.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._work: SimpleQueue[Statement | Settled | None] = SimpleQueue()
        self._failure: Exception | None = None
        self._thread = Thread(target=self._run, args=(connect,), name="record", daemon=True)
        self._thread.start()

    def write(self, statement: str, *values: object) -> None:
        """Add a statement; raises what an earlier one met on the disk."""
        if self._failure is not None:
            raise self._failure
        self._work.put((statement, values))

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
            batch = self._waiting()
            going = None not in batch
            try:
                for one in batch:
                    if isinstance(one, tuple):
                        database.execute(*one)
                database.commit()
            except Exception as error:  # whatever it is, those who wait must hear of it
                self._failure = self._failure or error
            self._tell([one for one in batch if isinstance(one, Future)])
        database.close()

    def _waiting(self) -> list[Statement | Settled | None]:
        """Wait for work and take all that has come together."""
        batch = [self._work.get()]
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
