"""Which dialogues cannot be scored by the learned model, and how a very long one is cut: the same in training."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from vivavoce.dialogues.dialogue import Dialogue, Utterance, judge_of
from vivavoce.messages import say

MIN_A_SIDE = 2
# Longer dialogues are read at both ends.
MAX_MESSAGES = 400
# Below this share of letters that the model knows, the dialogue is in another script.
MIN_READABLE = 0.5
OTHER_SCRIPT = say("not in Latin script: the model was trained on English and cannot read this")
_LETTER = re.compile("[A-Za-z]")


def refuse(dialogue: Dialogue) -> str:
    """Return why a dialogue gets no score; empty: it gets one."""
    judge = judge_of(dialogue)
    if why := _refuse(dialogue.turns, judge):
        return why
    short, places = shorten(dialogue)
    if len(places) < len(dialogue.turns) and (why := _refuse(short.turns, judge)):
        return say(
            "very long; in its first and last {most_messages:,} messages: {why}",
            most_messages=MAX_MESSAGES // 2,
            why=why,
        )
    return ""


def _refuse(turns: Sequence[Utterance], judge: str) -> str:
    messages = [turn for turn in turns if turn.text.strip()]
    if not messages:
        return say("nothing was said")
    counts = Counter(turn.speaker for turn in messages)
    if len(counts) < 2:
        return say("only one side spoke: a dialogue needs two")
    if min(counts[judge], len(messages) - counts[judge]) < MIN_A_SIDE:
        return say("one side sent fewer than {least_a_side} messages: too little to judge", least_a_side=MIN_A_SIDE)
    english = sum(len(_LETTER.findall(turn.text)) for turn in messages)
    others = [letter for turn in messages if not turn.text.isascii() for letter in turn.text if not letter.isascii()]
    letters = english + sum(map(str.isalpha, others))
    if not letters:
        return say("no words: only punctuation, numbers or emoji")
    return OTHER_SCRIPT if english < MIN_READABLE * letters else ""


def shorten(dialogue: Dialogue) -> tuple[Dialogue, Sequence[int]]:
    """Return the dialogue without its middle where it is very long, and the places of the messages that stayed."""
    count = len(dialogue.turns)
    if count <= MAX_MESSAGES:
        return dialogue, range(count)
    half = MAX_MESSAGES // 2
    places = [*range(half), *range(count - half, count)]
    return replace(dialogue, turns=tuple(dialogue.turns[place] for place in places)), places
