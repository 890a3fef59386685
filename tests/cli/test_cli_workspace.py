"""Workspaces from the command line: made, kept, moved, looked after."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from vivavoce.cli.shared.places import place_of
from vivavoce.store.database import open_store
from vivavoce.store.rows import Role
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.projects.projects import create_project


@pytest.fixture
def place(folder: Path, sqlite_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file of a workspace that the environment names."""
    monkeypatch.setenv("VIVA_WORKSPACE", str(sqlite_path))
    return sqlite_path


def test_a_workspace_is_made_once_in_the_home_folder(viva, folder):
    made = viva("workspace", "create", "--json", "-")
    assert made.exit_code == 0
    path = folder / "home" / "workspace.db"
    assert json.loads(made.stdout)["workspace"] == f"sqlite:///{path}"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = viva("workspace", "create")
    assert again.exit_code == 2
    assert "a workspace already exists here" in again.output


def test_the_option_comes_before_the_environment_and_the_home_folder(monkeypatch, folder):
    assert place_of(None) == str(folder / "home" / "workspace.db")
    monkeypatch.setenv("VIVA_WORKSPACE", "postgresql://u:geheim@h/n")
    assert place_of(None) == "postgresql://u:geheim@h/n"
    assert place_of("x.db") == "x.db"


def test_a_password_in_the_address_is_never_shown(viva, monkeypatch):
    monkeypatch.setenv("VIVA_WORKSPACE", "postgresql://viva:geheim@127.0.0.1:1/none")
    for words in (("status",), ("create",), ("setup-link",)):
        result = viva("workspace", *words)
        assert result.exit_code in (2, 3)
        assert "geheim" not in result.output


@pytest.mark.parametrize("words", [("status",), ("migrate",), ("setup-link",), ("backup", "b.zip")])
def test_without_a_workspace_the_remedy_is_told_and_nothing_is_made(viva, folder, words):
    result = viva("workspace", *words, "--workspace", "none.db")
    assert result.exit_code == 2
    assert "viva workspace create" in result.output
    assert not (folder / "none.db").exists()
    assert not (folder / "b.zip").exists()


def test_the_status_tells_what_is_there(viva, plain, place):
    store = open_store(place)
    create_project(store, PRODUCT, "Jobs")
    store.close()
    told = json.loads(viva("workspace", "status", "--json", "-").stdout)
    assert (told["projects"], told["people"], told["workers"], told["current"]) == (1, 0, [], True)
    assert "Open runs" in plain(viva("workspace", "status").stdout)


def test_a_backup_comes_back_as_another_workspace(viva, folder, place):
    store = open_store(place)
    create_project(store, PRODUCT, "Jobs")
    store.close()
    assert viva("workspace", "backup", "b.zip", "--quiet").exit_code == 0
    assert viva("workspace", "restore", "b.zip", "--workspace", "new.db").exit_code == 0
    told = json.loads(viva("workspace", "status", "--workspace", "new.db", "--json", "-").stdout)
    assert told["projects"] == 1
    assert viva("workspace", "restore", "b.zip", "--workspace", "new.db").exit_code == 2
    assert viva("workspace", "restore", "faq.csv", "--workspace", "other.db").exit_code == 2
    assert not (folder / "other.db").exists()


def test_a_project_goes_from_one_workspace_to_another(viva, place):
    store = open_store(place)
    create_project(store, PRODUCT, "Jobs")
    store.close()
    assert viva("workspace", "export", "jobs", "jobs.zip").exit_code == 0
    wrong = viva("workspace", "export", "jbos", "other.zip")
    assert wrong.exit_code == 2
    assert "Did you mean 'jobs'?" in wrong.output
    assert viva("workspace", "import", "jobs.zip").exit_code == 2
    made = viva("workspace", "import", "jobs.zip", "--slug", "jobs-2", "--json", "-")
    assert json.loads(made.stdout)["project"] == "jobs-2"
    assert viva("workspace", "import", "jobs.zip", "--slug", "No Slug").exit_code == 2


def test_migrating_a_workspace_of_today_changes_nothing(viva, place):
    told = json.loads(viva("workspace", "migrate", "--json", "-").stdout)
    assert told["before"] == told["after"]


def test_the_set_up_link_is_one_line_and_only_for_the_first_admin(viva, place):
    first = viva("workspace", "setup-link", "--url", "https://viva.example.org/").stdout.strip()
    second = json.loads(viva("workspace", "setup-link", "--json", "-").stdout)["setup_link"]
    assert first.startswith("https://viva.example.org/setup/")
    assert second.startswith("http://127.0.0.1:8000/setup/")
    assert first.rsplit("/", 1)[1] != second.rsplit("/", 1)[1]
    store = open_store(place)
    with store.writing() as tx:
        tx.users.add("anna", role=Role.ADMIN, password="x")  # noqa: S106 - not a password
    store.close()
    refused = viva("workspace", "setup-link")
    assert refused.exit_code == 2
    assert "there is already an admin" in refused.output


@pytest.mark.skipif(os.name != "posix", reason="files have no modes on this system")
def test_a_file_with_the_set_up_link_is_for_its_owner_only(viva, folder, place):
    kept = folder / "link.json"
    kept.touch(mode=0o644)
    assert viva("workspace", "setup-link", "--json", str(kept)).exit_code == 0
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_a_worker_with_nothing_to_do_leaves_when_told_once(viva, place):
    result = viva("worker", "--once", "--slots", "1", "--json", "worker.json")
    assert result.exit_code == 0
    assert "No more open runs." in result.output
    assert json.loads(Path("worker.json").read_text())["workspace"].endswith("workspace.db")


def test_a_worker_needs_a_workspace(viva):
    result = viva("worker", "--once", "--workspace", "none.db")
    assert result.exit_code == 2
    assert "viva workspace create" in result.output
