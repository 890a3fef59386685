"""A whole workspace in one file, and back: the same file for both databases.

A backup is a ZIP file with `manifest.json` and a file of JSON lines for each table. It is taken in one reading
transaction, so it is consistent whatever others write meanwhile. It holds the hashes of passwords and keys: keep it
as safe as the workspace.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

from vivavoce.codec import from_json, to_json
from vivavoce.errors import DataError, Fault, FileError, UsageError, plural
from vivavoce.messages import say
from vivavoce.store.archives import MEGABYTE, check_names, open_archive, read_lines, write_archive
from vivavoce.store.columns import Moment
from vivavoce.store.database import Store
from vivavoce.store.migrating import head_version, known_versions, new_database, require_current, upgrade
from vivavoce.store.rows import UnitState
from vivavoce.store.stamps import now
from vivavoce.store.tables import units
from vivavoce.version import __version__

Progress = Callable[[str], None]
MANIFEST = "manifest.json"
FORMAT = "vivavoce workspace"
FORMAT_VERSION = 1
# What processes tell each other means nothing once they are gone.
TRANSIENT = frozenset({"workers", "paces"})
INDEX_TABLES = "openings_words"
MAX_BYTES = 50_000 * MEGABYTE
MAX_LINE_BYTES = 512 * MEGABYTE


@dataclass(frozen=True, slots=True)
class Content:
    """What a backup holds of one table."""

    rows: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says of itself. `schema`: the revision; `version`: that of the program."""

    version: str
    schema: str
    created: datetime
    tables: Mapping[str, Content]

    @property
    def rows(self) -> int:
        """How many rows there are in all."""
        return sum(content.rows for content in self.tables.values())


def backup(store: Store, path: str | Path, progress: Progress = lambda line: None) -> Manifest:
    """Write a workspace into a new file; others may go on working with it."""
    require_current(store)
    with write_archive(path) as archive, _open_snapshot(store) as connection:
        contents: dict[str, Content] = {}
        for name, table in _list_tables(connection).items():
            rows, digest = 0, hashlib.sha256()
            with archive.open(_name_part(name), "w", force_zip64=True) as part:
                for line in dump_lines(connection, table):
                    rows += 1
                    digest.update(line)
                    part.write(line)
            contents[name] = Content(rows, digest.hexdigest())
            progress(f"{name}: {plural(rows, 'row')}")
        manifest = Manifest(__version__, head_version(), now(), contents)
        content = {"format": FORMAT, "format_version": FORMAT_VERSION, **to_json(manifest)}
        archive.writestr(MANIFEST, json.dumps(content, indent=2) + "\n")
    return manifest


def restore(
    path: str | Path, address: str | Path, progress: Progress = lambda line: None, *, max_bytes: int = MAX_BYTES
) -> Store:
    """Make a new workspace of a backup: all of it, or nothing. Work that was under way begins again.

    A backup of an older program is brought to the newest schema.
    """
    with open_archive(path, max_bytes) as archive:
        manifest = _read_manifest(archive, path)
        check_names(archive, [MANIFEST, *map(_name_part, manifest.tables)], path)
        with new_database(address) as (store, connection):
            upgrade(connection, manifest.schema)
            tables = _list_tables(connection)
            if unknown := set(manifest.tables) ^ set(tables):
                names = ", ".join(sorted(unknown))
                raise _report_damage(f"its tables do not match the schema {manifest.schema}: {names}", path)
            for name, table in tables.items():
                _load_table(archive, table, manifest.tables[name], connection, path)
                progress(f"{name}: {plural(manifest.tables[name].rows, 'row')}")
            upgrade(connection)
            # Units that somebody was doing wait again: their workers do not know this copy.
            idle = {"state": UnitState.WAITING, "worker": None, "lease_until": None, "attempts": units.c.attempts - 1}
            connection.execute(sa.update(units).where(units.c.state == UnitState.RUNNING).values(idle))
    return store


def read_manifest(path: str | Path) -> Manifest:
    """Return what a backup says of itself."""
    with open_archive(path, MAX_BYTES) as archive:
        return _read_manifest(archive, path)


@contextmanager
def _open_snapshot(store: Store) -> Iterator[Connection]:
    """Look at one state of the whole workspace, however long it takes."""
    with store.connect() as connection:
        if not store.embedded:
            connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        with connection.begin():
            yield connection


def _list_tables(connection: Connection) -> dict[str, sa.Table]:
    return {name: table for name, table in reflect_tables(connection).items() if name not in TRANSIENT}


def _load_table(
    archive: zipfile.ZipFile, table: sa.Table, content: Content, connection: Connection, path: str | Path
) -> None:
    digest = hashlib.sha256()
    where = f"{path}, {_name_part(table.name)}"

    def read() -> Iterator[bytes]:
        for line in read_lines(part, MAX_LINE_BYTES, where):
            digest.update(line)
            yield line

    with archive.open(_name_part(table.name)) as part:
        try:
            rows = load_lines(connection, table, read(), where)
        except DBAPIError as error:
            raise _report_damage(f"the rows of {table.name} are inconsistent: {error.orig}", path) from error
    if (rows, digest.hexdigest()) != (content.rows, content.sha256):
        raise _report_damage(f"the rows of {table.name} differ from those that were written", path)


def _name_part(table: str) -> str:
    return f"tables/{table}.jsonl"


def _read_manifest(archive: zipfile.ZipFile, path: str | Path) -> Manifest:
    if MANIFEST not in archive.namelist():
        raise FileError("this is not a backup", where=str(path), remedy="create one with `viva workspace backup`")
    try:
        content = json.loads(archive.read(MANIFEST))
    except ValueError as error:
        raise _report_damage(f"cannot read the manifest: {error!r}", path) from error
    what = "the backup is damaged: the manifest"
    manifest = from_json(Manifest, content, what=what, remedy="use another copy", where=str(path))
    known = (content.get("format"), content.get("format_version")) == (FORMAT, FORMAT_VERSION)
    if not known or manifest.schema not in known_versions():
        raise UsageError(
            (f"the backup was written by vivavoce {manifest.version} in a format this version does not support"),
            where=str(path),
            remedy="install the latest vivavoce",
        )
    return manifest


def _report_damage(what: str, path: str | Path) -> DataError:
    return DataError(f"the backup is damaged: {what}", where=str(path), remedy="use another copy")


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
    # The full-text index of SQLite is tables, too; triggers fill it again.
    metadata.reflect(connection, only=lambda name, _: not name.startswith(INDEX_TABLES))
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
