"""Workers do what runs ask for: once, within limits, visibly, and they let go when told to."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import house_bots
import pytest
from workplace import NOON, QUICK, add_project, seen, start_intents, start_talks, talks_material

from pictures import undrawn
from vivavoce.conversations.scenario import Expectation, Pattern
from vivavoce.conversations.transcript import Exchange
from vivavoce.dialogues.dialogue import Dialogue, Utterance
from vivavoce.errors import ClassifierError, UsageError
from vivavoce.jobs.exams import conversations, registry
from vivavoce.jobs.exams.conversation_run import read_material
from vivavoce.jobs.exams.conversations import judge_last, lines_of
from vivavoce.jobs.exams.dialogues import dialogues_to_bytes
from vivavoce.jobs.exams.protocol import Conclusion, Exam, Finished, Options, UnitPlan, Work
from vivavoce.jobs.executors import open_pool
from vivavoce.jobs.starting import cancel_run, next_time, resume_run, retry_failed, start_due, start_run
from vivavoce.jobs.turns import judged_rows
from vivavoce.jobs.worker import Worker
from vivavoce.records import Status
from vivavoce.store.database import Store
from vivavoce.store.rows import DialogueRow, Project, Run, RunState, Schedule, UnitState
from vivavoce.store.stamps import new_id, now
from vivavoce.workspace.conversations.transcripts import running_scores

GATED = {"gated": {"kind": "python:house_bots:gated", "limits": {"at_once": 2, "timeout_s": 60}}}


@pytest.fixture
def shop(sqlite_store: Store) -> Project:
    return add_project(sqlite_store)


@pytest.fixture(scope="module")
def threads() -> Iterator[Executor]:
    """Compute in this process: starting others takes longer than all else."""
    with undrawn(), ThreadPoolExecutor(2) as executor:
        yield executor


@pytest.fixture
def gate() -> Iterator[house_bots.Gate]:
    house_bots.GATE = house_bots.Gate()
    yield house_bots.GATE
    house_bots.GATE.event.set()


@contextmanager
def working(store: Store, executor: Executor, *names: str, **more: Any) -> Iterator[None]:
    """Let workers work beside the block; at its end they are told to stop."""
    stop = threading.Event()
    rhythm = more.pop("rhythm", QUICK)
    workers = [Worker(store, executor=executor, name=name, rhythm=rhythm, **more) for name in names or ("worker",)]
    threads = [threading.Thread(target=worker.run_until, args=(stop,)) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def until(happened: Callable[[], object]) -> None:
    """Wait for something that happens soon."""
    deadline = time.monotonic() + 60
    while not happened():
        if time.monotonic() > deadline:
            pytest.fail("it did not happen")
        time.sleep(0.01)


# --- exams -------------------------------------------------------------------------------------------------------


def test_talks_are_held_judged_and_counted(store: Store, threads: Executor) -> None:
    shop = add_project(store)
    bots = {"parrot": {"kind": "scripted:echo"}, "slow": {"kind": "scripted:echo", "delay_s": 0.01}}
    run = start_talks(store, shop, 4, bots, turns=2, repeats=2)
    Worker(store, executor=threads, rhythm=QUICK).drain()
    found = seen(store, run)
    assert (found.state, found.total, found.done, found.failed) == (RunState.DONE, 16, 16, 0)
    assert found.headline
    assert found.started is not None
    assert found.finished is not None
    with store.reading() as tx:
        turns = tx.turns.of_run(run.id)
        assert len(turns) == 32
        assert {turn.outcome for turn in turns} == {"unchecked"}
        assert {unit.attempts for unit in tx.units.of_run(run.id)} == {1}
        findings = tx.documents.get(run.id, "findings.json")
        assert tx.workers.alive(NOON) == (), "who left is not there"
    assert findings is not None
    assert json.loads(findings.content)["bots"]


def test_an_intents_exam_leaves_numbers_questions_and_documents(
    sqlite_store: Store, shop: Project, threads: Executor
) -> None:
    run = start_intents(sqlite_store, shop)
    Worker(sqlite_store, executor=threads, rhythm=QUICK).drain()
    assert seen(sqlite_store, run).state is RunState.DONE
    with sqlite_store.reading() as tx:
        assert {row.scope for row in tx.measures.of_run(run.id)} == {"0,0"}
        assert sum(tx.outcomes.counts(run.id).values()) == tx.outcomes.count(run.id) > 0
        assert {"findings.json", "report.html", "warnings.json"} <= set(tx.documents.names(run.id))
        assert len(tx.measures.series(shop.id, "intents")) == len(tx.measures.of_run(run.id))


def test_scores_of_talks_are_kept_with_the_talks(sqlite_store: Store, shop: Project, threads: Executor) -> None:
    said = ({"speaker": "a", "text": "hello there"}, {"speaker": "b", "text": "good day to you"}) * 4
    rows = [DialogueRow(new_id(), shop.id, f"d{n}", "", None, None, "", None, said, n, NOON) for n in range(3)]
    talks = [Dialogue(row.name, tuple(Utterance(one["speaker"], one["text"]) for one in said)) for row in rows]
    with sqlite_store.writing() as tx:
        tx.dialogues.put(rows)
    material = dialogues_to_bytes(talks)
    run = start_run(sqlite_store, shop.id, "dialogues", "Talks", {"rater": "length"}, material, user_id=None)
    with sqlite_store.writing() as tx:
        tx.dialogues.delete(shop.id, [rows[2].id])
    Worker(sqlite_store, executor=threads, rhythm=QUICK).drain()
    assert seen(sqlite_store, run).state is RunState.DONE
    with sqlite_store.reading() as tx:
        scores = [tx.scores.get(run.id, row.id) for row in rows]
    assert [score is not None and score.score is not None for score in scores] == [True, True, False]


# --- limits ------------------------------------------------------------------------------------------------------


def test_two_workers_together_stay_within_the_limit_of_a_bot(store: Store, threads: Executor) -> None:
    house_bots.CROWD = house_bots.Crowd()
    bots = {"crowded": {"kind": "python:house_bots:crowded", "limits": {"at_once": 3}}}
    run = start_talks(store, add_project(store), 24, bots)
    with working(store, threads, "a", "b"):
        until(lambda: not seen(store, run).state.open)
    assert seen(store, run).state is RunState.DONE
    assert house_bots.CROWD.total == 24
    assert 1 < house_bots.CROWD.most <= 3


def test_messages_a_second_are_counted_over_all_workers(store: Store, threads: Executor) -> None:
    bots = {"bot": {"kind": "scripted:echo", "limits": {"per_second": 50}}}
    shop = add_project(store)
    run = start_talks(store, shop, 10, bots)
    began = now()
    with working(store, threads, "a", "b"):
        until(lambda: not seen(store, run).state.open)
    with store.writing() as tx:
        next_moment = tx.paces.reserve(f"{shop.id} bot", 0.02, began)
    assert next_moment - began >= timedelta(seconds=10 / 50), "ten messages took up ten moments"


# --- seen while it happens, and ended ----------------------------------------------------------------------------


def verdicts(store: Store, run: Run) -> dict[tuple[str, int], str]:
    with store.reading() as tx:
        return {(turn.bot, turn.number): turn.outcome for turn in tx.turns.of_run(run.id)}


def test_each_turn_is_judged_while_its_talk_goes_on(store: Store, threads: Executor, gate: house_bots.Gate) -> None:
    bots = {**GATED, "echo": {"kind": "python:house_bots:repeat"}}
    run = start_talks(store, add_project(store), 1, bots, turns=2, expect=Expectation(any=(Pattern("fine"),)))
    echo = {("echo", 1): "wrong_reply", ("echo", 2): "wrong_reply"}
    with working(store, threads):
        until(lambda: len(verdicts(store, run)) == 3)
        assert verdicts(store, run) == {("gated", 1): "right", **echo}
        version, scores = seen(store, run).version, running_scores(store, run)
        assert {bot: (score.right, score.rate.n) for bot, score in scores.items()} == {
            "gated": (1, 1),
            "echo": (0, 2),
        }
        gate.event.set()
        until(lambda: ("gated", 2) in verdicts(store, run))
    assert seen(store, run).version > version
    assert verdicts(store, run) == {("gated", 1): "right", ("gated", 2): "right", **echo}


def test_a_turn_is_judged_again_when_the_talk_is_over(
    sqlite_store: Store, shop: Project, threads: Executor, gate: house_bots.Gate
) -> None:
    bots = {"late": {"kind": "python:house_bots:late_topics", "limits": {"timeout_s": 60}}}
    run = start_talks(sqlite_store, shop, 1, bots, turns=2)
    with working(sqlite_store, threads):
        until(lambda: verdicts(sqlite_store, run))
        assert verdicts(sqlite_store, run) == {("late", 1): "unchecked"}, "no topic was named so far"
        gate.event.set()
        until(lambda: not seen(sqlite_store, run).state.open)
    assert verdicts(sqlite_store, run) == {("late", 1): "missed", ("late", 2): "right"}


def test_what_was_judged_of_a_talk_that_broke_off_is_not_counted(
    sqlite_store: Store, shop: Project, threads: Executor, gate: house_bots.Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judge_echo(material: bytes, key: str, result: bytes) -> Any:
        return lines_of(material, key, result) if key.startswith("echo") else 1 / 0

    monkeypatch.setattr(conversations, "lines_of", judge_echo)
    bots = {**GATED, "echo": {"kind": "python:house_bots:repeat"}}
    run = start_talks(sqlite_store, shop, 1, bots, turns=2, expect=Expectation(any=(Pattern("fine"),)))
    with working(sqlite_store, threads):
        until(lambda: verdicts(sqlite_store, run).get(("gated", 1)) == "right")
        gate.event.set()
        until(lambda: not seen(sqlite_store, run).state.open)
    assert (seen(sqlite_store, run).state, seen(sqlite_store, run).failed) == (RunState.DONE, 1)
    judged = verdicts(sqlite_store, run)
    assert (judged["gated", 1], judged["echo", 1]) == ("", "wrong_reply")


@pytest.mark.parametrize("cancelled", [False, True])
def test_turns_of_a_lost_attempt_are_forgotten_when_its_talk_is_held_again(
    store: Store, threads: Executor, gate: house_bots.Gate, cancelled: bool
) -> None:
    run = start_talks(store, add_project(store), 1, GATED, turns=3, expect=Expectation(any=(Pattern("fine"),)))
    with store.writing() as tx:
        (unit,) = tx.units.claim("killed", 1, now() - timedelta(minutes=5), 60)
        material = read_material(tx.runs.material(run.id))
    said = tuple(Exchange(number, "hello", Status.OK) for number in (1, 2, 3))
    lines = [judge_last(material, unit.key, said[:number]) for number in (1, 2, 3)]
    with store.writing() as tx:
        tx.turns.put(judged_rows(unit.id, run.id, lines))
    assert set(verdicts(store, run).values()) == {"no_reply"}
    if cancelled:
        cancel_run(store, run.id)
        with store.writing() as tx:
            tx.units.expire(now())
        resume_run(store, run.id)
    with working(store, threads):
        until(lambda: verdicts(store, run) == {("gated", 1): "right"})
        gate.event.set()
        until(lambda: not seen(store, run).state.open)
    assert verdicts(store, run) == {("gated", number): "right" for number in (1, 2, 3)}


def test_a_cancelled_run_is_let_go_and_goes_on_where_it_stopped(
    sqlite_store: Store, shop: Project, threads: Executor, gate: house_bots.Gate
) -> None:
    run = start_talks(sqlite_store, shop, 6, GATED, turns=2)

    def counts() -> dict[UnitState, int]:
        with sqlite_store.reading() as tx:
            return tx.units.counts(run.id)

    with working(sqlite_store, threads):
        until(gate.reached.is_set)
        assert cancel_run(sqlite_store, run.id).state is RunState.CANCELLED
        until(lambda: counts()[UnitState.CANCELLED] == 6)
        with pytest.raises(UsageError, match="already ended"):
            cancel_run(sqlite_store, run.id)
        gate.event.set()
        assert resume_run(sqlite_store, run.id).state is RunState.WAITING
        until(lambda: not seen(sqlite_store, run).state.open)
    assert (seen(sqlite_store, run).state, counts()[UnitState.DONE]) == (RunState.DONE, 6)
    assert len(gate.heard) == len(set(gate.heard)) > 12, "a talk that is held again is another session"
    with pytest.raises(UsageError, match="cancelled or failed"):
        resume_run(sqlite_store, run.id)
    with pytest.raises(UsageError, match="nothing failed in this run"):
        retry_failed(sqlite_store, run.id)


def test_a_worker_that_is_told_to_stop_gives_back_what_it_has(
    sqlite_store: Store, shop: Project, threads: Executor, gate: house_bots.Gate
) -> None:
    run = start_talks(sqlite_store, shop, 3, GATED, turns=2)
    with working(sqlite_store, threads):
        until(gate.reached.is_set)
    with sqlite_store.reading() as tx:
        units = tx.units.of_run(run.id)
    assert {(unit.state, unit.attempts, unit.worker) for unit in units} == {(UnitState.WAITING, 0, None)}


def test_who_lost_a_unit_does_not_write_its_result(
    sqlite_store: Store, shop: Project, threads: Executor, gate: house_bots.Gate
) -> None:
    run = start_talks(sqlite_store, shop, 1, GATED, turns=2)
    with working(sqlite_store, threads, rhythm=replace(QUICK, beat=60)):
        until(gate.reached.is_set)
        with sqlite_store.writing() as tx:
            (stolen,) = tx.units.claim("thief", 1, now() + timedelta(minutes=5), 600)
        gate.event.set()
        time.sleep(0.2)
    with sqlite_store.writing() as tx:
        assert tx.units.get(stolen.id) == stolen
        assert tx.units.result(stolen.id) is None
    assert seen(sqlite_store, run).done == 0


def test_a_worker_lets_go_of_a_talk_that_somebody_else_holds(
    sqlite_store: Store, shop: Project, threads: Executor, gate: house_bots.Gate
) -> None:
    run = start_talks(sqlite_store, shop, 1, GATED, turns=2)
    with working(sqlite_store, threads, rhythm=replace(QUICK, beat=0.05)):
        until(gate.reached.is_set)
        with sqlite_store.writing() as tx:
            (stolen,) = tx.units.claim("thief", 1, now() + timedelta(minutes=5), 600)
            assert tx.units.finish(stolen.id, "thief", b"theirs")
            tx.runs.request_cancel(run.id)
    with sqlite_store.reading() as tx:
        assert tx.units.result(stolen.id) == b"theirs"


# --- what goes wrong ---------------------------------------------------------------------------------------------


def test_what_failed_is_tried_again_when_somebody_asks(sqlite_store: Store, shop: Project, threads: Executor) -> None:
    bots = {
        "moody": {"kind": "python:house_bots:moody", "limits": {"retries": 0}},
        "parrot": {"kind": "scripted:echo"},
    }
    run = start_talks(sqlite_store, shop, 2, bots)
    house_bots.BROKEN.set()
    Worker(sqlite_store, executor=threads, rhythm=QUICK).drain()
    found = seen(sqlite_store, run)
    assert (found.state, found.done, found.failed) == (RunState.DONE, 2, 2)
    with sqlite_store.reading() as tx:
        reasons = {unit.error for unit in tx.units.of_run(run.id, state=UnitState.FAILED)}
        assert Counter(turn.outcome for turn in tx.turns.of_run(run.id))["error"] == 2
    assert all("Traceback" not in reason and reason for reason in reasons)
    house_bots.BROKEN.clear()
    retry_failed(sqlite_store, run.id)
    Worker(sqlite_store, executor=threads, rhythm=QUICK).drain()
    found = seen(sqlite_store, run)
    assert (found.state, found.done, found.failed) == (RunState.DONE, 4, 0)


def test_a_run_in_which_nothing_succeeds_failed(sqlite_store: Store, shop: Project, threads: Executor) -> None:
    run = start_talks(
        sqlite_store, shop, 2, {"dead": {"kind": "scripted", "fail": "refused", "limits": {"retries": 0}}}
    )
    Worker(sqlite_store, executor=threads, rhythm=QUICK).drain()
    found = seen(sqlite_store, run)
    assert (found.state, found.failed) == (RunState.FAILED, 2)
    assert found.error


class Tiny(Exam):
    """An exam whose units do what the test says."""

    name = "tiny"
    perform_one: Callable[[Work], bytes]

    def check(self, options: Options) -> dict[str, Any]:
        return dict(options)

    def plan(self, material: bytes, options: Options) -> tuple[UnitPlan, ...]:
        return tuple(UnitPlan(str(n), f"unit {n}") for n in range(int(material)))

    def perform(self, work: Work) -> bytes:
        return self.perform_one(work)

    def conclude(self, material: bytes, options: Options, finished: Finished) -> Conclusion:
        return Conclusion(f"{len(finished.results)} done", warnings=tuple(one.reason for one in finished.failures))


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Tiny:
    exam = Tiny()
    load = registry.load_exam
    for module in ("registry", "starting", "performing", "worker", "concluding"):
        place = "vivavoce.jobs.exams.registry" if module == "registry" else f"vivavoce.jobs.{module}"
        monkeypatch.setattr(f"{place}.load_exam", lambda name: exam if name == "tiny" else load(name))
    return exam


def start_tiny(store: Store, shop: Project, units: int) -> Run:
    return start_run(store, shop.id, "tiny", "Tiny", {}, str(units).encode(), user_id=None)


@pytest.mark.parametrize(
    ("error", "attempts", "told"),
    [
        (UsageError("the option is wrong", remedy="choose another"), 1, "choose another"),
        (ClassifierError("it timed out", remedy="wait a while"), 3, "wait a while"),
        (KeyError("hunter2"), 1, "KeyError"),
        (OSError("hunter2"), 3, "OSError"),
    ],
)
def test_only_what_may_pass_is_tried_again_and_the_reason_holds_no_secret(  # noqa: PLR0917
    sqlite_store: Store, shop: Project, threads: Executor, tiny: Tiny, error: Exception, attempts: int, told: str
) -> None:
    def perform(work: Work) -> bytes:
        if work.key == "0":
            raise error
        return b"fine"

    tiny.perform_one = perform
    run = start_tiny(sqlite_store, shop, 2)
    Worker(sqlite_store, executor=threads, rhythm=QUICK).drain()
    with sqlite_store.reading() as tx:
        (failed,) = tx.units.of_run(run.id, state=UnitState.FAILED)
        warnings = tx.documents.get(run.id, "warnings.json")
    assert failed.attempts == attempts
    assert told in failed.error
    assert "hunter2" not in failed.error
    assert seen(sqlite_store, run).headline == "1 done"
    assert warnings is not None
    assert json.loads(warnings.content)["warnings"] == [failed.error]


def test_findings_that_cannot_be_made_end_the_run_with_the_reason(
    sqlite_store: Store, shop: Project, threads: Executor, tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> Conclusion:
        raise UsageError("nothing fits together")

    tiny.perform_one = lambda _: b"fine"
    monkeypatch.setattr(tiny, "conclude", refuse)
    run = start_tiny(sqlite_store, shop, 1)
    Worker(sqlite_store, executor=threads, rhythm=QUICK).drain()
    found = seen(sqlite_store, run)
    assert (found.state, found.error) == (RunState.FAILED, "nothing fits together")


def test_findings_that_a_dead_worker_was_making_are_made_by_another(
    sqlite_store: Store, shop: Project, threads: Executor, tiny: Tiny
) -> None:
    tiny.perform_one = lambda _: b"fine"
    run = start_tiny(sqlite_store, shop, 1)
    with sqlite_store.writing() as tx:
        (unit,) = tx.units.claim("dead", 1, now())
        tx.units.finish(unit.id, "dead", b"fine")
        assert tx.units.claim_conclusions("dead", 1, now() - timedelta(minutes=1))
    assert seen(sqlite_store, run).state is RunState.CONCLUDING
    Worker(sqlite_store, executor=threads, rhythm=QUICK).drain()
    assert seen(sqlite_store, run).state is RunState.DONE


def test_a_run_that_is_cancelled_while_its_findings_are_made_stays_cancelled(
    sqlite_store: Store, shop: Project, threads: Executor, tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    def conclude(*_: object) -> Conclusion:
        cancel_run(sqlite_store, run.id)
        return Conclusion("too late")

    tiny.perform_one = lambda _: b"fine"
    monkeypatch.setattr(tiny, "conclude", conclude)
    run = start_tiny(sqlite_store, shop, 1)
    Worker(sqlite_store, executor=threads, rhythm=QUICK).drain()
    found = seen(sqlite_store, run)
    assert (found.state, found.headline) == (RunState.CANCELLED, "")
    with sqlite_store.reading() as tx:
        assert tx.documents.names(run.id) == {}


class Fragile(Executor):
    """Breaks down with the first unit that it is given, or gives it up."""

    def __init__(self, *, gives_up: bool) -> None:
        self.given, self.gives_up = 0, gives_up

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        self.given += 1
        future: Future[Any] = Future()
        if self.given == 1 and self.gives_up:
            future.cancel()
            future.set_running_or_notify_cancel()
        elif self.given == 1:
            future.set_exception(BrokenExecutor("a process died"))
        else:
            future.set_result(fn(*args))
        return future


@pytest.mark.parametrize("gives_up", [False, True])
def test_a_unit_whose_process_died_counts_an_attempt(
    sqlite_store: Store, shop: Project, tiny: Tiny, gives_up: bool
) -> None:
    tiny.perform_one = lambda _: b"fine"
    run = start_tiny(sqlite_store, shop, 3)
    Worker(sqlite_store, executor=Fragile(gives_up=gives_up), rhythm=QUICK).drain()
    assert (seen(sqlite_store, run).state, seen(sqlite_store, run).done) == (RunState.DONE, 3)
    with sqlite_store.reading() as tx:
        assert sorted(unit.attempts for unit in tx.units.of_run(run.id)) == [1, 1, 2]


def test_processes_that_broke_down_are_replaced() -> None:
    crew = open_pool(1)
    try:
        broken, future = crew.submit(os._exit, 3)
        with pytest.raises(BrokenExecutor):
            future.result()
        crew.replace(broken)
        crew.replace(broken)
        fresh, future = crew.submit(os.getpid)
        assert future.result() != os.getpid()
        assert fresh is not broken
    finally:
        crew.close()


def test_nothing_to_examine_is_refused_before_a_run_is_kept(sqlite_store: Store, shop: Project, tiny: Tiny) -> None:
    with pytest.raises(UsageError, match="nothing to test"):
        start_tiny(sqlite_store, shop, 0)
    with sqlite_store.reading() as tx:
        assert tx.runs.count(shop.id) == 0


def test_the_cap_of_messages_holds_after_a_pause(
    sqlite_store: Store, shop: Project, threads: Executor, gate: house_bots.Gate
) -> None:
    run = start_talks(sqlite_store, shop, 6, GATED, turns=1, max_messages=4)
    Worker(sqlite_store, executor=threads, rhythm=QUICK).drain()
    assert (seen(sqlite_store, run).done, seen(sqlite_store, run).failed) == (4, 2)
    retry_failed(sqlite_store, run.id)
    Worker(sqlite_store, executor=threads, rhythm=QUICK).drain()
    assert (seen(sqlite_store, run).done, seen(sqlite_store, run).failed) == (4, 2)


# --- every day ---------------------------------------------------------------------------------------------------


def add_schedule(store: Store, shop: Project, next_at: datetime) -> Schedule:
    plan = Schedule(new_id(), shop.id, "conversations", "Daily", {}, 6 * 60, True, next_at, None, NOON)
    with store.writing() as tx:
        change = tx.edits.insert("schedules", {name: getattr(plan, name) for name in plan.__slots__})
        tx.edits.apply(shop.id, None, "add", "Daily", [change])
    return plan


def start_scheduled(store: Store, schedule: Schedule) -> Run:
    material = talks_material(1, {"parrot": {"kind": "scripted:echo"}})
    return start_run(
        store, schedule.project_id, schedule.kind, schedule.title, {}, material, user_id=None, schedule_id=schedule.id
    )


def test_days_that_were_missed_are_made_up_for_once(store: Store) -> None:
    shop = add_project(store)
    plan = add_schedule(store, shop, NOON - timedelta(days=9))
    threads = [threading.Thread(target=start_due, args=(store, start_scheduled, NOON)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.reading() as tx:
        runs = tx.runs.page(shop.id)
        kept = tx.schedules.get(plan.id)
    assert [run.schedule_id for run in runs] == [plan.id]
    assert kept is not None
    assert kept.next_at == NOON.replace(hour=6) + timedelta(days=1)


def test_a_worker_starts_and_does_what_is_due(sqlite_store: Store, shop: Project, threads: Executor) -> None:
    add_schedule(sqlite_store, shop, NOON)

    def done() -> bool:
        with sqlite_store.reading() as tx:
            return tx.runs.latest(shop.id, "conversations") is not None

    with working(sqlite_store, threads, start_scheduled=start_scheduled):
        until(done)


def test_a_schedule_that_cannot_be_started_keeps_no_other_from_it(sqlite_store: Store, shop: Project) -> None:
    first, second = (add_schedule(sqlite_store, shop, NOON - timedelta(days=day)) for day in (2, 1))

    def start(store: Store, schedule: Schedule) -> Run:
        if schedule.id == first.id:
            raise UsageError("there are no topics")
        return start_scheduled(store, schedule)

    assert [run.schedule_id for run in start_due(sqlite_store, start, NOON)] == [second.id]


@pytest.mark.parametrize(("hour", "days"), [(5, 0), (6, 1), (7, 1)])
def test_the_next_time_is_later_and_less_than_a_day_away(hour: int, days: int) -> None:
    after = NOON.replace(hour=hour)
    assert next_time(6 * 60, after) == NOON.replace(hour=6) + timedelta(days=days)
