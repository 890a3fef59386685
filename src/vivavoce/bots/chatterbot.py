"""ChatterBot: replies of the nearest known sentence, in a child process of its own.

It is trained on the phrases of an agent file, each with the first thing that the agent would say to it. It knows no
topics, no details and no earlier messages. It always has an answer, so how near is near enough is decided here.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

from vivavoce.agents import answer_pairs
from vivavoce.bots.agent import AGENT, load_agent
from vivavoce.bots.declaration import Connector, Reach, entry_facts
from vivavoce.bots.local_server import Launch, LocalServer
from vivavoce.bots.protocol import BotContext, BotFacts, Fallback, Limits, Nature
from vivavoce.bots.shapes import read_reply
from vivavoce.errors import MissingPartError
from vivavoce.plugins import declare
from vivavoce.records import Reply

# From here on most phrases of a topic that it was never taught are refused; docs/engines.md has the numbers, which
# come from training phrases alone.
THRESHOLD = 0.6
EXTRA = "pip install 'vivavoce[engines]'"


@declare(Connector(Reach.PROGRAM, (AGENT,), option="agent"))
def from_option(option: str, context: BotContext) -> ChatterBot:
    """ChatterBot, which answers like the most similar known sentence; option: agent file."""
    if find_spec("chatterbot") is None:
        raise MissingPartError("the package chatterbot is not installed", where=context.name, remedy=EXTRA)
    agent = load_agent(option, context)
    facts = BotFacts(
        context.name,
        f"ChatterBot trained on the phrases of {agent.name}",
        limits=Limits(at_once=1, timeout_s=60.0),
        fallback=Fallback(threshold=THRESHOLD),
        phrases=agent.phrases,
        nature=Nature.NLU,
    )
    return ChatterBot(answer_pairs(agent), agent.fallback, entry_facts(context, facts))


class ChatterBot:
    """ChatterBot behind a server that is started with the first conversation."""

    def __init__(self, pairs: list[tuple[str, str]], fallback: tuple[str, ...], facts: BotFacts) -> None:
        self.facts = facts
        self.fallback = fallback
        command = (sys.executable, "-m", "vivavoce.bots.chatterbot_server")
        remedy = f"reinstall it: {EXTRA}"
        launch = Launch("chatterbot", command, {"pairs": pairs}, timeout_s=120.0, remedy=remedy)
        self.server = LocalServer(lambda: launch)

    async def open(self, session: str) -> ChatterBotConversation:
        """Begin a conversation; the server is started and trained before the first one."""
        await self.server.reach()
        return ChatterBotConversation(self, session)

    async def close(self) -> None:
        """End the server."""
        await self.server.close()


class ChatterBotConversation:
    """One conversation."""

    def __init__(self, bot: ChatterBot, session: str) -> None:
        self._bot, self._session = bot, session
        self._fallbacks = 0

    async def say(self, text: str) -> Reply:
        """Return the reply to the nearest sentence; the agent's fallback where none is near enough."""
        payload = await self._bot.server.ask("/talk", {"session": self._session, "text": text})
        reply = read_reply(payload)
        threshold = self._bot.facts.fallback.threshold
        if (reply.confidence or 0.0) >= (THRESHOLD if threshold is None else threshold):
            return Reply(reply.texts, confidence=reply.confidence, fallback=False, raw=payload)
        text = self._bot.fallback[self._fallbacks % len(self._bot.fallback)]
        self._fallbacks += 1
        return Reply((text,), confidence=reply.confidence, fallback=True, raw=payload)

    async def close(self) -> None:
        """End the conversation; the server stays for the others."""
