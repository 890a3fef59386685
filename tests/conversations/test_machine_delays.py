"""A busy machine is not a slow bot: the delay of the event loop is recorded and told apart."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path

from talkers import Talker, many, plan, script

from vivavoce.conversations import RunRecord, score_run
from vivavoce.conversations.json_form import conversations_result_from_json, result_to_json
from vivavoce.conversations.judging.judge import judge
from vivavoce.conversations.running.runner import RunOptions, begin_run, hold_conversations
from vivavoce.conversations.scenario import Expectation, ScriptTurn
from vivavoce.conversations.transcript import Exchange
from vivavoce.records import Reply, Status
from vivavoce.reports.conversations.wording import headline

BLOCKED = 0.2


async def answer_while_blocked(_session: str, _turn: int, text: str) -> Reply:
    """Answer after a moment in which something else keeps the event loop from working."""
    asyncio.get_running_loop().call_later(0.001, time.sleep, BLOCKED)
    await asyncio.sleep(0.03)
    return Reply((text,), intent="chat")


def held(folder: Path, bot: Talker) -> RunRecord:
    record = begin_run(folder, many(2, 2), [bot.facts], RunOptions())
    asyncio.run(hold_conversations(record, [bot]))
    return record


def test_the_record_holds_how_long_this_machine_was_busy_during_each_reply(tmp_path: Path) -> None:
    with held(tmp_path / "run", Talker(answer_while_blocked)) as record:
        exchanges = [exchange for talk in record.transcripts() for exchange in talk.exchanges]
    assert all(exchange.lag_ms >= BLOCKED * 500 for exchange in exchanges)


def test_response_times_that_are_this_machines_are_called_so_with_a_remedy(tmp_path: Path) -> None:
    with held(tmp_path / "run", Talker(answer_while_blocked)) as record:
        result = score_run(record)
    (delay,) = result.delays
    assert delay.share > 0.5
    assert delay.max_ms >= delay.p95_ms > 0
    (warning,) = [text for text in result.warnings if "delays on this machine" in text]
    assert "run fewer conversations at once" in warning
    assert headline(result).endswith("Response times include delays on this machine.")
    assert conversations_result_from_json(result_to_json(result)).delays == result.delays


def test_nothing_is_said_of_a_bot_that_thinks_on_this_machine(tmp_path: Path) -> None:
    with held(tmp_path / "run", Talker(answer_while_blocked, in_process=True)) as record:
        assert score_run(record).delays == ()


def test_an_old_result_without_delays_is_still_read(tmp_path: Path) -> None:
    with held(tmp_path / "run", Talker()) as record:
        written = result_to_json(score_run(record), turns=True)
    for key in ("unchecked", "client_delays"):
        del written[key]
    for turn in written["turns"]:
        del turn["gap"], turn["lag_ms"]
    assert conversations_result_from_json(written).delays == ()


def test_a_time_that_only_a_busy_machine_made_long_is_not_held_against_the_bot() -> None:
    bot = Talker().facts
    turn = ScriptTurn(1, "t1", "hello", Expectation(intents=("chat",), within_ms=100))
    late = Exchange(1, "hello", Status.OK, Reply(("hi",), intent="chat"), first_ms=150.0, lag_ms=100.0)
    material = plan(script("one", "hello"))
    assert judge(turn, late, bot, material).outcome == "right"
    assert judge(turn, replace(late, lag_ms=10.0), bot, material).outcome == "wrong_reply"
