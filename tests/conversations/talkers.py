"""Bots and scripts for the tests of the runner: what each of them is told to do, and what it was told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from vivavoce.bots.protocol import BotFacts, Limits
from vivavoce.conversations.scenario import Expectation, OnMismatch, Plan, Script, ScriptTurn
from vivavoce.records import Reply

Answer = Callable[[str, int, str], Awaitable[Reply]]


def script(name: str, *texts: str, on_mismatch: OnMismatch = OnMismatch.CONTINUE, intent: str = "chat") -> Script:
    expect = Expectation(intents=(intent,))
    turns = tuple(ScriptTurn(n, f"t{n}", text, expect) for n, text in enumerate(texts, 1))
    return Script(name, name, name, "test", "basic", turns, on_mismatch=on_mismatch, version=name)


def plan(*scripts: Script) -> Plan:
    return Plan("test", "en", scripts, hash="0" * 16)


def many(count: int, turns: int = 3) -> Plan:
    return plan(*(script(f"talk-{n:03}", *(f"{n} says {t}" for t in range(turns))) for n in range(count)))


async def agree(_session: str, _turn: int, text: str) -> Reply:
    await asyncio.sleep(0)
    return Reply((f"you said {text}",), intent="chat", confidence=0.9)


@dataclass
class Talker:
    """A bot that does what `answer` says and remembers every message."""

    answer: Answer = agree
    name: str = "talker"
    limits: Limits = field(default_factory=lambda: Limits(at_once=4, timeout_s=5, retries=0))
    in_process: bool = False
    heard: list[tuple[str, str]] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    gone: bool = False

    @property
    def facts(self) -> BotFacts:
        return BotFacts(self.name, reports_intent=True, in_process=self.in_process, limits=self.limits)

    async def open(self, session: str) -> TalkerTalk:
        self.opened.append(session)
        return TalkerTalk(self, session)

    async def close(self) -> None:
        self.gone = True


@dataclass
class TalkerTalk:
    bot: Talker
    session: str
    turns: int = 0

    async def say(self, text: str) -> Reply:
        self.turns += 1
        self.bot.heard.append((self.session, text))
        return await self.bot.answer(self.session, self.turns, text)

    async def close(self) -> None:
        self.bot.closed.append(self.session)
