"""Which agent file a bot is built from: the option, else the entry of bots.yaml, else the agent of the suite."""

from __future__ import annotations

from vivavoce.agents.agent import Agent
from vivavoce.agents.reading import read_agent
from vivavoce.bots.protocol import BotContext
from vivavoce.errors import UsageError

__all__ = ["agent_of"]


def agent_of(option: str, context: BotContext) -> Agent:
    """Read the agent that a bot is to be built from."""
    written = context.entry.get("agent")
    named = option or (written if isinstance(written, str) else "") or context.agent
    if not named:
        kind = context.name.partition(":")[0]
        raise UsageError(
            "there is no agent to build this bot from",
            where=context.name,
            remedy=f"name an agent file: `{kind}:FILE`, or `agent: FILE` in bots.yaml",
        )
    return read_agent(named)
