"""What workers do for assistants: planned when it is due, done once, tried again, ended in time, kept as a record."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from vivavoce.errors import AccessError
from vivavoce.jobs.worker import Rhythm, Worker
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role, TaskRow, TaskState
from vivavoce.store.stamps import date_as, now
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.assistant import reviewing, tasks
from vivavoce.workspace.assistant.settings import change_settings, find_settings
from vivavoce.workspace.assistant.talking import answer_message, open_talk
from vivavoce.workspace.assistant.tending import Tender
from vivavoce.workspace.topics.examples import add_examples
from vivavoce.workspace.topics.topics import add_topic

pytestmark = pytest.mark.slow
in_both = pytest.mark.parametrize("workspace_address", ["sqlite", "postgres"], indirect=True)
FEED = b"id,title,profession,place,country,language,url\n1,Nurse,nurse,Berlin,DE,en,https://a.example/1\n"
HOUR = timedelta(hours=1)


@pytest.fixture
def project(store: Store) -> Project:
    with store.writing() as tx:
        made = tx.projects.add("jobs", "Nord", language="en", classifier="linear", threshold=0.5)
    for name, texts in {"salary": ["what do you pay", "the salary"], "parking": ["parking", "park my car"]}.items():
        add_topic(store, PRODUCT, made, name, answers={"en": f"About {name}."}, examples=texts)
    change_settings(store, PRODUCT, made, replace(find_settings(store, made), enabled=True))
    return made


@contextmanager
def feed_server(store: Store, project: Project, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, float]]:
    """Serve openings on this machine; `wait`: seconds before it answers, `status`: of the answer."""
    answers = {"wait": 0.0, "status": 200.0}

    class Feed(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            time.sleep(answers["wait"])
            self.send_response(int(answers["status"]))
            self.end_headers()
            self.wfile.write(FEED)

        def log_message(self, *said: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Feed)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("VIVA_PRIVATE_BOTS", "yes")
    address = f"http://127.0.0.1:{server.server_port}/jobs.csv"
    change_settings(store, PRODUCT, project, replace(find_settings(store, project), feed=address))
    yield answers
    server.shutdown()
    server.server_close()


def open_kinds(store: Store) -> list[str]:
    with store.reading() as tx:
        return sorted(task.kind for task in tx.tasks.open())


def claimed(store: Store, kind: str, worker: str = "w") -> TaskRow:
    while (task := tasks.claim(store, worker)) is not None:
        if task.kind == kind:
            return task
        tasks.perform(store, task)
    raise AssertionError(f"no task '{kind}' is due")


def newest(store: Store, project: Project, kind: tasks.Kind) -> TaskRow:
    return tasks.list_tasks(store, project, kind)[0].task


@in_both
def test_a_task_is_planned_once_and_given_to_one_worker(store: Store, project: Project) -> None:
    assert tasks.plan_due(store) == 1
    assert tasks.plan_due(store) == 0
    first, second = tasks.claim(store, "one"), tasks.claim(store, "two")
    assert first is not None
    assert (first.kind, first.attempts, second) == ("forget", 1, None)
    # A worker that is gone: another one has it after the lease, and what the first one still writes is not kept.
    with date_as(now() + 2 * tasks.LEASE):
        again = tasks.claim(store, "two")
    assert again is not None
    assert (again.id, again.attempts) == (first.id, 2)
    tasks.perform(store, first)
    assert newest(store, project, "forget").finished is None
    tasks.perform(store, again)
    assert newest(store, project, "forget").state is TaskState.DONE
    assert tasks.plan_due(store) == 0
    with date_as(now() + 25 * HOUR):
        assert tasks.plan_due(store) == 1


@in_both
def test_what_somebody_asks_for_is_done_at_once_in_their_name(store: Store, project: Project) -> None:
    with store.writing() as tx:
        user = tx.users.add("anna", role=Role.REVIEWER)
    anna = Actor(user.id, user.name, user.role)
    tasks.ask_for(store, anna, project, "learn")
    tasks.ask_for(store, anna, project, "learn", anyway=True)
    tasks.perform(store, claimed(store, "learn"))
    (line,) = tasks.list_tasks(store, project, "learn")
    assert (line.who, line.task.options, line.task.state) == ("anna", {"anyway": True}, TaskState.DONE)
    assert str(line.task.outcome) == "0 new examples learned"
    with pytest.raises(AccessError):
        tasks.ask_for(store, anna, project, "feed")


def test_the_assistant_learns_when_there_is_something_new_and_its_time_has_come(
    store: Store, project: Project
) -> None:
    tasks.plan_due(store)
    assert open_kinds(store) == ["forget"]
    with date_as(now() + 25 * HOUR):
        tasks.plan_due(store)
        assert "learn" not in open_kinds(store)
    with store.reading() as tx:
        topic = tx.topics.by_name(project.id, "parking")
    assert topic is not None
    add_examples(store, PRODUCT, project, ["where do I leave the car"], topic_id=topic.id)
    tasks.plan_due(store)
    assert "learn" not in open_kinds(store)
    with date_as(now() + 25 * HOUR):
        tasks.plan_due(store)
        tasks.perform(store, claimed(store, "learn"))
    task = newest(store, project, "learn")
    assert (task.state, task.result["new"], task.user_id) == (TaskState.DONE, 1, None)


def test_learning_that_would_spoil_a_confirmed_question_is_told_by_ids_only(store: Store, project: Project) -> None:
    row = answer_message(store, project, open_talk(store, project).key, "park my car", "m1")
    reviewing.review(store, PRODUCT, project, row.id, "right")
    from vivavoce.workspace.topics.examples import move_examples

    with store.reading() as tx:
        parking, salary = (tx.topics.by_name(project.id, name) for name in ("parking", "salary"))
        assert parking is not None
        assert salary is not None
        ids = [one.id for one in tx.examples.of_topic(parking.id)]
    move_examples(store, PRODUCT, project, ids, topic_id=salary.id)
    tasks.ask_for(store, PRODUCT, project, "learn")
    tasks.perform(store, claimed(store, "learn"))
    task = newest(store, project, "learn")
    assert (task.state, task.result["broken"]) == (TaskState.FAILED, [row.id])
    assert "park my car" not in str((task.outcome, task.result))
    assert reviewing.find_messages(store, project, task.result["broken"]) != ()


def test_openings_are_renewed_when_due_and_a_failure_is_tried_again(
    store: Store, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with feed_server(store, project, monkeypatch) as answers:
        tasks.plan_due(store)
        tasks.perform(store, claimed(store, "feed"))
        done = newest(store, project, "feed")
        assert (done.state, done.result["added"]) == (TaskState.DONE, 1)
        answers["status"] = 503
        at = now() + 7 * HOUR
        for attempt in (1, 2, 3):
            with date_as(at):
                tasks.plan_due(store)
                tasks.perform(store, claimed(store, "feed"))
                failed = newest(store, project, "feed")
                assert tasks.claim(store, "w") is None
            assert (failed.attempts, failed.state) == (attempt, TaskState.FAILED if attempt == 3 else "waiting")
            assert "503" in failed.outcome
            at = failed.due + timedelta(seconds=1)


def test_a_feed_that_is_not_readable_is_not_tried_again_at_once(
    store: Store, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "FEED", b"id,title\n1,\n")
    with feed_server(store, project, monkeypatch):
        tasks.ask_for(store, PRODUCT, project, "feed")
        tasks.perform(store, claimed(store, "feed"))
    task = newest(store, project, "feed")
    assert (task.state, task.attempts) == (TaskState.FAILED, 1)
    assert "row 1" in task.outcome


def test_a_worker_does_tasks_in_processes_and_ends_those_that_take_too_long(
    store: Store, monkeypatch: pytest.MonkeyPatch, project: Project
) -> None:
    stop = threading.Event()
    monkeypatch.setitem(tasks.KINDS, "feed", replace(tasks.KINDS["feed"], timeout=timedelta(seconds=6)))
    with feed_server(store, project, monkeypatch) as answers:
        answers["wait"] = 60
        worker = Worker(store, slots=1, make_tender=Tender, rhythm=Rhythm(tasks=0.1, poll=0.1))
        thread = threading.Thread(target=worker.run_until, args=(stop,))
        thread.start()
        try:
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:
                feed, forgotten = newest_or_none(store, project, "feed"), newest_or_none(store, project, "forget")
                if forgotten and forgotten.finished and feed and feed.outcome:
                    break
                time.sleep(0.1)
        finally:
            stop.set()
            thread.join()
    assert forgotten is not None
    assert forgotten.state is TaskState.DONE
    assert feed is not None
    assert (feed.state, feed.attempts) == (TaskState.WAITING, 1)
    assert "longer than" in feed.outcome


def newest_or_none(store: Store, project: Project, kind: tasks.Kind) -> TaskRow | None:
    return next((line.task for line in tasks.list_tasks(store, project, kind)), None)


def test_a_worker_that_leaves_gives_its_task_back(
    store: Store, monkeypatch: pytest.MonkeyPatch, project: Project
) -> None:
    with feed_server(store, project, monkeypatch) as answers:
        answers["wait"] = 60
        tender = Tender(store, "w")
        tender.step()
        assert newest(store, project, "feed").state is TaskState.RUNNING
        tender.close()
        tender.step()
    task = newest(store, project, "feed")
    assert (task.state, task.attempts, task.worker) == (TaskState.WAITING, 0, None)
