"""A logged talk: who said what, and the marks that people gave it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

# The scale of all marks and scores.
LOWEST, HIGHEST = 1.0, 5.0


class Kind(StrEnum):
    """Who talked with whom, as far as the log says."""

    HUMAN_BOT = "human-bot"
    HUMAN_HUMAN = "human-human"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message. `is_bot` None: the log does not say. `thumb`: what the other side thought of this message."""

    speaker: str
    text: str
    is_bot: bool | None = None
    thumb: bool | None = None


@dataclass(frozen=True, slots=True)
class Rating:
    """One person's mark, 1 to 5. `rater`: the speaker who gave it, or an outsider. `aspects`: finer marks."""

    rater: str
    quality: float | None
    aspects: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One talk in the order it was held.

    `bot`: the system behind it (for rankings), `user`: the person, both where the log says so. `passed`: whether
    scripted checks of this talk passed (None: none were made). `row`: where it stood in its file.
    """

    id: str
    turns: tuple[Utterance, ...]
    ratings: tuple[Rating, ...] = ()
    source: str = ""
    bot: str | None = None
    user: str | None = None
    passed: bool | None = None
    row: int | None = None

    @property
    def speakers(self) -> tuple[str, ...]:
        """Who spoke, in order of first appearance."""
        return tuple(dict.fromkeys(turn.speaker for turn in self.turns))

    @property
    def bots(self) -> frozenset[str]:
        """The speakers that are known to be bots."""
        return frozenset(turn.speaker for turn in self.turns if turn.is_bot)

    @property
    def kind(self) -> Kind:
        """Who talked with whom."""
        if self.bots:
            return Kind.HUMAN_BOT
        # A talk in which only one side spoke may have had a silent bot on the other.
        known = len(self.speakers) > 1 and all(turn.is_bot is False for turn in self.turns)
        return Kind.HUMAN_HUMAN if known else Kind.UNKNOWN

    @property
    def quality(self) -> float | None:
        """The mean of all marks, None without any."""
        marks = [rating.quality for rating in self.ratings if rating.quality is not None]
        return sum(marks) / len(marks) if marks else None


@dataclass(frozen=True, slots=True)
class View:
    """A dialogue as one of its sides saw it: the rows that models learn from and are tested on.

    `judge` is the side whose mark is wanted, everyone else is the peer. Two views of one dialogue belong together:
    never split by view.
    """

    dialogue: Dialogue
    judge: str
    quality: float | None = None
    aspects: Mapping[str, float] = field(default_factory=dict)


def rated_views(dialogues: Iterable[Dialogue]) -> Iterator[View]:
    """Yield one view for each mark; a mark by an outsider is seen from the side of the person who talked."""
    for dialogue in dialogues:
        for rating in dialogue.ratings:
            if rating.quality is not None:
                judge = rating.rater if rating.rater in dialogue.speakers else judge_of(dialogue)
                yield View(dialogue, judge, rating.quality, rating.aspects)


def judge_of(dialogue: Dialogue) -> str:
    """Return the side whose eyes are taken when the log does not say: a person, else the first who spoke."""
    speakers, bots = dialogue.speakers, dialogue.bots
    return next((speaker for speaker in speakers if speaker not in bots), speakers[0] if speakers else "")
