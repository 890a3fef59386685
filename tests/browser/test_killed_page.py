"""Server and worker are killed under an open page: the page goes on by itself, and nothing is lost."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from furnishing import actor_of, add_people, add_project
from journeys import Server, bar_value, served, signed_in, until, visiting
from typer.testing import CliRunner

from vivavoce.bots import load_entries
from vivavoce.cli.app import app
from vivavoce.conversations import Plan, RunOptions
from vivavoce.conversations.scenario import Expectation, Script, ScriptTurn
from vivavoce.jobs.exams.conversation_run import conversation_material
from vivavoce.jobs.starting import start_run
from vivavoce.jobs.worker import Worker
from vivavoce.store import tables
from vivavoce.store.database import Store, open_store
from vivavoce.store.rows import Project, Role, Run, RunState, UnitState, User
from vivavoce.store.stamps import new_id, now
from vivavoce.workspace.exams.runs import resume_run

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them"),
]
TALKS = 300
AT_ONCE = 4
# So many replies are given until the kill, and until the page was seen to go on.
FIRST, SECOND = 120, 200
MARKED = "document.body.dataset.marked"
# A page whose run is over loads its result by itself.
RESULT = "main .run-foot .downloads"


class Halting(ThreadingHTTPServer):
    """A bot that answers at once, until it has given as many replies as it may: then it keeps everybody waiting."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.may_go_on = threading.Condition()
        self.given, self.most = 0, FIRST

    def let_go_on(self, most: int) -> None:
        with self.may_go_on:
            self.most = most
            self.may_go_on.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Take it calmly that a visitor was killed while waiting."""


class _Answering(BaseHTTPRequestHandler):
    server: Halting

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        with self.server.may_go_on:
            self.server.may_go_on.wait_for(lambda: self.server.given < self.server.most)
            self.server.given += 1
        said = b'{"reply": "hello"}'
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *words: Any) -> None:
        """Keep quiet."""


@pytest.fixture
def bot() -> Iterator[Halting]:
    server = Halting()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.let_go_on(sys.maxsize)
    server.shutdown()
    thread.join()
    server.server_close()


def begin(store: Store, project: Project, user: User, bot: Halting) -> Run:
    limits = {"at_once": AT_ONCE, "timeout_s": 120}
    bots = {"halting": {"kind": "http", "url": f"http://127.0.0.1:{bot.server_port}/", "limits": limits}}
    said = (ScriptTurn(1, "t1", "hello", Expectation(intents=("chat",))),)
    scripts = (Script(f"s{n}", f"s{n}", f"Talk {n}", "test", "basic", said, version="1") for n in range(TALKS))
    facts = [one.facts for one in load_entries(bots)]
    plan = Plan("small", "en", tuple(scripts), hash="0" * 16)
    material = conversation_material(plan, list(bots.items()), facts, RunOptions(), run=new_id())
    return start_run(store, project.id, "conversations", "Three hundred", {}, material, user_id=user.id)


def seen(store: Store, run: Run) -> Run:
    with store.reading() as tx:
        found = tx.runs.get(run.id)
    assert found is not None
    return found


def let_leases_end(store: Store) -> None:
    """Do as if half a minute had passed."""
    units = tables.units
    running = units.c.state == UnitState.RUNNING.value
    with store.writing() as tx:
        past = now() - timedelta(seconds=1)
        tx.connection.execute(sa.update(units).where(running).values(lease_until=past))


def viva(*words: str) -> None:
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output


def shown(page: Any) -> int:
    """Return how many talks the page says are done."""
    return int(float(bar_value(page, "#run-bar-bar") or 0))


def check_survival(browser: Any, store: Store, server: Server, bot: Halting, archive: Path | None = None) -> None:
    """Kill and start again in the middle of a run; `archive`: where a backup goes that is taken before."""
    project, people = add_project(store, "shop"), add_people(store)
    run = begin(store, project, people[Role.EDITOR], bot)
    with visiting(browser, server.url, signed_in(store, people[Role.EDITOR], server.url)) as page:
        page.goto(f"/p/shop/conversations/{run.number}")
        page.evaluate(f"{MARKED} = 'yes'")
        until(lambda: seen(store, run).done >= FIRST - AT_ONCE and shown(page) > 0)
        if archive:
            viva("workspace", "backup", str(archive), "--workspace", server.workspace)
        assert len(server.kill()) > 1, "the worker dies with the server"
        in_flight, before = standing(store, run)
        assert 0 < len(in_flight) <= AT_ONCE
        assert 0 < len(before) < TALKS, "killed in the middle"
        page.locator(".offline").first.wait_for()
        stood = shown(page)
        let_leases_end(store)
        bot.let_go_on(SECOND)
        server.start()
        until(lambda: shown(page) > stood)
        assert page.evaluate(MARKED) == "yes", "the page moved on without being loaded again"
        bot.let_go_on(sys.maxsize)
        page.locator(RESULT).wait_for()
    check_whole(store, run, in_flight)
    with store.reading() as tx:
        after = {unit.key: unit.finished for unit in tx.units.of_run(run.id) if unit.key in before}
    assert after == before, "what was done is not done again"


def standing(store: Store, run: Run) -> tuple[set[str], dict[str, Any]]:
    """Return the units that are on their way, and when those ended that are done."""
    with store.reading() as tx:
        in_flight = {unit.key for unit in tx.units.of_run(run.id, state=UnitState.RUNNING)}
        return in_flight, {unit.key: unit.finished for unit in tx.units.of_run(run.id, state=UnitState.DONE)}


def check_whole(store: Store, run: Run, in_flight: set[str] | None = None) -> None:
    """See that a run is complete: each talk once, and only those on their way begun twice."""
    found = seen(store, run)
    assert (found.state, found.total, found.done, found.failed) == (RunState.DONE, TALKS, TALKS, 0)
    with store.reading() as tx:
        units = tx.units.of_run(run.id)
        assert tx.turns.count(run.id) == TALKS
    assert {unit.attempts for unit in units} <= {1, 2}
    if in_flight is not None:
        assert {unit.key for unit in units if unit.attempts == 2} <= in_flight


def test_an_open_page_goes_on_after_a_kill_and_a_backup_of_the_middle_can_be_finished(
    browser: Any, sqlite_path: Path, tmp_path: Path, bot: Halting, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The bot lives on this machine, which the server allows; whoever goes on with the run is asked again.
    monkeypatch.setenv("VIVA_PRIVATE_BOTS", "yes")
    archive, restored = tmp_path / "kept.zip", tmp_path / "restored.db"
    with closing(open_store(sqlite_path)) as store, served(sqlite_path, tmp_path) as server:
        check_survival(browser, store, server, bot, archive)
    viva("workspace", "restore", str(archive), "--workspace", str(restored))
    with closing(open_store(restored)) as store:
        finish(store)


def finish(store: Store) -> None:
    """Check a restored workspace and do what was left of its run."""
    with store.reading() as tx:
        project = tx.projects.by_slug("shop")
        assert project is not None
        (run,) = tx.runs.page(project.id, "conversations", limit=10)
        counts = tx.units.counts(run.id)
        editor = next(user for user in tx.users.all() if user.role is Role.EDITOR)
        talks = tx.turns.count(run.id)
    assert counts[UnitState.DONE] == run.done
    assert talks >= run.done > 0
    assert sum(counts.values()) == TALKS
    if not run.state.open:
        resume_run(store, actor_of(editor), project, run.number)
    let_leases_end(store)
    # Beside the loop of the browser.
    worker = threading.Thread(target=Worker(store, slots=1).drain)
    worker.start()
    worker.join()
    check_whole(store, run)


def test_an_open_page_goes_on_after_a_kill_with_postgresql(
    browser: Any, postgres_url: str, tmp_path: Path, bot: Halting
) -> None:
    # How several processes of a server die is seen above; here it is about the database.
    one = ("--processes", "1")
    with closing(open_store(postgres_url)) as store, served(postgres_url, tmp_path, options=one) as server:
        check_survival(browser, store, server, bot)
