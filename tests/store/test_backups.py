"""A backup holds everything, fits both databases and is never half restored."""

from __future__ import annotations

import json
import shutil
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sample_workspace import ROWS, fill_workspace, spoil

from vivavoce.errors import DataError, FileError, UsageError, VivaError
from vivavoce.store.backups import TRANSIENT, backup, read_manifest, restore
from vivavoce.store.database import Store, open_store
from vivavoce.store.migrating import head_version, require_current, schema_version
from vivavoce.store.rows import UnitState
from vivavoce.store.tables import metadata

pytestmark = pytest.mark.slow


@pytest.fixture
def saved(sample_backup: Path, tmp_path: Path) -> Path:
    """A backup of the sample, written by SQLite."""
    return Path(shutil.copy(sample_backup, tmp_path / "backup.zip"))


def content(store: Store) -> dict[str, list[dict[str, Any]]]:
    """Return all rows of all tables that a backup holds."""
    with store.reading() as tx:
        return {
            table.name: [
                dict(row)
                for row in tx.connection.execute(sa.select(table).order_by(*table.primary_key.columns)).mappings()
            ]
            for table in metadata.sorted_tables
            if table.name not in TRANSIENT
        }


def test_the_sample_has_something_in_every_table() -> None:
    assert {name for name, rows in ROWS.items() if rows} == set(metadata.tables)


def test_a_backup_of_either_database_restores_into_either(store: Store, empty_address: str, tmp_path: Path) -> None:
    fill_workspace(store)
    before = content(store)
    told: list[str] = []
    manifest = backup(store, tmp_path / "backup.zip", told.append)
    back = restore(tmp_path / "backup.zip", empty_address, told.append)
    after = content(back)
    require_current(back)
    assert after.pop("units") != before.pop("units")  # one of them was under way
    assert after == before
    assert manifest.rows == sum(map(len, after.values())) + 3
    assert told.count("users: 2 rows") == 2
    back.close()


def test_work_that_was_under_way_begins_again(saved: Path, empty_address: str) -> None:
    back = restore(saved, empty_address)
    with back.reading() as tx:
        states = {unit.id: (unit.state, unit.attempts) for unit in tx.units.of_run("run1")}
        held = tx.units.get("unit2")
        assert tx.connection.execute(sa.select(sa.func.count()).select_from(metadata.tables["workers"])).scalar() == 0
    waiting = UnitState.WAITING
    assert states == {"unit1": (UnitState.DONE, 1), "unit2": (waiting, 1), "unit3": (waiting, 0)}
    assert held is not None
    assert (held.worker, held.lease_until) == (None, None)
    back.close()


def test_a_backup_says_what_is_in_it(saved: Path) -> None:
    manifest = read_manifest(saved)
    assert manifest.schema == head_version()
    assert manifest.tables["users"].rows == 2
    assert saved.stat().st_mode & 0o077 == 0
    with zipfile.ZipFile(saved) as archive:
        lines = archive.read("tables/users.jsonl").splitlines()
    assert json.loads(lines[0])["login"] == "anna@example.org"


def test_a_backup_is_one_state_whatever_is_written_meanwhile(store: Store, tmp_path: Path) -> None:
    """Every writing transaction adds a person and a line of the log: a backup has as many of one as of the other."""
    enough = threading.Event()

    def write() -> None:
        number = 0
        while not enough.is_set():
            number += 1
            with store.writing() as tx:
                tx.audit.add("add", "user", str(number))
                tx.users.add(f"user {number}")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        manifests = [backup(store, tmp_path / f"{n}.zip") for n in range(2)]
    finally:
        enough.set()
        writer.join()
    for manifest in manifests:
        assert manifest.tables["users"].rows == manifest.tables["audit"].rows


def test_a_backup_is_not_restored_over_a_workspace(saved: Path, store: Store) -> None:
    with store.writing() as tx:
        tx.users.add("somebody")
    with pytest.raises(UsageError, match="already"):
        restore(saved, store.engine.url.render_as_string(hide_password=False))
    with store.reading() as tx:
        assert [user.login for user in tx.users.all()] == ["somebody"]


def test_a_backup_is_not_written_over_a_file(sqlite_store: Store, saved: Path) -> None:
    before = saved.read_bytes()
    with pytest.raises(UsageError, match="already"):
        backup(sqlite_store, saved)
    assert saved.read_bytes() == before


def test_nothing_is_left_of_a_backup_that_failed(sqlite_store: Store, tmp_path: Path) -> None:
    def refuse(line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        backup(sqlite_store, tmp_path / "backup.zip", refuse)
    assert not [path for path in tmp_path.iterdir() if "backup" in path.name]
    with pytest.raises(FileError, match="cannot be written"):
        backup(sqlite_store, tmp_path / "nowhere" / "backup.zip")


def with_manifest(**new: Any) -> Callable[[dict[str, bytes]], object]:
    def change(parts: dict[str, bytes]) -> None:
        parts["manifest.json"] = json.dumps(json.loads(parts["manifest.json"]) | new).encode()

    return change


def with_users(old: bytes, new: bytes) -> Callable[[dict[str, bytes]], object]:
    name = "tables/users.jsonl"
    return lambda parts: parts.update({name: parts[name].replace(old, new)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_users(b"Anna", b"Anne"), "differ from those that were written"),
        (with_users(b'"login"', b'"lodge"'), "line 1"),
        (with_users(b"2024-05-02", b"yesterday "), "line 1"),
        (with_users(b'"user2"', b'"user1"'), "are inconsistent"),
        (with_users(b"{", b"["), "line 1"),
        (lambda parts: parts.pop("tables/users.jsonl"), "is missing"),
        (lambda parts: parts.update({"../evil": b""}), "unexpected part"),
        (lambda parts: parts.pop("manifest.json"), "not a backup"),
        (lambda parts: parts.update({"manifest.json": b"{}"}), "cannot be read"),
        (with_manifest(tables={}), "unexpected part"),
        (with_manifest(schema="9999"), "a format this version does not support"),
        (with_manifest(format_version=2), "a format this version does not support"),
    ],
)
def test_a_damaged_backup_leaves_nothing_behind(
    saved: Path, tmp_path: Path, change: Callable[[dict[str, bytes]], object], message: str
) -> None:
    spoil(saved, change)
    with pytest.raises(VivaError, match=message):
        restore(saved, tmp_path / "new" / "workspace.db")
    assert not list((tmp_path / "new").glob("*"))


def test_a_damaged_backup_leaves_a_server_as_it_was(saved: Path, postgres: Any) -> None:
    address = postgres.create()
    spoil(saved, with_users(b"Anna", b"Anne"))
    with pytest.raises(DataError, match="differ from those that were written"):
        restore(saved, address)
    store = open_store(address)
    assert schema_version(store) is None
    store.close()
    postgres.drop(address)


def test_an_archive_that_grows_without_end_is_refused(saved: Path, tmp_path: Path) -> None:
    spoil(saved, lambda parts: parts.update({"tables/users.jsonl": b" " * 30_000_000}))
    with pytest.raises(FileError, match="would unpack to"):
        restore(saved, tmp_path / "new.db")
    with pytest.raises(FileError, match="would unpack to"):
        restore(saved, tmp_path / "new.db", max_bytes=1000)


def test_what_is_no_archive_is_told_as_such(tmp_path: Path, saved: Path) -> None:
    (tmp_path / "notes.zip").write_text("dear diary", encoding="utf-8")
    with pytest.raises(FileError, match="damaged"):
        restore(tmp_path / "notes.zip", tmp_path / "new.db")
    with pytest.raises(FileError, match="cannot be read"):
        restore(tmp_path / "absent.zip", tmp_path / "new.db")
    cut = tmp_path / "cut.zip"
    cut.write_bytes(saved.read_bytes()[:-200])
    with pytest.raises(FileError, match="damaged"):
        restore(cut, tmp_path / "new.db")


@pytest.fixture
def flipped(saved: Path, tmp_path: Path) -> Path:
    """A backup of which one bit is wrong in the middle of a table."""
    data = bytearray(saved.read_bytes())
    with zipfile.ZipFile(saved) as archive:
        at = archive.getinfo("tables/units.jsonl").header_offset + 80
    data[at] ^= 1
    path = Path(shutil.copy(saved, tmp_path / "flipped.zip"))
    path.write_bytes(bytes(data))
    return path


def test_one_wrong_bit_is_noticed(flipped: Path, tmp_path: Path) -> None:
    with pytest.raises(VivaError):
        restore(flipped, tmp_path / "new.db")
    assert not (tmp_path / "new.db").exists()
