"""The messages of one dialogue that moved its score most, each with how far it moved it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from vivavoce.dialogues.scored import ScoredDialogue
from vivavoce.reports.dialogues import wording
from vivavoce.reports.shared.numbers import signed
from vivavoce.reports.shared.texts import clean

# Of a long dialogue, the messages that moved the score most are shown: 40 of them are read, 10,000 are not.
MAX_MESSAGES = 40
# How strong a message is beside the strongest of its dialogue, for the three shades of the background.
SHADES = (0.15, 0.4, 0.75)
# Below this no message of a dialogue is called strong.
FAINT = 0.1


class Message(NamedTuple):
    """One message: its number from 1, who says what, and how far it moved the score if that is known."""

    number: int
    speaker: str
    is_bot: bool
    text: str
    effect: float | None

    @property
    def moved(self) -> str:
        """The effect with its sign, nothing where it is not known."""
        return "" if self.effect is None else signed(self.effect)


def telling_messages(row: ScoredDialogue, most: int = MAX_MESSAGES) -> Iterator[Message | int]:
    """Yield the messages that moved the score most, in order; between them, how many were left out."""
    effects = {turn.number: turn.effect for turn in row.score.turns}
    every = [
        Message(number, clean(wording.role_of(turn)), bool(turn.is_bot), clean(turn.text), effects.get(number))
        for number, turn in enumerate(row.dialogue.turns, 1)
    ]
    strongest = sorted(every, key=lambda message: -abs(message.effect or 0.0))[:most]
    numbers = {message.number for message in strongest}
    last = 0
    for message in every:
        if message.number in numbers:
            if message.number > last + 1:
                yield message.number - last - 1
            yield message
            last = message.number
    if last < len(every):
        yield len(every) - last


def shade_messages(row: ScoredDialogue) -> list[tuple[Message | int, str]]:
    """Return the telling messages with the shade of each, from its strength beside the strongest one."""
    messages = list(telling_messages(row))
    effects = [0.0 if isinstance(message, int) else message.effect or 0.0 for message in messages]
    largest = max([FAINT, *map(abs, effects)])
    shaded: list[tuple[Message | int, str]] = []
    for message, effect in zip(messages, effects, strict=True):
        strength = sum(abs(effect) / largest >= level for level in SHADES)
        shaded.append((message, f"{'up' if effect > 0 else 'down'}-{strength}" if strength else ""))
    return shaded
