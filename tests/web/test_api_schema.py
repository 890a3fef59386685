"""The API keeps to its own description: whatever is sent, answers are those that it documents, and none is a 5xx.

VIVA_API_EXAMPLES sets how many requests are made up for each operation beside the systematic ones.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from api_cases import Desk, good_requests, real_values
from fastapi import FastAPI
from filled_house import Filled

from places import put_in_place
from vivavoce.store.backups import backup, restore
from vivavoce.store.database import Store, open_store
from vivavoce.web.app import bare_app

pytestmark = pytest.mark.slow

EXAMPLES = int(os.environ.get("VIVA_API_EXAMPLES", "0"))
# After these not much is left, or nobody gets in any more.
RUINOUS = ("delete_", "revoke_", "change_switches", "drop_", "end_", "disable_")


@pytest.fixture(scope="module")
def app() -> FastAPI:
    """Return the API, which is described and prepared once; each desk puts its workspace behind it."""
    return bare_app(None)  # type: ignore[arg-type]


@pytest.fixture
def sqlite_desk(app: FastAPI, filled: Filled, tmp_path: Path) -> Iterator[Desk]:
    """Return the API over copies of the workspace, one for each operation."""
    whole, path, fresh = tmp_path / "whole.zip", tmp_path / "workspace.db", tmp_path / "copy.db"
    backup(filled.store, whole)
    restore(whole, fresh).close()
    # Whatever the file holds: what the store has learned about statements is kept.
    store = open_store(shutil.copy(fresh, path))

    def renew(_: str) -> Store:
        store.close()
        put_in_place(fresh, path)
        return store

    thin = 1 if EXAMPLES else 8
    yield Desk(app, filled.key, real_values(filled), good_requests(filled), renew, thin)
    store.close()


@pytest.fixture
def postgres_desk(app: FastAPI, filled: Filled, postgres, tmp_path: Path) -> Iterator[Desk]:
    """Return the API over a workspace in PostgreSQL that is copied again when little of it is left."""
    template, opened, before = postgres.create(), dict[str, Store](), [RUINOUS[0]]
    backup(filled.store, tmp_path / "whole.zip")
    restore(tmp_path / "whole.zip", template).close()

    def close() -> None:
        for address, store in opened.items():
            store.close()
            postgres.drop(address)
        opened.clear()

    def renew(operation: str) -> Store:
        if before[0].startswith(RUINOUS):
            close()
            address = postgres.create(template)
            opened[address] = open_store(address)
        before[0] = operation
        return next(iter(opened.values()))

    # What must succeed in a new workspace need not do so in one that was used before.
    yield Desk(app, filled.key, real_values(filled), {}, renew)
    close()
    postgres.drop(template)


def test_every_answer_is_one_that_is_described(sqlite_desk: Desk) -> None:
    sqlite_desk.examine(EXAMPLES or 2, systematic=True)
    assert sqlite_desk.failures == {}
    reached = {name for name, seen in sqlite_desk.statuses.items() if any(status < 300 for status in seen)}
    # Otherwise nothing but refusals would be looked at.
    assert len(reached) > len(sqlite_desk.statuses) * 0.85, sorted(set(sqlite_desk.statuses) - reached)


def test_every_answer_is_one_that_is_described_with_postgresql(postgres_desk: Desk) -> None:
    postgres_desk.examine(EXAMPLES or 2, systematic=bool(EXAMPLES))
    assert postgres_desk.failures == {}
