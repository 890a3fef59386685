"""Bots that run an agent file with a local engine: `vectors`, `nearest`, `keywords`.

The option names the agent: a shipped one or a file (`nearest:flight`, `keywords:my/agent.yaml`). Without one it is
the agent of the suite. An entry of bots.yaml may give `agent` and `threshold`.
"""

from __future__ import annotations

from dataclasses import replace

from vivavoce.agents import Agent, Dialogue, Engine, Flow, read_agent, train
from vivavoce.bots.declaration import BotOption, Connector, Reach, entry_facts, number
from vivavoce.bots.protocol import BotContext, BotFacts, Fallback, Limits, Nature
from vivavoce.errors import UsageError
from vivavoce.messages import say
from vivavoce.plugins import declare
from vivavoce.version import __version__

LIMITS = Limits(at_once=8, retries=0)
AGENT = BotOption(
    "agent", "agent", say("What the bot knows and how it replies."), label=say("Agent"), group=say("Configuration")
)
THRESHOLD = BotOption(
    "threshold",
    "number",
    say("Minimum confidence, from 0 to 1, to answer. Empty: the engine's default."),
    label=say("Threshold"),
    group=say("Configuration"),
    low="0",
    high="1",
)


_CONNECTOR = Connector(
    Reach.PROCESS, (AGENT, THRESHOLD), option="agent", limits=LIMITS, form="agent", title=say("Built-in bot")
)


class AgentBot:
    """An agent and an engine that was trained on it; conversations share both."""

    def __init__(self, name: str, agent: Agent, engine: Engine, *, threshold: float | None = None) -> None:
        self._engine = engine
        limit = engine.threshold if threshold is None else threshold
        self._flow = Flow.of(agent, threshold=limit, forgiving=engine.forgiving)
        self.facts = agent_facts(name, agent, f"{engine.about}; threshold {limit:g}")

    async def open(self, session: str) -> Dialogue:
        """Begin a conversation that knows nothing of the others."""
        return Dialogue(self._flow, self._engine)

    async def close(self) -> None:
        """Nothing is held."""


def agent_facts(name: str, agent: Agent, about: str, *, in_process: bool = True) -> BotFacts:
    """Return what is known about a bot that runs an agent file."""
    return BotFacts(
        name=name,
        about=f"agent '{agent.name}' with {about}; vivavoce {__version__}",
        reports_intent=True,
        in_process=in_process,
        limits=LIMITS,
        fallback=Fallback(replies=agent.fallback),
        intents=tuple(agent.by_intent),
        slots=agent.slot_names,
        phrases=agent.phrases,
        nature=Nature.NLU,
    )


def load_agent(option: str, context: BotContext) -> Agent:
    """Read the agent that a bot runs: named by its option, its entry, or the suite."""
    path, name = option or str(context.entry.get("agent") or "") or context.agent, context.name
    if not path:
        remedy = say("write `{name}:flight` or `{name}:PATH`, or set `agent` in the suite or in bots.yaml", name=name)
        raise UsageError(say("the bot '{name}' needs an agent", name=name), remedy=remedy)
    return read_agent(path)


def read_threshold(context: BotContext) -> float | None:
    """Return the threshold that an entry gives, None where it gives none."""
    value = context.entry.get("threshold")
    try:
        return None if value is None else number(value, least=0, most=1)
    except ValueError as error:
        remedy = say("enter a number from 0 to 1, or leave it out")
        raise UsageError(say("threshold: {error}", error=error), where=context.name, remedy=remedy) from error


@declare(replace(_CONNECTOR, choice=say("vectors: sentence meaning"), position=3))
def vectors(option: str, context: BotContext) -> AgentBot:
    """Agent file with sentence vectors and logistic regression; option: agent."""
    return _build("vectors", option, context)


@declare(replace(_CONNECTOR, choice=say("nearest: most similar example"), position=4))
def nearest(option: str, context: BotContext) -> AgentBot:
    """Agent file with the most similar training phrase (TF-IDF); option: agent."""
    return _build("nearest", option, context)


@declare(replace(_CONNECTOR, choice=say("keywords: keyword rules"), position=5))
def keywords(option: str, context: BotContext) -> AgentBot:
    """Agent file with keyword rules; option: agent."""
    return _build("keywords", option, context)


def _build(engine: str, option: str, context: BotContext) -> AgentBot:
    agent = load_agent(option, context)
    bot = AgentBot(context.name, agent, train(engine, agent), threshold=read_threshold(context))
    bot.facts = entry_facts(context, bot.facts)
    return bot
