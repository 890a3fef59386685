"""What happened in a dialogue, quoted from its text: a fallback, a repeated question, a wish for a person, thanks.

A fact carries the number of its message and the words themselves, so that a reader can check it at a glance. Which
facts are shown and how often readers agreed with them is in docs/dialogue_facts.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import NamedTuple

from vivavoce.dialogues.dialogue import Utterance
from vivavoce.dialogues.fact_patterns import (
    ANGRY,
    CLOSING,
    FALLBACK,
    FALLBACK_WORDS,
    PERSON,
    PERSON_WORDS,
    SMALL_WORDS,
    THANKED,
    THANKED_WORDS,
    find_said,
    plain_text,
)

MAX_QUOTE = 120
# Shorter messages ("yes", "how so?") are said twice without being a repetition worth a word.
MIN_WORDS = 3
MIN_LETTERS = 12
# Messages of fewer words, or that differ in more, are the same only where all words are.
MIN_SIMILAR = 4
MAX_DIFFERENT = 4
# Two words with this share of letters in common are one word, once misspelt.
SPELT_ALIKE = 0.8
# Further back, nearly the same words are seldom meant as the same question.
MAX_COMPARED = 8
_WORD = re.compile(r"[^\W_]+")
_SENTENCE_END = re.compile(r"[.!?…]+(?=\s|$)|\n")


class FactKind(StrEnum):
    """What can have happened in a dialogue, the gravest first."""

    NO_ANSWER = "no_answer"
    ENDED_AFTER_FALLBACK = "ended_after_fallback"
    ASKED_FOR_PERSON = "asked_for_person"
    ENDED_ANGRY = "ended_angry"
    FALLBACK = "fallback"
    REPEATED_QUESTION = "repeated_question"
    BOT_REPEATED = "bot_repeated"
    THANKED = "thanked"


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that happened. `turn`: the number of its message; `earlier`: of the message that it repeats."""

    kind: FactKind
    turn: int
    quote: str
    earlier: int | None = None


# By the bot or the visitor, with words of which at least one is in every such message.
_SPOKEN = (
    (True, FactKind.FALLBACK, FALLBACK_WORDS, FALLBACK),
    (False, FactKind.ASKED_FOR_PERSON, PERSON_WORDS, PERSON),
    (False, FactKind.THANKED, THANKED_WORDS, THANKED),
)


class _Message(NamedTuple):
    """A message with content, from the visitor or the bot, and its words."""

    number: int
    by_bot: bool
    text: str
    plain: str
    words: tuple[str, ...]


def find_facts(turns: Sequence[Utterance]) -> tuple[Fact, ...]:
    """Return what happened in a dialogue, in the order of its messages."""
    sides = tell_sides(turns)
    if sides is None:
        return ()
    messages = []
    for number, (turn, by_bot) in enumerate(zip(turns, sides, strict=True), 1):
        if turn.text.strip():
            plain = plain_text(turn.text)
            messages.append(_Message(number, by_bot, turn.text, plain, tuple(_WORD.findall(plain))))
    facts = [*_find_spoken(messages), *_find_repeated(messages), *_find_end(messages)]
    return tuple(sorted(facts, key=lambda fact: (fact.turn, fact.kind)))


def tell_sides(turns: Sequence[Utterance]) -> list[bool] | None:
    """Return for each message whether the bot sent it; None where two people talked.

    Where the log does not say who is a bot, whoever spoke first is the visitor.
    """
    if any(turn.is_bot for turn in turns):
        return [turn.is_bot is True for turn in turns]
    speakers = {turn.speaker for turn in turns}
    if all(turn.is_bot is False for turn in turns):
        return [False] * len(turns) if len(speakers) < 2 else None
    people = {turn.speaker for turn in turns if turn.is_bot is False} or {turns[0].speaker}
    return [turn.speaker not in people for turn in turns]


def _find_spoken(messages: Sequence[_Message]) -> Iterator[Fact]:
    """Yield what a message says outright."""
    for by_bot, kind, words, pattern in _SPOKEN:
        own = [message for message in messages if message.by_bot is by_bot]
        # Looking for a few words in all messages at once is what makes thousands of dialogues quick.
        everything = "\n".join([message.plain for message in own])
        used = [word for word in words if word in everything]
        for message in own if used else ():
            if any(word in message.plain for word in used) and (found := find_said(pattern, message.plain)):
                yield Fact(kind, message.number, _quote(message.text, found.start(), found.end()))


def _find_repeated(messages: Sequence[_Message]) -> Iterator[Fact]:
    """Yield the messages that say again what the same side said before."""
    for by_bot, kind in ((False, FactKind.REPEATED_QUESTION), (True, FactKind.BOT_REPEATED)):
        known: dict[tuple[str, ...], int] = {}
        recent: list[tuple[frozenset[str], int]] = []
        for message in messages:
            if message.by_bot is not by_bot or len(message.words) < MIN_WORDS or len(message.plain) < MIN_LETTERS:
                continue
            words = frozenset(message.words)
            earlier = known.get(message.words) or _find_similar(words, recent)
            if earlier:
                yield Fact(kind, message.number, _quote(message.text), earlier)
            known[message.words] = message.number
            if len(words) >= MIN_SIMILAR:
                recent = [*recent[1 - MAX_COMPARED :], (words, message.number)]


def _find_similar(words: frozenset[str], recent: Sequence[tuple[frozenset[str], int]]) -> int | None:
    """Return the number of the last message that differs only in small words and in how words are spelt."""
    if len(words) < MIN_SIMILAR:
        return None
    for other, number in reversed(recent):
        if abs(len(words) - len(other)) <= MAX_DIFFERENT and len(words ^ other) <= MAX_DIFFERENT:
            own, others = sorted(words - other - SMALL_WORDS), sorted(other - words - SMALL_WORDS)
            if len(own) == len(others) and all(map(_spelt_alike, own, others)):
                return number
    return None


def _spelt_alike(one: str, other: str) -> bool:
    if one.isdigit() or other.isdigit():
        return False
    return SequenceMatcher(None, one, other).ratio() >= SPELT_ALIKE


def _find_end(messages: Sequence[_Message]) -> Iterator[Fact]:
    """Yield how the dialogue ended, where it did not end well."""
    if not messages:
        return
    last = messages[-1]
    of_bot = [message for message in messages if message.by_bot]
    if not of_bot:
        first = messages[0]
        yield Fact(FactKind.NO_ANSWER, first.number, _quote(first.text))
        return
    if not last.by_bot and "?" in last.text and not CLOSING.search(last.plain):
        yield Fact(FactKind.NO_ANSWER, last.number, _quote(last.text))
    if found := FALLBACK.search(of_bot[-1].plain):
        yield Fact(
            FactKind.ENDED_AFTER_FALLBACK, of_bot[-1].number, _quote(of_bot[-1].text, found.start(), found.end())
        )
    for message in [message for message in messages if not message.by_bot][-2:][::-1]:
        if found := ANGRY.search(message.plain):
            yield Fact(FactKind.ENDED_ANGRY, message.number, _quote(message.text, found.start(), found.end()))
            break


def _quote(text: str, start: int = 0, end: int | None = None) -> str:
    """Return the sentences around a place, short enough to be read at a glance."""
    end = len(text) if end is None else end
    ends = [found.end() for found in _SENTENCE_END.finditer(text)]
    first = max((place for place in ends if place <= start), default=0)
    last = min((place for place in ends if place >= end), default=len(text))
    words = " ".join(text[first:last].split())
    if len(words) <= MAX_QUOTE:
        return words
    middle = " ".join(text[start:end].split())
    return f"…{middle}…" if first < start and len(middle) <= MAX_QUOTE else f"{words[:MAX_QUOTE].rstrip()}…"
