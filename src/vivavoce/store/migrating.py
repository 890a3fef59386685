"""From an empty database to a workspace, and from an older workspace to the newest schema."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, cast

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from vivavoce.errors import UsageError, WorkError
from vivavoce.store.database import Store, as_url, open_store

if TYPE_CHECKING:
    from alembic.config import Config

Progress = Callable[[str], None]
# Only one process at a time changes the schema; the number is as good as any, and ours.
_LOCK = 5_866_011


def create_store(address: str | Path) -> Store:
    """Make a new workspace, with the folder and the file where it has to be; an existing one is refused."""
    with new_database(address) as (store, connection):
        upgrade(connection)
    return store


def migrate(store: Store, progress: Progress = lambda line: None) -> tuple[str, str]:
    """Bring a workspace to the newest schema; return the revisions before and after.

    A workspace in a file is copied aside first. Other databases are changed in one transaction: all or nothing.
    """
    before, head = _known_version(store), head_version()
    if before == head:
        return before, head
    if store.embedded:
        progress(f"the current workspace was copied to {_copy_aside(store, before)}")
    with schema_change(store) as connection:
        known = known_versions()
        # Another process may have been here meanwhile.
        for revision in known[known.index(str(version_of(connection))) + 1 : known.index(head) + 1]:
            upgrade(connection, revision)
            progress(f"the schema is at revision {revision}")
    return before, head


def schema_version(store: Store) -> str | None:
    """Return the revision of a workspace's schema; None where there is no workspace."""
    with store.reading() as tx:
        return version_of(tx.connection)


def require_current(store: Store) -> None:
    """Refuse a workspace that is not there, behind the program, or ahead of it."""
    version = _known_version(store)
    if version != head_version():
        raise UsageError(
            f"the workspace has schema {version}, but this version needs {head_version()}",
            where=store.address,
            remedy="stop the servers and workers, then run `viva workspace migrate`",
        )


def head_version() -> str:
    """Return the newest revision that this program knows."""
    from alembic.script import ScriptDirectory

    return str(ScriptDirectory.from_config(_config()).get_current_head())


def known_versions() -> tuple[str, ...]:
    """Return all revisions, the oldest first."""
    from alembic.script import ScriptDirectory

    revisions = ScriptDirectory.from_config(_config()).walk_revisions()
    return tuple(reversed([revision.revision for revision in revisions]))


def version_of(connection: Connection) -> str | None:
    """Return the revision of the schema, None where there is none."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Run the revisions up to this one, in the transaction of the connection."""
    from alembic import command

    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


@contextmanager
def new_database(address: str | Path) -> Iterator[tuple[Store, Connection]]:
    """Open an empty database for its first schema, in one transaction; what was made goes again after an error."""
    path = _make_file(address)
    store = open_store(address)
    try:
        with schema_change(store) as connection:
            if tables := sa.inspect(connection).get_table_names():
                what = (
                    "a workspace already exists here" if "alembic_version" in tables else "the database is not empty"
                )
                remedy = "choose another location, or update this one with `viva workspace migrate`"
                raise UsageError(what, where=store.address, remedy=remedy)
            yield store, connection
    except BaseException:
        store.close()
        for ending in ("", "-wal", "-shm") if path else ():
            Path(f"{path}{ending}").unlink(missing_ok=True)
        raise


@contextmanager
def schema_change(store: Store) -> Iterator[Connection]:
    """Change tables in one transaction, while nobody else does."""
    with store.connect() as connection:
        if not store.embedded:
            with connection.begin():
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
                yield connection
            return
        # With its foreign keys on, SQLite would delete the rows of others together with a table that is replaced.
        raw = cast(sqlite3.Connection, connection.connection.driver_connection)
        raw.execute("PRAGMA foreign_keys = OFF")
        try:
            with connection.execution_options(viva_writing=True).begin():
                yield connection
                if connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
                    what = "rows would lose what they belong to"
                    raise WorkError(what, where=store.address, remedy="nothing was changed")
        finally:
            raw.execute("PRAGMA foreign_keys = ON")


def _known_version(store: Store) -> str:
    version = schema_version(store)
    if version is None:
        raise UsageError(
            "the workspace does not exist", where=store.address, remedy="create one with `viva workspace create`"
        )
    if version not in known_versions():
        raise UsageError(
            f"the workspace was created by a newer version: schema {version} is unknown to this one",
            where=store.address,
            remedy="install the latest vivavoce",
        )
    return version


def _make_file(address: str | Path) -> Path | None:
    """Make the file of a workspace where there is none; only its owner may read it."""
    url = as_url(address)
    if url.get_backend_name() != "sqlite":
        return None
    if not url.database or url.database == ":memory:":
        raise UsageError("a workspace in memory would be lost immediately", remedy="use a file path")
    path = Path(url.database)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return None
    except OSError as error:
        what = f"cannot create the file: {error.strerror or error}"
        raise WorkError(what, where=str(path), remedy="check that you can write there") from error
    return path


def _copy_aside(store: Store, version: str) -> Path:
    path = Path(store.engine.url.database or "")
    names = (f"{path.name}.{version}{f'.{number}' if number > 1 else ''}" for number in count(1))
    aside = next(path.with_name(name) for name in names if not path.with_name(name).exists())
    os.close(os.open(aside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    # A plain copy would miss what is still in the log beside the file.
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(aside)) as target:
        source.backup(target)
    return aside


def _config() -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(files("vivavoce.store") / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
