"""A talk that a worker holds again begins in a new session, so a bot with memory is not asked to go on."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from workplace import QUICK, add_project, seen

from counting_bot import Counting, counting_bot
from pictures import undrawn
from vivavoce.bots import load_entries
from vivavoce.conversations import Plan, RunOptions
from vivavoce.conversations.scenario import Expectation, Pattern, Script, ScriptTurn
from vivavoce.jobs.exams.conversation_run import RunBots, conversation_material, read_conversation, read_material
from vivavoce.jobs.starting import retry_failed, start_run
from vivavoce.jobs.worker import Worker
from vivavoce.store.database import Store
from vivavoce.store.rows import Run
from vivavoce.store.stamps import new_id, now

UNIT = "counter/count/0"


@pytest.fixture
def bot() -> Iterator[Counting]:
    with counting_bot() as bot:
        yield bot


def start_counting(store: Store, bot: Counting) -> Run:
    turns = tuple(
        ScriptTurn(n, f"t{n}", f"say {n}", Expectation(any=(Pattern(f"message number {n}"),))) for n in (1, 2, 3)
    )
    plan = Plan(
        "count", "en", (Script("count", "count", "Count", "test", "basic", turns, version="1"),), hash="0" * 16
    )
    entries = {"counter": {"kind": "http", "url": bot.url, "limits": {"retries": 0}}}
    facts = [one.facts for one in load_entries(entries)]
    material = conversation_material(plan, list(entries.items()), facts, RunOptions(), run=new_id())
    return start_run(store, add_project(store).id, "conversations", "Talks", {}, material, user_id=None)


def drain(store: Store) -> None:
    with undrawn(), ThreadPoolExecutor(1) as threads:
        Worker(store, executor=threads, rhythm=QUICK).drain()


def sessions(store: Store, run: Run) -> list[tuple[str, int]]:
    with store.reading() as tx:
        result, material = tx.units.results(run.id)[UNIT], tx.runs.material(run.id)
    talk = read_conversation(read_material(material), UNIT, result)
    return [(session.name, session.attempt) for session in talk.sessions]


def test_a_unit_that_failed_is_held_again_in_a_new_session(sqlite_store: Store, bot: Counting) -> None:
    run = start_counting(sqlite_store, bot)
    drain(sqlite_store)
    assert seen(sqlite_store, run).failed == 1
    ((first, _),) = sessions(sqlite_store, run)
    bot.broken = False
    retry_failed(sqlite_store, run.id)
    drain(sqlite_store)
    with sqlite_store.reading() as tx:
        assert Counter(turn.outcome for turn in tx.turns.of_run(run.id))["right"] == 3
    ((second, _),) = sessions(sqlite_store, run)
    assert bot.seen == {first: 2, second: 3}


def test_a_unit_whose_worker_died_is_held_again_in_a_new_session(sqlite_store: Store, bot: Counting) -> None:
    bot.broken = False
    run = start_counting(sqlite_store, bot)
    first = hold_and_die(sqlite_store, run)
    drain(sqlite_store)
    with sqlite_store.reading() as tx:
        assert Counter(turn.outcome for turn in tx.turns.of_run(run.id))["right"] == 3
    ((second, attempt),) = sessions(sqlite_store, run)
    assert (attempt, bot.seen) == (2, {first: 3, second: 3})


def hold_and_die(store: Store, run: Run) -> str:
    """Hold the talk of the unit as a worker that dies before it writes anything; return the session."""
    with store.writing() as tx:
        (unit,) = tx.units.claim("dead", 1, now(), 600)
        material = tx.runs.material(run.id)

    async def hold() -> bytes:
        room = RunBots.open(material)
        try:
            return await room.hold(unit.key, attempt=unit.attempts)
        finally:
            await room.close()

    talk = read_conversation(read_material(material), UNIT, asyncio.run(hold()))
    with store.writing() as tx:
        tx.units.expire(now() + timedelta(hours=1))
    return talk.sessions[0].name
