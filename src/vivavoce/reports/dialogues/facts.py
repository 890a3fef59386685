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

# Short enough for a chip.
FACT_TITLES: dict[FactKind, str] = {
    FactKind.NO_ANSWER: say("No answer"),
    FactKind.ENDED_AFTER_FALLBACK: say("Ended after a fallback"),
    FactKind.ASKED_FOR_PERSON: say("Asked for a person"),
    FactKind.ENDED_ANGRY: say("Ended angry"),
    FactKind.FALLBACK: say("Bot did not understand"),
    FactKind.REPEATED_QUESTION: say("Visitor repeated a message"),
    FactKind.BOT_REPEATED: say("Bot repeated itself"),
    FactKind.THANKED: say("Visitor said thanks"),
}
FACT_MEANINGS: dict[FactKind, str] = {
    FactKind.NO_ANSWER: say("The bot never replied, or left the visitor's last question unanswered."),
    FactKind.ENDED_AFTER_FALLBACK: say("The bot's last message says that it did not understand or does not know."),
    FactKind.ASKED_FOR_PERSON: say("The visitor asked to talk to a person."),
    FactKind.ENDED_ANGRY: say("The visitor insulted the bot, or called it a waste of time, near the end."),
    FactKind.FALLBACK: say("The bot said that it did not understand, does not know or cannot help."),
    FactKind.REPEATED_QUESTION: say("The visitor sent the same message again, or nearly the same."),
    FactKind.BOT_REPEATED: say("The bot sent the same message again, or nearly the same."),
    FactKind.THANKED: say('The visitor said thanks; a polite "no, thanks" does not count.'),
}
FACT_TONES: dict[FactKind, Tone] = {
    FactKind.NO_ANSWER: "bad",
    FactKind.ENDED_AFTER_FALLBACK: "bad",
    FactKind.ASKED_FOR_PERSON: "hold",
    FactKind.ENDED_ANGRY: "bad",
    FactKind.FALLBACK: "hold",
    FactKind.REPEATED_QUESTION: "hold",
    FactKind.BOT_REPEATED: "hold",
    FactKind.THANKED: "good",
}
FACT_SIGNS: dict[FactKind, str] = {
    FactKind.NO_ANSWER: "cross",
    FactKind.ENDED_AFTER_FALLBACK: "cross",
    FactKind.ASKED_FOR_PERSON: "person",
    FactKind.ENDED_ANGRY: "warn",
    FactKind.FALLBACK: "help",
    FactKind.REPEATED_QUESTION: "swap",
    FactKind.BOT_REPEATED: "swap",
    FactKind.THANKED: "check",
}
_TOLD: dict[FactKind, Callable[[int], Message]] = {
    FactKind.NO_ANSWER: lambda n: say_count(n, "{n} got no answer", "{n} got no answer"),
    FactKind.ENDED_AFTER_FALLBACK: lambda n: say_count(
        n, "{n} ended with the bot not understanding", "{n} ended with the bot not understanding"
    ),
    FactKind.ASKED_FOR_PERSON: lambda n: say_count(
        n, "in {n} the visitor asked for a person", "in {n} the visitor asked for a person"
    ),
    FactKind.ENDED_ANGRY: lambda n: say_count(
        n, "{n} ended with an angry visitor", "{n} ended with an angry visitor"
    ),
    FactKind.FALLBACK: lambda n: say_count(
        n, "in {n} the bot did not understand", "in {n} the bot did not understand"
    ),
    FactKind.REPEATED_QUESTION: lambda n: say_count(
        n, "in {n} the visitor had to repeat a message", "in {n} the visitor had to repeat a message"
    ),
    FactKind.BOT_REPEATED: lambda n: say_count(n, "in {n} the bot repeated itself", "in {n} the bot repeated itself"),
    FactKind.THANKED: lambda n: say_count(n, "in {n} the visitor said thanks", "in {n} the visitor said thanks"),
}


def tell_count(kind: FactKind, n: int) -> Message:
    """Return in how many dialogues something happened, as a part of a sentence."""
    return _TOLD[kind](n)


def count_facts(dialogues: Iterable[Dialogue]) -> dict[FactKind, Rate]:
    """Return the share of dialogues in which each thing happened, the gravest first; what never did is left out."""
    counts: Counter[FactKind] = Counter()
    total = 0
    for dialogue in dialogues:
        total += 1
        counts.update({fact.kind for fact in find_facts(dialogue.turns)})
    return {kind: wilson(counts[kind], total) for kind in FactKind if counts[kind]}
