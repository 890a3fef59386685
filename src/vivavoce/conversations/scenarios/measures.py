"""How long and how twisted a conversation is, measured rather than declared."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from vivavoce.conversations.scenario import Script


@dataclass(frozen=True, slots=True)
class Measured:
    """Turns, different slots that are asked about, and changes of the expected topic from one turn to the next."""

    turns: int
    slots: int
    switches: int


def measure_script(script: Script) -> Measured:
    """Measure a conversation, to be shown beside its declared level.

    Turns without an expected topic are passed over when changes of topic are counted.
    """
    slots: set[str] = set()
    for turn in script.turns:
        slots |= {*turn.expect.slots, *turn.expect.slots_after, *turn.expect.slot_names}
    topics = [set(turn.expect.intents) for turn in script.turns if turn.expect.intents]
    switches = sum(not (before & after) for before, after in pairwise(topics))
    return Measured(len(script.turns), len(slots), switches)
