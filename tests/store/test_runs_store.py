"""Runs and their units: begun once, finished once, begun again when a worker is gone."""

from __future__ import annotations

import threading
from collections import Counter, deque
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from vivavoce.store import tables
from vivavoce.store.database import Store
from vivavoce.store.repositories.units import CONCLUDING_PHASE, CONCLUSION, limit_key
from vivavoce.store.rows import (
    DocumentRow,
    MeasureRow,
    OutcomeRow,
    Project,
    Run,
    RunState,
    Schedule,
    Unit,
    UnitState,
    WorkerRow,
)
from vivavoce.store.stamps import new_id

pytestmark = pytest.mark.slow

NOON = datetime(2024, 5, 2, 12, tzinfo=UTC)
LATER = NOON + timedelta(minutes=5)


def add_run(
    store: Store,
    project: Project,
    units: int = 3,
    *,
    kind: str = "intents",
    bots: tuple[str, ...] = ("",),
    phases: int = 1,
    created: datetime = NOON,
    **options: object,
) -> Run:
    run = Run(
        id=new_id(),
        project_id=project.id,
        number=0,
        kind=kind,
        title="A run",
        state=RunState.WAITING,
        options=options,
        version=0,
        total=units,
        done=0,
        failed=0,
        headline="",
        error="",
        user_id=None,
        schedule_id=None,
        suite_id=None,
        code_version="1",
        data_hash="d",
        seed=0,
        created=created,
        started=None,
        finished=None,
    )
    plans = [unit_row(run, f"u{n}", n, phase=n * phases // units, bot=bots[n % len(bots)]) for n in range(units)]
    with store.writing() as tx:
        return tx.runs.add(run, b"material", [*plans, unit_row(run, CONCLUSION, units, phase=CONCLUDING_PHASE)])


def unit_row(run: Run, key: str, place: int, *, phase: int = 0, bot: str = "") -> Unit:
    waiting = UnitState.WAITING
    key_of_limit = limit_key(run.project_id, bot)
    return Unit(
        new_id(), run.id, key, f"unit {key}", place, phase, bot, key_of_limit, waiting, 0, None, None, None, None, ""
    )


def claim(store: Store, worker: str = "a", limit: int = 100, now: datetime = NOON, **more) -> tuple[Unit, ...]:
    with store.writing() as tx:
        return tx.units.claim(worker, limit, now, **more)


def finish(store: Store, unit: Unit, worker: str = "a") -> bool:
    with store.writing() as tx:
        return tx.units.finish(unit.id, worker, f"result of {unit.key}".encode())


def fail(store: Store, unit: Unit, worker: str = "a", **more) -> bool:
    with store.writing() as tx:
        return tx.units.fail(unit.id, worker, "it rained", **more)


def seen(store: Store, run: Run) -> Run:
    with store.reading() as tx:
        found = tx.runs.get(run.id)
    assert found is not None
    return found


# Runs


def test_runs_are_numbered_within_their_project(store: Store, project: Project) -> None:
    with store.writing() as tx:
        other = tx.projects.add(
            "b", "B", language="en", languages=("en",), classifier="linear", threshold=0.4, at=NOON
        )
    numbers = [add_run(store, place).number for place in (project, project, other)]
    assert numbers == [1, 2, 1]
    with store.reading() as tx:
        assert tx.runs.by_number(project.id, 2) is not None
        assert tx.runs.by_number(other.id, 2) is None


def test_a_run_gives_back_what_it_was_made_of(store: Store, project: Project) -> None:
    run = add_run(store, project, seed=3)
    with store.reading() as tx:
        assert tx.runs.material(run.id) == b"material"
        assert tx.runs.get(run.id) == run
        assert [unit.key for unit in tx.units.of_run(run.id)] == ["u0", "u1", "u2"]
        assert [unit.key for unit in tx.units.of_run(run.id, limit=1, offset=1)] == ["u1"]


def test_pages_of_runs_show_the_newest_first_and_only_what_is_wanted(store: Store, project: Project) -> None:
    runs = [add_run(store, project, kind=kind) for kind in ("intents", "dialogues", "intents")]
    with store.writing() as tx:
        tx.runs.set_state(runs[0].id, RunState.DONE, headline="fine")
    with store.reading() as tx:
        assert [run.number for run in tx.runs.page(project.id)] == [3, 2, 1]
        assert [run.number for run in tx.runs.page(project.id, "intents", limit=1, offset=1)] == [1]
        assert [run.number for run in tx.runs.page(project.id, states=(RunState.WAITING,))] == [3, 2]
        assert tx.runs.count(project.id, "intents") == 2
        assert [run.number for run in tx.runs.open(project.id)] == [2, 3]
        latest = tx.runs.latest(project.id, "intents")
        assert latest is not None
        assert (latest.number, latest.headline) == (1, "fine")
        assert tx.runs.latest(project.id, "intents", before=1) is None


def test_every_change_of_a_run_raises_its_version(store: Store, project: Project) -> None:
    run = add_run(store, project, 2)
    versions = [run.version]

    def note() -> None:
        versions.append(seen(store, run).version)

    with store.writing() as tx:
        tx.runs.touch(run.id)
    note()
    first, second = claim(store)
    note()
    finish(store, first)
    note()
    fail(store, second, retry=True)
    note()
    with store.writing() as tx:
        tx.runs.request_cancel(run.id)
    note()
    assert versions == sorted(set(versions)), "a page asks for what changed since a version"


# Claims


def test_a_unit_is_never_given_out_twice(store: Store, project: Project) -> None:
    runs = [add_run(store, project, 60) for _ in range(2)]
    given: list[str] = []

    def work(name: str) -> None:
        while units := claim(store, name, 3):
            given.extend(unit.id for unit in units)
            for unit in units:
                assert finish(store, unit, name)

    threads = [threading.Thread(target=work, args=(f"worker {n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(given) == len(set(given)) == 120
    assert [(seen(store, run).state, seen(store, run).done) for run in runs] == [(RunState.CONCLUDING, 60)] * 2


def test_runs_take_turns_and_the_oldest_begins(store: Store, project: Project) -> None:
    old = add_run(store, project, 10)
    new = add_run(store, project, 10, created=LATER)
    assert [unit.run_id for unit in claim(store, limit=1)] == [old.id]
    assert Counter(unit.run_id for unit in claim(store, limit=5)) == {old.id: 2, new.id: 3}


def test_a_small_run_finishes_while_two_long_ones_keep_both_slots_busy(store: Store, project: Project) -> None:
    for _ in range(2):
        add_run(store, project, 40)
    busy = deque(claim(store, limit=2))
    small = add_run(store, project, 3, created=LATER)
    for _ in range(12):
        finish(store, busy.popleft())
        busy.extend(claim(store, limit=1))
    assert seen(store, small).done == 3


def test_the_run_that_waited_longest_is_served_next(store: Store, project: Project) -> None:
    runs = [add_run(store, project, 4) for _ in range(3)]
    served = []
    for _ in range(6):
        (unit,) = claim(store, limit=1)
        served.append(unit.run_id)
        finish(store, unit)
    assert served == [run.id for run in runs] * 2


def test_only_runs_of_the_wanted_kinds_are_claimed(store: Store, project: Project) -> None:
    add_run(store, project, kind="intents")
    talks = add_run(store, project, kind="conversations")
    assert {unit.run_id for unit in claim(store, kinds=["conversations"])} == {talks.id}
    assert claim(store, kinds=[]) == ()


def test_a_phase_waits_for_all_units_of_the_one_before(store: Store, project: Project) -> None:
    add_run(store, project, 4, phases=2)
    first, second = claim(store)
    assert (first.phase, second.phase) == (0, 0)
    finish(store, first)
    assert claim(store, "b") == ()
    fail(store, second, retry=False)
    assert [unit.phase for unit in claim(store, "b")] == [1, 1]


def test_a_bot_is_not_asked_by_more_than_its_limit_over_runs_and_workers(store: Store, project: Project) -> None:
    for _ in range(2):
        add_run(store, project, 12, bots=("slow", "fast"), limits={"slow": 2})
    first = claim(store, "a", 3)
    second = claim(store, "b", 100)
    counted = Counter(unit.bot for unit in first + second)
    assert counted == {"slow": 2, "fast": 12}
    finish(store, next(unit for unit in first + second if unit.bot == "slow" and unit in first), "a")
    assert Counter(unit.bot for unit in claim(store, "c")) == {"slow": 1}


def test_bots_of_the_same_name_in_two_projects_do_not_share_a_limit(store: Store, project: Project) -> None:
    with store.writing() as tx:
        other = tx.projects.add(
            "b", "B", language="en", languages=("en",), classifier="linear", threshold=0.4, at=NOON
        )
    for place in (project, other):
        add_run(store, place, 4, bots=("bot",), limits={"bot": 1})
    assert len(claim(store)) == 2


def test_a_run_whose_messages_are_counted_is_held_by_one_worker(store: Store, project: Project) -> None:
    add_run(store, project, 6, max_messages=20)
    (unit,) = claim(store, "a", 1)
    assert claim(store, "b") == ()
    assert len(claim(store, "a", 1)) == 1
    finish(store, unit, "a")
    assert claim(store, "b") == ()


# Leases


def test_a_unit_whose_worker_is_gone_is_given_to_another(store: Store, project: Project) -> None:
    run = add_run(store, project, 1)
    (mine,) = claim(store, "a")
    assert claim(store, "b", now=NOON + timedelta(seconds=29)) == ()
    (taken,) = claim(store, "b", now=NOON + timedelta(seconds=31))
    assert (taken.id, taken.attempts) == (mine.id, 2)
    assert not finish(store, mine, "a"), "the lease was lost"
    assert not fail(store, mine, "a", retry=False)
    assert finish(store, taken, "b")
    with store.reading() as tx:
        assert tx.units.result(taken.id) == b"result of u0"
    assert (seen(store, run).done, seen(store, run).failed) == (1, 0)


def test_a_renewed_lease_holds(store: Store, project: Project) -> None:
    add_run(store, project, 1)
    (mine,) = claim(store, "a")
    with store.writing() as tx:
        assert tx.units.renew("a", NOON + timedelta(seconds=20)) == {mine.id}
        assert tx.units.renew("b", NOON + timedelta(seconds=20)) == frozenset()
    assert claim(store, "b", now=NOON + timedelta(seconds=40)) == ()
    assert finish(store, mine, "a")


def test_what_a_worker_has_forgotten_comes_free(store: Store, project: Project) -> None:
    add_run(store, project, 2)
    kept, forgotten = claim(store, "a")
    with store.writing() as tx:
        assert tx.units.renew("a", NOON + timedelta(seconds=20), only=[kept.id]) == {kept.id, forgotten.id}
    assert [unit.id for unit in claim(store, "b", now=NOON + timedelta(seconds=40))] == [forgotten.id]


def test_a_unit_that_ended_three_workers_is_not_begun_again(store: Store, project: Project) -> None:
    run = add_run(store, project, 2)
    (good, bad) = claim(store, "a")
    finish(store, good, "a")
    for n in range(2):
        assert [unit.id for unit in claim(store, "a", now=NOON + timedelta(minutes=n + 1))] == [bad.id]
    assert claim(store, "a", now=NOON + timedelta(minutes=9)) == ()
    with store.reading() as tx:
        found = tx.units.get(bad.id)
    assert found is not None
    assert (found.state, found.attempts) == (UnitState.FAILED, 3)
    assert "stopped" in found.error
    assert seen(store, run).state is RunState.CONCLUDING


def test_a_unit_given_back_has_not_been_tried(store: Store, project: Project) -> None:
    add_run(store, project, 1)
    (mine,) = claim(store, "a")
    with store.writing() as tx:
        assert tx.units.release(mine.id, "a")
    assert [unit.attempts for unit in claim(store, "b")] == [1]


# How a run ends


def test_findings_are_made_once_all_units_are_over(store: Store, project: Project) -> None:
    run = add_run(store, project, 2)
    first, second = claim(store)
    with store.writing() as tx:
        assert tx.units.claim_conclusions("a", 5, NOON) == ()
    finish(store, first)
    fail(store, second, retry=False)
    assert seen(store, run).state is RunState.CONCLUDING
    with store.writing() as tx:
        (last,) = tx.units.claim_conclusions("a", 5, NOON)
        assert tx.units.claim_conclusions("b", 5, NOON) == ()
    with store.writing() as tx:
        assert tx.units.claim_conclusions("b", 5, LATER) == (replace_lease(tx.units.get(last.id)),)
    assert not finish(store, last, "a")
    assert finish(store, last, "b")


def replace_lease(unit: Unit | None) -> Unit:
    assert unit is not None
    return replace(unit, worker="b")


def test_the_making_of_findings_is_never_counted_or_listed(store: Store, project: Project) -> None:
    run = add_run(store, project, 1)
    finish(store, claim(store)[0])
    with store.writing() as tx:
        (last,) = tx.units.claim_conclusions("a", 1, NOON)
        tx.units.finish(last.id, "a", b"")
        assert [unit.key for unit in tx.units.of_run(run.id)] == ["u0"]
        assert sum(tx.units.counts(run.id).values()) == 1
        assert list(tx.units.results(run.id)) == ["u0"]
    assert seen(store, run).done == 1


def test_a_run_without_any_result_failed_and_says_why(store: Store, project: Project) -> None:
    run = add_run(store, project, 2)
    for unit in claim(store):
        fail(store, unit, retry=False)
    found = seen(store, run)
    assert (found.state, found.error, found.failed) == (RunState.FAILED, "it rained", 2)
    assert found.finished is not None


def test_a_failure_is_tried_three_times_where_that_may_help(store: Store, project: Project) -> None:
    run = add_run(store, project, 1)
    for attempt in (1, 2, 3):
        (unit,) = claim(store)
        assert unit.attempts == attempt
        fail(store, unit, retry=True)
    assert claim(store) == ()
    assert seen(store, run).failed == 1


def test_what_failed_half_way_counts_in_the_findings(store: Store, project: Project) -> None:
    run = add_run(store, project, 3)
    done, half, none = claim(store)
    finish(store, done)
    fail(store, half, retry=False, result=b"so far")
    fail(store, none, retry=False)
    with store.reading() as tx:
        assert tx.units.results(run.id) == {"u0": b"result of u0", "u1": b"so far"}


def test_a_cancelled_run_begins_nothing_and_keeps_what_it_has(store: Store, project: Project) -> None:
    run = add_run(store, project, 4)
    first, second = claim(store, limit=2)
    with store.writing() as tx:
        assert tx.runs.request_cancel(run.id)
        assert not tx.runs.request_cancel(run.id)
    assert claim(store) == ()
    assert finish(store, first)
    with store.writing() as tx:
        tx.units.release(second.id, "a")
        counts = tx.units.counts(run.id)
    assert (counts[UnitState.DONE], counts[UnitState.CANCELLED], counts[UnitState.WAITING]) == (1, 3, 0)
    assert seen(store, run).state is RunState.CANCELLED


def test_a_cancelled_run_goes_on_where_it_stopped(store: Store, project: Project) -> None:
    run = add_run(store, project, 4)
    finish(store, claim(store, limit=1)[0])
    with store.writing() as tx:
        tx.runs.request_cancel(run.id)
    with store.writing() as tx:
        assert tx.units.resume(run.id) == 3
    assert [unit.key for unit in claim(store)] == ["u1", "u2", "u3"]
    assert seen(store, run).state is RunState.RUNNING


def test_only_what_failed_is_tried_again(store: Store, project: Project) -> None:
    run = add_run(store, project, 3)
    first, *others = claim(store)
    finish(store, first)
    for unit in others:
        fail(store, unit, retry=False)
    with store.writing() as tx:
        (last,) = tx.units.claim_conclusions("a", 1, NOON)
        tx.units.finish(last.id, "a", b"")
        tx.runs.set_state(run.id, RunState.DONE)
    with store.writing() as tx:
        assert tx.units.retry_failed(run.id) == 2
    again = claim(store)
    assert [(unit.key, unit.attempts) for unit in again] == [("u1", 1), ("u2", 1)]
    for unit in again:
        finish(store, unit)
    found = seen(store, run)
    assert (found.state, found.done, found.failed) == (RunState.CONCLUDING, 3, 0)
    with store.writing() as tx:
        assert len(tx.units.claim_conclusions("a", 1, NOON)) == 1


def test_a_run_with_nothing_left_is_concluded_anew(store: Store, project: Project) -> None:
    run = add_run(store, project, 1)
    finish(store, claim(store)[0])
    with store.writing() as tx:
        (last,) = tx.units.claim_conclusions("a", 1, NOON)
        tx.units.fail(last.id, "a", "no memory", retry=False)
    assert (seen(store, run).state, seen(store, run).error) == (RunState.FAILED, "no memory")
    with store.writing() as tx:
        assert tx.units.resume(run.id) == 0
    assert (seen(store, run).state, seen(store, run).error) == (RunState.CONCLUDING, "")


def test_a_run_goes_with_all_that_it_found(store: Store, project: Project) -> None:
    run = add_run(store, project)
    with store.writing() as tx:
        tx.documents.put([DocumentRow(run.id, "findings.json", "application/json", b"{}")])
        tx.runs.delete(run.id)
        assert tx.runs.get(run.id) is None
        assert tx.documents.names(run.id) == {}
        assert tx.units.of_run(run.id) == ()


# What runs find


def outcome(run: Run, place: int, text: str, outcome: str, intent: str | None = "pay") -> OutcomeRow:
    return OutcomeRow(run.id, place, text, intent, "pay", 0.5, outcome, 1, 2, 3)


def test_questions_can_be_looked_through(store: Store, project: Project) -> None:
    run = add_run(store, project)
    rows = [
        outcome(run, 0, "how do I pay", "right"),
        outcome(run, 1, "50% off?", "overreach", None),
        outcome(run, 2, "500 off", "wrong_intent"),
    ]
    with store.writing() as tx:
        tx.outcomes.put(rows)
        tx.outcomes.put(rows[:1])
        assert tx.outcomes.of_run(run.id) == tuple(rows)
        assert tx.outcomes.page(run.id, intent="pay", offset=1) == (rows[2],)
        assert tx.outcomes.page(run.id, search="50%") == (rows[1],), "a percent sign is a percent sign"
        assert tx.outcomes.page(run.id, search="PAY") == (rows[0],)
        assert tx.outcomes.count(run.id, outcome="right") == 1
        assert tx.outcomes.counts(run.id) == {"right": 1, "overreach": 1, "wrong_intent": 1}
        assert tx.outcomes.by_intent(run.id) == {"pay": (0, 0, 2), None: (0, 0, 1)}


def test_numbers_are_followed_over_the_runs_that_are_done(store: Store, project: Project) -> None:
    runs = [add_run(store, project, created=NOON + timedelta(days=day)) for day in range(3)]
    with store.writing() as tx:
        for value, run in enumerate(runs):
            tx.measures.put([MeasureRow(run.id, "0,0.15", name, value / 10, None, None, 9) for name in ("x", "y")])
        for run in runs[:2]:
            tx.runs.set_state(run.id, RunState.DONE)
        series = tx.measures.series(project.id, "intents", scope="0,0.15", name="x")
        assert [(point.value, point.at) for point in series] == [(0.0, runs[0].created), (0.1, runs[1].created)]
        assert len(tx.measures.series(project.id, "intents", since=runs[1].created)) == 2
        assert [row.name for row in tx.measures.of_run(runs[2].id)] == ["x", "y"]


def test_documents_come_back_as_they_went(store: Store, project: Project) -> None:
    run = add_run(store, project)
    page = DocumentRow(run.id, "report.html", "text/html", b"<p>" * 5_000)
    with store.writing() as tx:
        tx.documents.put([replace(page, content=b"old"), DocumentRow(run.id, "a.json", "application/json", b"{}")])
        tx.documents.put([page])
        assert tx.documents.get(run.id, "report.html") == page
        assert tx.documents.get(run.id, "nothing") is None
        assert list(tx.documents.names(run.id).items()) == [
            ("a.json", "application/json"),
            ("report.html", "text/html"),
        ]
        packed = tx.connection.execute(
            sa.select(sa.func.max(sa.func.length(tables.documents.c.content)))
        ).scalar_one()
    assert packed < len(page.content) / 10


# Who works, how fast, and when


def test_messages_to_a_bot_are_spaced_over_all_workers(store: Store) -> None:
    moments: list[datetime] = []

    def send() -> None:
        for _ in range(5):
            with store.writing() as tx:
                moments.append(tx.paces.reserve("bot", 0.25, NOON))

    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(moments) == [NOON + timedelta(seconds=0.25 * n) for n in range(20)]
    with store.writing() as tx:
        assert tx.paces.reserve("bot", 0.25, LATER) == LATER, "a bot that was left alone can be asked at once"
        assert tx.paces.reserve("other", 0.25, NOON) == NOON


def test_a_schedule_is_advanced_by_one_worker_only(store: Store, project: Project) -> None:
    plan = Schedule(new_id(), project.id, "intents", "Daily", {}, 720, True, NOON, None, NOON)
    off = replace(plan, id=new_id(), enabled=False)
    with store.writing() as tx:
        changes = [tx.edits.insert("schedules", {f: getattr(one, f) for f in one.__slots__}) for one in (plan, off)]
        tx.edits.apply(project.id, None, "add", "Schedules", changes)
    with store.reading() as tx:
        assert tx.schedules.due(NOON - timedelta(seconds=1)) == ()
        assert tx.schedules.due(NOON) == (plan,)
        assert len(tx.schedules.of_project(project.id)) == 2
    won = []
    for _ in range(2):
        with store.writing() as tx:
            won.append(tx.schedules.advance(plan, NOON + timedelta(days=1)))
    assert won == [True, False]
    with store.reading() as tx:
        assert tx.schedules.due(NOON) == ()


def test_workers_are_known_while_they_are_seen(store: Store) -> None:
    worker = WorkerRow("w1", "host", 7, NOON, NOON)
    with store.writing() as tx:
        tx.workers.beat(worker)
        tx.workers.beat(replace(worker, seen=LATER))
        tx.workers.beat(WorkerRow("w2", "host", 8, NOON, NOON))
        assert [row.id for row in tx.workers.alive(LATER)] == ["w1"]
        tx.workers.forget("w1")
        assert [row.id for row in tx.workers.alive(NOON)] == ["w2"]
        tx.workers.forget_before(LATER)
        assert tx.workers.alive(NOON) == ()


@pytest.mark.parametrize("step", ["finish", "fail", "renew"])
def test_who_holds_nothing_changes_nothing(store: Store, project: Project, step: str) -> None:
    run = add_run(store, project, 1)
    (unit,) = claim(store, "a")
    before = seen(store, run)
    with store.writing() as tx:
        if step == "finish":
            assert not tx.units.finish(unit.id, "b", b"forged")
        elif step == "fail":
            assert not tx.units.fail(unit.id, "b", "forged", retry=True)
        else:
            assert tx.units.renew("b", NOON) == frozenset()
    assert seen(store, run) == before
