"""The assistant as a bot: replies, buttons, what it says about itself."""

from __future__ import annotations

import asyncio

import pytest

from vivavoce.bots import BotContext, check_bot
from vivavoce.bots.assistant import from_option
from vivavoce.errors import UsageError


@pytest.fixture(scope="module")
def bot():
    return from_option("demo", BotContext("assistant:demo"))


def hold(bot, *messages):
    async def run():
        conversation = await bot.open("one")
        replies = [await conversation.say(message) for message in messages]
        await conversation.close()
        return replies

    return asyncio.run(run())


def test_a_job_search_is_held_by_text_and_by_the_labels_of_buttons(bot):
    asked, place, shown = hold(bot, "Hello", "Look for a job", "nurse in Reading")
    assert "Look for a job" in asked.buttons
    assert asked.intent == "greeting"
    assert "Any work" in place.buttons
    assert shown.slots == {"profession": "nurse", "place": "Reading"}
    assert "https://careers.nordlicht.example" in shown.text
    assert shown.fallback is False


def test_what_is_handed_over_is_a_fallback_with_the_guess_that_was_held_back(bot):
    (reply,) = hold(bot, "do you have a helicopter made of cheese")
    assert reply.fallback
    assert reply.intent is None
    assert reply.guess is not None


def test_it_says_which_topics_and_slots_it_has(bot):
    assert "salary" in bot.facts.intents
    assert bot.facts.slots == ("profession", "place")


def test_it_keeps_the_contract_of_bots(bot):
    report = check_bot(bot)
    assert report.passed, report.checks


@pytest.mark.parametrize("name", ["", "no-such-company"])
def test_an_assistant_that_does_not_exist_is_refused(name):
    with pytest.raises(UsageError):
        from_option(name, BotContext("assistant"))
