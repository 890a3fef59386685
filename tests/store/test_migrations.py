"""The schema of a workspace: made, checked and brought up to date, on both databases."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from vivavoce.errors import UsageError, WorkError
from vivavoce.store.database import Store, open_store
from vivavoce.store.migrating import (
    create_store,
    head_version,
    known_versions,
    migrate,
    require_current,
    schema_version,
)
from vivavoce.store.tables import metadata


def test_the_revisions_make_exactly_the_tables(store: Store) -> None:
    with store.reading() as tx:
        context = MigrationContext.configure(
            tx.connection, opts={"compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, metadata) == []


def test_the_constraints_have_the_names_of_the_convention(store: Store) -> None:
    with store.reading() as tx:
        found = sa.inspect(tx.connection)
        for table in metadata.sorted_tables:
            keys = {key["name"] for key in found.get_foreign_keys(table.name)}
            assert keys == {str(key.name) for key in table.foreign_key_constraints}
            assert found.get_pk_constraint(table.name)["name"] == table.primary_key.name
            unique = {key["name"] for key in found.get_unique_constraints(table.name)}
            assert unique == {str(key.name) for key in table.constraints if isinstance(key, sa.UniqueConstraint)}


def test_the_revisions_are_a_line_with_one_end() -> None:
    assert known_versions()[-1] == head_version()
    assert list(known_versions()) == sorted(set(known_versions()))


def test_a_new_workspace_is_made_once(empty_address: str) -> None:
    made = create_store(empty_address)
    assert schema_version(made) == head_version()
    require_current(made)
    made.close()
    with pytest.raises(UsageError, match="already"):
        create_store(empty_address)


def test_a_workspace_in_a_file_belongs_to_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "down" / "workspace.db"
    create_store(path).close()
    assert path.stat().st_mode & 0o077 == 0


def test_a_database_of_others_is_left_alone(postgres_store: Store, tmp_path: Path, sqlite_store: Store) -> None:
    for store in (postgres_store, sqlite_store):
        with store.writing() as tx:
            tx.connection.execute(sa.text("DROP TABLE alembic_version"))
        with pytest.raises(UsageError, match="not empty"):
            create_store(store.engine.url.render_as_string(hide_password=False))
        with store.reading() as tx:
            assert tx.users.count() == 0


def test_no_workspace_is_told_as_such_and_nothing_is_made(empty_address: str) -> None:
    path = Path(empty_address)
    if "://" not in empty_address:
        path.parent.mkdir()
    store = open_store(empty_address)
    assert schema_version(store) is None
    for act in (require_current, migrate):
        with pytest.raises(UsageError, match="no workspace") as caught:
            act(store)
        assert "viva workspace create" in caught.value.remedy
    assert not path.exists()
    store.close()


def test_a_workspace_in_memory_is_refused() -> None:
    with pytest.raises(UsageError, match="memory"):
        create_store("sqlite://")


def test_a_file_of_something_else_is_told_as_such(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("dear diary " * 200, encoding="utf-8")
    with pytest.raises(WorkError, match="not a database"):
        create_store(path)
    assert path.read_text(encoding="utf-8").startswith("dear diary")


def test_a_newer_workspace_needs_a_newer_program(store: Store) -> None:
    set_version(store, "9999")
    for act in (require_current, migrate):
        with pytest.raises(UsageError, match="newer program") as caught:
            act(store)
        assert "install" in caught.value.remedy


def test_a_workspace_that_is_up_to_date_stays_as_it_is(sqlite_store: Store, tmp_path: Path) -> None:
    before = sorted(path.name for path in tmp_path.iterdir() if "-" not in path.name)
    assert migrate(sqlite_store) == (head_version(), head_version())
    assert sorted(path.name for path in tmp_path.iterdir() if "-" not in path.name) == before


def set_version(store: Store, version: str) -> None:
    with store.writing() as tx:
        tx.connection.execute(sa.text("UPDATE alembic_version SET version_num = :version"), {"version": version})
