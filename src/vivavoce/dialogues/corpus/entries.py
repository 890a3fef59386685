"""What every format hands over: one entry for each dialogue, with its faults; and who in it is a bot."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.errors import Fault


@dataclass(frozen=True, slots=True)
class Entry:
    """One dialogue of a file, or the reasons why there is none.

    `place` is where it begins, as people say it (`line 3`). `remarks` are things that were passed over on purpose;
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

    def entry(self, dialogue: Dialogue | None) -> Entry:
        """Return the entry; with any fault the dialogue is not used."""
        return Entry(self.place, None if self.faults else dialogue, tuple(self.faults), tuple(self.remarks))


BOT_NAMES = frozenset(
    {"bot", "chatbot", "assistant", "system", "agent", "ai", "robot", "virtual assistant", "voicebot", "model", "gpt"}
)
HUMAN_NAMES = frozenset(
    {"user", "human", "customer", "visitor", "guest", "client", "person", "caller", "patient", "candidate", "me"}
)


@lru_cache(maxsize=4096)
def is_bot_by_name(speaker: str, bot: str | None = None) -> bool | None:
    """Say whether a speaker is a bot by its name alone; None where the name does not tell.

    With `bot` given, that speaker is the bot and no other name makes one.
    """
    name = _key(speaker)
    if bot is not None and name == _key(bot):
        return True
    if name in HUMAN_NAMES:
        return False
    return True if bot is None and name in BOT_NAMES else None


def _key(name: str) -> str:
    return " ".join(name.casefold().replace("_", " ").replace("-", " ").split())
