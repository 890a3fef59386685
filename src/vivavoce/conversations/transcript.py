"""What was said: conversations as they were held, raw, before anything is judged."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from vivavoce.bots.protocol import BotFacts, Nature
from vivavoce.conversations.scenario import Plan
from vivavoce.records import Reply, Status

# The file in the folder of a run.
RECORD_FILE = "run.sqlite"


class State(StrEnum):
    """How far a conversation got. `errored` is not `done`: a resumed run holds it again."""

    OPEN = "open"
    DONE = "done"
    ERRORED = "errored"


@dataclass(frozen=True, slots=True)
class Exchange:
    """One message and what came back. Times are of the last try alone, without waiting and retries.

    `number` is the place of the turn in its script; `values`: what had been saved from earlier replies.
    `replayed`: the talk had been begun anew with the turns that had gone well. `lag_ms`: how long this machine was
    busy with other things while it waited for the bot.
    """

    number: int
    sent: str
    status: Status
    reply: Reply | None = None
    first_ms: float | None = None
    last_ms: float | None = None
    attempts: int = 1
    cold: bool = False
    error: str = ""
    replayed: bool = False
    values: Mapping[str, str] = field(default_factory=dict)
    lag_ms: float = 0.0


@dataclass(frozen=True, slots=True, order=True)
class ConversationKey:
    """One conversation of a run: which bot, which script, which repeat (from 0)."""

    bot: str
    script: str
    repeat: int = 0

    @property
    def label(self) -> str:
        """The conversation in one text, different from all others of its run."""
        return f"{self.bot}/{self.script}/{self.repeat}"


@dataclass(frozen=True, slots=True)
class Session:
    """A session that a bot was given for a conversation; `attempt` counts from 1, a replay adds a session to it."""

    name: str
    attempt: int = 1


@dataclass(frozen=True)
class Transcript:
    """One conversation as it was held. Turns of the script without an exchange were not reached.

    `sessions`: every session of the conversation, the last one last; none in records of older versions.
    """

    key: ConversationKey
    state: State
    exchanges: tuple[Exchange, ...]
    note: str = ""
    sessions: tuple[Session, ...] = ()


def as_met(bots: Iterable[BotFacts], topics: Collection[str], actions: Collection[str]) -> tuple[BotFacts, ...]:
    """Return bots with what they turned out to report: those that named a topic, or an action, at least once."""
    return tuple(
        replace(
            bot,
            reports_intent=bot.reports_intent or bot.name in topics,
            reports_actions=bot.reports_actions or bot.name in actions,
            nature=bot.nature or (Nature.NLU if bot.reports_intent or bot.name in topics else Nature.UNKNOWN),
        )
        for bot in bots
    )


@dataclass(frozen=True)
class RunHeader:
    """What a run is: all that is needed to go on with it, and to judge it, without the files it came from.

    `options`: how hard the bots are asked. `origin`: the words with which the bots were named.
    """

    run: str
    version: str
    seed: int
    plan: Plan
    bots: tuple[BotFacts, ...]
    repeats: int = 1
    options: Mapping[str, object] = field(default_factory=dict)
    origin: Mapping[str, object] = field(default_factory=dict)
