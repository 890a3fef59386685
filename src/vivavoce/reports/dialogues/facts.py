"""What happened in dialogues, in words: one table for pages, reports and the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Literal

from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.dialogues.facts import FactKind, find_facts
from vivavoce.messages import Message, say, say_count
from vivavoce.records import Rate
from vivavoce.statistics import wilson

Tone = Literal["good", "bad", "hold"]


class FactWords(NamedTuple):
    """What is said of a fact: its title, short enough for a chip, its meaning, and in how many dialogues it happened.

    `sign`: the icon of its chip.
    """

    title: str
    meaning: str
    counted: tuple[str, str]
    tone: Tone
    sign: str


FACTS: dict[FactKind, FactWords] = {
    FactKind.NO_ANSWER: FactWords(
        say("No answer"),
        say("The bot never replied, or left the visitor's last question unanswered."),
        ("{n} got no answer", "{n} got no answer"),
        "bad",
        "cross",
    ),
}


def count_facts(dialogues: Iterable[Dialogue]) -> dict[FactKind, Rate]:
    """Return the share of dialogues in which each thing happened, the gravest first; what never did is left out."""
    counts: Counter[FactKind] = Counter()
    total = 0
    for dialogue in dialogues:
        total += 1
        counts.update({fact.kind for fact in find_facts(dialogue.turns)})
    return {kind: wilson(counts[kind], total) for kind in FactKind if counts[kind]}
