"""The record of a run: every exchange goes into it before the next message is sent.

A folder with one SQLite file. Exchanges are written in small batches. A conversation is done once its end is
recorded, so after a crash only the conversations in progress are run again.
"""

from __future__ import annotations

import asyncio
import gc
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from vivavoce.conversations.record_form import exchange_from_text, exchange_to_text, header_from_text, header_to_text
from vivavoce.conversations.transcript import (
    RECORD_FILE,
    ConversationKey,
    Exchange,
    RunHeader,
    Session,
    State,
    Transcript,
    as_met,
)
from vivavoce.errors import FileError, UsageError

LOCK = "run.lock"
LAYOUT = 1
SQLITE = b"SQLite format 3"
_TABLES = """
CREATE TABLE header (layout INTEGER NOT NULL, json TEXT NOT NULL);
CREATE TABLE talk (place INTEGER PRIMARY KEY, bot TEXT NOT NULL, script TEXT NOT NULL, repeat INTEGER NOT NULL,
                   state TEXT NOT NULL, note TEXT NOT NULL DEFAULT '');
CREATE TABLE exchange (talk INTEGER NOT NULL, number INTEGER NOT NULL, json TEXT NOT NULL,
                       PRIMARY KEY (talk, number)) WITHOUT ROWID;
"""
# Records of older versions lack this table: it is added before anything is written to them.
_SESSIONS = """
CREATE TABLE IF NOT EXISTS session (name TEXT NOT NULL, talk INTEGER NOT NULL, attempt INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS session_talk ON session (talk);
"""
MAX_SECONDS = 0.05
MAX_ROWS = 200
# Allocations between collections of the young, middle and old generations.
RARE_COLLECTIONS = (100_000, 20, 50)


@contextmanager
def settle_memory() -> Iterator[None]:
    """Collect garbage rarely, and leave out what exists already, such as the plan of a run.

    Collections delay replies during a run, and take a fifth of the time of scoring.
    """
    usual = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*RARE_COLLECTIONS)
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()


class RecordWriter:
    """Writes and commits rows in batches: single commits would cost as much as talking to the bots.

    A commit goes to the log of the database without waiting for the disk; a killed process loses none of it.
    """

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._rows: dict[str, list[tuple[object, ...]]] = {}
        self._count = 0
        self._flushed = 0.0
        self._scheduled = False

    def write(self, statement: str, *values: object) -> None:
        """Add a row. Rows of one statement keep their order; a batch is written at least every 50 ms."""
        self._rows.setdefault(statement, []).append(values)
        self._count += 1
        if self._count >= MAX_ROWS or time.monotonic() - self._flushed > MAX_SECONDS:
            self.flush()

    def flush_soon(self) -> None:
        """Commit before the event loop next waits, or now if there is no loop.

        Conversations that end in the same iteration of the loop share a commit.
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
        """Write and commit all pending rows."""
        self._scheduled = False
        self._flushed = time.monotonic()
        if self._rows:
            rows, self._rows, self._count = self._rows, {}, 0
            # Tables do not depend on each other; `begin` flushes before it deletes.
            for statement, values in rows.items():
                self._database.executemany(statement, values)
            self._database.commit()


class RunRecord:
    """A run on disk. Open it to read; `claim` it to write, which only one process can do at a time."""

    def __init__(self, folder: Path, header: RunHeader, database: sqlite3.Connection) -> None:
        self.folder = folder
        self.header = header
        self._database = database
        self._lock: sqlite3.Connection | None = None
        self._writer = RecordWriter(database)
        self._open = True
        # Records are read in the order of the plan, not of completion.
        keys = (
            ConversationKey(bot.name, script.id, repeat)
            for bot in header.bots
            for script in header.plan.scripts
            for repeat in range(header.repeats)
        )
        self._places = {key: place for place, key in enumerate(keys)}

    @classmethod
    def create(cls, folder: str | Path, header: RunHeader) -> RunRecord:
        """Start a record in a folder that has none, creating the folder if needed."""
        place = Path(folder)
        if (place / RECORD_FILE).exists():
            raise UsageError(
                "the folder already contains the record of a run",
                where=str(place),
                remedy=f"resume it (`viva conversations resume {place}`) or choose another folder",
            )
        try:
            place.mkdir(parents=True, exist_ok=True)
            database = _connect(place / RECORD_FILE)
            with database:
                database.executescript(_TABLES + _SESSIONS)
                database.execute("INSERT INTO header VALUES (?, ?)", (LAYOUT, header_to_text(header)))
        except (OSError, sqlite3.Error) as error:
            raise FileError(
                f"cannot write the record: {error}", where=str(place), remedy="choose another folder"
            ) from error
        return cls(place, header, database)

    @classmethod
    def open(cls, folder: str | Path) -> RunRecord:
        """Open the record in a folder."""
        place = Path(folder)
        if not (place / RECORD_FILE).is_file():
            raise FileError("there is no run record here", where=str(place), remedy="choose the folder of a run")
        _refuse_cut(place / RECORD_FILE)
        try:
            database = _connect(place / RECORD_FILE)
            row = database.execute("SELECT layout, json FROM header").fetchone()
        except sqlite3.Error as error:
            raise _refuse_unreadable(place, error) from error
        if row is None or row[0] != LAYOUT:
            raise FileError(
                "the record was started but never written, or written by another version of vivavoce",
                where=str(place),
                remedy="run the conversations again in another folder",
            )
        with settle_memory():
            return cls(place, header_from_text(row[1]), database)

    @classmethod
    def in_memory(cls, header: RunHeader, transcripts: Iterable[Transcript]) -> RunRecord:
        """Return a record without a folder, filled with conversations that are stored elsewhere."""
        database = sqlite3.connect(":memory:")
        database.executescript(_TABLES + _SESSIONS)
        record = cls(Path(), header, database)
        for transcript in transcripts:
            for session in transcript.sessions:
                record.open_session(transcript.key, session)
            for exchange in transcript.exchanges:
                record.add(transcript.key, exchange)
            record._note(transcript.key, transcript.state, transcript.note)
        return record

    def __enter__(self) -> RunRecord:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def claim(self) -> None:
        """Lock the record for writing; UsageError while another process holds it. A killed process releases it."""
        lock = sqlite3.connect(self.folder / LOCK, timeout=0.2, isolation_level=None)
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            lock.close()
            raise UsageError(
                "another process is writing this record",
                where=str(self.folder),
                remedy="wait until it finishes, or choose another folder",
            ) from error
        self._lock = lock
        self._database.executescript(_SESSIONS)

    @cached_property
    def _written(self) -> set[int]:
        """The conversations that have exchanges in the record."""
        return {place for (place,) in self._database.execute("SELECT DISTINCT talk FROM exchange")}

    def begin(self, key: ConversationKey) -> None:
        """Note that a conversation has started; exchanges of an earlier attempt are deleted."""
        place = self._places[key]
        if place in self._written:
            # Pending rows may belong to the earlier attempt.
            self._writer.flush()
            with self._database:
                self._database.execute("DELETE FROM exchange WHERE talk = ?", (place,))
            self._written.discard(place)
        self._note(key, State.OPEN)

    @cached_property
    def _attempts(self) -> Mapping[int, int]:
        """How often each conversation had been started when the record was opened."""
        rows = self._rows(
            "SELECT t.place, MAX(COALESCE(s.attempt, 1)) FROM talk t LEFT JOIN session s ON s.talk = t.place"
            " GROUP BY t.place"
        )
        return dict(rows)

    def attempts(self, key: ConversationKey) -> int:
        """Return how often a conversation had been started before the record was opened."""
        return self._attempts.get(self._places[key], 0)

    def open_session(self, key: ConversationKey, session: Session) -> None:
        """Record the session that a bot gets for a conversation; those of earlier attempts stay."""
        row = (session.name, self._places[key], session.attempt)
        self._writer.write("INSERT INTO session VALUES (?, ?, ?)", *row)

    def add(self, key: ConversationKey, exchange: Exchange) -> None:
        """Record one exchange."""
        place = self._places[key]
        self._written.add(place)
        row = (place, exchange.number, exchange_to_text(exchange))
        self._writer.write("INSERT INTO exchange VALUES (?, ?, ?)", *row)

    def finish(self, key: ConversationKey, state: State, note: str = "") -> None:
        """Record how a conversation ended; once the event loop moves on, no crash can lose it."""
        self._note(key, state, note)
        self._writer.flush_soon()

    def _note(self, key: ConversationKey, state: State, note: str = "") -> None:
        text = note.encode("utf-8", "backslashreplace").decode()
        row = (self._places[key], key.bot, key.script, key.repeat, state, text)
        self._writer.write("INSERT OR REPLACE INTO talk VALUES (?, ?, ?, ?, ?, ?)", *row)

    def close(self) -> None:
        """Write pending rows and release the lock; closing twice is fine."""
        if self._open:
            self._open = False
            self._writer.flush()
            self._database.close()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _rows(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        self._writer.flush()
        try:
            yield from self._database.execute(query, values)
        except sqlite3.DatabaseError as error:
            raise _refuse_unreadable(self.folder, error) from error

    def states(self) -> Mapping[ConversationKey, State]:
        """Return how far each started conversation got."""
        rows = self._rows("SELECT bot, script, repeat, state FROM talk")
        return {ConversationKey(bot, script, repeat): State(state) for bot, script, repeat, state in rows}

    def header_as_met(self) -> RunHeader:
        """Return the header with what the bots' replies showed them to report."""
        bots = as_met(self.header.bots, self._reporting("intent"), self._reporting("actions"))
        return replace(self.header, bots=bots)

    def _reporting(self, part: str) -> Set[str]:
        rows = self._rows(
            "SELECT DISTINCT t.bot FROM talk t JOIN exchange e ON e.talk = t.place"
            " WHERE json_extract(e.json, ?) IS NOT NULL",
            f"$.reply.{part}",
        )
        return {bot for (bot,) in rows}

    def transcripts(self) -> Iterator[Transcript]:
        """Yield the conversations that have ended, in the order of the plan."""
        rows = self._rows(
            "SELECT t.place, t.bot, t.script, t.repeat, t.state, t.note, e.number, e.json FROM talk t"
            " LEFT JOIN exchange e ON e.talk = t.place WHERE t.state != ? ORDER BY t.place, e.number",
            State.OPEN,
        )
        sessions = self._sessions()
        for head, group in groupby(rows, key=lambda row: row[:6]):
            place, bot, script, repeat, state, note = head
            exchanges = tuple(exchange_from_text(number, text) for *_, number, text in group if number is not None)
            key = ConversationKey(bot, script, repeat)
            yield Transcript(key, State(state), exchanges, note, sessions.get(place, ()))

    def transcript(self, key: ConversationKey) -> Transcript:
        """Return one conversation."""
        place = self._places[key]
        row = next(self._rows("SELECT state, note FROM talk WHERE place = ?", place), None)
        if row is None:
            return Transcript(key, State.OPEN, ())
        rows = self._rows("SELECT number, json FROM exchange WHERE talk = ? ORDER BY number", place)
        exchanges = tuple(exchange_from_text(*each) for each in rows)
        return Transcript(key, State(row[0]), exchanges, row[1], self._sessions(place).get(place, ()))

    def _sessions(self, place: int | None = None) -> Mapping[int, tuple[Session, ...]]:
        """Return the sessions of each conversation, or of one; older records have none."""
        if next(self._rows("SELECT 1 FROM sqlite_master WHERE name = 'session'"), None) is None:
            return {}
        rows = (
            self._rows("SELECT talk, name, attempt FROM session ORDER BY talk, rowid")
            if place is None
            else self._rows("SELECT talk, name, attempt FROM session WHERE talk = ? ORDER BY rowid", place)
        )
        return {
            talk: tuple(Session(name, attempt) for _, name, attempt in group)
            for talk, group in groupby(rows, key=lambda row: row[0])
        }


def _connect(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=30)
    # Only checkpoints wait for the disk; a killed process still loses nothing that was committed.
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    # A checkpoint holds up every conversation, so they are rare.
    database.execute("PRAGMA wal_autocheckpoint = 20000")
    return database


def _refuse_cut(path: Path) -> None:
    """Reject a truncated database: SQLite silently reads missing pages as zeros."""
    with path.open("rb") as file:
        head = file.read(32)
    log = path.with_name(f"{path.name}-wal")
    # The last pages may still be in the log.
    if len(head) == 32 and head.startswith(SQLITE) and not (log.exists() and log.stat().st_size):
        page, pages = int.from_bytes(head[16:18], "big"), int.from_bytes(head[28:32], "big")
        if path.stat().st_size < page * pages:
            raise _refuse_damaged(path.parent, "the file is shorter than its header states")


def _refuse_damaged(place: Path, why: str) -> FileError:
    return FileError(
        f"the record is damaged, possibly truncated while copying ({why})",
        where=str(place),
        remedy="copy the whole folder again, or run the conversations again in another folder",
    )


def _refuse_unreadable(place: Path, error: sqlite3.Error) -> FileError:
    """Say why a record cannot be read: it is damaged, busy, or no record at all."""
    with (place / RECORD_FILE).open("rb") as file:
        is_database = file.read(len(SQLITE)) == SQLITE
    # An OperationalError is about the call or the moment, not about the bytes.
    if is_database and not isinstance(error, sqlite3.OperationalError):
        return _refuse_damaged(place, str(error))
    if "no such table" in str(error) or not is_database:
        return FileError(f"this is not a run record ({error})", where=str(place), remedy="choose another folder")
    return FileError(
        f"cannot read the record right now ({error})",
        where=str(place),
        remedy="try again when no other program is using it",
    )
