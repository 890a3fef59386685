"""Exams of a workspace from the command line."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vivavoce.cli.app import app
from vivavoce.jobs.worker import Rhythm, Worker
from vivavoce.store.database import open_store
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.projects.projects import create_project
from vivavoce.workspace.topics.examples import add_examples
from vivavoce.workspace.topics.topics import add_topic

pytestmark = pytest.mark.slow

QUICK = Rhythm(lease=30, beat=5, poll=0.02, flush=0.02, schedules=5)
TEXTS = {
    "hours": (
        "when are you open",
        "opening times",
        "are you open on sunday",
        "do you open early",
        "what time do you close",
        "is the office open now",
    ),
    "pay": (
        "how much is it",
        "what does it cost",
        "is there a price list",
        "what do you charge",
        "how much would I pay",
        "what is the fee",
    ),
}


@pytest.fixture
def place(sqlite_path: Path) -> Path:
    """Return a workspace with one small project."""
    store = open_store(sqlite_path)
    project = create_project(store, PRODUCT, "Jobs", classifier="tfidf")
    for name, texts in TEXTS.items():
        made = add_topic(store, PRODUCT, project, name)
        add_examples(store, PRODUCT, project, texts, topic_id=made.topic.id)
    store.close()
    return sqlite_path


def call(place: Path, *words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["runs", *words, "--workspace", str(place)])
    return done.exit_code, done.stdout, done.stderr


def test_an_option_that_is_on_can_be_switched_off(place: Path) -> None:
    assert call(place, "start", "intents", "jobs", "--no-leak-proof", "--quiet")[0] == 0
    assert call(place, "start", "intents", "jobs", "--leak-proof", "--quiet")[0] == 0
    store = open_store(place)
    with store.reading() as tx:
        project = next(iter(tx.projects.all()))
        switches = [run.options["leak_proof"] for run in tx.runs.page(project.id)]
    store.close()
    assert switches == [True, False]


def test_a_run_begun_here_is_done_by_a_worker_and_fetched(place: Path, tmp_path: Path) -> None:
    options = ("--retries", "2", "--out-of-scope-share", "0.3")
    code, said, told = call(place, "start", "intents", "jobs", *options, "--json", "-")
    assert code == 0, told
    assert json.loads(said)["run"]["state"] == "waiting"
    store = open_store(place)
    with ThreadPoolExecutor(1) as threads:
        Worker(store, executor=threads, slots=1, rhythm=QUICK).drain()
    store.close()
    code, _, told = call(place, "wait", "jobs", "1")
    assert code == 0
    assert "done" in told
    assert call(place, "fetch", "jobs", "1", str(tmp_path / "report.html"))[0] == 0
    assert "<html" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert call(place, "fetch", "jobs", "1", str(tmp_path / "found.json"))[0] == 0
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert (found["kind"], found["out_of_scope_share"]) == ("intents", 0.3)


def test_a_run_is_cancelled_and_resumed(place: Path) -> None:
    call(place, "start", "intents", "jobs", "--retries", "2")
    assert "cancelled" in call(place, "cancel", "jobs", "1")[2]
    code, said, _ = call(place, "resume", "jobs", "1", "--json", "-")
    assert code == 0
    assert json.loads(said)["run"]["state"] in ("waiting", "running")


REFUSED = [
    (("start", "intent", "jobs"), "Did you mean 'intents'?"),
    (("start", "dialogues", "jobs", "--out-of-scope-share", "0.3"), "No such option"),
    (("start", "intents", "jobz"), "Did you mean 'jobs'?"),
    (("start", "conversations", "jobs", "--suite", "flight"), "unknown suite 'flight'"),
    (("fetch", "jobs", "7", "x.html"), "run 7 not found"),
    (("fetch", "jobs", "7", "x.pdf"), "use the extension .html or .json"),
]


def test_what_cannot_be_is_refused_with_what_to_do(place: Path) -> None:
    for words, told in REFUSED:
        code, said, error = call(place, *words)
        assert code == 2, words
        assert told in (said + error).replace("\n", " "), words


def test_an_empty_list_says_how_to_begin(place: Path) -> None:
    assert "viva runs start" in call(place, "list", "jobs")[1]
