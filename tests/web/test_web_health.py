"""What those who watch over a server are told, and what is written about each request."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from vivavoce.errors import FileError
from vivavoce.store.database import Store, open_store
from vivavoce.store.rows import WorkerRow
from vivavoce.store.stamps import now
from vivavoce.web import api, health, pages
from vivavoce.web.access_log import SECRET_PATHS, AccessLog
from vivavoce.web.app import make_app, routers
from vivavoce.web.config import WebConfig
from vivavoce.web.health import Health
from vivavoce.web.security.headers import ALWAYS

if TYPE_CHECKING:
    from conftest import House, Served

Visit = Callable[[Store], TestClient]


@pytest.fixture
def visit(served: Served) -> Visit:
    """Return what opens a browser of nobody at a workspace of which nothing is known yet."""

    def opened(store: Store) -> TestClient:
        served.bare.state.health = Health()
        return served.browser(store)

    return opened


def add_worker(store: Store) -> None:
    with store.writing() as tx:
        tx.workers.beat(WorkerRow("one", "secret-host", os.getpid(), now(), now()))


def test_a_server_with_a_worker_is_well_and_says_since_when(house: House, visit: Visit) -> None:
    add_worker(house.store)
    answer = visit(house.store).get("/healthz")
    said = answer.json()
    assert (answer.status_code, said["status"]) == (200, "ok")
    assert {part: said[part]["status"] for part in ("process", "database", "worker")} == dict.fromkeys(
        ("process", "database", "worker"), "ok"
    )
    assert datetime.fromisoformat(said["since"]) <= now()
    assert "secret-host" not in answer.text
    assert answer.headers["cache-control"] == "no-store"


def test_a_server_without_a_worker_is_degraded_and_its_parts_are_told_apart(house: House, visit: Visit) -> None:
    browser = visit(house.store)
    answer = browser.get("/healthz")
    assert (answer.status_code, answer.json()["status"]) == (503, "degraded")
    assert answer.json()["worker"]["status"] == "absent"
    found = {part: browser.get(f"/healthz/{part}").status_code for part in ("process", "database", "worker", "none")}
    assert found == {"process": 200, "database": 200, "worker": 503, "none": 404}


def test_a_database_that_is_gone_is_told_with_all_headers_and_nothing_else(house: House, visit: Visit) -> None:
    browser = visit(house.store)
    path = Path(house.store.engine.url.database or "")
    house.store.close()
    path.unlink()
    answer = browser.get("/healthz")
    assert (answer.status_code, answer.json()["status"]) == (503, "degraded")
    assert (answer.json()["database"]["status"], answer.json()["worker"]["status"]) == ("away", "unknown")
    assert answer.json()["process"]["status"] == "ok"
    assert "workspace" not in answer.text
    assert {name: answer.headers.get(name) for name in ALWAYS} == ALWAYS


def test_a_database_that_never_answers_does_not_keep_a_probe_waiting(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "PATIENCE_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"postgresql://viva@127.0.0.1:{silent.getsockname()[1]}/viva?connect_timeout=2"
        with closing(open_store(address)) as store:
            browser = visit(store)
            assert browser.get("/healthz").json()["database"]["status"] == "away"
            assert browser.get("/healthz/process").status_code == 200


def test_a_probe_may_ask_under_any_name_and_nobody_else(house: House, visit: Visit) -> None:
    browser = visit(house.store)
    assert browser.get("/healthz/process", headers={"host": "10.1.2.3:8000"}).status_code == 200
    assert browser.get("/sign-in", headers={"host": "10.1.2.3:8000"}).status_code == 400


# The access log


@pytest.fixture
def logged(served: Served, house: House, tmp_path: Path) -> Iterator[tuple[TestClient, Path]]:
    path = tmp_path / "access.log"
    browser = served.browser(house.store)
    with closing(AccessLog(served.app, str(path))) as app:
        client = TestClient(app, base_url="http://localhost", follow_redirects=False)
        client.headers.update(browser.headers)
        client.portal = served.portal
        yield client, path


def lines_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_each_request_is_one_line_without_any_secret(logged: tuple[TestClient, Path]) -> None:
    client, path = logged
    client.headers["cookie"] = "viva_session=secret-cookie"
    client.get(
        "/sign-in?next=/secret-query", headers={"user-agent": "Probe\n1", "authorization": "Bearer secret-key"}
    )
    client.post("/sign-in", data={"login": "secret-login", "password": "secret-password"})
    client.get("/link/secret-link")
    client.post("/setup/secret-link", content=b"x" * 2**21)
    assert "secret" not in path.read_text(encoding="utf-8")
    lines = lines_of(path)
    assert [(line["method"], line["path"], line["status"]) for line in lines] == [
        ("GET", "/sign-in", 303),
        ("POST", "/sign-in", 400),
        ("GET", "/link/-", 404),
        ("POST", "/setup/-", 413),
    ]
    assert all(line["address"] and line["time"] for line in lines)


def test_a_log_that_is_moved_away_begins_anew(logged: tuple[TestClient, Path]) -> None:
    client, path = logged
    client.get("/sign-in")
    path.rename(path.with_suffix(".1"))
    client.get("/static/app.css")
    assert [line["path"] for line in lines_of(path)] == ["/static/app.css"]


def test_the_secret_of_every_link_is_known_to_the_log() -> None:
    routes = [route for package in (pages, api) for router in routers(package) for route in router.routes]
    paths = [route.path for route in routes if isinstance(route, APIRoute) and "{secret}" in route.path]
    assert paths
    assert [path for path in paths if not path.startswith(SECRET_PATHS)] == []


def test_a_log_that_cannot_be_written_is_an_error_before_anything_is_served(house: House, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="access log"):
        make_app(house.store, WebConfig(access_log=str(tmp_path / "none" / "access.log")))
