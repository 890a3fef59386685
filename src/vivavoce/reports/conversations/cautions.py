"""What limits the first sentence of a report: turns that could not be checked, and a machine that was too busy."""

from __future__ import annotations

from collections.abc import Iterator

from vivavoce.conversations.result import ConversationsResult
from vivavoce.errors import plural
from vivavoce.sentences import say

__all__ = ["cautions"]


def cautions(result: ConversationsResult) -> Iterator[str]:
    """Say how many turns could not be checked with each bot and why, and whether response times are those of bots."""
    for bot in result.header.bots:
        gaps = [one for one in result.unchecked if one.bot == bot.name and one.turns]
        if gaps:
            turns, of = sum(one.turns for one in gaps), plural(gaps[0].of, "turn")
            parts = " and ".join(one.gap.part for one in gaps)
            yield say(f"{turns:,} of {of} could not be checked: {bot.name!s} reports no {parts}.")
    if any(one.large for one in result.delays):
        yield say("Response times include delays of this machine.")
