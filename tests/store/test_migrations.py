"""The schema of a workspace: made, checked and brought up to date, on both databases."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sample_workspace import fill_workspace

from vivavoce.errors import FileError, StoreError, UsageError, WorkError
from vivavoce.store import migrating
from vivavoce.store.backups import INDEX_TABLES, read_manifest, restore
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

pytestmark = pytest.mark.slow

RELEASED = Path(__file__).parent / "released"


def test_the_revisions_make_exactly_the_tables(store: Store) -> None:
    with store.reading() as tx:
        # The full-text index is a table in SQLite and an expression in PostgreSQL: neither can be declared.
        opts = {
            "compare_type": True,
            "compare_server_default": True,
            "include_name": lambda name, kind, _: not (name or "").startswith(INDEX_TABLES),
        }
        context = MigrationContext.configure(tx.connection, opts=opts)
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
    if "://" not in empty_address:
        folder = Path(empty_address).parent
        for _ in ("without the folder", "in the folder"):
            with pytest.raises(FileError, match="the workspace does not exist") as refused:
                open_store(empty_address)
            assert "viva workspace create" in refused.value.remedy
            folder.mkdir(exist_ok=True)
        assert not list(folder.iterdir())
        return
    store = open_store(empty_address)
    assert schema_version(store) is None
    for act in (require_current, migrate):
        with pytest.raises(UsageError, match="the workspace does not exist") as caught:
            act(store)
        assert "viva workspace create" in caught.value.remedy
    store.close()


def test_a_workspace_whose_file_is_gone_is_not_replaced_by_an_empty_one(sqlite_store: Store) -> None:
    path = Path(sqlite_store.engine.url.database or "")
    sqlite_store.close()
    path.unlink()
    with pytest.raises(StoreError) as refused, sqlite_store.reading() as tx:
        tx.projects.all()
    assert refused.value.trouble == "away"
    assert not path.exists()


def test_an_empty_file_is_no_workspace_and_not_a_busy_one(tmp_path: Path) -> None:
    path = tmp_path / "workspace.db"
    path.touch()
    with closing(open_store(path)) as store, pytest.raises(StoreError) as refused, store.reading() as tx:
        tx.projects.all()
    assert refused.value.trouble == "unfit"


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
        with pytest.raises(UsageError, match="created by a newer version") as caught:
            act(store)
        assert "install" in caught.value.remedy


def test_a_workspace_that_is_up_to_date_stays_as_it_is(sqlite_store: Store, tmp_path: Path) -> None:
    before = sorted(path.name for path in tmp_path.iterdir() if "-" not in path.name)
    assert migrate(sqlite_store) == (head_version(), head_version())
    assert sorted(path.name for path in tmp_path.iterdir() if "-" not in path.name) == before


# Released schemas


def test_every_revision_has_a_workspace_to_start_from() -> None:
    assert {path.stem for path in RELEASED.glob("*.zip")} == set(known_versions())


@pytest.mark.parametrize("path", sorted(RELEASED.glob("*.zip")), ids=lambda path: path.stem)
def test_a_released_workspace_is_brought_up_to_date_with_all_it_holds(path: Path, empty_address: str) -> None:
    assert read_manifest(path).schema == path.stem
    store = restore(path, empty_address)
    require_current(store)
    with store.reading() as tx:
        project = tx.projects.by_slug("shop")
        assert project is not None
        assert [user.login for user in tx.users.all()] == ["anna@example.org", "bert"]
        assert [topic.answers for topic in tx.topics.of_project(project.id)] == [{"de": "Von 9 bis 17 Uhr."}]
        assert len(tx.examples.of_project(project.id)) == 3
        assert [len(tx.suites.scenarios(suite.id)) for suite in tx.suites.of_project(project.id)] == [1]
        assert [bot.name for bot in tx.bots.of_project(project.id)] == ["a"]
        assert [edit.summary for edit in tx.edits.of_project(project.id)] == ["Topic"]
        assert [talk.name for talk in tx.dialogues.of_project(project.id)] == ["talk 1"]
        assert tx.units.results("run1") == {"a 1": b"\x00\xffdone"}
        assert tx.options.get("empty", "default") is None
    store.close()


# A revision of tomorrow

TOMORROW = '''
"""Topics have a colour, and owners are gone."""

import sqlalchemy as sa
from alembic import op

revision = "9001"
down_revision = "{head}"


def upgrade():
    with op.batch_alter_table("topics") as table:
        table.add_column(sa.Column("colour", sa.String(20), nullable=False, server_default="grey"))
        table.drop_column("owner")
    {more}
'''


@pytest.fixture
def tomorrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let the program be of tomorrow: it knows one revision more, which does something else as well."""

    def become(more: str = "") -> None:
        folder = tmp_path / "migrations"
        shutil.copytree(Path(migrating.__file__).parent / "migrations", folder)
        (folder / "versions" / "9001_colour.py").write_text(TOMORROW.format(head=head_version(), more=more))
        monkeypatch.setattr(migrating, "files", lambda package: tmp_path)

    return become


def test_an_older_workspace_is_migrated_and_keeps_its_rows(store: Store, tomorrow: Callable[[str], None]) -> None:
    fill_workspace(store)
    before, told = head_version(), []
    tomorrow("")
    with pytest.raises(UsageError, match="needs 9001") as caught:
        require_current(store)
    assert "viva workspace migrate" in caught.value.remedy
    assert migrate(store, told.append) == (before, "9001")
    require_current(store)
    with store.reading() as tx:
        assert tx.connection.execute(sa.text("SELECT name, colour FROM topics")).all() == [("opening hours", "grey")]
        assert tx.examples.count("project1") == 3  # they point to the table that was made anew
        assert tx.connection.execute(sa.text("SELECT count(*) FROM answers")).scalar() == 1
    assert "9001" in told[-1]


def test_a_workspace_in_a_file_is_copied_aside_first(sqlite_store: Store, tomorrow: Callable[[str], None]) -> None:
    fill_workspace(sqlite_store)
    before, told = head_version(), []
    tomorrow("")
    migrate(sqlite_store, told.append)
    aside = open_store(told[0].rpartition(" ")[2])
    assert schema_version(aside) == before
    with aside.reading() as tx:
        assert [topic.owner for topic in tx.topics.of_project("project1")] == ["Anna"]
    aside.close()


def test_a_migration_that_fails_changes_nothing(store: Store, tomorrow: Callable[[str], None]) -> None:
    fill_workspace(store)
    before = head_version()
    tomorrow("raise RuntimeError('half-way')")
    with pytest.raises(RuntimeError, match="half-way"):
        migrate(store)
    assert schema_version(store) == before
    with store.reading() as tx:
        assert [topic.owner for topic in tx.topics.of_project("project1")] == ["Anna"]


def test_a_migration_that_would_tear_rows_apart_is_refused(
    sqlite_store: Store, tomorrow: Callable[[str], None]
) -> None:
    fill_workspace(sqlite_store)
    tomorrow("op.execute('DELETE FROM projects')")
    with pytest.raises(WorkError, match="lose what they belong to"):
        migrate(sqlite_store)
    with sqlite_store.reading() as tx:
        assert tx.projects.count() == 1


def set_version(store: Store, version: str) -> None:
    with store.writing() as tx:
        tx.connection.execute(sa.text("UPDATE alembic_version SET version_num = :version"), {"version": version})
