"""Bots that misbehave over real HTTP: the run ends, each has its own status, and none of it is a wrong answer."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from talkers import plan, script

from vivavoce import retries
from vivavoce.bots import Bot, Limits, load_bots
from vivavoce.bots import fakes as fake_bots
from vivavoce.bots.fakes import FakeServer, Received, misbehaving_server
from vivavoce.conversations.exam import score_run
from vivavoce.conversations.result import ConversationsResult
from vivavoce.conversations.running.record import RunRecord
from vivavoce.conversations.running.runner import RunEnd, RunOptions, begin_run, hold_conversations
from vivavoce.conversations.scenario import Expectation, Match, Pattern, Plan, Script
from vivavoce.conversations.transcript import State, Transcript
from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Status

pytestmark = pytest.mark.slow

FINE = "fine"
TALKS, TURNS = 3, 2
ERRORS = {
    "html": Status.NOT_JSON,
    "not_json": Status.NOT_JSON,
    "500": Status.SERVER_ERROR,
    "404": Status.REFUSED,
    "redirect": Status.UNREACHABLE,
    "close": Status.CLOSED,
    "huge": Status.TOO_LARGE,
    "endless": Status.TOO_LARGE,
    "invalid_utf8": Status.BAD_ENCODING,
    "unexpected": Status.UNEXPECTED,
    "half": Status.CLOSED,
}
SILENT = {"hang": Status.TIMEOUT, "trickle": Status.TIMEOUT, "empty": Status.EMPTY}


async def trickle(_fake: FakeServer, _request: Received, write: fake_bots.Write) -> None:
    """Begin an answer, then go on so slowly that it never ends."""
    await write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
    while True:
        await write(b" ")
        await asyncio.sleep(0.02)


async def half(_fake: FakeServer, _request: Received, write: fake_bots.Write) -> None:
    """Leave in the middle of an answer."""
    await write(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"reply": "hel')
    raise ConnectionResetError


async def overloaded(_fake: FakeServer, _request: Received, write: fake_bots.Write) -> None:
    """Ask for fewer messages without saying for how long."""
    await write(b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n")


async def tired(fake: FakeServer, request: Received, write: fake_bots.Write) -> None:
    """Answer the first message of a talk and fail at the second."""
    await fake_bots.BEHAVIOURS["500" if request.json["text"].endswith("/1") else "ok"](fake, request, write)


@pytest.fixture(autouse=True)
def more_behaviours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add ways to misbehave, and wait little before trying again."""
    for behave in (trickle, half, overloaded, tired):
        monkeypatch.setitem(fake_bots.BEHAVIOURS, behave.__name__, behave)
    monkeypatch.setattr(retries, "FIRST_WAIT_S", 0.001)


def echoing(name: str, *texts: str) -> Script:
    """Return a script of which every turn expects the echo of the fake bot."""
    made, said = script(name, *texts), Expectation(any=(Pattern("You said", Match.CONTAINS),))
    return replace(made, turns=tuple(replace(turn, expect=said) for turn in made.turns))


def talks(count: int = TALKS) -> Plan:
    return plan(*(echoing(f"talk-{n}", *(f"{n}/{t}" for t in range(TURNS))) for n in range(count)))


class Ended:
    """A run that has ended: what is in its record, and what is found in it."""

    def __init__(self, end: RunEnd, record: RunRecord, server: FakeServer) -> None:
        self.end, self.server = end, server
        self.held: tuple[Transcript, ...] = tuple(record.transcripts())
        self.result: ConversationsResult = score_run(record)

    def of(self, bot: str) -> list[Transcript]:
        return [talk for talk in self.held if talk.key.bot == bot]

    def statuses(self, bot: str) -> set[Status]:
        return {exchange.status for talk in self.of(bot) for exchange in talk.exchanges}

    def outcomes(self, bot: str) -> set[TurnOutcome]:
        return {line.verdict.outcome for line in self.result.lines if line.key.bot == bot}

    def heard(self, path: str) -> int:
        return sum(request.path.endswith(path) for request in self.server.requests)


def run(
    folder: Path, *names: str, what: Plan | None = None, server: Mapping[str, object] | None = None, **options: object
) -> Ended:
    """Talk to a fine bot and to those that misbehave as their names say, all at the same time."""

    async def held() -> Ended:
        async with misbehaving_server(**(server or {})) as fake:  # type: ignore[arg-type]
            bots: list[Bot] = load_bots([f"{name}=http:{fake.url}/{name}" for name in names])
            bots += load_bots([f"{FINE}=http:{fake.url}/ok"])
            chosen = RunOptions(**{"timeout_s": 10.0, "retries": 0, **options})  # type: ignore[arg-type]
            with begin_run(folder / "run", what or talks(), [bot.facts for bot in bots], chosen) as record:
                end = await hold_conversations(record, bots)
                return Ended(end, record, fake)

    return asyncio.run(held())


def assert_fine(ended: Ended, count: int = TALKS) -> None:
    """The well-behaved bot of the same run does not notice anything."""
    assert [talk.state for talk in ended.of(FINE)] == [State.DONE] * count
    assert ended.outcomes(FINE) == {TurnOutcome.RIGHT}
    accuracy = ended.result.cell(FINE).rates["accuracy"]
    assert (accuracy.value, accuracy.n) == (1.0, count * TURNS)


# Every way to fail


def test_every_error_has_its_status_and_none_is_a_wrong_answer(tmp_path: Path) -> None:
    ended = run(tmp_path, *ERRORS)
    assert {name: ended.statuses(name) for name in ERRORS} == {name: {status} for name, status in ERRORS.items()}
    for name in ERRORS:
        assert [talk.state for talk in ended.of(name)] == [State.ERRORED] * TALKS
        assert ended.outcomes(name) == {TurnOutcome.ERROR, TurnOutcome.NOT_REACHED}
        cell = ended.result.cell(name)
        assert (cell.rates["accuracy"].value, cell.rates["accuracy"].n) == (None, 0)
        assert cell.rates["wrong_answer_rate"].n == 0
        assert (cell.counts.error, cell.counts.not_reached) == (TALKS, TALKS * (TURNS - 1))
        assert cell.incomplete
    assert_fine(ended)
    assert ended.end == RunEnd(done=TALKS, errored=TALKS * len(ERRORS), left=0)


def test_what_was_right_before_an_error_still_counts_and_nothing_else_does(tmp_path: Path) -> None:
    ended = run(tmp_path, "tired")
    cell = ended.result.cell("tired")
    assert (cell.rates["accuracy"].value, cell.rates["accuracy"].n) == (1.0, TALKS)
    assert (cell.counts.right, cell.counts.error) == (TALKS, TALKS)
    assert cell.rates["conversations_passed"].n == 0
    assert_fine(ended)


def test_silence_is_no_reply_and_the_talk_goes_on(tmp_path: Path) -> None:
    ended = run(tmp_path, *SILENT, timeout_s=2.0)
    assert {name: ended.statuses(name) for name in SILENT} == {name: {status} for name, status in SILENT.items()}
    for name in SILENT:
        assert [len(talk.exchanges) for talk in ended.of(name)] == [TURNS] * TALKS
        assert ended.outcomes(name) == {TurnOutcome.NO_REPLY}
        assert ended.result.cell(name).rates["wrong_answer_rate"].value == 0
        assert ended.result.cell(name).times.turns == 0
    assert_fine(ended)
    assert ended.end.complete


def test_a_bot_that_is_not_there_is_an_error_and_is_given_up(tmp_path: Path) -> None:
    with socket.socket() as taken:
        # Bound but not listening: nobody else gets the port, and nobody answers there.
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]

        async def held() -> tuple[RunEnd, list[Transcript], ConversationsResult]:
            async with misbehaving_server() as fake:
                bots = load_bots([f"gone=http:http://127.0.0.1:{port}/", f"{FINE}=http:{fake.url}"])
                options = RunOptions(retries=0, concurrency=1, give_up_after=4)
                with begin_run(tmp_path / "run", talks(12), [bot.facts for bot in bots], options) as record:
                    end = await hold_conversations(record, bots)
                    return end, list(record.transcripts()), score_run(record)

        end, held_talks, result = asyncio.run(held())
    gone = [talk for talk in held_talks if talk.key.bot == "gone"]
    assert {exchange.status for talk in gone for exchange in talk.exchanges} == {Status.UNREACHABLE}
    assert (end.done, end.errored, end.left) == (12, 4, 8)
    assert end.reasons == ("gone: 4 conversations in a row without any answer",)
    assert result.cell("gone").rates["accuracy"].n == 0
    assert result.cell(FINE).rates["accuracy"].value == 1.0


# Too many messages


@pytest.mark.parametrize("retry_after", ["0", "0.05", ""])
def test_a_bot_that_recovers_from_too_many_messages_is_right_with_its_tries_counted(
    tmp_path: Path, retry_after: str
) -> None:
    ended = run(tmp_path, "429", server={"times": 2, "retry_after": retry_after}, retries=2)
    assert [talk.state for talk in ended.of("429")] == [State.DONE] * TALKS
    assert [[exchange.attempts for exchange in talk.exchanges] for talk in ended.of("429")] == [[3, 1]] * TALKS
    assert ended.outcomes("429") == {TurnOutcome.RIGHT}
    assert ended.result.cell("429").times.retried == TALKS
    assert_fine(ended)


@pytest.mark.parametrize("name", ["429", "overloaded"])
def test_a_bot_that_never_recovers_is_rate_limited_not_wrong(tmp_path: Path, name: str) -> None:
    ended = run(tmp_path, name, server={"times": 10**6}, retries=2)
    assert ended.statuses(name) == {Status.RATE_LIMITED}
    assert {exchange.attempts for talk in ended.of(name) for exchange in talk.exchanges} == {3}
    assert ended.outcomes(name) == {TurnOutcome.ERROR, TurnOutcome.NOT_REACHED}
    assert ended.heard(name) == 3 * TALKS
    assert_fine(ended)


def test_a_bot_that_asks_for_an_hour_is_not_asked_again(tmp_path: Path) -> None:
    ended = run(
        tmp_path, "429", what=talks(20), server={"times": 10**6, "retry_after": "3600"}, retries=2, concurrency=2
    )
    assert ended.heard("429") <= 3
    assert ended.end.reasons == ("429 asked to wait 3,600 seconds (429)",)
    assert_fine(ended, 20)


# Trying again


@pytest.mark.parametrize(("name", "tries"), [("500", 3), ("close", 3), ("html", 1), ("404", 1)])
def test_only_what_may_pass_is_tried_again(tmp_path: Path, name: str, tries: int) -> None:
    ended = run(tmp_path, name, retries=2)
    assert ended.heard(name) == tries * TALKS
    assert {exchange.attempts for talk in ended.of(name) for exchange in talk.exchanges} == {tries}


def test_tries_count_as_messages_so_a_cap_is_never_passed(tmp_path: Path) -> None:
    ended = run(tmp_path, "500", what=talks(10), retries=5, max_messages=17, concurrency=3)
    assert len(ended.server.requests) <= 17
    assert "the limit of 17 messages was reached" in ended.end.reasons
    assert not ended.end.complete


# Many at once


def test_the_run_says_how_many_talk_at_once_not_the_connections(tmp_path: Path) -> None:
    ended = run(tmp_path, "slow", what=talks(60), server={"seconds": 0.4}, concurrency=60)
    assert ended.server.most_at_once > Limits().at_once
    assert ended.end.complete


def test_what_a_misbehaving_bot_did_is_told_in_the_record(tmp_path: Path) -> None:
    ended = run(tmp_path, "html", "404", "huge")
    told = {name: ended.of(name)[0].exchanges[0].error for name in ("html", "404", "huge")}
    assert "Please sign in" in told["html"]
    assert "no such bot" in told["404"]
    assert "2,000,000 bytes" in told["huge"]
    assert all("not completed" in failure for failure in ended.result.failures)
    assert {failure.split(":")[0] for failure in ended.result.failures} == {"html", "404", "huge"}
