"""Conversations in units: one talk at a time gives the same findings as a whole run, whoever holds which."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from typing import Any

import pytest

from pictures import undrawn
from vivavoce import demo
from vivavoce.bots import Bot, Limits, Reply, ScriptedBot, load_entries
from vivavoce.bots.asking import Pace, Pacing
from vivavoce.conversations import Plan, RunOptions, examine_conversations, expand, read_suite, result_to_json
from vivavoce.conversations.scenario import Expectation, OnMismatch, Script, ScriptTurn
from vivavoce.conversations.transcript import Exchange
from vivavoce.errors import BotError, DataError, UsageError, WorkError
from vivavoce.jobs.exams.conversation_run import (
    Material,
    RunBots,
    conversation_material,
    open_bots,
    read_conversation,
    read_material,
)
from vivavoce.jobs.exams.conversations import Conversations, TurnLine, bots_as_met, is_held, lines_of, run_options
from vivavoce.jobs.exams.protocol import Conclusion, Document, Failure, Finished, Work
from vivavoce.messages import add_messages
from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Action, Status

pytestmark = pytest.mark.slow

EXAM = Conversations()
Entries = Sequence[tuple[str, dict[str, object]]]
# They answer, so nothing is tried again; the second one names no topic.
BOTS: Entries = (
    ("rules", {"kind": "keywords", "agent": "flight"}),
    ("parrot", {"kind": "scripted:echo", "limits": {"at_once": 4, "retries": 0}}),
)


def made(plan: Plan, bots: Entries, options: RunOptions | None = None, agent: str | None = None) -> bytes:
    loaded = load_entries(dict(bots), agent=agent)
    return conversation_material(plan, bots, [bot.facts for bot in loaded], options or RunOptions(), agent, run="r")


def talk(name: str, *texts: str, on_mismatch: OnMismatch = OnMismatch.CONTINUE, intent: str = "chat") -> Script:
    expect = Expectation(intents=(intent,))
    turns = tuple(ScriptTurn(n, f"t{n}", text, expect) for n, text in enumerate(texts, 1))
    return Script(name, name, f"About {name}", "test", "basic", turns, on_mismatch=on_mismatch, version=name)


def small(*scripts: Script) -> Plan:
    return Plan("small", "en", scripts or (talk("one", "hello", "bye"), talk("two", "hello")), hash="0" * 16)


def work(material: bytes, key: str) -> Work:
    return Work(EXAM.name, "run", material, {}, key)


@asynccontextmanager
async def room_of(material: bytes, bots: Sequence[Bot] = (), **more: Any) -> AsyncIterator[RunBots]:
    told = read_material(material)
    room = (
        RunBots(told, {"": {bot.facts.name: bot for bot in bots}}, **more) if bots else RunBots.open(material, **more)
    )
    try:
        yield room
    finally:
        await room.close()


def held(material: bytes, bots: Sequence[Bot] = ()) -> Finished:
    """Hold every talk of a run, one after another."""

    async def all_of_them() -> dict[str, bytes]:
        async with room_of(material, bots) as room:
            return {unit.key: await room.hold(unit.key) for unit in EXAM.plan(material, {})}

    return Finished(asyncio.run(all_of_them()))


def concluded(material: bytes, finished: Finished) -> Conclusion:
    return EXAM.conclude(material, {}, finished)


def named(conclusion: Conclusion, name: str) -> Document:
    return next(document for document in conclusion.documents if document.name == name)


def without_times(plain: Any) -> Any:
    """Leave out what differs from run to run: its name, and what a clock measured."""
    if isinstance(plain, dict):
        left = ("run", "response_time_ms", "client_delays")
        return {key: without_times(value) for key, value in plain.items() if key not in left}
    if isinstance(plain, list):
        return [without_times(value) for value in plain if "delays on this machine" not in str(value)]
    return plain


# --- the same as a whole run -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def flights() -> tuple[bytes, Finished]:
    suite = read_suite(demo.suite_path("flight"))
    material = made(expand(suite, levels=("basic",)), BOTS, agent="flight")
    return material, held(material)


@pytest.fixture(scope="module")
def conclusion(flights: tuple[bytes, Finished]) -> Conclusion:
    return concluded(*flights)


def test_findings_equal_those_of_a_run_in_one_piece(conclusion: Conclusion) -> None:
    whole = examine_conversations(
        demo.suite_path("flight"),
        list(load_entries(dict(BOTS), agent="flight")),
        levels=("basic",),
    )
    told = json.loads(named(conclusion, "findings.json").content)
    assert without_times(told) == without_times(json.loads(json.dumps(add_messages(result_to_json(whole)))))
    assert told["run"] == "r"


def test_the_same_results_give_the_same_conclusion_in_whatever_order_they_come(
    flights: tuple[bytes, Finished], conclusion: Conclusion
) -> None:
    material, finished = flights
    turned = Finished(dict(reversed(list(finished.results.items()))))
    assert concluded(material, turned) == conclusion


def test_a_conclusion_holds_numbers_of_each_bot_and_documents(conclusion: Conclusion) -> None:
    by_name = {(one.scope, one.name): one.rate for one in conclusion.measures}
    assert by_name["rules", "accuracy"].value == pytest.approx(
        json.loads(named(conclusion, "findings.json").content)["cells"][0]["accuracy"]["value"]
    )
    for bot in ("rules", "parrot"):
        middle, most = by_name[bot, "response_time_p50"], by_name[bot, "response_time_p95"]
        assert middle.value is not None
        assert most.value is not None
        assert 0 < middle.value <= most.value
        assert (middle.low, middle.high) == (None, None)
    assert "rules" in conclusion.headline
    charts = [f"charts/{name}.{ending}" for name in ("levels", "outcomes", "times") for ending in ("json", "svg")]
    assert [one.name for one in conclusion.documents] == ["findings.json", "report.html", *charts]
    assert json.loads(named(conclusion, "charts/levels.json").content)["$schema"]
    assert named(conclusion, "charts/times.svg").content.startswith(b"<svg")
    assert conclusion.headline in named(conclusion, "report.html").content.decode()


def test_findings_are_written_in_the_one_canonical_form(conclusion: Conclusion) -> None:
    content = named(conclusion, "findings.json").content
    assert content == json.dumps(json.loads(content), sort_keys=True, separators=(",", ":")).encode()


def test_every_turn_has_a_line_and_the_lines_are_those_that_are_counted(
    flights: tuple[bytes, Finished], conclusion: Conclusion
) -> None:
    material, finished = flights
    bots = bots_as_met(material, finished)
    lines = [line for key, result in finished.results.items() for line in lines_of(material, key, result, bots=bots)]
    told = read_material(material).header
    assert len(lines) == sum(len(script.turns) for script in told.plan.scripts) * len(told.bots)
    cells = json.loads(named(conclusion, "findings.json").content)["cells"]
    for cell in (one for one in cells if one["domain"] is None and one["level"] is None):
        own = [line.outcome for line in lines if line.bot == cell["bot"]]
        assert {name: own.count(name) for name in cell["outcomes"]} == cell["outcomes"]


# --- units -------------------------------------------------------------------------------------------------------


def test_there_is_a_unit_for_each_talk_and_bots_go_side_by_side() -> None:
    material = made(small(), [*BOTS[1:], ("other", {"kind": "scripted"})], RunOptions(repeats=2))
    units = EXAM.plan(material, {})
    assert {unit.key for unit in units} == set(read_material(material).conversations)
    assert len(units) == 2 * 2 * 2
    # The same talk with each bot, before the next talk begins.
    assert all({one.bot for one in units[at : at + 2]} == {"parrot", "other"} for at in range(0, 8, 2))
    assert all(len({one.key.partition("/")[2] for one in units[at : at + 2]}) == 1 for at in range(0, 8, 2))
    assert units == EXAM.plan(material, {})
    assert {unit.title for unit in units if unit.key == "parrot/one/1"} == {"parrot: About one, 2 of 2"}


def test_bots_that_think_here_come_before_those_that_are_timed(flights: tuple[bytes, Finished]) -> None:
    units = EXAM.plan(flights[0], {})
    assert [unit.phase for unit in units] == sorted(unit.phase for unit in units)
    assert {(unit.bot, unit.phase % 2) for unit in units} == {("rules", 0), ("parrot", 1)}


def test_no_bot_is_more_than_a_wave_ahead_of_the_others(flights: tuple[bytes, Finished]) -> None:
    units = EXAM.plan(flights[0], {})
    waves = {bot: [unit.phase // 2 for unit in units if unit.bot == bot] for bot in ("rules", "parrot")}
    assert waves["rules"] == waves["parrot"]
    assert waves["rules"][:13] == [0] * 4 + [1] * 8 + [2]


def test_a_talk_is_not_for_an_executor() -> None:
    material = made(small(), BOTS[1:])
    with pytest.raises(UsageError, match="hold_talk"):
        EXAM.perform(work(material, "parrot/one/0"))


def test_a_key_of_another_run_is_refused_with_the_nearest_one() -> None:
    material = made(small(), BOTS[1:])
    with pytest.raises(DataError, match="Did you mean 'parrot/one/0'"):
        concluded(material, Finished({"parrot/onne/0": b"{}"}))


def test_material_is_what_it_was_written_from() -> None:
    options = RunOptions(repeats=3, per_second=2.5, max_messages=9, seed=4)
    material = read_material(made(small(), BOTS, options, "flight"))
    assert isinstance(material, Material)
    assert (material.header.repeats, material.header.seed, material.header.options["max_messages"]) == (3, 4, 9)
    assert material.header.plan == small()
    assert [bot.limits.per_second for bot in material.header.bots] == [2.5, 2.5]
    assert (list(material.entries.items()), material.agent) == (list(BOTS), "flight")


def test_a_run_is_named_anew_unless_it_has_a_name() -> None:
    facts = [ScriptedBot(name="a").facts]
    first, second = (conversation_material(small(), [("a", {})], facts, RunOptions()) for _ in range(2))
    assert read_material(first).header.run != read_material(second).header.run


def test_facts_of_other_bots_and_keys_that_run_together_are_refused() -> None:
    with pytest.raises(UsageError, match="order of their entries"):
        conversation_material(small(), [("a", {})], [ScriptedBot(name="b").facts], RunOptions())
    bots: Entries = (("a", {"kind": "scripted"}), ("a/b", {"kind": "scripted"}))
    with pytest.raises(UsageError, match="same key"):
        made(small(talk("b/c", "hello"), talk("c", "hello")), bots)


def test_bytes_that_hold_no_run_are_refused() -> None:
    for content in (b"", b"[]", b"{}", b'{"header": {}}'):
        with pytest.raises(DataError, match="no run of conversations"):
            read_material(content)


def test_a_bot_that_has_become_another_is_refused() -> None:
    plan, then = small(), ScriptedBot(name="parrot")
    material = conversation_material(plan, BOTS[1:], [then.facts], RunOptions())
    with pytest.raises(UsageError, match="changed since the run started: parrot"):
        open_bots(material)


# --- options -----------------------------------------------------------------------------------------------------


def test_options_become_those_of_a_run() -> None:
    assert run_options(EXAM.check({})) == RunOptions()
    said = {"repeats": 3, "timeout_s": 2, "retries": 0, "seed": 7}
    assert run_options(EXAM.check(said)) == RunOptions(repeats=3, timeout_s=2.0, retries=0, seed=7)


def test_wrong_options_are_told_all_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        EXAM.check({"repeat": 2, "concurrency": 0, "timeout_s": True, "retries": 1.5, "per_second": float("nan")})
    told = [str(fault) for fault in caught.value.faults]
    assert "Did you mean 'repeats'" in told[0]
    assert [name in "".join(told) for name in ("concurrency", "timeout_s", "retries", "per_second")] == [True] * 4


# --- one talk ----------------------------------------------------------------------------------------------------


def test_each_exchange_is_told_before_the_next_message_is_sent() -> None:
    bot = ScriptedBot(name="parrot", default=lambda text: text)
    material = conversation_material(small(), BOTS[1:], [bot.facts], RunOptions())
    seen: list[tuple[int, int]] = []

    def told(exchange: Exchange) -> None:
        seen.append((exchange.number, sum(len(said) for said in bot.said.values())))

    async def one() -> bytes:
        return await EXAM.hold_talk(work(material, "parrot/one/0"), bot, Pace(bot.facts.limits), told)

    result = asyncio.run(one())
    assert seen == [(1, 1), (2, 2)]
    transcript = read_conversation(read_material(material), "parrot/one/0", result)
    assert [exchange.reply for exchange in transcript.exchanges] == [Reply(("hello",)), Reply(("bye",))]
    assert is_held(result)


def test_a_talk_that_is_held_again_has_a_session_of_its_own() -> None:
    bot = ScriptedBot(name="parrot")
    material = conversation_material(small(), BOTS[1:], [bot.facts], RunOptions(), run="r")

    async def twice() -> None:
        async with room_of(material, [bot]) as room:
            for attempt in (1, 2):
                await room.hold("parrot/one/0", attempt=attempt)

    asyncio.run(twice())
    assert [len(texts) for texts in bot.said.values()] == [2, 2]


def test_a_talk_that_fails_is_a_result_that_says_so() -> None:
    bots: Entries = (("dead", {"kind": "scripted:failing=refused", "limits": {"retries": 0}}),)
    material = made(small(), bots)
    finished = held(material)
    assert not any(is_held(result) for result in finished.results.values())
    first, second = lines_of(material, "dead/one/0", finished.results["dead/one/0"])
    assert (first.outcome, first.status, first.attempts) == (TurnOutcome.ERROR, Status.REFUSED, 1)
    assert "simulated failure" in first.reasons[0]
    assert (second.outcome, second.status, second.attempts) == (TurnOutcome.NOT_REACHED, Status.NOT_REACHED, 0)
    assert (second.sent, second.reply) == ("bye", "")
    with undrawn():
        conclusion = concluded(material, finished)
    assert conclusion.headline.startswith("Nothing could be counted")
    assert "dead: 2 conversations not completed; resume the run to complete them." in conclusion.warnings
    assert [one.name for one in conclusion.documents] == ["findings.json", "report.html"]


def test_units_without_a_result_are_counted_with_their_reason() -> None:
    material = made(small(), BOTS[1:])
    results = dict(held(material).results)
    del results["parrot/two/0"]
    failure = Failure("parrot/two/0", "parrot/two/0: the worker was ended\nWhat to do: try again")
    with undrawn():
        warnings = concluded(material, Finished(results, (failure,))).warnings
    assert "parrot: 1 conversation not run yet; resume the run to complete it." in warnings
    assert "parrot: 1 conversation not run: the worker was ended" in warnings


def test_a_slow_bot_runs_out_of_time_and_is_tried_as_often_as_its_limits_say() -> None:
    bots: Entries = (("slow", {"kind": "scripted", "delay_s": 5, "limits": {"timeout_s": 0.02}}),)
    material = made(small(talk("one", "hello")), bots)
    [line] = lines_of(material, "slow/one/0", held(material).results["slow/one/0"])
    assert (line.status, line.first_ms) == (Status.TIMEOUT, None)
    busy: Entries = (("busy", {"kind": "scripted:rate-limited=1", "limits": {"retries": 2}}),)
    material = made(small(talk("one", "hello")), busy)
    [line] = lines_of(material, "busy/one/0", held(material).results["busy/one/0"])
    assert (line.status, line.attempts, line.reply) == (Status.OK, 2, "Hello.")


def test_what_a_database_would_refuse_is_made_fit_for_it() -> None:
    bot = ScriptedBot(name="odd", default=Reply(("a\x00b\ud83d",), intent="\ud83d"))
    material = conversation_material(small(talk("one", "hello")), [("odd", {})], [bot.facts], RunOptions())
    [line] = lines_of(material, "odd/one/0", held(material, [bot]).results["odd/one/0"])
    assert line.reply == "a\ufffdb\\ud83d"
    json.dumps(asdict(line), ensure_ascii=False).encode("utf-8")


def test_a_topic_named_once_is_judged_in_all_talks() -> None:
    replies = {"hello": Reply(("hi",), intent="chat")}
    bot = ScriptedBot(replies, Reply(("so long",)), name="shy")
    plan = small(talk("one", "hello"), talk("two", "bye"))
    material = conversation_material(plan, [("shy", {})], [bot.facts], RunOptions())
    finished = held(material, [bot])

    def outcome(**more: Any) -> list[str]:
        return [line.outcome for line in lines_of(material, "shy/two/0", finished.results["shy/two/0"], **more)]

    bots = bots_as_met(material, finished)
    assert [bot.reports_intent for bot in bots] == [True]
    assert outcome() == [TurnOutcome.UNCHECKED]
    assert outcome(bots=bots) == [TurnOutcome.MISSED]


def test_an_action_named_once_is_judged_in_all_talks() -> None:
    bot = ScriptedBot({"hello": Reply(actions=(Action("greet"),))}, Reply(("so long",)), name="shy")
    expect = Expectation(action="greet")
    scripts = [
        replace(script, turns=tuple(replace(turn, expect=expect) for turn in script.turns))
        for script in (talk("one", "hello"), talk("two", "bye"))
    ]
    material = conversation_material(small(*scripts), [("shy", {})], [bot.facts], RunOptions())
    finished = held(material, [bot])
    bots = bots_as_met(material, finished)
    results = finished.results.items()
    outcomes = [line.outcome for key, result in results for line in lines_of(material, key, result, bots=bots)]
    assert sorted(outcomes) == [TurnOutcome.RIGHT, TurnOutcome.WRONG_REPLY]


# --- the room ----------------------------------------------------------------------------------------------------


class Counted:
    """A pace that counts, as one over several processes would."""

    def __init__(self) -> None:
        self.turned_away: float | None = None
        self.entered: list[bool] = []
        self.succeeded = 0

    @asynccontextmanager
    async def turn(self, *, message: bool = True) -> AsyncIterator[None]:
        self.entered.append(message)
        yield

    def slow_down(self, seconds: float) -> None:
        raise AssertionError("nobody asked for less")

    def succeed(self) -> None:
        self.succeeded += 1


def test_a_pace_from_outside_lets_every_message_through() -> None:
    material = made(small(), BOTS[1:])
    asked: list[tuple[str, Limits]] = []
    pace = Counted()

    def pace_of(bot: str, limits: Limits) -> Pacing:
        asked.append((bot, limits))
        return pace

    async def one() -> None:
        async with room_of(material, pace_of=pace_of) as room:
            await room.hold("parrot/one/0")

    asyncio.run(one())
    assert asked == [("parrot", Limits(at_once=4, retries=0))]
    assert pace.entered == [False, True, True]
    assert pace.succeeded == 3


def test_talks_of_a_room_share_the_limits_of_their_bot() -> None:
    most = 0
    inside = 0

    class Watched(ScriptedBot):
        async def open(self, session: str) -> Any:
            talk = await super().open(session)
            say = talk.say

            async def watched(text: str) -> Reply:
                nonlocal most, inside
                inside += 1
                most = max(most, inside)
                try:
                    await asyncio.sleep(0.002)
                    return await say(text)
                finally:
                    inside -= 1

            talk.say = watched  # type: ignore[method-assign]
            return talk

    bot = Watched(name="parrot")
    plan = small(*(talk(f"t{n}", "hello", "again") for n in range(6)))
    material = conversation_material(plan, BOTS[1:], [bot.facts], RunOptions(concurrency=2))

    async def at_once() -> None:
        async with room_of(material, [bot]) as room:
            await asyncio.gather(*(room.hold(unit.key) for unit in EXAM.plan(material, {})))

    asyncio.run(at_once())
    assert most == 2


def test_a_bot_that_never_answers_is_left_alone_in_this_room() -> None:
    bots: Entries = (("dead", {"kind": "scripted:failing=refused", "limits": {"retries": 0}}),)
    plan = small(*(talk(f"t{n}", "hello") for n in range(4)))
    material = made(plan, bots, RunOptions(give_up_after=2))
    bot = next(iter(open_bots(material)[""].values()))

    async def all_of_them() -> list[bytes | BaseException]:
        found: list[bytes | BaseException] = []
        async with room_of(material, [bot]) as room:
            for unit in EXAM.plan(material, {}):
                found += await asyncio.gather(room.hold(unit.key), return_exceptions=True)
        return found

    found = asyncio.run(all_of_them())
    assert [type(one) for one in found] == [bytes, bytes, WorkError, WorkError]
    assert "2 conversations in a row without any answer" in str(found[2])


def test_no_talk_begins_that_would_go_beyond_the_cap_of_messages() -> None:
    bot = ScriptedBot(name="parrot")
    material = conversation_material(small(), BOTS[1:], [bot.facts], RunOptions(max_messages=2))

    async def both() -> None:
        async with room_of(material, [bot]) as room:
            await room.hold("parrot/one/0")
            with pytest.raises(WorkError, match="limit of 2 messages reached"):
                await room.hold("parrot/two/0")

    asyncio.run(both())
    assert sum(len(said) for said in bot.said.values()) == 2


def test_a_talk_that_is_cancelled_gives_its_messages_back() -> None:
    bot = ScriptedBot(name="parrot", delay_s=5)
    material = conversation_material(small(), BOTS[1:], [bot.facts], RunOptions(max_messages=3))

    async def cancelled() -> None:
        async with room_of(material, [bot]) as room:
            task = asyncio.create_task(room.hold("parrot/one/0"))
            while not any(bot.said.values()):
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            # One of two messages was sent: two of three are left.
            assert room._allowance.left == 2

    asyncio.run(cancelled())


def test_a_room_notes_how_long_this_machine_was_busy_during_a_reply() -> None:
    class Blocked(ScriptedBot):
        async def open(self, session: str) -> Any:
            asyncio.get_running_loop().call_later(0.03, time.sleep, 0.2)
            return await super().open(session)

    bot = Blocked(name="parrot", delay_s=0.1)
    material = conversation_material(small(), BOTS[1:], [bot.facts], RunOptions())

    async def hold() -> bytes:
        async with room_of(material, [bot]) as room:
            return await room.hold("parrot/one/0")

    first, *_ = read_conversation(read_material(material), "parrot/one/0", asyncio.run(hold())).exchanges
    assert first.lag_ms > 50


def test_closing_a_room_closes_its_bots() -> None:
    closed: list[str] = []

    class Closing(ScriptedBot):
        async def close(self) -> None:
            closed.append(self.facts.name)
            raise BotError("it will not let go")

    bot = Closing(name="parrot")
    material = conversation_material(small(), BOTS[1:], [bot.facts], RunOptions())

    async def once() -> None:
        async with room_of(material, [bot]):
            pass

    asyncio.run(once())
    assert closed == ["parrot"]


def test_a_line_tells_what_was_said_and_how_it_was_judged() -> None:
    bot = ScriptedBot({"hello": Reply(("hi", "there"), "chat", 0.75)}, name="parrot", reports_intent=True)
    plan = small(talk("one", "hello"))
    material = conversation_material(plan, BOTS[1:], [bot.facts], RunOptions())
    [line] = lines_of(material, "parrot/one/0", held(material, [bot]).results["parrot/one/0"])
    assert isinstance(line, TurnLine)
    assert (line.sent, line.reply, line.outcome) == ("hello", "hi\nthere", TurnOutcome.RIGHT)
    assert (line.expected, line.intent, line.confidence) == (("chat",), "chat", 0.75)
    assert (line.scenario, line.domain, line.level, line.kind) == ("one", "test", "basic", "clean")
    assert (line.number, line.repeat, line.in_scope, line.fallback) == (1, 0, True, False)
