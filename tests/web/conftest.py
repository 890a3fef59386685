"""The application in-process: a client for each role, all over one small workspace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from vivavoce.store.rows import Project, Role, User
from vivavoce.store.stamps import now
from vivavoce.web.app import make_app
from vivavoce.web.config import WebConfig
from vivavoce.web.security import new_session_secret, session_cookie

if TYPE_CHECKING:
    from vivavoce.store.database import Store

ORIGIN = {"sec-fetch-site": "same-origin"}


@dataclass(frozen=True)
class House:
    """A workspace with a person of each role and one project, and the way in."""

    store: Store
    users: dict[Role, User]
    project: Project
    enter: Callable[[Role | None], TestClient]


@pytest.fixture
def house(sqlite_store: Store) -> Iterator[House]:
    """Return a workspace with people in it; `enter(role)` is a browser of the person with that role."""
    store = sqlite_store
    with store.writing() as tx:
        users = {role: tx.users.add(f"{role}@example.org", str(role), role, password=None) for role in Role}
        project = tx.projects.add("jobs", "Jobs", language="en", classifier="tfidf", threshold=0.5)
    app = make_app(store, WebConfig(private_bots=True))
    with TestClient(app, base_url="http://localhost") as shared:

        def enter(role: Role | None) -> TestClient:
            client = TestClient(app, base_url="http://localhost", headers=ORIGIN, follow_redirects=False)
            if role is not None:
                secret = new_session_secret()
                with store.writing() as tx:
                    tx.sessions.open(users[role].id, secret.digest, "test", now() + timedelta(days=1))
                client.headers["cookie"] = session_cookie(secret.text, secure=False).split(";")[0]
            return client

        assert shared is not None
        yield House(store, users, project, enter)


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
