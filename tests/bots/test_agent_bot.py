"""Bots that run an agent file."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from vivavoce import plugins
from vivavoce.bots.agent import AgentBot, keywords, nearest
from vivavoce.bots.protocol import BotContext
from vivavoce.errors import UsageError

LAMP = """
format: 1
agent: lamp
fallback: [What?]
slots: {room: {values: [kitchen, hall], ask: Which room?}}
topics:
  - intent: light
    phrases: [switch on the light, turn the lamp on]
    keywords: [light, lamp]
    needs: [room]
    replies: [{say: "Light in the {room}."}]
  - intent: dark
    phrases: [make it dark, good night]
    keywords: [dark]
    replies: [{say: Dark.}]
"""


@pytest.fixture
def lamp(tmp_path: Path) -> str:
    file = tmp_path / "lamp.yaml"
    file.write_text(LAMP, encoding="utf-8")
    return str(file)


async def hold(bot: AgentBot, *messages: str) -> list[str]:
    talk = await bot.open("s")
    texts = [(await talk.say(message)).text for message in messages]
    await talk.close()
    await talk.close()
    return texts


@pytest.mark.parametrize("name", ["vectors", "nearest", "keywords"])
def test_each_engine_is_a_bot_that_can_be_talked_to(name: str, lamp: str) -> None:
    bot = plugins.build(plugins.BOTS, name, lamp, BotContext(name))
    assert isinstance(bot, AgentBot)
    assert asyncio.run(hold(bot, "turn the lamp on", "hall")) == ["Which room?", "Light in the hall."]


def test_facts_tell_what_the_bot_was_built_from(lamp: str) -> None:
    facts = nearest(lamp, BotContext("near")).facts
    assert (facts.name, facts.reports_intent, facts.in_process) == ("near", True, True)
    assert facts.intents == ("light", "dark")
    assert facts.slots == ("room",)
    assert facts.phrases is not None
    assert facts.phrases["dark"] == ("make it dark", "good night")
    assert facts.fallback.replies == ("What?",)
    assert "TF-IDF" in facts.about


def test_the_agent_comes_from_the_option_the_entry_or_the_suite(lamp: str) -> None:
    for option, context in (
        (lamp, BotContext("k", agent="flight")),
        ("", BotContext("k", agent="flight", entry={"agent": lamp})),
        ("", BotContext("k", agent=lamp)),
    ):
        assert keywords(option, context).facts.intents == ("light", "dark")
    with pytest.raises(UsageError, match="needs an agent"):
        keywords("", BotContext("k"))


def test_talks_know_nothing_of_each_other(lamp: str) -> None:
    bot = keywords(lamp, BotContext("k"))

    async def both() -> tuple[str, str]:
        one, two = await bot.open("1"), await bot.open("2")
        await one.say("light in the hall")
        return (await one.say("light")).text, (await two.say("light")).text

    assert asyncio.run(both()) == ("Light in the hall.", "Which room?")


def test_a_threshold_may_be_set_and_must_be_one(lamp: str) -> None:
    strict = keywords(lamp, BotContext("k", entry={"threshold": "0.9"}))
    assert asyncio.run(hold(strict, "light")) == ["What?"]
    with pytest.raises(UsageError, match="threshold"):
        keywords(lamp, BotContext("k", entry={"threshold": "high"}))
