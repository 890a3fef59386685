"""A whole workspace in one file, and back: the same file for both databases.

A backup is a ZIP file with `manifest.json` and a file of JSON lines for each table. It is taken in one reading
transaction, so it is consistent whatever others write meanwhile. It holds the hashes of passwords and keys: keep it
as safe as the workspace.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

from vivavoce.codec import from_json, to_json
from vivavoce.errors import DataError, FileError, UsageError, plural
from vivavoce.store import tables
from vivavoce.store.archives import MEGABYTE, check_names, opened_archive, read_lines, read_part, written_archive
from vivavoce.store.database import Store
from vivavoce.store.migrating import head_version, known_versions, new_database, require_current, upgrade
from vivavoce.store.rows import UnitState
from vivavoce.store.stamps import now
from vivavoce.store.table_lines import dump_lines, found_tables, load_lines
from vivavoce.version import __version__

Progress = Callable[[str], None]
MANIFEST = "manifest.json"
FORMAT = "vivavoce workspace"
FORMAT_VERSION = 1
# What processes tell each other means nothing once they are gone.
TRANSIENT = frozenset({"workers", "paces"})
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
    with written_archive(path) as archive, _snapshot(store) as connection:
        found: dict[str, Content] = {}
        for name, table in found_tables(connection).items():
            if name not in TRANSIENT:
                found[name] = _write_table(archive, name, dump_lines(connection, table))
                progress(f"{name}: {plural(found[name].rows, 'row')}")
        manifest = Manifest(__version__, head_version(), now(), found)
        archive.writestr(
            MANIFEST,
            json.dumps({"format": FORMAT, "format_version": FORMAT_VERSION, **to_json(manifest)}, indent=2) + "\n",
        )
    return manifest


def restore(
    path: str | Path,
    address: str | Path,
    progress: Progress = lambda line: None,
    *,
    max_bytes: int = MAX_BYTES,
) -> Store:
    """Make a new workspace of a backup: all of it, or nothing. Work that was under way begins again.

    A backup of an older program is brought to the newest schema.
    """
    with opened_archive(path, max_bytes) as archive:
        manifest = _read_manifest(archive, path)
        check_names(archive, [MANIFEST, *map(_part, manifest.tables)], path)
        with new_database(address) as (store, connection):
            upgrade(connection, manifest.schema)
            found = found_tables(connection)
            unknown = set(manifest.tables) ^ (set(found) - TRANSIENT)
            if unknown:
                raise _damaged(
                    f"its tables are not those of the schema {manifest.schema}: {', '.join(sorted(unknown))}", path
                )
            for name, table in found.items():
                if name not in TRANSIENT:
                    _load_table(archive, table, manifest.tables[name], connection, path)
                    progress(f"{name}: {plural(manifest.tables[name].rows, 'row')}")
            upgrade(connection)
            _begin_again(connection)
    return store


def read_manifest(path: str | Path) -> Manifest:
    """Return what a backup says of itself."""
    with opened_archive(path, MAX_BYTES) as archive:
        return _read_manifest(archive, path)


@contextmanager
def _snapshot(store: Store) -> Iterator[Connection]:
    """Look at one state of the whole workspace, however long it takes."""
    with store.connected() as connection:
        if not store.embedded:
            connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        with connection.begin():
            yield connection


def _write_table(archive: zipfile.ZipFile, name: str, lines: Iterable[bytes]) -> Content:
    rows, digest = 0, hashlib.sha256()
    with archive.open(_part(name), "w", force_zip64=True) as part:
        for line in lines:
            rows += 1
            digest.update(line)
            part.write(line)
    return Content(rows, digest.hexdigest())


def _load_table(
    archive: zipfile.ZipFile, table: sa.Table, told: Content, connection: Connection, path: str | Path
) -> None:
    digest = hashlib.sha256()
    where = f"{path}, {_part(table.name)}"
    with archive.open(_part(table.name)) as part:
        lines = _hashed(read_lines(part, MAX_LINE_BYTES, where), digest.update)
        try:
            rows = load_lines(connection, table, lines, where)
        except DBAPIError as error:
            raise _damaged(f"the rows of {table.name} do not fit together: {error.orig}", path) from error
    if (rows, digest.hexdigest()) != (told.rows, told.sha256):
        raise _damaged(f"the rows of {table.name} are not those that were written", path)


def _hashed(lines: Iterable[bytes], update: Callable[[bytes], None]) -> Iterator[bytes]:
    for line in lines:
        update(line)
        yield line


def _begin_again(connection: Connection) -> None:
    """Let units wait that somebody was doing: whoever it was does not know this copy."""
    units = tables.units
    idle = {"state": UnitState.WAITING.value, "worker": None, "lease_until": None, "attempts": units.c.attempts - 1}
    connection.execute(sa.update(units).where(units.c.state == UnitState.RUNNING.value).values(idle))


def _part(table: str) -> str:
    return f"tables/{table}.jsonl"


def _read_manifest(archive: zipfile.ZipFile, path: str | Path) -> Manifest:
    if MANIFEST not in archive.namelist():
        raise FileError("this is not a backup", where=str(path), remedy="`viva workspace backup` writes one")
    try:
        content = json.loads(read_part(archive, MANIFEST))
    except ValueError as error:
        raise _damaged(f"the manifest cannot be read: {error!r}", path) from error
    what = "the backup is damaged: the manifest"
    manifest = from_json(Manifest, content, what=what, remedy="use another copy of it", where=str(path))
    known = (content.get("format"), content.get("format_version")) == (FORMAT, FORMAT_VERSION)
    if not known or manifest.schema not in known_versions():
        raise UsageError(
            f"the backup was written by vivavoce {manifest.version} and is of a kind that this program does not know",
            where=str(path),
            remedy="install the newest vivavoce",
        )
    return manifest


def _damaged(what: str, path: str | Path) -> DataError:
    return DataError(f"the backup is damaged: {what}", where=str(path), remedy="use another copy of it")
