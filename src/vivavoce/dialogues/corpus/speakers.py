"""Who is a bot: as the log says, as the user says, or by a name that nobody but a bot has. Never guessed."""

from __future__ import annotations

from functools import lru_cache

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
