"""An exam that a plug-in brings is there on every level, though nothing in the product knows it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from vivavoce import plugins
from vivavoce.errors import UsageError
from vivavoce.jobs.exams.registry import exam_kinds, load_exam
from vivavoce.jobs.starting import start_due
from vivavoce.jobs.worker import Rhythm, Worker
from vivavoce.store.database import Store
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.exams.project_exams import start_exam
from vivavoce.workspace.exams.runs import result_of
from vivavoce.workspace.projects.schedules import list_schedules, start_scheduled
from vivavoce.workspace.projects.today import show_today
from vivavoce.workspace.topics.topics import add_topic

FOLDER = Path(__file__).resolve().parents[1] / "plugged_exam"
QUICK = Rhythm(lease=30, beat=5, poll=0.02, flush=0.02, schedules=5)
API = "/api/v1/projects/jobs"


@pytest.fixture(autouse=True)
def _plugged(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the plug-in for a test."""
    monkeypatch.syspath_prepend(str(FOLDER))
    plugins._points.cache_clear()
    yield
    plugins._points.cache_clear()


@pytest.fixture
def topics(house: Any) -> Any:
    """Put two topics without an answer and one with a long one into the project."""
    for name in ("pay", "visa", "hours"):
        add_topic(house.store, PRODUCT, house.project, name, examples=[f"{name} {n}" for n in range(3)])
    return house


def work_off(store: Store) -> None:
    with ThreadPoolExecutor(1) as threads:
        Worker(store, executor=threads, slots=1, rhythm=QUICK).drain()


def test_it_is_listed_after_those_of_the_product() -> None:
    assert [kind.name for kind in exam_kinds()] == ["intents", "engines", "conversations", "dialogues", "answers"]
    assert load_exam("answers").check({}) == {"max_letters": 300, "ignored": []}
    with pytest.raises(UsageError, match="max_letters: must be a whole number from 1 to 10,000"):
        load_exam("answers").check({"max_letters": 0})


def test_it_is_started_over_the_api_and_its_findings_are_fetched(topics: Any, editor: TestClient) -> None:
    listed = {exam["kind"]: exam for exam in editor.get("/api/v1/exams").json()["items"]}
    assert [option["name"] for option in listed["answers"]["options"]] == ["max_letters", "ignored"]
    wrong = editor.post(f"{API}/runs", json={"kind": "answers", "options": {"max_leters": 1, "ignored": "pay"}})
    assert wrong.status_code == 400
    assert len(wrong.json()["faults"]) == 2
    made = editor.post(f"{API}/runs", json={"kind": "answers", "options": {"ignored": ["pay"]}})
    assert made.status_code == 201, made.text
    work_off(topics.store)
    run = editor.get(f"{API}/runs/1").json()
    assert (run["kind"], run["state"], run["headline"]) == ("answers", "done", "0 of 2 answers fit.")
    assert editor.get(f"{API}/runs/1/findings").json()["answers"][0] == {
        "fits": False,
        "letters": 0,
        "topic": "hours",
    }


def test_it_has_a_form_made_from_its_options_and_a_page_made_from_its_findings(
    topics: Any, editor: TestClient, reader: TestClient
) -> None:
    path = "/p/jobs/exams/answers"
    assert f'href="{path}"' in reader.get("/p/jobs").text
    page = editor.get(path).text
    assert 'name="max_letters" value="300" min="1" max="10000"' in page
    assert "Start exam" not in reader.get(path).text
    refused = editor.post(path, data={"max_letters": "0", "title": "Mine"})
    assert refused.status_code == 400
    assert "must be a whole number from 1 to 10,000" in refused.text
    assert 'value="Mine"' in refused.text
    sent = editor.post(path, data={"max_letters": "200", "title": "Mine"})
    assert (sent.status_code, sent.headers["location"]) == (303, "/p/jobs/runs/1")
    assert "Waiting for a free worker" in reader.get("/p/jobs/runs/1").text
    work_off(topics.store)
    page = reader.get("/p/jobs/runs/1").text
    for shown in ("0 of 3 answers fit.", "Answers that fit", "Longest answer, in letters", "Write one.", "<td>hours"):
        assert shown in page or shown.replace("<td>", '<th scope="row">') in page, shown
    assert "report.html" not in page
    runs = reader.get("/p/jobs/runs?kind=answers").text
    assert '<span dir="auto">Answers</span><span class="n">1</span>' in runs


def test_it_runs_every_day_and_speaks_on_today(topics: Any, editor: TestClient, reader: TestClient) -> None:
    assert "Find topics without an answer" in editor.get("/p/jobs").text
    form = "/p/jobs/schedules/new"
    assert 'name="max_letters"' in editor.get(f"{form}?kind=answers").text
    sent = editor.post(form, data={"kind": "answers", "max_letters": "50", "minute": "90"})
    assert sent.status_code == 303, sent.text
    (line,) = list_schedules(topics.store, topics.project)
    assert (line.schedule.title, line.schedule.options) == ("Daily Answers", {"max_letters": 50})
    assert "Longest answer, in letters: 50" in reader.get("/p/jobs/schedules").text
    start_due(topics.store, start_scheduled, line.schedule.next_at + timedelta(seconds=1))
    work_off(topics.store)
    today = show_today(topics.store, topics.project)
    assert [(exam.exam, exam.run.headline) for exam in today.exams] == [("answers", "0 of 3 answers fit.")]
    assert (today.light, len(today.problems)) == ("watch", 3)
    page = reader.get("/p/jobs").text
    assert "The answer of &#39;hours&#39; has 0 letters." in page
    assert f'href="/p/jobs/topics/{today.problems[0].topic_ids[0]}"' in page


def test_two_runs_of_it_are_compared_on_today(topics: Any, reader: TestClient) -> None:
    for options in ({}, {"max_letters": 20}):
        start_exam(topics.store, PRODUCT, topics.project, "answers", options)
        work_off(topics.store)
    (move,) = show_today(topics.store, topics.project).moves
    assert (move.exam, move.name, move.verdict) == ("answers", "answers_fit", "same")
    assert "Answers that fit" in reader.get("/p/jobs").text


def test_its_runs_are_still_shown_when_the_plug_in_is_gone(
    topics: Any, reader: TestClient, editor: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = start_exam(topics.store, PRODUCT, topics.project, "answers", {})
    work_off(topics.store)
    with topics.store.reading() as tx:
        assert result_of(topics.store, tx.runs.get(run.id))["kind"] == "answers"
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place != str(FOLDER)])
    plugins._points.cache_clear()
    assert "0 of 3 answers fit." in reader.get("/p/jobs/runs/1").text
    for path in ("/p/jobs/runs", "/p/jobs", "/p/jobs/schedules"):
        assert reader.get(path).status_code == 200
    assert editor.get("/p/jobs/exams/answers").status_code == 400


@pytest.mark.slow
def test_the_command_line_has_it_with_its_options(topics: Any) -> None:
    def viva(*words: str) -> subprocess.CompletedProcess[str]:
        there = {**os.environ, "PYTHONPATH": str(FOLDER), "COLUMNS": "120", "VIVA_WORKSPACE": place}
        command = [sys.executable, "-m", "vivavoce.cli", "runs", *words]
        return subprocess.run(command, capture_output=True, text=True, env=there, check=False)

    place = str(topics.store.engine.url.database)
    assert "The longest answer that people read" in viva("start", "answers", "--help").stdout
    assert "max_letters" in viva("start", "answers", "jobs", "--max-letters", "x").stderr.replace("-", "_")
    made = viva(
        "start", "answers", "jobs", "--max-letters", "9", "--ignored", "pay", "--ignored", "visa", "--json", "-"
    )
    assert made.returncode == 0, made.stderr
    run = json.loads(made.stdout)["run"]
    assert (run["kind"], run["total"]) == ("answers", 1)
    assert run["title"].endswith(", Answers")


def test_a_broken_exam_is_left_out_and_the_others_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    info = tmp_path / "broken_exam-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-exam\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[vivavoce.exams]\nbroken = nothing_of_this_name:EXAM\nodd = json:loads\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    plugins._points.cache_clear()
    assert [kind.name for kind in exam_kinds()] == ["intents", "engines", "conversations", "dialogues", "answers"]
    assert "'broken' is skipped" in caplog.text
    assert "'odd' is skipped" in caplog.text
