"""A project goes from one workspace to another: all of its material, none of its people."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_workspace import fill_workspace, spoil

from vivavoce.errors import AbsentError, DataError, FileError, UsageError, VivaError
from vivavoce.store.backups import restore
from vivavoce.store.database import Store
from vivavoce.store.exchange import export_project, import_project, read_project
from vivavoce.store.project_files import read_table, without_secrets, write_table

Change = Callable[[dict[str, bytes]], object]


@pytest.fixture(scope="session")
def sample_project(sample_backup: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    store = restore(sample_backup, folder / "workspace.db")
    export_project(store, "project1", folder / "shop.zip")
    store.close()
    return folder / "shop.zip"


@pytest.fixture
def packed(sample_project: Path, tmp_path: Path) -> Path:
    """The sample's project, exported."""
    return Path(shutil.copy(sample_project, tmp_path / "shop.zip"))


def told(store: Store, slug: str) -> dict[str, Any]:
    """Return a project's material without ids."""
    with store.reading() as tx:
        project = tx.projects.by_slug(slug)
        assert project is not None
        topics = tx.topics.of_project(project.id)
        names = {topic.id: topic.name for topic in topics}
        talks = tx.dialogues.of_project(project.id)
        return {
            "project": replace(project, id="", slug="", version=0, created=None),
            "topics": [(topic.name, topic.description, topic.owner, topic.answers) for topic in topics],
            "examples": [
                (row.text, names.get(row.topic_id or ""), row.language, row.source, row.created)
                for row in tx.examples.of_project(project.id)
            ],
            "test set": [
                (row.text, names.get(row.topic_id or ""), row.language, row.created)
                for row in tx.reserved.of_project(project.id)
            ],
            "bots": [(bot.name, bot.entry) for bot in tx.bots.of_project(project.id)],
            "suites": [
                (
                    (suite.name, suite.title, suite.language, suite.agent, suite.head),
                    [(row.name, row.domain, row.level, row.text) for row in tx.suites.scenarios(suite.id)],
                )
                for suite in tx.suites.of_project(project.id)
            ],
            "talks": [(talk.name, talk.batch, talk.bot, talk.created, talk.turns) for talk in talks],
            "ratings": [
                (rating.turn, rating.rater, rating.quality, rating.created)
                for talk in talks
                for rating in tx.ratings.of_dialogue(talk.id)
            ],
        }


def test_a_project_arrives_as_it_left(store: Store, tmp_path: Path) -> None:
    fill_workspace(store)
    export_project(store, "project1", tmp_path / "shop.zip")
    made = import_project(store, tmp_path / "shop.zip", "user1", slug="copy")
    assert told(store, "copy") == told(store, "shop")
    with store.reading() as tx:
        (edit,) = tx.edits.of_project(made.id)
        assert (edit.user_id, edit.action) == ("user1", "import")
        assert tx.edits.changes(edit.id)


def test_an_import_can_be_undone(store: Store, packed: Path) -> None:
    made = import_project(store, packed, None, slug="copy")
    with store.writing() as tx:
        tx.edits.undo(tx.edits.of_project(made.id)[0].id, None)
        assert tx.topics.of_project(made.id) == tx.suites.of_project(made.id) == tx.bots.of_project(made.id) == ()


def test_no_people_leave_with_a_project(packed: Path) -> None:
    with zipfile.ZipFile(packed) as archive:
        everything = b"\n".join(archive.read(name) for name in archive.namelist())
    for secret in (b"anna@example.org", b"scrypt", b"t" * 64, b"user1"):
        assert secret not in everything


def test_talks_stay_behind_where_they_are_not_wanted(sqlite_store: Store, packed: Path, tmp_path: Path) -> None:
    fill_workspace(sqlite_store)
    export_project(sqlite_store, "project1", tmp_path / "bare.zip", dialogues=False)
    export_project(sqlite_store, "project1", tmp_path / "unrated.zip", ratings=False)
    assert len(read_project(packed).dialogues[0]["ratings"]) == 1
    assert read_project(tmp_path / "bare.zip").dialogues == ()
    assert read_project(tmp_path / "unrated.zip").dialogues[0]["ratings"] == []


def test_a_taken_short_name_is_refused_and_nothing_is_imported(sqlite_store: Store, packed: Path) -> None:
    import_project(sqlite_store, packed, None)
    with pytest.raises(UsageError, match="'shop' already") as caught:
        import_project(sqlite_store, packed, None)
    assert "another short name" in caught.value.remedy
    with sqlite_store.reading() as tx:
        assert tx.projects.count() == 1


def test_what_is_not_there_cannot_be_exported(sqlite_store: Store, tmp_path: Path) -> None:
    with pytest.raises(AbsentError, match="project 'nothing' not found"):
        export_project(sqlite_store, "nothing", tmp_path / "nothing.zip")
    assert not list(tmp_path.glob("*nothing*"))


def replaced(name: str, old: str, new: str) -> Change:
    return lambda parts: parts.update({name: parts[name].replace(old.encode(), new.encode())})


@pytest.mark.parametrize(
    ("change", "messages"),
    [
        (
            replaced("examples.csv", ",opening hours,", ",openin hours,"),
            ["topic 'openin hours' does not exist", "Did you mean"],
        ),
        (replaced("examples.csv", "2024-05-02", "last week "), ["examples.csv, line 2", "not a time"]),
        (
            replaced("examples.csv", "text,topic", "texts,topic"),
            ["column 'text' is missing", "unknown column 'texts'"],
        ),
        (replaced("topics.csv", "topic,description", "topic,description,more"), ["cannot be read"]),
        (replaced("project.json", '"threshold": 0.30', '"threshold": "x", "y": 0.30'), ["'threshold' can", "'y' is"]),
        (replaced("project.json", "vivavoce project", "other"), ["this project header is invalid"]),
        (replaced("bots.json", '"entry"', '"entri"'), ["'entry' is missing", "Did you mean 'entry'"]),
        (replaced("bots.json", "[", "{"), ["not valid JSON"]),
        (replaced("suites.json", "001-book.yaml", "002-book.yaml"), ["is missing", "unexpected part"]),
        (replaced("dialogues.jsonl", '"turns": [{', '"turns": [1, {'), ["turns must be"]),
        (lambda parts: parts.update({"dialogues.jsonl": b"[]\n{"}), ["line 1", "line 2"]),
        (lambda parts: parts.update({"../../evil.txt": b"x"}), ["unexpected part"]),
        (lambda parts: parts.update({"topics.csv": b"\xff\xfe"}), ["not UTF-8"]),
        (lambda parts: parts.pop("project.json"), ["not a project export"]),
    ],
)  # fmt: skip
def test_every_fault_of_the_files_is_told_with_its_place(packed: Path, change: Change, messages: list[str]) -> None:
    spoil(packed, change)
    with pytest.raises(VivaError) as caught:
        read_project(packed)
    for message in messages:
        assert message in str(caught.value)


def test_all_faults_are_told_at_once(packed: Path, sqlite_store: Store) -> None:
    spoil(packed, replaced("examples.csv", ",opening hours,", ",opening,"))
    spoil(packed, replaced("bots.json", '"name"', '"nom"'))
    with pytest.raises(DataError) as caught:
        import_project(sqlite_store, packed, None, slug="copy")
    assert len(caught.value.faults) == 4
    with sqlite_store.reading() as tx:
        assert tx.projects.by_slug("copy") is None


def test_a_topic_that_is_there_twice_is_refused(packed: Path) -> None:
    def twice(parts: dict[str, bytes]) -> None:
        head, _, rows = parts["topics.csv"].partition(b"\n")
        parts["topics.csv"] = head + b"\n" + rows + rows

    spoil(packed, twice)
    with pytest.raises(DataError, match=r"already exists in topics\.csv, line"):
        read_project(packed)


def test_an_archive_that_is_too_large_is_refused(packed: Path) -> None:
    with pytest.raises(FileError, match="would unpack to"):
        read_project(packed, max_bytes=100)


def test_files_that_people_packed_again_with_their_folders_are_read(packed: Path) -> None:
    spoil(packed, lambda parts: parts.update({"suites/": b""}))
    assert read_project(packed).head["slug"] == "shop"


def test_the_files_can_be_read_by_people(packed: Path) -> None:
    with zipfile.ZipFile(packed) as archive:
        assert archive.read("topics.csv").decode().splitlines()[0] == "topic,description,owner,answer de"
        assert archive.read("examples.csv").decode().splitlines()[1].startswith("when do you open,opening hours,en")
        assert archive.read("suites/01-flights/001-book.yaml").decode() == "steps:\n  - user: hello\n"
        assert json.loads(archive.read("bots.json"))[0]["name"] == "a"


def test_secrets_that_were_written_out_become_names_of_variables() -> None:
    entry = {
        "url": "x",
        "headers": {"Authorization": "Bearer abc", "X-Api-Key": "${KEY}"},
        "list": [{"token": "abc"}],
    }
    assert without_secrets(entry) == {
        "url": "x",
        "headers": {"Authorization": "${AUTHORIZATION}", "X-Api-Key": "${KEY}"},
        "list": [{"token": "${TOKEN}"}],
    }


CELLS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=12) | st.sampled_from(
    ["=1+1", "'=1", "''", "-", "\r", "\n", "\r\n", '"', ",", "@x", "\t"]
)


@given(rows=st.lists(st.tuples(CELLS, CELLS), max_size=5))
def test_a_table_gives_back_its_cells_and_no_formula_stands_in_it(rows: list[tuple[str, str]]) -> None:
    text = write_table(("a", "b"), rows)
    assert [(row["a"], row["b"]) for _, row in read_table(text)] == rows
    assert "\n=" not in text.replace("\r", "\n") or any(
        "\n=" in cell.replace("\r", "\n") for row in rows for cell in row
    )


def test_names_of_code_and_files_stay_behind_and_that_is_told(packed: Path, sqlite_store: Store) -> None:
    spoil(packed, replaced("project.json", '"linear"', '"python:os:system"'))
    spoil(packed, replaced("suites.json", '"agent": null', '"agent": "/etc/passwd"'))
    notes: list[str] = []
    project = import_project(sqlite_store, packed, None, slug="clean", tell=notes.append)
    assert project.classifier == "linear"
    assert [suite["agent"] for suite in read_project(packed).suites] == ["/etc/passwd"]
    with sqlite_store.reading() as tx:
        assert [suite.agent for suite in tx.suites.of_project(project.id)] == [None]
        (edit,) = tx.edits.of_project(project.id)
    assert ["python:os:system" in notes[0], "/etc/passwd" in notes[1]] == [True, True]
    assert edit.why == " ".join(notes)
