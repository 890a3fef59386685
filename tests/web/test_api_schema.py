"""The API keeps to its own description: whatever is sent, answers are those that it documents, and none is a 5xx."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import schemathesis
from api_cases import Desk, real_values
from filled_house import Filled, fill
from hypothesis import HealthCheck, settings
from schemathesis import Case
from schemathesis.config import SchemathesisConfig
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import positive_data_acceptance

from vivavoce.store.backups import backup, restore
from vivavoce.store.database import Store, open_store
from vivavoce.web.app import API, bare_app
from vivavoce.web.config import WebConfig

EXAMPLES = int(os.environ.get("VIVA_API_EXAMPLES", "3"))
CHOSEN = settings(
    max_examples=EXAMPLES, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module")
def filled(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    store = open_store(shutil.copy(sqlite_template, tmp_path_factory.mktemp("filled") / "workspace.db"))
    yield fill(store)
    store.close()


def desk_of(filled: Filled, store: Store) -> Desk:
    return Desk(bare_app(store, WebConfig()), filled.key, real_values(filled), lambda: store)


@pytest.fixture
def sqlite_desk(filled: Filled, tmp_path: Path) -> Desk:
    desk = desk_of(filled, filled.store)
    plain = tmp_path / "workspace.zip"
    backup(filled.store, plain)
    return desk
