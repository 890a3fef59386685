"""The database of a workspace: SQLite in a file, or PostgreSQL by its address.

    with store.reading() as tx:
        topics = tx.topics.of_project(project.id)
    with store.writing() as tx:
        tx.edits.apply(...)

A transaction holds one repository for each noun. Writing transactions of SQLite begin at once with the lock for
writing, so that none of them fails half-way because another one was faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from vivavoce.errors import FileError, MissingPartError, UsageError
from vivavoce.messages import say
from vivavoce.store.cleaning import dump_json
from vivavoce.store.transaction import Transaction
from vivavoce.store.troubles import Watch, store_error

# How long a transaction waits for its turn while others write.
BUSY_SECONDS = 30
CONNECT_SECONDS = 10


class Store:
    """A workspace in its database."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.watch = Watch(self.address)

    @property
    def embedded(self) -> bool:
        """Whether the database is a file of our own (SQLite)."""
        return self.engine.dialect.name == "sqlite"

    @property
    def address(self) -> str:
        """Where the database is, without any password."""
        return self.engine.url.render_as_string(hide_password=True)

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Look at one consistent state."""
        with self.connect() as connection, connection.begin():
            yield Transaction(connection)

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """Change something: all of it, or nothing where an error is raised."""
        with self.connect(writing=True) as connection, connection.execution_options(viva_writing=True).begin():
            yield Transaction(connection)

    @contextmanager
    def connect(self, *, writing: bool = False) -> Iterator[Connection]:
        """Reach the database, without a transaction."""
        try:
            connection = self.engine.connect()
        except Exception as error:
            self._raise_trouble(error, connecting=True)
            raise
        with connection:
            try:
                yield connection
            except SQLAlchemyError as error:
                self._raise_trouble(error)
                raise
        self.watch.note_success(written=writing)

    def _raise_trouble(self, error: Exception, *, connecting: bool = False) -> None:
        """Say what an error of the driver means, unless it is about a statement."""
        trouble = store_error(error, self.engine.url, connecting=connecting)
        if trouble is not None:
            self.watch.note_failure(trouble)
            raise trouble from error

    def close(self) -> None:
        """Let go of the database."""
        self.engine.dispose()


def open_store(address: str | Path) -> Store:
    """Open the database at a path or an address; a file must be there, and nothing is created or migrated here."""
    url = as_url(address)
    return Store(_open_sqlite(url) if url.get_backend_name() == "sqlite" else _open_postgresql(url))


def as_url(address: str | Path) -> URL:
    """Return the address of a database; a plain path is a file of SQLite."""
    text = str(address)
    if "://" not in text:
        return URL.create("sqlite", database=text)
    try:
        url = make_url(text)
    except ArgumentError as error:
        raise UsageError(say("this is not a database address"), remedy=_EXAMPLES) from error
    kind = url.get_backend_name()
    if kind == "sqlite":
        return url
    if kind not in ("postgresql", "postgres"):
        raise UsageError(say("'{kind}' is not a supported database", kind=kind), remedy=_EXAMPLES)
    return url.set(drivername="postgresql+psycopg")


_EXAMPLES = say("enter a file path, or postgresql://user@host/name")


def _open_sqlite(url: URL) -> Engine:
    if not url.database or not Path(url.database).is_file():
        remedy = say("create one with `viva workspace create`")
        raise FileError(say("the workspace does not exist"), where=url.database or "", remedy=remedy)
    engine = sa.create_engine(
        url, connect_args={"timeout": BUSY_SECONDS}, json_serializer=dump_json, hide_parameters=True
    )

    # A file that is gone stays gone: by itself SQLite makes an empty one in its place.
    uri = f"{Path(url.database).absolute().as_uri()}?mode=rw"

    @event.listens_for(engine, "do_connect")
    def _open(_dialect: object, _record: object, arguments: list[Any], options: dict[str, Any]) -> None:
        arguments[0] = uri
        options["uri"] = True

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: object) -> None:
        # The driver's own rules for beginning would hide reads in no transaction at all.
        connection.isolation_level = None
        for line in ("foreign_keys = ON", "journal_mode = WAL", "synchronous = NORMAL", "cache_size = -32000"):
            connection.execute(f"PRAGMA {line}")
        # Its own knows the letters of ASCII only: a search would not find what is written with a capital umlaut.
        connection.create_function(
            "lower", 1, lambda value: value.lower() if isinstance(value, str) else value, deterministic=True
        )

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writing = connection.get_execution_options().get("viva_writing")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine


def _open_postgresql(url: URL) -> Engine:
    if find_spec("psycopg") is None:
        raise MissingPartError(say("PostgreSQL needs psycopg"), remedy=say("pip install 'vivavoce[postgres]'"))
    # A host that swallows what it is sent is given up: the system itself would try for minutes.
    patience = {} if "connect_timeout" in url.query else {"connect_timeout": CONNECT_SECONDS}
    return sa.create_engine(
        url,
        connect_args=patience,
        pool_pre_ping=True,
        pool_size=10,
        max_overflow=20,
        json_serializer=dump_json,
        hide_parameters=True,
    )
