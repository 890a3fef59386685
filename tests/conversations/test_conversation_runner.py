"""The runner: every conversation once, turns in order, every way to fail a status of its own."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from talkers import Talker, agree, many, plan, script

from vivavoce.bots.protocol import Bot, Limits
from vivavoce.conversations.running.record import RunRecord
from vivavoce.conversations.running.runner import RunEnd, RunOptions, begin_run, hold_conversations
from vivavoce.conversations.scenario import Match, OnMismatch, Pattern, Plan
from vivavoce.conversations.transcript import ConversationKey, State, Transcript
from vivavoce.errors import BotError, UsageError
from vivavoce.records import Reply, Status

QUICK = Limits(at_once=4, timeout_s=5, retries=0)


def run(folder: Path, what: Plan, *bots: Bot, **options: object) -> tuple[RunEnd, list[Transcript]]:
    chosen = RunOptions(**options)  # type: ignore[arg-type]
    with begin_run(folder, what, [bot.facts for bot in bots], chosen) as record:
        end = asyncio.run(hold_conversations(record, bots))
    return end, read(folder)


def resume(folder: Path, *bots: Bot, **options: object) -> tuple[RunEnd, list[Transcript]]:
    chosen = RunOptions(**options) if options else None  # type: ignore[arg-type]
    with RunRecord.open(folder) as record:
        end = asyncio.run(hold_conversations(record, bots, limits=chosen))
    return end, read(folder)


def read(folder: Path) -> list[Transcript]:
    with RunRecord.open(folder) as record:
        return list(record.transcripts())


def failing(status: Status, times: int, retry_after: float | None = 0.0) -> Talker:
    """Return a bot that fails so many times before it answers."""
    left = [times]

    async def answer(session: str, turn: int, text: str) -> Reply:
        if left[0]:
            left[0] -= 1
            raise BotError("not now", status=status, retry_after=retry_after)
        return await agree(session, turn, text)

    return Talker(answer)


# Complete and in order


@pytest.mark.parametrize("at_once", [1, 7, 100])
def test_every_conversation_is_held_once_and_kept_in_the_order_of_the_plan(tmp_path: Path, at_once: int) -> None:
    bots = [Talker(name="a"), Talker(name="b", in_process=True)]
    end, talks = run(tmp_path / "run", many(20), *bots, repeats=2, concurrency=at_once)
    planned = [ConversationKey(b, f"talk-{n:03}", r) for b in ("a", "b") for n in range(20) for r in range(2)]
    assert [talk.key for talk in talks] == planned
    assert end == RunEnd(done=80, errored=0, left=0)
    assert all(talk.state is State.DONE and [e.number for e in talk.exchanges] == [1, 2, 3] for talk in talks)
    assert all(bot.gone for bot in bots)


def test_turns_of_a_talk_follow_each_other_while_talks_mix(tmp_path: Path) -> None:
    async def answer(session: str, turn: int, text: str) -> Reply:
        await asyncio.sleep(0.002)
        return await agree(session, turn, text)

    bot = Talker(answer)
    run(tmp_path / "run", many(8), bot)
    by_session: dict[str, list[str]] = {}
    for session, text in bot.heard:
        by_session.setdefault(session, []).append(text)
    assert len(by_session) == 8
    assert all([text.rsplit(" ", 1)[1] for text in texts] == ["0", "1", "2"] for texts in by_session.values())
    sessions = [session for session, _ in bot.heard]
    assert sessions != sorted(sessions, key=sessions.index)


def test_every_talk_has_a_session_of_its_own_that_is_closed(tmp_path: Path) -> None:
    bot = Talker()
    run(tmp_path / "run", many(6), bot, repeats=3)
    assert len(set(bot.opened)) == 18
    assert sorted(bot.closed) == sorted(bot.opened)


def test_bots_are_asked_in_the_same_drawn_order_and_another_seed_draws_another(tmp_path: Path) -> None:
    def order(folder: str, seed: int) -> list[list[str]]:
        bots = [Talker(name="a"), Talker(name="b")]
        run(tmp_path / folder, many(12, turns=1), *bots, concurrency=1, seed=seed)
        return [[text for _, text in bot.heard] for bot in bots]

    first, again, other = order("1", 1), order("2", 1), order("3", 2)
    assert first == again != other
    assert first[0] == first[1] != sorted(first[0])


def test_bots_take_turns_so_that_none_gets_the_quiet_hour(tmp_path: Path) -> None:
    heard: list[str] = []

    def bot(name: str) -> Talker:
        async def answer(session: str, turn: int, text: str) -> Reply:
            heard.append(name)
            return await agree(session, turn, text)

        return Talker(answer, name, in_process=True)

    run(tmp_path / "run", many(10, turns=4), bot("a"), bot("b"), concurrency=1)
    quarter = len(heard) // 4
    assert set(heard[:quarter]) == set(heard[-quarter:]) == {"a", "b"}


def test_replies_are_kept_whole(tmp_path: Path) -> None:
    said = Reply(
        ("one", "two\n“ü” 🙂"), "chat", 0.25, {"city": "Perth"}, ("yes", "no"), True, None, 0.001, {"any": [1, None]}
    )

    async def answer(_session: str, _turn: int, _text: str) -> Reply:
        return said

    _, talks = run(tmp_path / "run", plan(script("s", "hi")), Talker(answer))
    assert talks[0].exchanges[0].reply == said
    assert talks[0].exchanges[0].first_ms == 1.0


# Ways to fail


@pytest.mark.parametrize("status", [status for status in Status if status.error])
def test_an_error_ends_the_talk_with_its_own_status_and_is_not_done(tmp_path: Path, status: Status) -> None:
    end, talks = run(tmp_path / "run", many(1), failing(status, 99))
    assert [exchange.status for exchange in talks[0].exchanges] == [status]
    assert talks[0].state is State.ERRORED
    assert end == RunEnd(0, 1, 0)


def test_a_bot_that_hangs_is_left_after_its_time_and_the_talk_goes_on(tmp_path: Path) -> None:
    async def answer(session: str, turn: int, text: str) -> Reply:
        if turn == 2:
            await asyncio.sleep(60)
        return await agree(session, turn, text)

    end, talks = run(tmp_path / "run", many(1), Talker(answer), timeout_s=0.05)
    assert [exchange.status for exchange in talks[0].exchanges] == [Status.OK, Status.TIMEOUT, Status.OK]
    assert talks[0].exchanges[1].first_ms is None
    assert end.complete


def test_a_turn_may_have_more_time_than_the_bot(tmp_path: Path) -> None:
    async def answer(session: str, turn: int, text: str) -> Reply:
        await asyncio.sleep(0.1)
        return await agree(session, turn, text)

    patient = script("s", "hi")
    patient = replace(patient, turns=(replace(patient.turns[0], wait_s=5.0),))
    _, talks = run(tmp_path / "run", plan(patient), Talker(answer), timeout_s=0.02)
    assert talks[0].exchanges[0].status is Status.OK


def test_a_bot_that_says_nothing_is_empty_not_wrong(tmp_path: Path) -> None:
    async def answer(_session: str, _turn: int, _text: str) -> Reply:
        return Reply(("  ",), intent="chat")

    _, talks = run(tmp_path / "run", many(1), Talker(answer))
    assert {exchange.status for exchange in talks[0].exchanges} == {Status.EMPTY}


def test_a_connector_that_raises_anything_fails_alone(tmp_path: Path) -> None:
    async def answer(session: str, turn: int, text: str) -> Reply:
        if text.startswith("3"):
            raise ZeroDivisionError("oops")
        return await agree(session, turn, text)

    end, talks = run(tmp_path / "run", many(6), Talker(answer))
    assert end == RunEnd(5, 1, 0)
    failed = next(talk for talk in talks if talk.state is State.ERRORED)
    assert failed.exchanges[0].status is Status.FAILED
    assert "ZeroDivisionError: oops" in failed.exchanges[0].error


def test_a_talk_that_cannot_be_opened_is_an_error_of_its_first_turn(tmp_path: Path) -> None:
    class Shut(Talker):
        async def open(self, session: str) -> object:  # type: ignore[override]
            raise BotError("closed today", status=Status.UNREACHABLE)

    end, talks = run(tmp_path / "run", many(1), Shut(), retries=0)
    assert [exchange.status for exchange in talks[0].exchanges] == [Status.UNREACHABLE]
    assert end == RunEnd(0, 1, 0)


# Trying again


def test_what_may_pass_is_tried_again_and_the_tries_are_counted(tmp_path: Path) -> None:
    _, talks = run(tmp_path / "run", many(1), failing(Status.SERVER_ERROR, 2), retries=2)
    assert [exchange.status for exchange in talks[0].exchanges] == [Status.OK] * 3
    assert [exchange.attempts for exchange in talks[0].exchanges] == [3, 1, 1]


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_no_more_tries_than_asked_for(tmp_path: Path, retries: int) -> None:
    bot = failing(Status.RATE_LIMITED, 99)
    run(tmp_path / "run", plan(script("s", "hi")), bot, retries=retries)
    assert len(bot.heard) == retries + 1


@pytest.mark.parametrize("status", [Status.REFUSED, Status.NOT_JSON, Status.TOO_LARGE, Status.FAILED])
def test_what_will_not_pass_is_not_tried_again(tmp_path: Path, status: Status) -> None:
    bot = failing(status, 99)
    run(tmp_path / "run", plan(script("s", "hi")), bot, retries=5)
    assert len(bot.heard) == 1


def test_the_time_of_a_retried_turn_is_that_of_the_last_try(tmp_path: Path) -> None:
    _, talks = run(
        tmp_path / "run", plan(script("s", "hi")), failing(Status.RATE_LIMITED, 1, retry_after=0.3), retries=1
    )
    exchange = talks[0].exchanges[0]
    assert exchange.attempts == 2
    assert exchange.first_ms is not None
    assert exchange.first_ms < 300


def test_a_bot_that_asks_for_an_hour_is_reported_not_waited_for(tmp_path: Path) -> None:
    bot = failing(Status.RATE_LIMITED, 99, retry_after=3600)
    end, _ = run(tmp_path / "run", plan(script("s", "hi")), bot, retries=5)
    assert (len(bot.heard), end.errored) == (1, 1)


# Stopping and going on


def test_a_resumed_run_repeats_what_errored_and_nothing_that_is_done(tmp_path: Path) -> None:
    async def moody(session: str, turn: int, text: str) -> Reply:
        if text.startswith(("1 ", "4 ")):
            raise BotError("down", status=Status.UNREACHABLE)
        return await agree(session, turn, text)

    first, _ = run(tmp_path / "run", many(6), Talker(moody))
    again = Talker()
    second, talks = resume(tmp_path / "run", again)
    assert (first.done, first.errored) == (4, 2)
    assert second == RunEnd(6, 0, 0)
    assert {text.split()[0] for _, text in again.heard} == {"1", "4"}
    assert [talk.key.script for talk in talks] == [f"talk-{n:03}" for n in range(6)]
    assert all(len(talk.exchanges) == 3 for talk in talks)


def test_a_cap_on_messages_is_never_passed_and_the_rest_can_be_resumed(tmp_path: Path) -> None:
    bot = Talker()
    end, _ = run(tmp_path / "run", many(10), bot, max_messages=10)
    assert len(bot.heard) == 9
    assert end.left == 7
    assert end.reasons == ("the limit of 10 messages was reached",)
    rest, talks = resume(tmp_path / "run", Talker(), max_messages=None, repeats=1)
    assert rest.complete
    assert len(talks) == 10


def test_a_dead_bot_is_given_up_and_the_others_go_on(tmp_path: Path) -> None:
    dead, fine = failing(Status.UNREACHABLE, 10**6), Talker(name="fine")
    end, _ = run(tmp_path / "run", many(50), dead, fine, give_up_after=5, concurrency=2)
    assert end.done == 50
    assert len(dead.heard) < 10
    assert "talker: 5 conversations in a row without any answer" in end.reasons


def test_a_bot_that_never_answers_is_given_up_too(tmp_path: Path) -> None:
    async def answer(_session: str, _turn: int, _text: str) -> Reply:
        await asyncio.sleep(60)
        return Reply(("too late",))

    end, talks = run(
        tmp_path / "run", many(50, turns=1), Talker(answer), give_up_after=5, concurrency=2, timeout_s=0.02
    )
    assert len(talks) < 10
    assert {exchange.status for talk in talks for exchange in talk.exchanges} == {Status.TIMEOUT}
    assert "talker: 5 conversations in a row without any answer" in end.reasons


def test_a_cancelled_run_keeps_what_is_done(tmp_path: Path) -> None:
    async def answer(session: str, turn: int, text: str) -> Reply:
        await asyncio.sleep(0.01)
        return await agree(session, turn, text)

    async def cancelled(record: RunRecord) -> None:
        task = asyncio.create_task(hold_conversations(record, [Talker(answer)]))
        while not any(state is State.DONE for state in record.states().values()):
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with begin_run(tmp_path / "run", many(40), [Talker().facts], RunOptions()) as record:
        asyncio.run(cancelled(record))
    before = read(tmp_path / "run")
    rest, talks = resume(tmp_path / "run", Talker())
    assert 0 < len(before) < 40
    assert rest == RunEnd(40, 0, 0)
    assert {talk.key for talk in before} <= {talk.key for talk in talks}


def test_a_talk_stops_after_a_failed_turn_where_the_script_says_so(tmp_path: Path) -> None:
    async def answer(_session: str, turn: int, _text: str) -> Reply:
        return Reply(("hm",), intent="chat" if turn != 2 else "other", confidence=0.9)

    stopping = script("s", "a", "b", "c", on_mismatch=OnMismatch.STOP)
    end, talks = run(tmp_path / "run", plan(stopping), Talker(answer))
    assert [exchange.number for exchange in talks[0].exchanges] == [1, 2]
    assert end.complete


def test_a_replayed_talk_says_again_what_went_well(tmp_path: Path) -> None:
    async def answer(_session: str, _turn: int, text: str) -> Reply:
        return Reply(("hm",), intent="other" if text == "b" else "chat", confidence=0.9)

    bot = Talker(answer)
    _, talks = run(tmp_path / "run", plan(script("s", "a", "b", "c", on_mismatch=OnMismatch.REPLAY)), bot)
    assert [text for _, text in bot.heard] == ["a", "b", "a", "c"]
    assert len(set(bot.opened)) == 2
    assert [exchange.replayed for exchange in talks[0].exchanges] == [False, False, True]


def test_a_saved_value_is_said_later(tmp_path: Path) -> None:
    async def answer(_session: str, _turn: int, _text: str) -> Reply:
        return Reply(("The fare is AUD 129.",), intent="chat")

    saving = script("s", "how much?", "is {fare} the best, {nobody}?")
    first = replace(saving.turns[0], save={"fare": Pattern("AUD ([0-9]+)", Match.REGEX)})
    bot = Talker(answer)
    _, talks = run(tmp_path / "run", plan(replace(saving, turns=(first, saving.turns[1]))), bot)
    assert bot.heard[1][1] == "is 129 the best, {nobody}?"
    assert talks[0].exchanges[1].values == {"fare": "129"}


def test_the_first_message_to_a_bot_is_marked_cold(tmp_path: Path) -> None:
    _, talks = run(tmp_path / "run", many(3), Talker(), concurrency=1)
    assert sum(exchange.cold for talk in talks for exchange in talk.exchanges) == 1


def test_progress_tells_of_every_conversation(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    bot = Talker()
    with begin_run(tmp_path / "run", many(5), [bot.facts], RunOptions()) as record:
        asyncio.run(hold_conversations(record, [bot], progress=lambda *what: told.append(what)))
    assert told == [("talker", n, 5) for n in range(1, 6)]


# Refusals


def test_a_run_needs_bots_with_names_of_their_own(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="bots with unique names"):
        begin_run(tmp_path / "run", many(1), [Talker().facts, Talker().facts], RunOptions())


def test_a_run_needs_something_to_say(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing to run"):
        begin_run(tmp_path / "run", plan(), [Talker().facts], RunOptions())
