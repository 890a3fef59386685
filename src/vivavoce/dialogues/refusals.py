"""Which dialogues cannot be scored by the learned model, and how a very long one is cut: the same in training."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from vivavoce.dialogues.dialogue import Dialogue, Utterance, judge_of
from vivavoce.messages import say

LEAST_A_SIDE = 2
# Longer talks are read at both ends.
MOST_MESSAGES = 400
# Below this share of letters that the model knows, the talk is in another script.
LEAST_READABLE = 0.5
OTHER_SCRIPT = say("another script than Latin: the model learned from English and cannot read this")
_LETTER = re.compile("[A-Za-z]")


def refuse(dialogue: Dialogue) -> str:
    """Return why a dialogue gets no score; empty: it gets one."""
    judge = judge_of(dialogue)
    if why := _refuse(dialogue.turns, judge):
        return why
    short, kept = shorten(dialogue)
    if len(kept) < len(dialogue.turns) and (why := _refuse(short.turns, judge)):
        return say(
            "very long, and in its first and last {most_messages:,} messages: {why}",
            most_messages=MOST_MESSAGES // 2,
            why=why,
        )
    return ""


def _refuse(turns: Sequence[Utterance], judge: str) -> str:
    said = [turn for turn in turns if turn.text.strip()]
    if not said:
        return say("nothing was said")
    counts = Counter(turn.speaker for turn in said)
    if len(counts) < 2:
        return say("only one side spoke: a dialogue needs two")
    if min(counts[judge], len(said) - counts[judge]) < LEAST_A_SIDE:
        return say("one side said fewer than {least_a_side} things: too little to judge", least_a_side=LEAST_A_SIDE)
    known, letters = _letters(said)
    if not letters:
        return say("no words: only signs, numbers or emoji")
    if known < LEAST_READABLE * letters:
        return OTHER_SCRIPT
    return ""


def _letters(said: Sequence[Utterance]) -> tuple[int, int]:
    """Return how many letters are of the English alphabet, and how many there are at all."""
    known = sum(len(_LETTER.findall(turn.text)) for turn in said)
    foreign = sum(
        character.isalpha() and not character.isascii()
        for turn in said
        if not turn.text.isascii()
        for character in turn.text
    )
    return known, known + foreign


def shorten(dialogue: Dialogue) -> tuple[Dialogue, Sequence[int]]:
    """Return the talk without its middle where it is very long, and the places of the messages that stayed."""
    count = len(dialogue.turns)
    if count <= MOST_MESSAGES:
        return dialogue, range(count)
    half = MOST_MESSAGES // 2
    kept = [*range(half), *range(count - half, count)]
    return replace(dialogue, turns=tuple(dialogue.turns[place] for place in kept)), kept
