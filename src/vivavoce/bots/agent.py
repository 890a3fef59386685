"""Bots that run an agent file with a local engine: `vectors`, `nearest`, `keywords`.

The option names the agent: a shipped one or a file (`nearest:flight`, `keywords:my/agent.yaml`). Without one it is
the agent of the suite. An entry of bots.yaml may give `agent` and `threshold`.
"""

from __future__ import annotations

from vivavoce.agents import Agent, Dialogue, Engine, Flow, read_agent, train
from vivavoce.bots.declaration import BotOption, Connector, Reach
from vivavoce.bots.entries import entry_facts, number
from vivavoce.bots.protocol import BotContext, BotFacts, Fallback, Limits, Nature
from vivavoce.errors import UsageError
from vivavoce.messages import say
from vivavoce.plugins import declare
from vivavoce.records import Reply
from vivavoce.version import __version__

__all__ = ["AgentBot", "AgentTalk", "agent_facts", "keywords", "load_agent", "nearest", "vectors"]

LIMITS = Limits(at_once=8, retries=0)
AGENT = BotOption(
    "agent",
    "agent",
    say("What it knows and replies."),
    label=say("Agent"),
    group=say("What it runs"),
)
THRESHOLD = BotOption("threshold", "number", label=say("Threshold"), group=say("What it runs"), low="0", high="1")


def _declare(choice: str, position: int) -> Connector:
    return Connector(
        Reach.PROCESS,
        (AGENT, THRESHOLD),
        option="agent",
        limits=LIMITS,
        form="agent",
        title=say("A built-in bot"),
        choice=choice,
        position=position,
    )


class AgentTalk:
    """One talk with an agent."""

    def __init__(self, dialogue: Dialogue) -> None:
        self._dialogue = dialogue

    async def say(self, text: str) -> Reply:
        """Answer a message."""
        return await self._dialogue.say(text)

    async def close(self) -> None:
        """Nothing is held."""


class AgentBot:
    """An agent and an engine that was trained on it; talks share both."""

    def __init__(self, name: str, agent: Agent, engine: Engine, *, threshold: float | None = None) -> None:
        self._engine = engine
        limit = engine.threshold if threshold is None else threshold
        self._flow = Flow.of(agent, threshold=limit, forgiving=engine.forgiving)
        self.facts = agent_facts(name, agent, f"{engine.about}; threshold {limit:g}")

    async def open(self, session: str) -> AgentTalk:
        """Begin a talk that knows nothing of the others."""
        return AgentTalk(Dialogue(self._flow, self._engine))

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
    named = option or str(context.entry.get("agent") or "") or context.agent
    if not named:
        raise UsageError(
            say("the bot '{name}' needs an agent", name=context.name),
            remedy=say(
                "write `{name}:flight`, `{name}:PATH`, or `agent` in the suite or in bots.yaml", name=context.name
            ),
        )
    return read_agent(named)


@declare(_declare(say("vectors: meaning of the sentence"), 3))
def vectors(option: str, context: BotContext) -> AgentBot:
    """Run an agent file with sentence vectors and logistic regression; the option names the agent."""
    return _bot("vectors", option, context)


@declare(_declare(say("nearest: the most similar example"), 4))
def nearest(option: str, context: BotContext) -> AgentBot:
    """Run an agent file with the nearest training phrase (TF-IDF); the option names the agent."""
    return _bot("nearest", option, context)


@declare(_declare(say("keywords: words by rule"), 5))
def keywords(option: str, context: BotContext) -> AgentBot:
    """Run an agent file with its keyword rules; the option names the agent."""
    return _bot("keywords", option, context)


def _bot(engine: str, option: str, context: BotContext) -> AgentBot:
    agent = load_agent(option, context)
    bot = AgentBot(context.name, agent, train(engine, agent), threshold=_threshold(context))
    bot.facts = entry_facts(context, bot.facts)
    return bot


def _threshold(context: BotContext) -> float | None:
    given = context.entry.get("threshold")
    if given is None:
        return None
    try:
        return number(given, least=0, most=1)
    except ValueError as error:
        remedy = say("write a number from 0 to 1, or leave it out")
        raise UsageError(say("threshold: {error}", error=error), where=context.name, remedy=remedy) from error
