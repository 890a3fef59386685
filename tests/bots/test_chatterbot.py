"""ChatterBot: the real package in a process of its own; a sentence that is not near enough is a fallback."""

from __future__ import annotations

import asyncio
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from vivavoce.agents import answer_pairs, read_agent
from vivavoce.bots.chatterbot import THRESHOLD, ChatterBot, from_option
from vivavoce.bots.contract import check_bot
from vivavoce.bots.local_server import Launch, LocalServer
from vivavoce.bots.protocol import BotContext, BotFacts, Fallback
from vivavoce.errors import MissingPartError
from vivavoce.records import Reply

AGENT = Path(__file__).with_name("small_agent.yaml")
needs_chatterbot = pytest.mark.skipif(
    find_spec("chatterbot") is None, reason="the package chatterbot is not installed"
)
# A stand-in for the child process: near is what has the same first letter.
NEAR = """
import sys
from vivavoce.bots.local_server import read_material
from vivavoce.bots.serving import run_server
from vivavoce.bots.protocol import BotFacts
from vivavoce.records import Reply
import asyncio
pairs = read_material()["pairs"]
class Near:
    facts = BotFacts("near")
    async def open(self, session): return self
    async def close(self): pass
    async def say(self, text):
        near = [reply for phrase, reply in pairs if phrase[0] == text[0]]
        return Reply((near[0] if near else pairs[0][1],), confidence=0.9 if near else 0.1)
asyncio.run(run_server(Near()))
"""


def talk(bot: ChatterBot, *messages: str) -> list[Reply]:
    async def run() -> list[Reply]:
        try:
            opened = await bot.open("s")
            return [await opened.say(message) for message in messages]
        finally:
            await bot.close()

    return asyncio.run(run())


@pytest.fixture
def near() -> ChatterBot:
    pairs = [("hello", "Hi."), ("bye", "See you.")]
    launch = Launch("near", (sys.executable, "-c", NEAR), {"pairs": pairs})
    bot = ChatterBot(pairs, ("Sorry?", "Pardon?"), BotFacts("chatterbot", fallback=Fallback(threshold=THRESHOLD)))
    bot.server = LocalServer(lambda: launch)
    return bot


def test_what_is_near_enough_is_said_and_the_rest_falls_back_in_turn(near: ChatterBot) -> None:
    replies = talk(near, "bye bye", "what", "which", "when")
    assert [reply.texts for reply in replies] == [("See you.",), ("Sorry?",), ("Pardon?",), ("Sorry?",)]
    assert [reply.fallback for reply in replies] == [False, True, True, True]
    assert [reply.confidence for reply in replies] == [0.9, 0.1, 0.1, 0.1]
    assert {reply.intent for reply in replies} == {None}


@pytest.mark.skipif(find_spec("chatterbot") is not None, reason="the package chatterbot is installed")
def test_the_missing_package_is_named_with_its_remedy() -> None:
    with pytest.raises(MissingPartError, match=r"vivavoce\[engines\]"):
        from_option(str(AGENT), BotContext("chatterbot"))


@needs_chatterbot
def test_the_real_one_knows_its_phrases_and_falls_back_on_others() -> None:
    bot = from_option(str(AGENT), BotContext("chatterbot"))
    assert not bot.facts.reports_intent
    assert bot.facts.limits.at_once == 1
    pairs = dict(answer_pairs(read_agent(AGENT)))
    known = ("hello", "I want to borrow a book", "lend me Emma for 3 days")
    *replies, strange, empty = talk(bot, *known, "zzz qqq xxx", "")
    assert [(reply.text, reply.confidence, reply.fallback) for reply in replies] == [
        (pairs[k], 1.0, False) for k in known
    ]
    assert (strange.fallback, empty.fallback) == (True, True)


@needs_chatterbot
def test_the_real_one_keeps_the_contract() -> None:
    report = check_bot(from_option(str(AGENT), BotContext("chatterbot")))
    assert report.passed, report.checks
