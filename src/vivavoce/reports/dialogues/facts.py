"""What happened in dialogues, in words: one table for pages, reports and the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal, NamedTuple

from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.dialogues.facts import FactKind, find_facts
from vivavoce.messages import say
from vivavoce.records import Rate
from vivavoce.statistics import wilson

Tone = Literal["good", "bad", "hold"]


class FactWords(NamedTuple):
    """How a fact is shown: a title short enough for a chip, what it means, its tone and its icon."""

    title: str
    meaning: str
    tone: Tone
    sign: str


FACTS: dict[FactKind, FactWords] = {
    FactKind.NO_ANSWER: FactWords(
        say("No answer"),
        say("The bot never replied, or left the visitor's last question unanswered."),
        "bad",
        "cross",
    ),
    FactKind.ENDED_AFTER_FALLBACK: FactWords(
        say("Ended after a fallback"),
        say("The bot's last message says that it did not understand or does not know."),
        "bad",
        "cross",
    ),
    FactKind.ASKED_FOR_PERSON: FactWords(
        say("Asked for a person"), say("The visitor asked to talk to a person."), "hold", "person"
    ),
    FactKind.ENDED_ANGRY: FactWords(
        say("Ended angry"),
        say("The visitor insulted the bot, or called it a waste of time, near the end."),
        "bad",
        "warn",
    ),
    FactKind.FALLBACK: FactWords(
        say("Bot did not understand"),
        say("The bot said that it did not understand, does not know or cannot help."),
        "hold",
        "help",
    ),
    FactKind.REPEATED_QUESTION: FactWords(
        say("Visitor repeated a message"),
        say("The visitor sent the same message again, or nearly the same."),
        "hold",
        "swap",
    ),
    FactKind.BOT_REPEATED: FactWords(
        say("Bot repeated itself"), say("The bot sent the same message again, or nearly the same."), "hold", "swap"
    ),
    FactKind.THANKED: FactWords(
        say("Visitor said thanks"),
        say('The visitor said thanks; a polite "no, thanks" does not count.'),
        "good",
        "check",
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
