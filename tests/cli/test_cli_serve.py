"""`viva serve`: who it listens to, what it tells, and how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from vivavoce.cli.serving.serve import Listening, address_of, config_of, is_loopback
from vivavoce.cli.serving.server_processes import Task, can_share, task_from_line, task_to_line, usual_count
from vivavoce.settings import Settings
from vivavoce.store.database import open_store
from vivavoce.store.rows import Role
from vivavoce.web.config import WebConfig

pytestmark = pytest.mark.slow

PATIENCE = 60.0
EVERYWHERE = "0.0.0.0"  # noqa: S104 - a word in tests, nothing listens there


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost", "LOCALHOST."])
def test_these_addresses_are_of_this_machine_only(host):
    assert is_loopback(host)


@pytest.mark.parametrize("host", [EVERYWHERE, "::", "192.168.1.5", "example.org", "localhost.example.org", ""])
def test_these_addresses_can_be_reached_by_others(host):
    assert not is_loopback(host)


@pytest.mark.parametrize(
    ("host", "url"), [(EVERYWHERE, "http://localhost:"), ("127.0.0.1", "http://127.0.0.1:"), ("::1", "http://[::1]:")]
)
def test_the_address_told_can_be_opened_in_a_browser(host, url):
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        assert address_of(bound, host) == f"{url}{bound.getsockname()[1]}"


def test_settings_and_options_become_the_rules_of_the_application():
    settings = Settings(private_bots="yes", max_upload_mb=7)
    listening = Listening(host="192.0.2.1", allow_host=["viva.example.org"], behind_proxy=True)
    config = config_of(settings, listening)
    assert config.hosts == ("192.0.2.1", "viva.example.org")
    assert (config.private_bots, config.bot_programs, config.max_upload_mb, config.behind_proxy) == (
        True,
        False,
        7,
        True,
    )
    assert config_of(Settings(), Listening(host=EVERYWHERE)).hosts == ()


def test_a_public_address_without_an_admin_is_refused_with_the_remedy(viva, plain, sqlite_path):
    result = viva("serve", "--host", EVERYWHERE, "--port", "0", "--workspace", sqlite_path)
    assert result.exit_code == 2
    assert "there is no admin yet" in plain(result.output)
    assert "`viva serve` on this machine first" in plain(result.output)


def test_a_port_that_is_taken_is_an_error_that_names_the_option(viva, plain, sqlite_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        result = viva("serve", "--port", port, "--workspace", sqlite_path)
    assert result.exit_code == 2
    assert f"port {port}" in plain(result.output)
    assert "--port" in result.output


def test_an_address_that_is_not_ours_is_an_error_that_names_the_option(viva, sqlite_path):
    store = open_store(sqlite_path)
    with store.writing() as tx:
        tx.users.add("anna", role=Role.ADMIN, password="x")  # noqa: S106 - not a password
    store.close()
    result = viva("serve", "--host", "192.0.2.77", "--port", "0", "--workspace", sqlite_path)
    assert result.exit_code == 2
    assert "--host" in result.output


def fetched(url, **headers):
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=PATIENCE)
    connection.request("GET", parts.path or "/", headers=headers)
    answer = connection.getresponse()
    found = answer.status, answer.read().decode()
    connection.close()
    return found


def started(*words: str) -> tuple[subprocess.Popen[str], dict[str, str]]:
    """Start a server in a process of its own and wait until it says where it is."""
    # Coverage and the like of the test process are none of the server's business.
    process = subprocess.Popen(
        [sys.executable, "-m", "vivavoce.cli", "serve", "--port", "0", "--json", "where.json", *words],
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        if Path("where.json").is_file():
            return process, json.loads(Path("where.json").read_text())
        time.sleep(0.05)
    process.kill()
    pytest.fail(f"the server did not start: {process.communicate()[1]}")


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_first_start_makes_a_workspace_prints_a_link_that_works_and_ends_in_peace(folder):
    processes = "2" if can_share() else "1"
    process, where = started("--no-worker", "--processes", processes, "--access-log", "access.log")
    try:
        others = [one_child(process.pid)] if can_share() else []
        assert fetched(f"{where['url']}/healthz/database", Host="10.1.2.3")[0] == 200
        status, page = fetched(where["setup_link"])
        assert status == 200
        assert "no admin yet" in page
        assert os.name != "posix" or stat.S_IMODE(Path("where.json").stat().st_mode) == 0o600
        assert fetched(where["url"], Host="evil.example")[0] == 400
        assert fetched(f"{where['url']}/projects")[0] == 303
    finally:
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == 0
    assert "Workspace created" in said
    assert re.search(rf"^{re.escape(where['setup_link'])}$", said, flags=re.MULTILINE)
    assert said.rstrip().endswith("Stopped.")
    assert "Traceback" not in said
    assert not any(alive(pid) for pid in others)
    assert (folder / "home" / "workspace.db").is_file()
    logged = [json.loads(line)["path"] for line in Path("access.log").read_text(encoding="utf-8").splitlines()]
    assert logged == ["/healthz/database", "/setup/-", "/", "/projects"]


def test_a_worker_comes_and_goes_with_the_server(folder):
    process, _ = started("--processes", "1")
    try:
        pids: set[int] = set()
        end = time.monotonic() + PATIENCE
        while not pids and time.monotonic() < end:
            pids = {one.pid for one in workers(folder)}
            time.sleep(0.1)
        assert len(pids) == 1
        assert all(alive(pid) for pid in pids)
    finally:
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == 0
    assert said.rstrip().endswith("Stopped.")
    assert not any(alive(pid) for pid in pids)
    assert workers(folder) == ()


@pytest.mark.skipif(not can_share(), reason="processes cannot share a port on this system")
def test_another_process_answers_while_the_first_does_not_and_goes_when_it_is_killed(folder):
    process, where = started("--no-worker", "--processes", "2")
    try:
        other = one_child(process.pid)
        process.send_signal(signal.SIGSTOP)
        # Only the other process can take these.
        assert [fetched(f"{where['url']}/projects")[0] for _ in range(3)] == [303, 303, 303]
        process.kill()
        process.communicate(timeout=PATIENCE)
        gone_by = time.monotonic() + PATIENCE
        while alive(other) and time.monotonic() < gone_by:
            time.sleep(0.05)
        assert not alive(other)
        with pytest.raises(ConnectionRefusedError):
            fetched(where["url"])
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE)


def test_several_processes_are_refused_where_they_cannot_share_a_port(viva, plain, folder, monkeypatch):
    monkeypatch.setattr("vivavoce.cli.serving.server_processes.can_share", lambda: False)
    result = viva("serve", "--port", "0", "--processes", "2")
    assert result.exit_code == 2
    assert "cannot share a port" in plain(result.output)
    assert "--processes" in result.output
    assert not (folder / "home" / "workspace.db").exists(), "nothing is made before"
    assert usual_count() == 1


def test_what_another_process_is_told_comes_back_as_it_was():
    config = WebConfig(hosts=("a.example", "b.example"), bot_variables=("KEY",), behind_proxy=True, max_upload_mb=7)
    task = Task("postgresql://viva:secret@db/viva", config, 5)
    assert task_from_line(task_to_line(task)) == task


def one_child(pid: int) -> int:
    """Return the process that a process started."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout.split()
        if found:
            return int(found[0])
        time.sleep(0.05)
    pytest.fail("no other process was started")


def workers(folder):
    from datetime import timedelta

    from vivavoce.store.stamps import now

    store = open_store(folder / "home" / "workspace.db")
    with store.reading() as tx:
        found = tx.workers.alive(now() - timedelta(seconds=30))
    store.close()
    return found
