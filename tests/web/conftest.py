"""The application in-process: a client for each role, all over one small workspace.

The application is made once, as FastAPI prepares hundreds of routes at their first use; every test puts a workspace
of its own behind it. A module whose tests begin with more than people says so by a fixture `furnish` of its own.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from anyio.from_thread import BlockingPortal
from fastapi import FastAPI
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from places import put_in_place
from vivavoce.store.database import open_store
from vivavoce.store.rows import Project, Role, User
from vivavoce.store.stamps import now
from vivavoce.web.app import make_app
from vivavoce.web.config import WebConfig
from vivavoce.web.security.cookies import session_cookie
from vivavoce.workspace.access.secrets import new_secret

if TYPE_CHECKING:
    from filled_house import Filled

    from vivavoce.store.database import Store

ORIGIN = {"sec-fetch-site": "same-origin"}


@dataclass(frozen=True)
class Served:
    """The application behind its guards, and the thread in which it answers."""

    app: ASGIApp
    bare: FastAPI
    portal: BlockingPortal

    def browser(self, store: Store) -> TestClient:
        """Return a browser of nobody, at a workspace; the application has one workspace at a time."""
        self.bare.state.store = store
        client = TestClient(self.app, base_url="http://localhost", headers=dict(ORIGIN), follow_redirects=False)
        client.portal = self.portal
        return client


@dataclass(frozen=True)
class Furnished:
    """The file of a workspace that tests copy, and who and what is in it."""

    path: Path
    users: dict[Role, User]
    project: Project


@dataclass(frozen=True)
class House:
    """A workspace with a person of each role and one project, and the way in."""

    store: Store
    users: dict[Role, User]
    project: Project
    enter: Callable[[Role | None], TestClient]


Furnish = Callable[["Store", Project, dict[Role, User]], None]


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """Return the application, without a workspace yet."""
    app = make_app(None, WebConfig(private_bots=True))  # type: ignore[arg-type]
    bare = app
    while not isinstance(bare, FastAPI):
        bare = bare.app  # type: ignore[attr-defined]
    with TestClient(app, base_url="http://localhost") as started:
        assert started.portal is not None
        yield Served(app, bare, started.portal)


@pytest.fixture(scope="session")
def live_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Return a store whose file is another one in every test: what it has learned about statements is kept."""
    path = tmp_path_factory.mktemp("live") / "workspace.db"
    path.touch()
    store = open_store(path)
    yield store
    store.close()


@pytest.fixture(scope="session")
def held_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a workspace in which conversations were held."""
    from held_talks import make_held_workspace

    return make_held_workspace(tmp_path_factory.mktemp("held") / "workspace.db")


@pytest.fixture(scope="session")
def filled(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    """Return a workspace that has a little of everything; tests read it, and change copies of it."""
    from filled_house import fill

    store = open_store(shutil.copy(sqlite_template, tmp_path_factory.mktemp("filled") / "workspace.db"))
    yield fill(store)
    store.close()


@pytest.fixture(scope="module")
def furnish() -> Furnish:
    """Return what brings more than people into the workspace of a module: nothing."""
    return lambda store, project, users: None


@pytest.fixture(scope="module")
def furnished(sqlite_template: Path, furnish: Furnish, tmp_path_factory: pytest.TempPathFactory) -> Furnished:
    """Return the workspace with which every test of a module begins."""
    path = Path(shutil.copy(sqlite_template, tmp_path_factory.mktemp("furnished") / "workspace.db"))
    store = open_store(path)
    with store.writing() as tx:
        users = {role: tx.users.add(f"{role}@example.org", str(role), role, password=None) for role in Role}
        project = tx.projects.add("jobs", "Jobs", language="en", classifier="tfidf", threshold=0.5)
    furnish(store, project, users)
    store.close()
    return Furnished(path, users, project)


@pytest.fixture
def house(served: Served, live_store: Store, furnished: Furnished) -> Iterator[House]:
    """Return a workspace with people in it; `enter(role)` is a browser of the person with that role."""
    put_in_place(furnished.path, Path(live_store.engine.url.database or ""))

    def enter(role: Role | None) -> TestClient:
        client = served.browser(live_store)
        if role is not None:
            secret = new_secret()
            with live_store.writing() as tx:
                tx.sessions.open(furnished.users[role].id, secret.digest, "test", now() + timedelta(days=1))
            client.headers["cookie"] = session_cookie(secret.text, secure=False).split(";")[0]
        return client

    yield House(live_store, dict(furnished.users), furnished.project, enter)
    live_store.close()


@pytest.fixture
def admin(house: House) -> TestClient:
    return house.enter(Role.ADMIN)


@pytest.fixture
def editor(house: House) -> TestClient:
    return house.enter(Role.EDITOR)


@pytest.fixture
def reviewer(house: House) -> TestClient:
    return house.enter(Role.REVIEWER)


@pytest.fixture
def reader(house: House) -> TestClient:
    return house.enter(Role.READER)


@pytest.fixture
def stranger(house: House) -> TestClient:
    return house.enter(None)
