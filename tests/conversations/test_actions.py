"""Tool calls and other actions: read from what a bot sends, judged where expected, never dropped in silence."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from vivavoce.bots import load_bots, load_entries
from vivavoce.bots.fakes import misbehaving_server
from vivavoce.bots.protocol import BotFacts, Nature
from vivavoce.bots.shapes import ReplyReader, read_reply
from vivavoce.cli.app import app
from vivavoce.codec import from_json
from vivavoce.conversations import RunOptions, RunRecord, check_suite, examine_conversations, read_suite, write_suite
from vivavoce.conversations.exam import score_run
from vivavoce.conversations.json_form import conversations_result_from_json, result_to_json
from vivavoce.conversations.judging.judge import judge
from vivavoce.conversations.record_form import exchange_from_text, exchange_to_text, to_json
from vivavoce.conversations.result import Verdict
from vivavoce.conversations.running.runner import begin_run, hold_conversations
from vivavoce.conversations.scenario import Expectation, ExpectedAction, Pattern, Plan, ScriptTurn
from vivavoce.conversations.scenarios.expansion import expand
from vivavoce.conversations.transcript import Exchange
from vivavoce.records import Action, Reply, Status
from vivavoce.reports.conversations.wording import headline

ACTS = BotFacts("acts", reports_actions=True)
TALKS = BotFacts("talks")
WEATHER = Action("get_weather", {"city": "Rome", "days": 2, "units": {"wind": "kn", "heat": "C"}})
CALLED = Reply(actions=(WEATHER,))
SUITE = """
suite: weather
scenarios:
  - id: rome
    level: basic
    turns:
      - {user: What is the weather in Rome?, expect: {action: get_weather}}
      - {user: And in two days?, expect: {action: {name: get_weather, args: {city: Rome, days: 2}}}}
      - {user: Thanks, expect: {reply: welcome, action: [say_goodbye, {name: log, args: {mood: good}}]}}
"""


def judged(expect: Expectation, reply: Reply = CALLED, bot: BotFacts = ACTS) -> Verdict:
    exchange = Exchange(1, "hello", Status.OK, reply, 1.0, 1.0)
    return judge(ScriptTurn(1, "t1", "hello", expect), exchange, bot, Plan("suite", "en", ()))


def wants(name: str, **args: object) -> Expectation:
    return Expectation(actions=(ExpectedAction(name, args),))


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "weather.yaml"
    path.write_text(SUITE, encoding="utf-8")
    return path


# --- reading -----------------------------------------------------------------------------------------------------


def completion(**message: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "content": None, **message}}]}


def tool(name: str, arguments: str) -> dict[str, Any]:
    return {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}


def ask_model(reply: Any, *messages: str) -> tuple[list[Reply], list[Any]]:
    async def talk() -> tuple[list[Reply], list[Any]]:
        async with misbehaving_server(reply=reply) as fake:
            (bot,) = load_bots([f"llm=openai:m@{fake.url}/v1"])
            opened = await bot.open("s")
            replies = [await opened.say(message) for message in messages]
            await bot.close()
            return replies, [request.json for request in fake.requests]

    return asyncio.run(talk())


@pytest.mark.parametrize(
    ("message", "action"),
    [
        ({"tool_calls": [tool("find", '{"city": "Rome"}')]}, Action("find", {"city": "Rome"})),
        ({"tool_calls": [tool("find", '{"city": ')]}, Action("find", raw='{"city": ')),
        ({"function_call": {"name": "find", "arguments": '{"city": "Rome"}'}}, Action("find", {"city": "Rome"})),
        ({"content": "Let me see.", "tool_calls": [tool("find", "")]}, Action("find")),
    ],
)
def test_a_tool_call_of_a_language_model_is_a_reply_with_an_action(message: dict[str, Any], action: Action) -> None:
    ((reply,), _) = ask_model(completion(**message), "hello")
    assert reply.actions == (action,)
    assert reply.shown


def test_a_tool_call_stays_in_the_talk_and_is_confirmed_as_the_protocol_demands() -> None:
    _, requests = ask_model(completion(tool_calls=[tool("find", "{}")]), "hello", "and now?")
    roles = [(message["role"], message.get("tool_call_id")) for message in requests[1]["messages"]]
    assert roles == [("user", None), ("assistant", None), ("tool", "call_1"), ("user", None)]


@pytest.mark.parametrize(
    "payload",
    [
        {"actions": [{"name": "book", "args": {"to": "Rome"}}]},
        {"reply": "Done", "tool_calls": [{"function": {"name": "book", "arguments": '{"to": "Rome"}'}}]},
        {"text": "", "actions": {"action": "book", "parameters": {"to": "Rome"}}},
        {"text": "", "actions": [{"type": "tool_use", "name": "book", "input": {"to": "Rome"}}]},
    ],
)
def test_actions_are_found_in_the_usual_places(payload: object) -> None:
    assert read_reply(payload).actions == (Action("book", {"to": "Rome"}),)


def test_actions_are_read_by_a_path_and_the_bot_is_known_to_report_them() -> None:
    reader = ReplyReader({"texts": "text", "actions": "tracker.events[?event=='action'].name"})
    payload = {"text": "ok", "tracker": {"events": [{"event": "slot"}, {"event": "action", "name": "utter_hi"}]}}
    assert reader.read(payload).actions == (Action("utter_hi"),)
    (bot,) = load_entries({"b": {"kind": "http", "url": "http://x.example", "reply": {"actions": "a"}}})
    assert bot.facts.reports_actions


def test_actions_survive_the_record() -> None:
    reply = Reply(("Hi",), actions=(WEATHER, Action("odd", raw="{")))
    exchange = Exchange(1, "hello", Status.OK, reply)
    assert exchange_from_text(1, exchange_to_text(exchange)) == exchange


# --- judging -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expect",
    [
        Expectation(action="get_weather"),
        wants("get_weather", city="Rome"),
        wants("Get_Weather", days="2", units={"heat": "C"}),
    ],
)
def test_an_expected_action_that_was_taken_is_right(expect: Expectation) -> None:
    assert judged(expect).outcome == "right"


@pytest.mark.parametrize(
    ("expect", "reason"),
    [
        (Expectation(action="book"), "expected the action book, got"),
        (wants("get_weather", city="Paris"), "expected the action get_weather(city=Paris), got"),
        (wants("get_weather", country="Italy"), "country=Italy"),
        (Expectation(actions=(ExpectedAction("get_weather"), ExpectedAction("log"))), "expected the action log"),
    ],
)
def test_an_expected_action_that_was_not_taken_is_wrong_and_says_why(expect: Expectation, reason: str) -> None:
    verdict = judged(expect)
    assert verdict.outcome == "wrong_reply"
    assert reason in verdict.reasons[0]
    assert judged(expect, Reply(("I cannot.",))).reasons[0].endswith("got none")


def test_a_tool_call_is_not_silence() -> None:
    assert judged(Expectation(answered=True)).outcome == "right"
    assert judged(Expectation(any=(Pattern("sunny"),))).outcome == "wrong_reply"


def test_an_action_that_the_bot_does_not_report_is_said_to_be_unchecked() -> None:
    alone = judged(Expectation(action="book"), Reply(("ok",)), TALKS)
    assert (alone.outcome, alone.gap) == ("unchecked", "actions")
    beside = judged(Expectation(action="book", any=(Pattern("ok"),)), Reply(("ok",)), TALKS)
    assert (beside.outcome, beside.gap) == ("right", "actions")
    assert "actions were not checked" in beside.reasons[0]


# --- suites ------------------------------------------------------------------------------------------------------


def test_actions_are_written_by_name_with_arguments_and_as_a_list(suite: Path, tmp_path: Path) -> None:
    material = read_suite(suite)
    first, second, third = (turn.expect for turn in material.scenarios[0].turns)  # type: ignore[union-attr]
    assert first.action == "get_weather"
    assert second.actions == (ExpectedAction("get_weather", {"city": "Rome", "days": "2"}),)
    assert third.all_actions == (ExpectedAction("say_goodbye"), ExpectedAction("log", {"mood": "good"}))
    write_suite(material, tmp_path / "again.yaml")
    again = read_suite(tmp_path / "again.yaml").scenarios[0].turns
    assert [turn.expect for turn in again] == [first, second, third]  # type: ignore[union-attr]
    plan = expand(material)
    assert from_json(Plan, json.loads(json.dumps(to_json(plan))), what="a plan", remedy="") == plan


def test_check_says_what_cannot_be_checked_with_a_bot(suite: Path) -> None:
    messages = [problem.message for problem in check_suite(read_suite(suite), [TALKS]).warnings]
    assert any(
        "talks does not declare that it reports actions: 2 of 3 turns cannot be checked" in text for text in messages
    )
    assert any(
        "talks does not declare that it reports actions: in 1 turn only the other" in text for text in messages
    )
    assert not [p for p in check_suite(read_suite(suite), [ACTS]).problems if p.kind == "unchecked"]


def test_a_run_says_before_it_starts_what_cannot_be_checked(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(suite.parent)
    ran = CliRunner().invoke(app, ["conversations", "run", str(suite), "--bot", "scripted:echo", "--record", "r"])
    before, _, after = " ".join(ran.output.split()).partition("scripted:echo was right in")
    assert "2 of 3 turns cannot be checked" in before
    assert "2 of 3 turns could not be checked: scripted:echo reports no actions." in after


def test_the_headline_the_result_and_its_json_count_what_could_not_be_checked(suite: Path) -> None:
    result = examine_conversations(suite, ["scripted:echo"])
    (unchecked,) = result.unchecked
    assert (unchecked.gap, unchecked.turns, unchecked.partly, unchecked.of) == ("actions", 2, 1, 3)
    assert "2 of 3 turns could not be checked: scripted:echo reports no actions." in headline(result)
    assert any("1 turn checked only in part" in warning for warning in result.warnings)
    written = result_to_json(result)
    assert written["unchecked"][0] == {"bot": "scripted:echo", "gap": "actions", "turns": 2, "partly": 1, "of": 3}
    assert conversations_result_from_json(json.loads(json.dumps(written))).unchecked == result.unchecked


def test_a_bot_that_named_an_action_once_is_judged_by_its_actions_everywhere(suite: Path, tmp_path: Path) -> None:
    def act(text: str) -> dict[str, object]:
        return {"reply": "You are welcome", "actions": ["get_weather"] if "Rome" in text else []}

    result = examine_conversations(suite, [act], record=tmp_path / "run")
    assert [line.verdict.outcome for line in result.lines] == ["right", "wrong_reply", "wrong_reply"]
    assert result.unchecked == ()
    with RunRecord.open(tmp_path / "run") as record:
        assert score_run(record).unchecked == ()


def test_a_language_model_that_calls_its_tool_is_right_from_end_to_end(suite: Path, tmp_path: Path) -> None:
    async def held(record: RunRecord, names: list[str]) -> None:
        await hold_conversations(record, load_bots(names))

    async def run() -> list[str]:
        reply = completion(content="You are welcome", tool_calls=[tool("get_weather", '{"city": "Rome", "days": 2}')])
        async with misbehaving_server(reply=reply) as fake:
            names = [f"llm=openai:m@{fake.url}/v1"]
            facts = [bot.facts for bot in load_bots(names)]
            with begin_run(tmp_path / "run", expand(read_suite(suite)), facts, RunOptions()) as record:
                await held(record, names)
                return [line.verdict.outcome for line in score_run(record).lines]

    assert asyncio.run(run()) == ["right", "right", "wrong_reply"]


# --- advice ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("nature", [Nature.LANGUAGE_MODEL, Nature.UNKNOWN])
def test_only_bots_with_topics_are_advised_to_change_thresholds_and_training_phrases(nature: Nature) -> None:
    from exams import A, M, O, W, found, line

    lines = [line(W, "w", expected="pay", intent="leave"), line(M, "m", expected="pay"), line(O, "o"), line(A, "a")]
    told = " ".join(problem.remedy for problem in found(lines, BotFacts("bot", nature=nature)).problems)
    assert "threshold" not in told
    assert "training" not in told
    usual = " ".join(problem.remedy for problem in found(lines, BotFacts("bot", nature=Nature.NLU)).problems)
    assert "threshold" in usual
    assert "training examples" in usual
