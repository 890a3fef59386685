"""What every format hands over: one entry for each dialogue, with its faults; and who in it is a bot."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

from vivavoce.dialogues.corpus.values import UnreadableError
from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.errors import Fault

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Entry:
    """One dialogue of a file, or the reasons why there is none.

    `place` is where it begins, in words (`line 3`). `remarks` are things that were passed over on purpose;
    equal ones are counted together.
    """

    place: str
    dialogue: Dialogue | None
    faults: tuple[Fault, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(slots=True)
class Findings:
    """Collects what is wrong with one dialogue while it is read, and what is passed over."""

    place: str
    faults: list[Fault] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def fault(self, message: str, place: str | None = None) -> None:
        """Note that something cannot be used."""
        self.faults.append(Fault(message, place or self.place))

    def remark(self, message: str) -> None:
        """Note that something is passed over; once for each dialogue is enough."""
        if message not in self.remarks:
            self.remarks.append(message)

    def attempt(self, read: Callable[..., T], *arguments: Any) -> T | None:
        """Return what a reader of values returns; what it refuses is a fault, and None."""
        try:
            return read(*arguments)
        except UnreadableError as error:
            self.fault(error.args[0])
            return None

    def entry(self, dialogue: Dialogue | None) -> Entry:
        """Return the entry; with any fault the dialogue is not used."""
        return Entry(self.place, None if self.faults else dialogue, tuple(self.faults), tuple(self.remarks))


BOT_NAMES = frozenset(
    {
        "bot",
        "chatbot",
        "assistant",
        "system",
        "agent",
        "ai",
        "robot",
        "virtual assistant",
        "voicebot",
        "model",
        "gpt",
        "assistent",
        "assistentin",
        "virtueller assistent",
    }
)
HUMAN_NAMES = frozenset(
    {
        "user",
        "human",
        "customer",
        "visitor",
        "guest",
        "client",
        "person",
        "caller",
        "patient",
        "candidate",
        "me",
        "kunde",
        "kundin",
        "nutzer",
        "nutzerin",
        "benutzer",
        "besucher",
        "besucherin",
        "gast",
        "mensch",
        "bewerber",
        "bewerberin",
        "ich",
    }
)


@lru_cache(maxsize=4096)
def is_bot_by_name(speaker: str, bot: str | None = None) -> bool | None:
    """Say whether a speaker is a bot by its name alone; None where the name does not tell.

    With `bot`, that speaker is the bot and no other name makes one.
    """
    name, bot_name = (" ".join(re.split(r"[\s_-]+", each.casefold())).strip() for each in (speaker, bot or ""))
    if bot is not None and name == bot_name:
        return True
    if name in HUMAN_NAMES:
        return False
    return True if bot is None and name in BOT_NAMES else None
