"""What a bot is: something that opens a conversation, is told a message and replies.

A connector is one small class. It does not time, retry, limit or count: that is the runner's work. It raises
`BotError` with the right status where it cannot reply, and leaves cancelling to asyncio.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from vivavoce.records import Reply


class Conversation(Protocol):
    """One conversation with a bot: a session of its own, messages strictly one after another."""

    async def say(self, text: str) -> Reply:
        """Send a message and return all that the bot says to it."""
        ...

    async def close(self) -> None:
        """End the conversation. May be called after a failure, and more than once."""
        ...


class Bot(Protocol):
    """What can be talked to, in any number of conversations at the same time up to `facts.limits`."""

    @property
    def facts(self) -> BotFacts:
        """What is known about the bot without asking it."""
        ...

    async def open(self, session: str) -> Conversation:
        """Begin a conversation; `session` is unlike that of any other. What must be trained is trained before."""
        ...

    async def close(self) -> None:
        """Release what the bot holds: connections, processes. May be called more than once."""
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    """How hard a bot may be asked: messages at once and a second (None: no limit), seconds for a reply, tries."""

    at_once: int = 8
    per_second: float | None = None
    timeout_s: float = 30.0
    retries: int = 2


@dataclass(frozen=True, slots=True)
class Fallback:
    """How a bot says that it did not understand, where it does not say so itself."""

    intents: tuple[str, ...] = ()
    replies: tuple[str, ...] = ()
    threshold: float | None = None


class Nature(StrEnum):
    """What a bot is made of, which decides what can be advised: topics with training phrases, or a prompt."""

    UNKNOWN = ""
    NLU = "nlu"
    LANGUAGE_MODEL = "language_model"


@dataclass(frozen=True, slots=True)
class BotFacts:
    """What is known about a bot. Recorded with every run, so it never holds a secret.

    `intents`, `slots`, `phrases`: what it was built from, where known (None: not known); checks before a run use
    them. `in_process`: it thinks on our own processor, so it must not be timed while others wait for ours.
    `reports_actions`: its replies name the tools it calls or the actions it takes.
    """

    name: str
    about: str = ""
    reports_intent: bool = False
    in_process: bool = False
    limits: Limits = Limits()
    fallback: Fallback = Fallback()
    intents: tuple[str, ...] | None = None
    slots: tuple[str, ...] | None = None
    phrases: Mapping[str, tuple[str, ...]] | None = None
    reports_actions: bool = False
    nature: Nature = Nature.UNKNOWN


@dataclass(frozen=True, slots=True)
class BotContext:
    """What a factory may need beside its option: the agent of the suite, an entry of bots.yaml, the seed."""

    name: str
    agent: str | None = None
    entry: Mapping[str, object] = field(default_factory=dict)
    seed: int = 0
