"""RiveScript: an agent file becomes rules, and the rules talk as the agent does."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.agents import Agent, Flow, State, Topic, read_agent, respond
from vivavoce.agents.agent import Answer
from vivavoce.bots.agent import agent_facts
from vivavoce.bots.contract import check_bot
from vivavoce.bots.protocol import BotContext
from vivavoce.bots.rivescript import RiveScriptBot, from_option, to_rivescript
from vivavoce.errors import UsageError
from vivavoce.records import Guess, Reply

AGENT = Path(__file__).with_name("small_agent.yaml")
TALKS = (
    ("Hi there!", "where is Emma?", "yes", "5 days", "yes", "forget it"),
    ("I'd like to borrow something", "Emma", "2", "that is right", "where do you keep Middlemarch?"),
    ("lend me the whale for 40 days", "7", "yes please"),
    ("can I take Emma home in the south", "3 nights", "hello", "sure"),
)


def bot() -> RiveScriptBot:
    return from_option(str(AGENT), BotContext("rivescript"))


def talk(messages: tuple[str, ...], session: str = "s") -> list[Reply]:
    async def run() -> list[Reply]:
        opened = await bot().open(session)
        replies = [await opened.say(message) for message in messages]
        await opened.close()
        return replies

    return asyncio.run(run())


@pytest.mark.parametrize("messages", TALKS)
def test_the_rules_reply_as_the_flow_of_the_agent_does(messages: tuple[str, ...]) -> None:
    flow, state = Flow.of(read_agent(AGENT), forgiving=False), State()
    for message, reply in zip(messages, talk(messages), strict=True):
        # The offer is taken up by the flow itself, so it must be told what was said and not what that meant.
        told = "affirm" if message.startswith("yes") and state.offer else reply.intent
        state, expected = respond(flow, state, message, (Guess(told, 1.0),))
        assert reply.texts == expected.texts
        assert (reply.intent, reply.fallback, reply.buttons) == (expected.intent, False, expected.buttons)
        assert dict(reply.slots) == dict(expected.slots)


def test_what_matches_no_rule_is_the_fallback() -> None:
    replies = talk(("how is the weather on the moon", "", "???", "5 days"))
    assert [reply.fallback for reply in replies] == [True] * 4
    assert {reply.texts[-1] for reply in replies} == {"Sorry, I did not understand that. Ask me about books."}
    assert {reply.intent for reply in replies} == {None}


def test_no_misspelling_is_forgiven() -> None:
    assert [reply.fallback for reply in talk(("helo", "boorow Emma"))] == [True, True]


def test_a_topic_may_be_called_anything() -> None:
    assert [reply.intent for reply in talk(("never mind", "which shelf is Emma on"))] == ["None", "find/shelf"]


def test_text_that_has_a_meaning_in_rivescript_is_said_as_it_is() -> None:
    assert talk(("forget it",))[0].texts[-1] == "As you like => come again // soon <b>."


def test_talks_do_not_know_of_each_other() -> None:
    async def run() -> tuple[Reply, Reply]:
        shared = bot()
        one, two = await shared.open("one"), await shared.open("two")
        await one.say("lend me Emma")
        await two.say("I want to borrow a book")
        return await one.say("4"), await two.say("4")

    one, two = asyncio.run(run())
    assert (dict(one.slots)["book"], "book" in two.slots) == ("Emma", False)


def test_a_closed_talk_is_forgotten() -> None:
    async def run() -> Reply:
        shared = bot()
        first = await shared.open("s")
        await first.say("lend me Emma")
        await first.close()
        await first.close()
        return await (await shared.open("s")).say("lend me a book")

    assert asyncio.run(run()).texts[-1] == "Which book?"


def test_the_bot_keeps_the_contract() -> None:
    report = check_bot(bot())
    assert report.passed, report.checks


def test_the_facts_say_what_the_bot_was_built_from() -> None:
    facts = bot().facts
    assert facts.in_process
    assert facts.reports_intent
    assert facts.intents == ("greet", "lend", "find/shelf", "None", "affirm")


def test_without_an_agent_there_is_no_bot() -> None:
    with pytest.raises(UsageError, match="agent"):
        from_option("", BotContext("rivescript"))


def test_values_in_phrases_become_wildcards_and_keywords_go_in_any_order() -> None:
    rules = to_rivescript(read_agent(AGENT)).splitlines()
    assert "+ [*] lend me * for * days [*]" in rules
    assert {"+ [*] take [*] home [*]", "+ [*] home [*] take [*]"} <= set(rules)
    assert len([line for line in rules if line.startswith("+")]) == len({*rules} & {r for r in rules if r[:1] == "+"})


def test_a_trigger_of_two_topics_belongs_to_the_first() -> None:
    say = Answer(say=("Fine.",))
    topics = (
        Topic("one", ("same words",), replies=(say,)),
        Topic("two", ("same words!", "other words"), replies=(say,)),
    )
    agent = Agent("a", topics)
    assert [_ask(agent, text).intent for text in ("same words", "other words")] == ["one", "two"]


@settings(max_examples=40, deadline=None)
@given(st.text(min_size=1, max_size=40), st.text(max_size=60))
def test_any_phrase_and_any_message_leave_the_rules_in_order(phrase: str, message: str) -> None:
    agent = read_agent(AGENT)
    odd = replace(agent.topics[0], intent="odd", phrases=(phrase,), keywords=(phrase,))
    reply = _ask(replace(agent, topics=(*agent.topics, odd)), message)
    assert reply.text
    assert (reply.intent is None) == bool(reply.fallback)


def test_a_topic_without_phrases_is_no_obstacle() -> None:
    agent = read_agent(AGENT)
    empty = replace(agent, topics=(*agent.topics, Topic("silent", replies=agent.topics[0].replies)))
    assert _ask(empty, "hello").intent == "greet"


def _ask(agent: Agent, message: str) -> Reply:
    async def run() -> Reply:
        return await (await RiveScriptBot(agent, agent_facts("r", agent, "rules")).open("s")).say(message)

    return asyncio.run(run())
