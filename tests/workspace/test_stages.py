"""What a run says it is doing: its place in the queue, then the stages of its exam."""

from __future__ import annotations

import pytest

from held_talks import add_shop, begin, work
from vivavoce.conversations.transcript import Exchange
from vivavoce.jobs.exams.conversation_run import read_material
from vivavoce.jobs.exams.conversations import judge_last
from vivavoce.jobs.exams.protocol import StageProgress
from vivavoce.jobs.exams.registry import load_exam
from vivavoce.jobs.turns import judged_rows
from vivavoce.records import Status
from vivavoce.store.database import Store
from vivavoce.store.rows import Run, RunState
from vivavoce.store.stamps import now
from vivavoce.workspace.exams import runs
from vivavoce.workspace.exams.stages import get_stage

START = StageProgress(0, 11, begun=False, concluding=False, first="texts")


def current(store: Store, run: Run) -> Run:
    with store.reading() as tx:
        return tx.runs.get(run.id) or run


def stage_of(store: Store, run: Run) -> str:
    with store.reading() as tx:
        return get_stage(tx, run, tx.units.counts(run.id))


def test_runs_wait_in_the_order_in_which_they_were_started(sqlite_store: Store) -> None:
    shop = add_shop(sqlite_store)
    first, second, third = (begin(sqlite_store, shop) for _ in range(3))
    stages = [stage_of(sqlite_store, run) for run in (first, second, third)]
    assert stages == ["next in the queue", "1 run before this one", "2 runs before this one"]


@pytest.mark.slow
def test_a_run_of_conversations_starts_its_bots_then_talks_then_scores(sqlite_store: Store) -> None:
    shop = add_shop(sqlite_store)
    run = begin(sqlite_store, shop)
    with sqlite_store.writing() as tx:
        unit = tx.units.claim("worker", 1, now())[0]
    assert stage_of(sqlite_store, current(sqlite_store, run)) == "starting the bots"
    with sqlite_store.writing() as tx:
        material = read_material(tx.runs.material(run.id))
        line = judge_last(material, unit.key, [Exchange(1, "hello", Status.OK)])
        tx.turns.put(judged_rows(unit.id, run.id, [line]))
    assert stage_of(sqlite_store, current(sqlite_store, run)) == "running conversations"
    with sqlite_store.writing() as tx:
        tx.runs.set_state(run.id, RunState.CONCLUDING)
    assert runs.progress_of(sqlite_store, run).stage in ("scoring 12 turns", "")
    assert stage_of(sqlite_store, current(sqlite_store, run)) == "scoring 12 turns"


@pytest.mark.slow
def test_a_run_that_is_over_has_no_stage(sqlite_store: Store) -> None:
    run = begin(sqlite_store, add_shop(sqlite_store))
    work(sqlite_store)
    assert stage_of(sqlite_store, current(sqlite_store, run)) == ""


@pytest.mark.parametrize(
    ("kind", "facts", "progress", "said"),
    [
        ("intents", {"texts": 11_132}, START, "reading 11,132 texts"),
        ("intents", {"texts": 9, "vectors": 1}, START, "loading sentence vectors and reading 9 texts"),
        ("intents", {"texts": 9}, StageProgress(0, 10, False, False, "0,0/1"), "round 1 of 10"),
        ("intents", {"texts": 9}, StageProgress(3, 11, True, False, "texts"), "round 3 of 10"),
        ("intents", {"texts": 9}, StageProgress(2, 10, True, False, "0,0/1"), "round 3 of 10"),
        ("intents", {"texts": 9}, StageProgress(11, 11, True, False, "texts"), "round 10 of 10"),
        ("intents", {"texts": 9}, StageProgress(11, 11, True, True, "texts"), "counting the answers"),
        ("engines", {"texts": 1}, START, "reading 1 text"),
        ("engines", {"texts": 1}, StageProgress(3, 9, True, False), "training and testing the classifiers"),
        ("dialogues", {"dialogues": 117}, START, "loading the rater and reading 117 dialogues"),
        ("dialogues", {"dialogues": 117}, StageProgress(1, 2, True, False), "scoring 117 dialogues"),
        ("conversations", {"turns": 957, "vectors": 1}, START, "starting the bots and loading sentence vectors"),
        ("conversations", {"turns": 957, "vectors": 0}, StageProgress(9, 9, True, True), "scoring 957 turns"),
    ],
)
def test_every_exam_names_its_stages(kind: str, facts: dict[str, int], progress: StageProgress, said: str) -> None:
    assert load_exam(kind).describe_stage(facts, progress) == said
